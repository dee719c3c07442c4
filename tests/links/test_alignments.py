"""Alignments as a value, and sets of links."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.links.alignments import Alignments, intersection, occurs_in, union

link_sets = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5) | st.integers(500, 1100)), max_size=12)
texts = st.lists(link_sets, max_size=6)
two_texts = st.lists(st.tuples(link_sets, link_sets), max_size=6)


class TestAlignments:
    def test_is_sorted_and_without_duplicates(self):
        alignments = Alignments.from_lists([[(1, 0), (0, 2), (1, 0), (0, 1)], [], [(3, 3)]])
        assert alignments.offsets.tolist() == [0, 3, 3, 4]
        assert (alignments.source.tolist(), alignments.target.tolist()) == ([0, 0, 1, 3], [1, 2, 0, 3])
        assert (alignments.offsets.dtype, alignments.source.dtype) == (np.int64, np.int32)
        assert alignments.pair.tolist() == [0, 0, 0, 2]
        assert list(alignments) == [[(0, 1), (0, 2), (1, 0)], [], [(3, 3)]]

    def test_of_equal_links_the_most_probable_stays(self):
        alignments = Alignments.from_links(2, [1, 0, 1], [4, 0, 4], [2, 1, 2], [0.25, 0.5, 0.75])
        assert list(alignments) == [[(0, 1)], [(4, 2)]]
        assert alignments.probabilities.tolist() == [0.5, 0.75]

    @given(texts)
    def test_gives_back_what_it_was_made_of(self, lists):
        alignments = Alignments.from_lists(lists)
        assert len(alignments) == len(lists)
        assert [alignments[n] for n in range(len(lists))] == [sorted(links) for links in lists]
        assert list(alignments) == [sorted(links) for links in lists]
        assert alignments == Alignments.from_lists([sorted(links, reverse=True) for links in lists])

    @given(texts, st.integers(-8, 8), st.integers(-8, 8))
    def test_slices_like_a_list(self, lists, start, stop):
        alignments = Alignments.from_lists(lists)
        assert list(alignments[start:stop]) == [sorted(links) for links in lists[start:stop]]

    def test_index_out_of_range(self):
        alignments = Alignments.from_lists([[(0, 0)], [(1, 1)]])
        assert alignments[-1] == [(1, 1)]
        with pytest.raises(IndexError):
            alignments[2]

    @given(texts, texts)
    def test_concatenation_is_that_of_lists(self, first, second):
        parts = [Alignments.from_lists(first), Alignments.from_lists(second)]
        assert Alignments.concatenate(parts) == Alignments.from_lists(first + second)

    def test_concatenation_keeps_probabilities_that_every_link_has(self):
        with_values = Alignments.from_links(1, [0], [0], [0], [0.5])
        nothing = Alignments.from_lists([[]])
        assert Alignments.concatenate([nothing, with_values]).probabilities.tolist() == [0.5]
        without = Alignments.from_lists([[(0, 0)]])
        assert Alignments.concatenate([without, with_values]).probabilities is None
        assert len(Alignments.concatenate([])) == 0

    def test_equality_includes_probabilities_and_empty_pairs(self):
        plain = Alignments.from_lists([[(0, 0)]])
        assert plain != Alignments.from_lists([[(0, 0)], []])
        assert plain != Alignments.from_links(1, [0], [0], [0], [0.5])
        assert Alignments.from_links(1, [0], [0], [0], [0.5]) == Alignments.from_links(
            1, [0], [0], [0], [0.5]
        )

    @given(texts)
    def test_reversed_twice_is_the_same(self, lists):
        alignments = Alignments.from_lists(lists)
        assert list(alignments.reversed()) == [sorted((j, i) for i, j in links) for links in lists]
        assert alignments.reversed().reversed() == alignments

    @pytest.mark.parametrize(
        ("offsets", "source", "target", "probabilities"),
        [
            ([0, 1], [0, 0], [0, 1], None),  # a link of no pair
            ([0, 2, 1, 2], [0, 0], [0, 1], None),  # offsets that go back
            ([0, 2], [0, 0], [1, 0], None),  # unsorted
            ([0, 2], [0, 0], [0, 0], None),  # twice the same
            ([0, 1], [-1], [0], None),
            ([0, 1], [0], [0], [1.5]),
            ([0, 1], [0], [0], [float("nan")]),
            ([0, 1], [0], [0], []),
        ],
    )
    def test_refuses_anything_else(self, offsets, source, target, probabilities):
        with pytest.raises(DataError):
            Alignments(offsets, source, target, probabilities)

    def test_refuses_links_of_a_pair_beyond_the_last(self):
        with pytest.raises(DataError, match=r"pair must lie in 0\.\.1; found 2"):
            Alignments.from_links(2, [2], [0], [0])
        with pytest.raises(DataError, match=r"pair must lie in 0\.\.1; found -1"):
            Alignments.from_links(2, [0, -1], [0, 1], [0, 1])

    @pytest.mark.parametrize(
        ("link", "message"),
        [
            ((0, 2**32), "position must lie in 0..9999999; found 4294967296"),
            ((2**32, 0), "position must lie in 0..9999999; found 4294967296"),
            ((2**63, 0), "position must lie in 0..9999999; found 9223372036854775808"),
            ((0, -1), "position must lie in 0..9999999; found -1"),
            ((0.5, 1.7), "position must be a whole number"),
            ((2**70, 0), "position must be a whole number"),
            (("0", "1"), "position must be a whole number"),
            ((float("nan"), 0), "position must be a whole number"),
            ((0, 1, 2, 3), "a pair of a source and a target position"),
        ],
    )
    def test_refuses_what_is_no_position(self, link, message):
        with pytest.raises(DataError) as error:
            Alignments.from_lists([[link]])
        assert message in str(error.value)

    def test_refuses_arrays_of_larger_numbers(self):
        with pytest.raises(DataError, match="found 4294967296"):
            Alignments([0, 1], np.array([0]), np.array([2**32]))


class TestSets:
    @given(two_texts)
    def test_are_those_of_python(self, lists):
        first, second = (Alignments.from_lists([pair[k] for pair in lists]) for k in (0, 1))
        assert list(intersection(first, second)) == [sorted(a & b) for a, b in lists]
        assert list(union(first, second)) == [sorted(a | b) for a, b in lists]
        assert occurs_in(first, second).tolist() == [link in b for a, b in lists for link in sorted(a)]

    @pytest.mark.parametrize("operation", [intersection, union, occurs_in])
    def test_refuse_texts_of_different_lengths(self, operation):
        with pytest.raises(DataError, match="1 and 2 sentence pairs"):
            operation(Alignments.from_lists([[]]), Alignments.from_lists([[], []]))
