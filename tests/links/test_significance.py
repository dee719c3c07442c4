"""Tests of bootstrap intervals and of the randomisation test."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from aligner.links.link_counts import count_links
from aligner.links.significance import bootstrap_aer, bootstrap_reduction, randomisation_test
from tests.links.strategies import TRUTH, gold_of, moved


class TestBootstrap:
    def test_interval_of_two_sentences(self):
        # One sentence is right and one is wrong, so a sample of two has AER 0, 0.5 or 1, each often.
        counts = count_links(Alignments.from_lists([[(0, 0)], [(0, 0)]]), gold_of([[(0, 0)], [(1, 1)]]))
        assert bootstrap_aer(counts) == (0, 1)
        assert bootstrap_aer(counts, level=0.2) == (0.5, 0.5)

    def test_interval_depends_on_seed_alone(self):
        links = Alignments.from_lists([(0, j) for j in range(n % 7)] for n in range(50))
        counts = count_links(links, gold_of([[(0, n % 5)] for n in range(50)]))
        assert bootstrap_aer(counts, seed=3) == bootstrap_aer(counts, seed=3) != bootstrap_aer(counts, seed=4)


class TestReduction:
    def test_share_and_interval_of_two_sentences(self):
        # Both sentences are wrong at first, and one of them is right later.
        gold = gold_of([[(0, 0)], [(0, 0)]])
        first, second = (
            count_links(Alignments.from_lists(links), gold) for links in ([[], []], [[(0, 0)], []])
        )
        share, low, high = bootstrap_reduction(first, second)
        assert (round(share, 3), low, high) == (0.667, 0, 1)
        assert bootstrap_reduction(second, first)[0] == pytest.approx(-2)
        assert bootstrap_reduction(first, second) == bootstrap_reduction(first, second)

    def test_without_errors_nothing_can_be_less(self):
        right = count_links(Alignments.from_lists(TRUTH), gold_of(TRUTH))
        none = count_links(Alignments.from_lists([[]] * len(TRUTH)), gold_of(TRUTH))
        assert bootstrap_reduction(right, none) == (0, 0, 0)


class TestRandomisation:
    def test_p_value_matches_all_exchanges(self):
        gold = gold_of([[(0, 0), (1, 1)]] * 7)
        both, first, none = [(0, 0), (1, 1)], [(0, 0)], []
        links = [both, first, [(1, 1), (1, 0)], both, first, both, none]
        others = [[(0, 0)], [(1, 0)], [(1, 1)], [(0, 0)], [(0, 0)], [(0, 1)], [(1, 1)]]
        pairs = list(zip(links, others, strict=True))

        def difference(exchanges):
            sides = [
                [pair[k ^ exchange] for pair, exchange in zip(pairs, exchanges, strict=True)] for k in (0, 1)
            ]
            return abs(np.subtract(*(score(Alignments.from_lists(side), gold).aer for side in sides)))

        observed = difference([0] * 7)
        exceeds = [
            difference(exchanges) >= observed - 1e-12 for exchanges in itertools.product((0, 1), repeat=7)
        ]
        first, second = (count_links(Alignments.from_lists(side), gold) for side in (links, others))
        p = randomisation_test(first, second, samples=20_000)
        assert p == pytest.approx(np.mean(exceeds), abs=0.015)
        assert p == randomisation_test(second, first, samples=20_000)

    def test_p_value_of_equal_alignments_is_1(self):
        counts = count_links(Alignments.from_lists(TRUTH), gold_of(TRUTH))
        assert randomisation_test(counts, counts) == 1

    def test_gold_of_as_many_links_is_the_same(self):
        counts = [count_links(Alignments.from_lists(TRUTH), gold_of(moved(TRUTH, k))) for k in (0, 1)]
        assert randomisation_test(*counts) <= 1
