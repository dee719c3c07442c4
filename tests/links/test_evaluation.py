"""Tests of scores, against hand-computed cases and Python's sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from aligner._version import __version__
from aligner.links.alignments import Alignments
from aligner.links.evaluation import compare, score, signature
from aligner.links.gold import read_gold
from aligner.links.link_counts import count_links
from aligner.links.significance import bootstrap_aer, randomisation_test
from tests.links.strategies import SCORED_TEXTS, TRUTH, gold_of


def test_score_matches_hand_computation():
    # |A| = 3, |S| = 2, |A & S| = 1 (0-0), |A & P| = 2 (0-0, 1-2). The scorer of WPT 2003 computes
    # AER = 1 - (|A & S| + |A & P|) / (|A| + |S|) = 1 - (1 + 2) / (3 + 2) = 0.4.
    gold = gold_of([[(0, 0), (1, 1)]], [[(0, 0), (1, 1), (1, 2), (2, 1)]])
    result = score(Alignments.from_lists([[(0, 0), (1, 2), (3, 3)]]), gold)
    assert result.aer == pytest.approx(0.4)
    assert result.precision == pytest.approx(2 / 3)
    assert result.recall == pytest.approx(1 / 2)
    # F_alpha of Fraser & Marcu 2007 with alpha = 0.5: 1 / (0.5 / (2/3) + 0.5 / (1/2)) = 4/7.
    assert result.f1 == pytest.approx(4 / 7)
    # With alpha = 0.2: 1 / (0.2 / (2/3) + 0.8 / (1/2)) = 10/19.
    assert result.f(0.2) == pytest.approx(10 / 19)
    assert repr(result) == "Score(aer=0.4000, precision=0.6667, recall=0.5000, f1=0.5714, 1 pair)"
    assert result.figures(0.2) == {
        "aer": result.aer,
        "precision": result.precision,
        "recall": result.recall,
        "f1": result.f1,
        "f_alpha": result.f(0.2),
        "sentences": 1,
        "links": 3,
        "sure": 2,
        "possible": 4,
        "sure_hits": 1,
        "possible_hits": 2,
    }


def test_counts_are_summed_before_division():
    # The case above and a sentence with one sure link that is missed: AER = 1 - (1 + 2) / (3 + 3) = 0.5,
    # where the mean of the two sentences would be (0.4 + 1) / 2.
    gold = gold_of([[(0, 0), (1, 1)], [(0, 0)]], [[(1, 2), (2, 1)], []])
    result = score(Alignments.from_lists([[(0, 0), (1, 2), (3, 3)], []]), gold)
    assert result.aer == pytest.approx(0.5)
    assert result.recall == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("links", "sure", "possible", "aer", "precision", "recall", "f1"),
    [
        ([], [], [], 0, 1, 1, 1),  # no links, no gold links
        ([], [], [(0, 0)], 0, 1, 1, 1),
        ([], [(0, 0)], [], 1, 1, 0, 0),
        ([(0, 0)], [], [], 1, 0, 1, 0),
        ([(0, 0)], [], [(0, 0)], 0, 1, 1, 1),
        ([(0, 0), (1, 1)], [], [(0, 0)], 0.5, 0.5, 1, 2 / 3),
        ([(0, 0)], [(1, 1)], [], 1, 0, 0, 0),
    ],
)
def test_scores_of_empty_sets(links, sure, possible, aer, precision, recall, f1):
    result = score(Alignments.from_lists([links]), gold_of([sure], [possible]))
    assert (result.aer, result.precision, result.recall) == (aer, precision, recall)
    assert result.f1 == pytest.approx(f1)


@given(SCORED_TEXTS)
def test_counts_match_python_sets(text):
    links, sure, possible = ([row[k] for row in text] for k in range(3))
    links, gold = Alignments.from_lists(links), gold_of(sure, possible)
    counts = count_links(links, gold)
    expected = [(len(a), len(s), len(s | p), len(a & s), len(a & (s | p))) for a, s, p in text]
    assert list(zip(*(count.tolist() for count in counts), strict=True)) == expected
    assert all(count.dtype == np.int64 for count in counts)
    a, s, _, sure_hits, possible_hits = map(sum, counts)
    result = score(links, gold)
    assert result.aer == pytest.approx(1 - (sure_hits + possible_hits) / (a + s) if a + s else 0)
    assert result.precision == pytest.approx(possible_hits / a if a else 1)
    assert result.recall == pytest.approx(sure_hits / s if s else 1)


@given(SCORED_TEXTS)
def test_gold_against_itself_is_perfect(text):
    gold = gold_of([s for _, s, _ in text], [p for _, _, p in text])
    for links in (gold.sure, gold.possible):
        assert score(links, gold).aer == 0
        assert score(links, gold).f1 == 1


def test_signature_lists_what_determines_a_score(tmp_path):
    (tmp_path / "gold").write_text("1 1 1 S\n1 0 2 P\n2 1 2 P\n")
    gold = read_gold(str(tmp_path / "gold"), reversed=True, sentences=4)
    assert signature(gold, {"samples": 1000, "seed": 1}).startswith(
        "sentences:4|sure:1|possible:2|gold:wa|base:1|reversed:yes|null:1 dropped|unlinked:2"
        "|samples:1000|seed:1|version:"
    )
    (tmp_path / "gold").write_text("0-0 1?1\n")
    usual = signature(read_gold(str(tmp_path / "gold")), {"alpha": 0.5})
    assert usual == f"sentences:1|sure:1|possible:2|gold:pharaoh|alpha:0.5|version:{__version__}"


def test_comparison_adds_intervals_and_p_values_if_sampling():
    gold = gold_of(TRUTH)
    named = [("half", Alignments.from_lists(links[:2] for links in TRUTH)), ("all", gold.sure)]
    plain = compare(named, gold, alpha=0.2)
    assert [row["name"] for row in plain] == ["half", "all"]
    assert plain[0]["f_alpha"] == score(named[0][1], gold).f(0.2)
    sampled = compare(named, gold, alpha=0.2, samples=50, seed=3)
    for row, (_, links) in zip(sampled, named, strict=True):
        counts = count_links(links, gold)
        assert row.pop("interval") == bootstrap_aer(counts, samples=50, seed=3)
        assert row.pop("p") == randomisation_test(count_links(named[0][1], gold), counts, samples=50, seed=3)
    assert sampled == plain
