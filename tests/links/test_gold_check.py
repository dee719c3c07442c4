"""Tests of the checks that gold was read correctly."""

from __future__ import annotations

from aligner.links.alignments import Alignments
from aligner.links.gold_check import check_reading
from tests.links.strategies import TRUTH, gold_of
from tests.refusals import refused


def test_poor_alignments_pass():
    check_reading(Alignments.from_lists([[] for _ in TRUTH]), gold_of(TRUTH))
    check_reading(Alignments.from_lists([[(3, 0)], [(2, 2)], [(4, 4)]]), gold_of(TRUTH))


def test_gold_with_position_0_is_not_one_based():
    # Shifted by one, the gold would fit, but its 0-0 would become negative.
    links, gold = Alignments.from_lists([[(0, 1), (1, 2), (2, 0)]]), [(1, 2), (2, 3), (3, 1)]
    check_reading(links, gold_of([[(0, 0), *gold]]))
    refused("it counts from 1", check_reading, links, gold_of([[(5, 5), *gold]]))
