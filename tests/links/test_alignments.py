"""Tests of alignments as a value."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from tests.links.strategies import TEXTS
from tests.refusals import refused


def test_links_are_sorted_and_distinct():
    alignments = Alignments.from_lists([[(1, 0), (0, 2), (1, 0), (0, 1)], [], [(3, 3)]])
    assert alignments.offsets.tolist() == [0, 3, 3, 4]
    assert (alignments.source.tolist(), alignments.target.tolist()) == ([0, 0, 1, 3], [1, 2, 0, 3])
    assert (alignments.offsets.dtype, alignments.source.dtype) == (np.int64, np.int32)
    assert alignments.pair.tolist() == [0, 0, 0, 2]
    assert list(alignments) == [[(0, 1), (0, 2), (1, 0)], [], [(3, 3)]]


def test_most_probable_of_equal_links_is_kept():
    alignments = Alignments.from_links(2, [1, 0, 1], [4, 0, 4], [2, 1, 2], [0.25, 0.5, 0.75])
    assert list(alignments) == [[(0, 1)], [(4, 2)]]
    assert alignments.probabilities.tolist() == [0.5, 0.75]


@given(TEXTS)
def test_lists_round_trip(lists):
    alignments = Alignments.from_lists(lists)
    assert len(alignments) == len(lists)
    assert [alignments[n] for n in range(len(lists))] == [sorted(links) for links in lists]
    assert list(alignments) == [sorted(links) for links in lists]
    assert alignments == Alignments.from_lists([sorted(links, reverse=True) for links in lists])


@given(TEXTS, st.integers(-8, 8), st.integers(-8, 8))
def test_slices_match_list_slices(lists, start, stop):
    alignments = Alignments.from_lists(lists)
    assert list(alignments[start:stop]) == [sorted(links) for links in lists[start:stop]]


def test_index_out_of_range_raises():
    alignments = Alignments.from_lists([[(0, 0)], [(1, 1)]])
    assert alignments[-1] == [(1, 1)]
    for pair in (2, -3):
        with pytest.raises(IndexError, match=f"^found pair {pair}; expected one of 2 pairs, counted from 0$"):
            alignments[pair]


@given(TEXTS, TEXTS)
def test_concatenation_matches_lists(first, second):
    parts = [Alignments.from_lists(first), Alignments.from_lists(second)]
    assert Alignments.concatenate(parts) == Alignments.from_lists(first + second)


def test_concatenation_keeps_probabilities_if_all_links_have_them():
    with_values = Alignments.from_links(1, [0], [0], [0], [0.5])
    nothing = Alignments.from_lists([[]])
    assert Alignments.concatenate([nothing, with_values]).probabilities.tolist() == [0.5]
    without = Alignments.from_lists([[(0, 0)]])
    assert Alignments.concatenate([without, with_values]).probabilities is None
    assert len(Alignments.concatenate([])) == 0


def test_equality_includes_probabilities_and_empty_pairs():
    plain = Alignments.from_lists([[(0, 0)]])
    assert plain != Alignments.from_lists([[(0, 0)], []])
    assert plain != Alignments.from_links(1, [0], [0], [0], [0.5])
    assert Alignments.from_links(1, [0], [0], [0], [0.5]) == Alignments.from_links(1, [0], [0], [0], [0.5])


@given(TEXTS)
def test_reversing_twice_restores_alignments(lists):
    alignments = Alignments.from_lists(lists)
    assert list(alignments.reversed()) == [sorted((j, i) for i, j in links) for links in lists]
    assert alignments.reversed().reversed() == alignments


ARRAYS = [
    ([0, 1], [0, 0], [0, 1], None),  # a link without a pair
    ([0, 2, 1, 2], [0, 0], [0, 1], None),  # decreasing offsets
    ([0, 2], [0, 0], [1, 0], None),  # unsorted
    ([0, 2], [0, 0], [0, 0], None),  # duplicate
    ([0, 1], [-1], [0], None),
    ([0, 1], [0], np.array([2**32]), None),
    *(([0, 1], [0], [0], probabilities) for probabilities in ([1.5], [float("nan")], [], [[0.5]])),
    ([[0, 1]], [0], [0], None),
    ([0, 1], [[0]], [0], None),
]
OTHER_LENGTHS = [
    ([0, 0], [1, 2], [1], None),
    ([0], [1, 2], [1, 2], None),
    ([0, 0], 1, [1, 2], None),
    ([[0, 0]], [[1, 2]], [[1, 2]], None),
    *(([0, 0], [1, 0], [1, 0], probabilities) for probabilities in ([0.5], [])),
    ([0, 0], [0, 1], [0, 1], [0.5]),
    ([], [], [], [0.5]),
]
NO_LINKS = [
    *(("in 0..9999999; found 4294967296", link) for link in ((0, 2**32), (2**32, 0))),
    ("in 0..9999999; found 9223372036854775808", (2**63, 0)),
    ("in 0..9999999; found -1", (0, -1)),
    *(("must be a whole number", link) for link in ((0.5, 1.7), (2**70, 0), ("0", "1"), (float("nan"), 0))),
    *(("a pair of a source and a target position", link) for link in ((0, 1, 2, 3), (1,), (), "ab")),
]


@pytest.mark.parametrize(
    ("said", "call", "arguments"),
    [
        *(("", Alignments, arrays) for arrays in ARRAYS),
        *(("must have one number for each link", Alignments.from_links, (1, *own)) for own in OTHER_LENGTHS),
        *((said, Alignments.from_lists, ([[link]],)) for said, link in NO_LINKS),
        *(("", Alignments.from_lists, ([[(0, 0)], [link]],)) for _, link in NO_LINKS),
        ("pair must lie in 0..1; found 2", Alignments.from_links, (2, [2], [0], [0])),
        ("pair must lie in 0..1; found -1", Alignments.from_links, (2, [0, -1], [0, 1], [0, 1])),
        ("expected 3 scores for every", Alignments, ([0, 0], [], [], None, np.zeros((2, 3)))),
        ("none of them NaN", Alignments, ([0, 0], [], [], None, np.array([[0, np.nan, 0]]))),
    ],
)
def test_arrays_that_are_no_alignments_are_refused(said, call, arguments):
    refused(said, call, *arguments, error=DataError)


def test_repr_counts_pairs_and_links():
    with_probabilities = Alignments.from_links(1, [0], [0], [0], [0.5])
    assert repr(with_probabilities) == "Alignments(1 pair, 1 link, with probabilities)"
    with_scores = replace(with_probabilities, scores=np.zeros((1, 3)))
    assert repr(with_scores) == "Alignments(1 pair, 1 link, with probabilities and scores)"
    assert repr(Alignments.from_lists([[]] * 1200)) == "Alignments(1,200 pairs, 0 links)"


def test_notebooks_show_the_first_links():
    links = Alignments.from_links(12, [0, 0, 11], [0, 1, 0], [0, 2, 0], np.array([0.5, 1, 1]))
    table = links._repr_html_()
    assert table.startswith("<p>Alignments(12 pairs, 3 links, with probabilities)</p>")
    assert "<tr><td>0</td><td>0-0:0.50 1-2:1.00</td></tr><tr><td>1</td><td></td></tr>" in table
    assert table.count("<tr>") == 1 + 10
    long = Alignments.from_lists([[(0, j) for j in range(60)]])
    assert "0-49 and 10 more</td>" in long._repr_html_()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_have_a_row_for_each_link(library, monkeypatch):
    frames = pytest.importorskip(library)
    if library == "polars":
        monkeypatch.setitem(sys.modules, "pandas", None)
    alignments = Alignments.from_links(3, [0, 0, 2], [0, 1, 0], [1, 0, 0], [0.5, 1.0, 0.25])
    frame = alignments.to_dataframe([("a b", "c d"), ("", "x"), ("e", "f")])
    assert isinstance(frame, frames.DataFrame)
    assert {name: [*frame[name]] for name in frame.columns} == {
        "pair": [0, 0, 2],
        "source": [0, 1, 0],
        "target": [1, 0, 0],
        "probability": [0.5, 1.0, 0.25],
        "source_word": ["a", "b", "e"],
        "target_word": ["d", "c", "f"],
    }
    assert [*replace(alignments, probabilities=None).to_dataframe().columns] == ["pair", "source", "target"]
    refused("the sentences of 1 pair; expected 3", alignments.to_dataframe, [("a", "b")])
    refused("a link outside its sentence pair", alignments.to_dataframe, [("a", "c d"), ("", ""), ("e", "f")])


def test_data_frames_are_of_the_library_of_the_text():
    pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    text = polars.DataFrame({"fr": ["a b"], "en": ["c"]})
    assert isinstance(Alignments.from_lists([[(1, 0)]]).to_dataframe(text), polars.DataFrame)


def test_data_frames_without_a_library_are_refused(monkeypatch):
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
    refused("neither pandas nor polars", Alignments.from_lists([[(0, 0)]]).to_dataframe)
