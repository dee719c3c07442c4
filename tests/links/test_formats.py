"""Tests of the link formats."""

from __future__ import annotations

import json
from io import StringIO
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.files.lines import words_of
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS
from aligner.links.linked_pairs import LinkedLines, LinkedPair, alignments_of, in_order
from tests.support import new_file

LINKS = Alignments.from_links(2, [0, 0], [0, 1], [2, 0], [0.5, 1.0])
WORDS = [(["la", "maison"], ["the", "big", "house"]), ([], [])]

words = st.lists(st.text(st.sampled_from('ab1(){}N-\u00a0\u2028\r\x85"'), min_size=1, max_size=3), max_size=4)


def written(name, *lines, **texts):
    """Return lines in a format."""
    return "".join(LINK_FORMATS[name].write([LinkedLines(*lines, **texts)]))


def lists_of(name, text, path):
    """Return the links, as alignments, and the words of each pair that a format reads back."""
    pairs = list(in_order("links", LINK_FORMATS[name].read(new_file(path, text))))
    return alignments_of(pairs), [pair.words for pair in pairs]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("moses", "1-0 0-2\n\n"),
        ("lines", "1\t0-2 1-0\n"),
        ("named", "1\t0-2 1-0\n2\t\n"),
        (
            "giza",
            "# Sentence pair (1) source length 2 target length 3 alignment score : 1\n"
            "the big house \nNULL ({ 2 }) la ({ 3 }) maison ({ 1 }) \n"
            "# Sentence pair (2) source length 0 target length 0 alignment score : 1\n \nNULL ({ }) \n",
        ),
    ],
)
def test_text_of_crossing_links_and_empty_pairs(name, text):
    """Other formats, and plainer texts, are examples of the page of formats."""
    assert written(name, LINKS, 1, WORDS) == text


@st.composite
def linked_texts(draw):
    """Draw alignments with probabilities of 4 decimals, and the words of their pairs."""
    texts = draw(st.lists(st.tuples(words, words), max_size=5))
    lists = []
    for source, target in texts:
        cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
        lists.append(draw(st.lists(st.sampled_from(cells), unique=True)) if cells else [])
    links = Alignments.from_lists(lists)
    values = draw(st.lists(st.integers(0, 10_000), min_size=links.source.size, max_size=links.source.size))
    probabilities = np.array(values, np.float32) / np.float32(10_000)
    return Alignments(links.offsets, links.source, links.target, probabilities), texts


@pytest.mark.parametrize("name", LINK_FORMATS)
@given(linked_texts(), st.integers(0, 6))
def test_text_of_parts_is_text_of_whole(name, linked, cut):
    links, texts = linked
    first, second = (links[:cut], 1, texts[:cut]), (links[cut:], 1 + len(links[:cut]), texts[cut:])
    assert written(name, *first) + written(name, *second) == written(name, links, 1, texts)


@pytest.mark.parametrize("name", LINK_FORMATS)
@given(linked_texts())
def test_text_is_read_back(tmp_path_factory, name, linked):
    alignments, texts = linked
    text = written(name, alignments, 1, texts)
    links, read_words = lists_of(name, text, tmp_path_factory.mktemp("formats"))
    expected = list(alignments)
    if name == "tsv" and any(word.split() != [word] for text in texts for side in text for word in side):
        return
    if LINK_FORMATS[name].lines_per_pair == 0:  # pairs after the last link have no line
        while expected and not expected[-1]:
            expected.pop()
    assert list(links) == expected
    if "words" in LINK_FORMATS[name].needs:
        assert read_words == texts
    if name in ("pharaoh-probabilities", "jsonl", "jsonl-offsets") and len(links.source):
        np.testing.assert_array_equal(links.probabilities, alignments.probabilities)


@given(linked_texts())
def test_tsv_is_read_alike_by_opustrainer(linked):
    """OpusTrainer reads a text file, takes three columns, and splits both sides at white space."""
    alignments, texts = linked
    lines = StringIO(written("tsv", alignments, 1, texts), newline=None).readlines()
    assert len(lines) == len(texts)
    for line, pair, links in zip(lines, texts, alignments, strict=True):
        *sides, tokens = line.rstrip("\n").split("\t")
        words = [side.split() for side in sides]
        found = {tuple(map(int, token.split("-"))) for token in tokens.split()}
        parts = [[(k, part) for k, word in enumerate(side) for part in word.split()] for side in pair]
        assert words == [[part for _, part in side] for side in parts]
        cells = product(enumerate(parts[0]), enumerate(parts[1]))
        assert found == {(i, j) for (i, (k, _)), (j, (m, _)) in cells if (k, m) in set(links)}


def test_possible_and_null_links_of_gold_are_read(tmp_path):
    assert list(LINK_FORMATS["talp"].read(new_file(tmp_path, "1-1 2p3\n"))) == [
        LinkedPair([(0, 0), (1, 2)], [(0, 0)], forbidden=[], file_line=1)
    ]
    naacl = list(LINK_FORMATS["naacl"].read(new_file(tmp_path, "\n2 1 1 S\n2 0 2\n2 2 1 P\n")))
    assert naacl == [
        LinkedPair([(0, 0)], [(0, 0)], number=2, file_line=2),
        LinkedPair([], [], null_links=1, number=2, file_line=3),
        LinkedPair([(1, 0)], [], number=2, file_line=4),
    ]
    assert [pair.links for pair in in_order("links", naacl)] == [[], [(0, 0), (1, 0)]]


@given(st.lists(st.sampled_from(["a", "é", "語", "🙂", " ", "\t", "\u00a0"]), max_size=9).map("".join))
def test_offsets_are_of_words_in_the_line(line):
    links, source = Alignments.from_lists([[]]), words_of(line)
    text = written("jsonl-offsets", links, 1, [(source, [])], texts=[(line, "")])
    offsets = json.loads(text)["source_offsets"]
    assert [line[start:end] for start, end, _, _ in offsets] == source
    assert [line.encode()[start:end].decode() for _, _, start, end in offsets] == source


def test_ids_of_jsonl_are_read_back(tmp_path):
    links = Alignments.from_lists([[(0, 0)], []])
    text = written("jsonl", links, 1, [(["a"], ["b"]), ([], [])], ["MAT 1:1", "2"])
    pairs = list(LINK_FORMATS["jsonl"].read(new_file(tmp_path, text)))
    assert [pair.id for pair in pairs] == ["MAT 1:1", "2"]
