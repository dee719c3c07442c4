"""Tests of the projection of dependencies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.annotations.conllu import (
    Sentence,
    Word,
    project_sentence,
    read_sentence,
    split_sentences,
    write_sentence,
)
from tests.annotations.cases import identity, link_lines, links_of, with_probabilities


def sentence_of(*heads, deprels="abcdef"):
    """Return a sentence with the heads of its words, from 1; 0 is the root."""
    words = [
        Word(f"U{k}", "_", f"F={k}", "_", head - 1, deprels[k] if head else "root")
        for k, head in enumerate(heads)
    ]
    return Sentence(["# sent_id = 1"], words, is_tree=True)


@st.composite
def trees(draw):
    """Draw a sentence with a random tree: each word gets its head among the words before it in some order."""
    order = draw(st.permutations(range(draw(st.integers(1, 6)))))
    heads = [0] * len(order)
    for k, word in enumerate(order[1:], 1):
        heads[word] = draw(st.sampled_from(order[:k])) + 1
    return sentence_of(*heads)


@given(trees())
def test_identity_returns_the_sentence(sentence):
    projected, unlinked = project_sentence(sentence, identity(len(sentence.words)))
    assert (projected, unlinked) == (sentence, 0)


@given(trees(), st.integers(0, 6), st.data())
def test_heads_are_a_tree(sentence, length, data):
    links = with_probabilities(data.draw(link_lines(len(sentence.words), length)), length)
    projected, unlinked = project_sentence(sentence, links)
    text = write_sentence(projected, "abcdef"[:length])
    ((first, record),) = split_sentences(text.split("\n"))
    assert (first, read_sentence(record)) == (1, (length, projected))  # which checks the tree
    assert unlinked == sum(word.upos == "_" for word in projected.words)
    assert sum(word.deprel == "root" for word in projected.words) == (length > 0)


@given(trees(), st.data())
def test_another_reader_finds_the_tree(sentence, data):
    length = data.draw(st.integers(1, 6))
    links = with_probabilities(data.draw(link_lines(len(sentence.words), length)), length)
    projected, _ = project_sentence(sentence, links)
    (found,) = pytest.importorskip("conllu").parse(write_sentence(projected, "abcdef"[:length]) + "\n")
    assert found.metadata == {"sent_id": "1", "text": " ".join("abcdef"[:length])}
    assert [token["head"] for token in found] == [word.head + 1 for word in projected.words]
    assert [token["upos"] for token in found] == [word.upos for word in projected.words]
    waiting = [found.to_tree()]
    for node in waiting:
        waiting += node.children
    assert len(waiting) == length


@pytest.mark.parametrize(
    ("heads", "links", "length", "expected"),
    [
        ([2, 0], "0-1 1-0", 2, ["0 root", "1 a"]),  # exchanged words
        ([2, 0], "0-0 1-0", 1, ["0 root"]),  # of two origins, the one higher in the tree
        ([2, 0], "0-0:0.5 1-1:0.5 1-2:0.75", 3, ["3 a", "3 dep", "0 root"]),  # the heaviest link stands
        ([2, 0], "0-0 1-1 1-2", 3, ["2 a", "0 root", "2 dep"]),  # the first one stands
        ([2, 3, 0], "0-0 2-1", 2, ["2 a", "0 root"]),  # the head has no link: the head above it
        ([3, 3, 0], "0-0 1-1", 2, ["0 root", "1 b"]),  # the root has no link
        ([2, 0], "1-1", 4, ["2 dep", "0 root", "2 dep", "2 dep"]),  # words without links
        ([2, 0], "0-0 1-2", 3, ["3 a", "3 dep", "0 root"]),  # the later one of two neighbours
        ([2, 0], "", 3, ["0 root", "1 dep", "1 dep"]),
    ],
)
def test_rules(heads, links, length, expected):
    projected, _ = project_sentence(sentence_of(*heads), links_of(links, length))
    assert [f"{word.head + 1} {word.deprel}" for word in projected.words] == expected


ROW = "{}\tform\t_\t_\t_\t_\t{}\tx\t_\t_"


def test_multiword_tokens_empty_nodes_and_text_are_left_out():
    rows = ["1-2\tdu" + "\t_" * 8, ROW.format("1", "2"), ROW.format("2", "0"), "2.1\te" + "\t_" * 8]
    length, sentence = read_sentence("\n".join(["# text = du", "# text_en = of", "# newpar", *rows]))
    assert (length, sentence.comments) == (2, ["# text_en = of", "# newpar"])
    assert [word.head for word in sentence.words] == [1, -1]


def test_brackets_of_entities_are_left_out():
    """A target word may have only one of them, or have it twice."""
    row = (
        ROW.format("1", "0").removesuffix("_")
        + "Entity=(e1-person-1-)|Bridge=e1|A=1|SplitAnte=e2|SpaceAfter=No"
    )
    assert read_sentence(row)[1].words[0].misc == "A=1"


def test_sentences_without_heads_stay_without():
    _, sentence = read_sentence("\n".join([ROW.format("1", "_"), ROW.format("2", "1")]))
    projected, _ = project_sentence(sentence, identity(2))
    assert [word.deprel for word in projected.words] == ["_", "_"]
    assert "1\ta\t_\t_\t_\t_\t_\t_\t_\t_" in write_sentence(projected, "ab").split("\n")
