"""Tests of the checks that gold was read correctly."""

from __future__ import annotations

import pytest

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold, Reading, read_gold
from aligner.links.gold_check import check_reading
from tests.links.strategies import TRUTH, gold_of, moved

ONE_BASED, EXCHANGED = moved(TRUTH, 1), moved(TRUTH, exchange=True)


@pytest.mark.parametrize(
    ("links", "gold", "reading", "message"),
    [
        (TRUTH, ONE_BASED, {}, r"it counts from 1: .*--one-based\); if"),
        (TRUTH, EXCHANGED, {}, r"0.0% if it has target before source: .* with reversed"),
        (
            TRUTH,
            moved(TRUTH, 1, exchange=True),
            {},
            r"from 1 and it has target .*--one-based\) and .*--reversed",
        ),
        (TRUTH, EXCHANGED, {"reversed": True}, "without reversed"),
        (ONE_BASED, TRUTH, {}, r"some\.links: .* if the links count from 1"),
        (
            [[(0, 0), *links] for links in ONE_BASED],
            TRUTH,
            {"one_based": True},
            "if it counts from 0: read it without one_based",
        ),
    ],
)
def test_misread_gold_is_found(links, gold, reading, message):
    gold = Alignments.from_lists(gold)
    with pytest.raises(DataError, match=message):
        check_reading(Alignments.from_lists(links), Gold(gold, gold, Reading(**reading)), "some.links")


def test_zero_based_wa_is_found(tmp_path):
    lines = [f"{n} {i} {j}\n" for n, links in enumerate(TRUTH, 1) for i, j in links]
    (tmp_path / "gold").write_text("".join(lines))
    with pytest.raises(DataError, match=r"if it counts positions from 0: wa counts from 1, so add 1"):
        check_reading(Alignments.from_lists(TRUTH), read_gold(str(tmp_path / "gold")))


def test_poor_alignments_pass():
    check_reading(Alignments.from_lists([[] for _ in TRUTH]), gold_of(TRUTH))
    check_reading(Alignments.from_lists([[(3, 0)], [(2, 2)], [(4, 4)]]), gold_of(TRUTH))


def test_gold_with_position_0_is_not_one_based():
    # Shifted by one, the gold would fit, but its 0-0 would become negative.
    links, gold = Alignments.from_lists([[(0, 1), (1, 2), (2, 0)]]), [(1, 2), (2, 3), (3, 1)]
    check_reading(links, gold_of([[(0, 0), *gold]]))
    with pytest.raises(DataError, match="it counts from 1"):
        check_reading(links, gold_of([[(5, 5), *gold]]))
