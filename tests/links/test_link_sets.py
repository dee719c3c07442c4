"""Tests of operations on sets of links, against Python's sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.link_sets import check_positions, intersection, occurs_in, reaching, union
from tests.links.strategies import TEXT_PAIRS


@given(TEXT_PAIRS)
def test_operations_match_python_sets(lists):
    first, second = (Alignments.from_lists([pair[k] for pair in lists]) for k in (0, 1))
    assert list(intersection(first, second)) == [sorted(a & b) for a, b in lists]
    assert list(union(first, second)) == [sorted(a | b) for a, b in lists]
    assert occurs_in(first, second).tolist() == [link in b for a, b in lists for link in sorted(a)]


@pytest.mark.parametrize("operation", [intersection, union, occurs_in])
def test_different_numbers_of_pairs_raise(operation):
    with pytest.raises(DataError, match="1 and 2 sentence pairs"):
        operation(Alignments.from_lists([[]]), Alignments.from_lists([[], []]))


def test_links_that_reach_a_threshold():
    links = Alignments.from_links(3, [0, 0, 2], [0, 1, 5], [1, 0, 5], [0.2, 0.35, 0.3])
    assert list(reaching(links, 0.2)) == list(links)
    assert list(reaching(links, 0.3)) == [[(1, 0)], [], [(5, 5)]]
    with pytest.raises(DataError, match="without probabilities; expected i-j:p"):
        reaching(Alignments.from_lists([[(0, 0)]]), 0.5)


def test_first_link_outside_its_pair_is_found():
    links = Alignments.from_lists([[(0, 0)], [], [(0, 1), (1, 3)], [(9, 9)]])
    source, target = np.array([1, 0, 2, 10]), np.array([1, 0, 3, 9])
    with pytest.raises(DataError) as error:
        check_positions(links, (source, target), "links:")
    assert str(error.value) == (
        "links:3: found 1-3 in a pair of 2 and 3 words; positions count from 0; are these the links of this"
        " text?"
    )
    with pytest.raises(DataError, match=r"^pair 7: found 1-3 in a pair of 1 and \? words; .*; advice$"):
        check_positions(links, (np.array([1, 0, 1, 10]), None), "pair ", 5, "advice")
    check_positions(links, (source, None), "links:")
    check_positions(Alignments.from_lists([[], []]), (np.zeros(2, int), np.zeros(2, int)), "links:")
