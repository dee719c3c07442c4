"""Edges of words, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from aligner import Bitext
from aligner.text.edges import Edges, count_edges, words_and_edges
from aligner.text.prefixes import JOINER
from aligner.text.splits import Splits
from tests.support import bitext_of

LINES = ["the cat sees the dog , the bird", "dog ( the )", ", the cat"]


def counts_of(text, word):
    side = text.sides[0]
    return count_edges(side)[side.vocabulary.index[word]].tolist()


def test_edges_are_at_ends_of_sentences_and_punctuation():
    text = Bitext.from_text([(line, "x") for line in LINES])
    # The first "the" opens a sentence, the third follows a comma, the fourth is between brackets.
    assert counts_of(text, "the") == [5, 4, 1]
    assert counts_of(text, "dog") == [2, 1, 2]
    assert counts_of(text, "cat") == [2, 0, 1]
    assert counts_of(text, ",") == [2, 2, 2]
    assert count_edges(text.sides[0])[-1].tolist() == [15, 0, 0]


def test_frequent_words_have_a_tendency():
    text = Bitext.from_text([(line, "x") for line in LINES])
    edges = Edges.of(count_edges(text.sides[0]))
    words = text.source.vocabulary.words
    found = {words[k]: t for k, t in zip(edges.words, edges.tendencies, strict=True)}
    assert found["the"] == pytest.approx(np.log(4.5 / 1.5))
    assert found["dog"] == pytest.approx(np.log(1.5 / 2.5))
    assert found[","] == 0
    rare = Bitext.from_text([("a " * 50, "x")] * 10 + [("b", "x")])  # 1 of 501 tokens is less than 0.2 %
    assert Edges.of(count_edges(rare.sides[0])).words.tolist() == [0]


def test_chosen_sentences_count():
    text = Bitext.from_text([(line, "x") for line in LINES])
    side = text.sides[0]
    chosen = np.array([True, False, True])
    assert np.array_equal(count_edges(side, chosen), count_edges(text.select(chosen).sides[0]))


def test_a_word_with_parts_is_its_only_part_that_is_no_punctuation():
    """The mark at a word is an edge, and a word of two parts is none of its parts."""
    lines = [(f"the house{JOINER}, and{JOINER}the dog", "x")]
    text = Bitext.from_text(lines, fold="none")
    vocabularies = bitext_of([("the house , and dog", "x")]).sides
    words = [side.vocabulary for side in vocabularies]
    words[0] = replace(words[0], splits=Splits((JOINER,)))
    side = text.encoded_in(*words).sides[0]
    ids, edges = words_and_edges(side)
    spelled = [*words[0].words, ""]
    assert [spelled[k] for k in ids] == ["the", "house", "", "dog"]
    assert edges.tolist() == [True, False, True, False, True]


def test_ignored_tokens_change_nothing():
    lines = [("the ▁ cat ▁", "x"), ("the cat", "x")]
    text = Bitext.from_text(lines, ignore="▁")
    assert counts_of(text, "the") == [2, 2, 0]
    assert counts_of(text, "cat") == [2, 0, 2]
    assert count_edges(text.sides[0])[-1, 0] == 4
