"""Reliability of probabilities: ranges, right links and the expected calibration error."""

import numpy as np
import pytest

from aligner.analysis.reliability import measure_reliability
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from tests.links.strategies import gold_of


def links_of(probabilities):
    """Return links (0, 0), (0, 1), ... of one pair, with these probabilities."""
    count = len(probabilities)
    return Alignments.from_links(1, [0] * count, [0] * count, range(count), np.array(probabilities, "f4"))


def test_ranges_and_error_are_those_of_a_sum_by_hand():
    links = links_of([0.05, 0.25, 0.25, 0.875, 0.875, 1.0])
    sure, possible = (Alignments.from_lists([[(0, j) for j in js]]) for js in ((1, 3, 5), (1, 3, 4, 5)))
    found = measure_reliability(links, Gold(sure, possible))  # (0, 4) is possible only: neither
    filled = {round(row["low"], 1): row for row in found["bins"] if row["links"]}
    assert {low: row["links"] for low, row in filled.items()} == {0.0: 1, 0.2: 2, 0.8: 1, 0.9: 1}
    assert [row["probability"] for row in filled.values()] == pytest.approx([0.05, 0.25, 0.875, 1.0])
    assert [row["right"] for row in filled.values()] == [0.0, 0.5, 1.0, 1.0]
    assert found["error"] == pytest.approx((0.05 + 2 * 0.25 + 0.125 + 0.0) / 5)


def test_no_links_have_no_error():
    found = measure_reliability(links_of([]), gold_of([[(0, 0)]]))
    assert found["error"] == 0.0
    assert not any(row["links"] for row in found["bins"])
