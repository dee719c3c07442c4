"""Tests of gold in every format."""

from __future__ import annotations

import pytest
from hypothesis import given

from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS
from aligner.links.gold import Gold, format_gold, read_gold
from aligner.links.linked_pairs import LinkedLines
from tests.links.strategies import TEXT_PAIRS
from tests.support import new_file


@pytest.mark.parametrize(
    ("text", "options", "sure", "possible"),
    [
        ("0-0 1?2 2p1\n\n3?3 3-3\n", {}, [[(0, 0)], [], [(3, 3)]], [[(0, 0), (1, 2), (2, 1)], [], [(3, 3)]]),
        ("0-1S 2-0P\n", {}, [[(0, 1)]], [[(0, 1), (2, 0)]]),  # Ugarit
        ("1-1 2p3\n", {"one_based": True}, [[(0, 0)]], [[(0, 0), (1, 2)]]),
        ("0-1 2?3\n", {"reversed": True}, [[(1, 0)]], [[(1, 0), (3, 2)]]),
        ("1-2\n", {"one_based": True, "reversed": True}, [[(1, 0)]], [[(1, 0)]]),
        # WPT 2003: sentence, position in L1, position in L2, then optionally S or P and a confidence.
        # Sentences come in any order, and their numbers may have leading zeros.
        (
            "0003 1 1 P 0.9\n0001 1 2\n1 2 1 S\n\n0001 3 3 0.5\n3 1 2 P\n",
            {},
            [[(0, 1), (1, 0), (2, 2)], [], []],
            [[(0, 1), (1, 0), (2, 2)], [], [(0, 0), (0, 1)]],
        ),
        ("1 1 1 P\n1 1 1 S\n", {"one_based": True}, [[(0, 0)]], [[(0, 0)]]),  # it counts from 1 anyway
        ("1 0 2 S\n1 2 2 S\n1 3 0 P\n3 0 1 P\n", {}, [[(1, 1)], [], []], [[(1, 1)], [], []]),
        ("1 1 3\n", {"reversed": True}, [[(2, 0)]], [[(2, 0)]]),
        ("1 1 1\n", {"sentences": 3}, [[(0, 0)], [], []], [[(0, 0)], [], []]),
    ],
)
def test_sure_and_possible_links_are_read(tmp_path, text, options, sure, possible):
    gold = read_gold(new_file(tmp_path, text), **options)
    assert (list(gold.sure), list(gold.possible)) == (sure, possible)
    is_wa = "-" not in text
    assert gold.reading.format == ("wa" if is_wa else "pharaoh")
    assert gold.reading.one_based == (is_wa or options.get("one_based", False))
    assert gold.reading.null_links == (3 if " 0 " in text else 0)


@given(TEXT_PAIRS)
def test_gold_round_trips(tmp_path_factory, lists):
    gold = Gold(*(Alignments.from_lists([pair[k] for pair in lists]) for k in (0, 1)))
    path = new_file(tmp_path_factory.mktemp("gold"), format_gold(gold))
    assert read_gold(path, format="pharaoh") == gold


def test_gold_is_formatted_by_position_and_counted():
    gold = Gold.from_lists([[(1, 0)], []], [[(0, 3), (1, 2)], []])
    assert gold == Gold(Alignments.from_lists([[(1, 0)], []]), Alignments.from_lists([[(0, 3), (1, 2)], []]))
    assert Gold.from_lists([[(1, 0)]]) == Gold.from_lists([[(1, 0)]], [[]])
    assert format_gold(gold) == "0?3 1-0 1?2\n\n"
    assert repr(gold) == "Gold(2 pairs, 1 sure and 3 possible links)"


def test_format_is_detected_by_first_line_with_text(tmp_path):
    assert read_gold(new_file(tmp_path, "\n\n1 1 1\n")).reading.format == "wa"
    assert read_gold(new_file(tmp_path, "\n\n1-1\n")).reading.format == "pharaoh"
    assert len(read_gold(new_file(tmp_path, "\n\n"))) == 2
    assert len(read_gold(new_file(tmp_path, ""))) == 0


def test_given_format_is_used(tmp_path):
    assert len(read_gold(new_file(tmp_path, "\n\n"), format="wa")) == 0


def test_every_format_is_read_as_gold(tmp_path):
    links, words = Alignments.from_lists([[(0, 0), (1, 2)], [], [(2, 1)]]), [(["a"] * 3, ["b"] * 3)] * 3
    for name, how in LINK_FORMATS.items():
        if "probabilities" not in how.needs:
            text = "".join(how.write([LinkedLines(links, 1, words)]))
            gold = read_gold(new_file(tmp_path, text), format=name)
            assert gold.sure == gold.possible == links
            assert gold.reading.one_based == (how.base == 1)
