"""Tests of the best run of target words for a source span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.annotations.cases import LENGTHS, link_lines, links_of, with_probabilities


def best_by_enumeration(line, span, limits):
    """Return (weight, start, end) of the best run that begins and ends with words linked to the span."""
    linked = {j for i, j, _ in line if span[0] <= i < span[1]}
    runs = []
    for first, end in limits:
        inside = sorted(j for j in linked if first <= j < end)
        for start in inside:
            for last in (j for j in inside if j >= start):
                signs = ((1 if span[0] <= i < span[1] else -1) * p for i, j, p in line if start <= j <= last)
                runs.append((sum(signs), last + 1 - start, -start))
    weight, length, start = max(runs, default=(None, 0, 0))
    return None if weight is None else (weight, -start, length - start)


@given(LENGTHS, st.data())
def test_best_run_is_the_best_of_all(lengths, data):
    line = data.draw(link_lines(*lengths))
    start, end = sorted((data.draw(st.integers(0, lengths[0])), data.draw(st.integers(0, lengths[0]))))
    cut = data.draw(st.integers(0, lengths[1]))
    for limits in ([(0, lengths[1])], [(0, cut), (cut, lengths[1])], [(cut, lengths[1])]):
        found = with_probabilities(line, lengths[1]).best_run((start, end), limits)
        assert (found and tuple(found)) == best_by_enumeration(line, (start, end), limits)


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ("0-0 1-3", (0, 4)),  # a gap without links
        ("0-0 1-1 2-2 0-3 1-4", (0, 5)),  # a gap of one word linked elsewhere
        ("0-0 1-1 2-2 3-3 4-4 5-5 1-6", (0, 2)),  # a stray link
        ("0-2 1-2 5-2", (2, 3)),
        ("0-2 5-2 6-2", (2, 3)),  # the only word, although it is linked more to other words
    ],
)
def test_gaps_and_stray_links(links, expected):
    _, *run = links_of(links, 7).best_run((0, 2), [(0, 7)])
    assert tuple(run) == expected


def test_the_most_probable_of_equal_links_counts():
    assert links_of("0-0:0.25 0-0:0.5 0-0:0.125", 1).of_word(0) == [(0, 0.5)]
