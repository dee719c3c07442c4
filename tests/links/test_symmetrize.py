"""Combining two alignments, held to hand-made cases, a literal twin of the Moses program symal, and symal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.symmetrize import SYMMETRIZERS, symmetrize

Links = set[tuple[int, int]]

any_links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14)
# At most one link per target position, and per source position.
forward_links = st.dictionaries(st.integers(0, 5), st.integers(0, 5)).map(
    lambda d: {(i, j) for j, i in d.items()}
)
reverse_links = st.dictionaries(st.integers(0, 5), st.integers(0, 5)).map(lambda d: set(d.items()))
two_alignments = st.tuples(forward_links, reverse_links) | st.tuples(any_links, any_links)


def naive(forward: Links, reverse: Links, *, diagonal: bool, final: str = "") -> list[tuple[int, int]]:
    """As symal does it: points (target, source) in an ordered set that grows while it is walked."""
    first, second = {(j, i) for i, j in forward}, {(j, i) for i, j in reverse}
    held = first & second
    steps = [(-1, 0), (0, -1), (1, 0), (0, 1)]
    if diagonal:
        steps += [(-1, -1), (-1, 1), (1, -1), (1, 1)]

    def uncovered(point):
        return (all(j != point[0] for j, _ in held), all(i != point[1] for _, i in held))

    while True:
        before = set(held)
        here = (-1, -1)
        while any(point > here for point in held):
            here = min(point for point in held if point > here)
            for step in steps:
                near = (here[0] + step[0], here[1] + step[1])
                if near in first | second and any(uncovered(near)):
                    held.add(near)
        if held == before:
            break
    if final:
        for only in (first - second, second - first):
            for point in sorted(only):
                if (all if final == "and" else any)(uncovered(point)):
                    held.add(point)
    return sorted((i, j) for j, i in held)


NAIVE = {
    "intersection": lambda forward, reverse: sorted(forward & reverse),
    "union": lambda forward, reverse: sorted(forward | reverse),
    "grow": lambda forward, reverse: naive(forward, reverse, diagonal=False),
    "grow-diag": lambda forward, reverse: naive(forward, reverse, diagonal=True),
    "grow-diag-final": lambda forward, reverse: naive(forward, reverse, diagonal=True, final="or"),
    "grow-diag-final-and": lambda forward, reverse: naive(forward, reverse, diagonal=True, final="and"),
}


@pytest.mark.parametrize("method", SYMMETRIZERS)
@given(two_alignments)
def test_agrees_with_its_naive_twin(method, alignments):
    assert SYMMETRIZERS[method](*alignments) == NAIVE[method](*alignments)


def test_agrees_with_symal():
    """On random alignments that Moses's own program (mosesdecoder 34452895, symal) was given."""
    header, *rows = (Path(__file__).parent / "symal.tsv").read_text("utf-8").splitlines()
    methods = header.split("\t")[2:]
    assert methods == list(SYMMETRIZERS)
    assert len(rows) == 60
    for row in rows:
        cells = ([tuple(map(int, link.split("-"))) for link in links.split()] for links in row.split("\t"))
        forward, reverse, *expected = cells
        assert [SYMMETRIZERS[method](forward, reverse) for method in methods] == expected


@pytest.mark.parametrize("method", SYMMETRIZERS)
@given(st.lists(two_alignments, max_size=4))
def test_text_is_combined_pair_by_pair(method, text):
    forward, reverse = (Alignments.from_lists([pair[k] for pair in text]) for k in (0, 1))
    assert list(symmetrize(forward, reverse, method)) == [SYMMETRIZERS[method](*pair) for pair in text]


@given(two_alignments)
def test_lies_between_intersection_and_union(alignments):
    combined = {method: set(combine(*alignments)) for method, combine in SYMMETRIZERS.items()}
    for links in combined.values():
        assert combined["intersection"] <= links <= combined["union"]
    assert combined["grow-diag"] <= combined["grow-diag-final"]
    assert combined["grow-diag"] <= combined["grow-diag-final-and"]


@given(two_alignments)
def test_final_leaves_no_word_uncovered_that_a_link_could_cover(alignments):
    union = SYMMETRIZERS["union"](*alignments)
    for method, most in (("grow-diag-final", 0), ("grow-diag-final-and", 1)):
        links = SYMMETRIZERS[method](*alignments)
        sources, targets = {i for i, _ in links}, {j for _, j in links}
        assert all((i not in sources) + (j not in targets) <= most for i, j in union)


@pytest.mark.parametrize("method", SYMMETRIZERS)
@given(any_links)
def test_two_equal_alignments_stay_as_they_are(method, links):
    assert SYMMETRIZERS[method](links, links) == sorted(links)


@pytest.mark.parametrize("method", SYMMETRIZERS)
def test_nothing_from_nothing(method):
    assert SYMMETRIZERS[method]([], []) == []


def test_neighbours_and_what_is_far():
    # Held: 1-1. Beside it 1-2, which covers target 2; at its corner 2-0; far away 5-5 and 4-5.
    forward = [(1, 1), (1, 2), (5, 5)]
    reverse = [(1, 1), (2, 0), (4, 5)]
    assert SYMMETRIZERS["grow"](forward, reverse) == [(1, 1), (1, 2)]
    assert SYMMETRIZERS["grow-diag"](forward, reverse) == [(1, 1), (1, 2), (2, 0)]
    # final-and takes forward's 5-5 first, and then target 5 is covered for 4-5; final takes 4-5 for source 4.
    assert SYMMETRIZERS["grow-diag-final-and"](forward, reverse) == [(1, 1), (1, 2), (2, 0), (5, 5)]
    assert SYMMETRIZERS["grow-diag-final"](forward, reverse) == [(1, 1), (1, 2), (2, 0), (4, 5), (5, 5)]


def test_the_final_step_takes_forward_before_reverse():
    assert SYMMETRIZERS["grow-diag-final-and"]([(0, 1)], [(0, 2)]) == [(0, 1)]
    assert SYMMETRIZERS["grow-diag-final-and"]([(0, 2)], [(0, 1)]) == [(0, 2)]


def test_held_links_are_visited_by_target_then_source():
    # 0-0 and 1-0 compete to cover target 0. The neighbours of 0-1 are looked at before those of 1-1.
    forward = [(0, 1), (1, 1), (0, 0)]
    reverse = [(0, 1), (1, 1), (1, 0)]
    assert SYMMETRIZERS["grow"](forward, reverse) == [(0, 0), (0, 1), (1, 1)]


def test_a_link_that_was_added_has_neighbours_too():
    forward = [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert SYMMETRIZERS["grow"](forward, [(0, 0)]) == forward


def test_methods_with_more_neighbours_need_not_give_more_links():
    # The heuristics are greedy: at the corner of 1-1, 0-0 covers target 0 first, and 2-0 has nothing left to
    # cover once 2-1 is held. Without diagonals 2-1 is held, and 2-0 beside it.
    forward = [(2, 0), (1, 1)]
    reverse = [(0, 0), (1, 1), (2, 1)]
    assert SYMMETRIZERS["grow"](forward, reverse) == [(1, 1), (2, 0), (2, 1)]
    assert SYMMETRIZERS["grow-diag"](forward, reverse) == [(0, 0), (1, 1), (2, 1)]


def test_unknown_method():
    empty = Alignments.from_lists([])
    with pytest.raises(ConfigError, match=r"unknown symmetrisation 'growdiag' .*did you mean grow-diag"):
        symmetrize(empty, empty, "growdiag")


@pytest.mark.parametrize("method", SYMMETRIZERS)
def test_texts_of_different_lengths(method):
    with pytest.raises(DataError, match="0 and 1 sentence pairs"):
        symmetrize(Alignments.from_lists([]), Alignments.from_lists([[]]), method)
