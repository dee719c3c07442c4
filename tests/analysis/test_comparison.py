"""Comparison of two alignments line by line."""

import pytest
from hypothesis import given

from aligner.analysis.comparison import compare_lines
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from tests.links.strategies import SCORED_TEXTS, gold_of


def test_hand_made_case():
    gold = gold_of([[(0, 0), (1, 1)], [(0, 0)], [(0, 0)]])
    first = Alignments.from_lists([[(0, 0), (1, 1)], [(0, 0), (1, 0)], [(0, 0)]])
    second = Alignments.from_lists([[(0, 0), (1, 0)], [(0, 0)], [(0, 0)]])
    found = compare_lines(first, second, gold)
    *counts, lines = found.values()
    assert counts == [1, 1, 1, 2, 1, 1, 0]
    assert [tuple(line.values()) for line in lines] == [
        (1, 0.0, 0.5, [((1, 1), True)], [((1, 0), False)]),
        (2, pytest.approx(1 / 3), 0.0, [((1, 0), False)], []),
    ]


@given(SCORED_TEXTS)
def test_lines_match_python_sets(lists):
    first, second, sure = (Alignments.from_lists([pair[k] for pair in lists]) for k in range(3))
    gold = gold_of(sure)
    found = compare_lines(first, second, gold)
    assert {line["line"] - 1 for line in found["lines"]} == {n for n, (a, b, _) in enumerate(lists) if a != b}
    for line in found["lines"]:
        n = line["line"] - 1
        a, b, s = lists[n]
        assert dict(line["first_only"]) == {link: link in s for link in a - b}
        assert dict(line["second_only"]) == {link: link in s for link in b - a}
        one = gold_of([sure[n]])
        assert (line["first_aer"], line["second_aer"]) == (
            score(first[n : n + 1], one).aer,
            score(second[n : n + 1], one).aer,
        )
    exchanged = compare_lines(second, first, gold)
    assert (exchanged["first_better"], exchanged["first_only"]) == (
        found["second_better"],
        found["second_only"],
    )
    assert found["first_better"] + found["second_better"] + found["equal"] == len(lists)
    assert found["first_only"] == sum(len(line["first_only"]) for line in found["lines"])
    changes = [abs(line["first_aer"] - line["second_aer"]) for line in found["lines"]]
    assert changes == sorted(changes, reverse=True)
