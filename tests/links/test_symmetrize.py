"""Tests of symmetrisation, against hand-made cases, a plain twin of the Moses program symal, and symal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.alignments import Alignments
from aligner.links.symmetrize import SYMMETRIZATIONS, symmetrize

Links = set[tuple[int, int]]

ANY_LINKS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14)
# At most one link per target position, and per source position.
FORWARD_LINKS = st.dictionaries(st.integers(0, 5), st.integers(0, 5)).map(
    lambda d: {(i, j) for j, i in d.items()}
)
REVERSE_LINKS = st.dictionaries(st.integers(0, 5), st.integers(0, 5)).map(lambda d: set(d.items()))
TWO_ALIGNMENTS = st.tuples(FORWARD_LINKS, REVERSE_LINKS) | st.tuples(ANY_LINKS, ANY_LINKS)


def naive(forward: Links, reverse: Links, *, diagonal: bool, final: str = "") -> list[tuple[int, int]]:
    """Return the links of symal. Points (target, source) are visited in order while others are added."""
    first, second = {(j, i) for i, j in forward}, {(j, i) for i, j in reverse}
    points = first & second
    steps = [(-1, 0), (0, -1), (1, 0), (0, 1)]
    if diagonal:
        steps += [(-1, -1), (-1, 1), (1, -1), (1, 1)]

    def uncovered(point):
        return (all(j != point[0] for j, _ in points), all(i != point[1] for _, i in points))

    while True:
        before = set(points)
        current = (-1, -1)
        while any(point > current for point in points):
            current = min(point for point in points if point > current)
            for step in steps:
                neighbour = (current[0] + step[0], current[1] + step[1])
                if neighbour in first | second and any(uncovered(neighbour)):
                    points.add(neighbour)
        if points == before:
            break
    if final:
        for only in (first - second, second - first):
            for point in sorted(only):
                if (all if final == "and" else any)(uncovered(point)):
                    points.add(point)
    return sorted((i, j) for j, i in points)


NAIVE = {
    "forward": lambda forward, reverse: sorted(forward),
    "reverse": lambda forward, reverse: sorted(reverse),
    "intersection": lambda forward, reverse: sorted(forward & reverse),
    "union": lambda forward, reverse: sorted(forward | reverse),
    "grow": lambda forward, reverse: naive(forward, reverse, diagonal=False),
    "grow-diag": lambda forward, reverse: naive(forward, reverse, diagonal=True),
    "grow-diag-final": lambda forward, reverse: naive(forward, reverse, diagonal=True, final="or"),
    "grow-diag-final-and": lambda forward, reverse: naive(forward, reverse, diagonal=True, final="and"),
}


def test_result_matches_symal():
    """Compare with the output of symal (mosesdecoder 34452895) for 60 random alignments."""
    header, *rows = (Path(__file__).parent / "symal.tsv").read_text("utf-8").splitlines()
    methods = header.split("\t")[2:]
    assert ["forward", "reverse", *methods, "grow-diag-atools"] == list(SYMMETRIZATIONS)
    assert len(rows) == 60
    for row in rows:
        cells = ([tuple(map(int, link.split("-"))) for link in links.split()] for links in row.split("\t"))
        forward, reverse, *expected = cells
        assert [SYMMETRIZATIONS[method](forward, reverse) for method in methods] == expected


@pytest.mark.parametrize("method", NAIVE)
@given(st.lists(TWO_ALIGNMENTS, max_size=4))
def test_result_matches_naive_twin(method, text):
    expected = [NAIVE[method](*pair) for pair in text]
    assert [SYMMETRIZATIONS[method](*pair) for pair in text] == expected
    forward, reverse = (Alignments.from_lists([pair[k] for pair in text]) for k in (0, 1))
    forward, reverse = (
        replace(side, probabilities=np.ones(len(side.source), np.float32)) for side in (forward, reverse)
    )
    assert symmetrize(forward, reverse, method) == Alignments.from_lists(expected)  # without probabilities


def test_neighbours_and_distant_links():
    # The intersection is 1-1. Beside it lies 1-2, which covers target 2, and at its corner 2-0.
    # 5-5 and 4-5 are distant.
    forward = [(1, 1), (1, 2), (5, 5)]
    reverse = [(1, 1), (2, 0), (4, 5)]
    assert SYMMETRIZATIONS["grow"](forward, reverse) == [(1, 1), (1, 2)]
    assert SYMMETRIZATIONS["grow-diag"](forward, reverse) == [(1, 1), (1, 2), (2, 0)]
    # final-and adds 5-5 of forward first, which covers target 5 of 4-5. final adds 4-5 to cover source 4.
    assert SYMMETRIZATIONS["grow-diag-final-and"](forward, reverse) == [(1, 1), (1, 2), (2, 0), (5, 5)]
    assert SYMMETRIZATIONS["grow-diag-final"](forward, reverse) == [(1, 1), (1, 2), (2, 0), (4, 5), (5, 5)]
