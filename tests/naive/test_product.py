"""The product E-step: a hand-computed case, and its alignments."""

import math
import random

import pytest

from tests import naive
from tests.naive.random_models import random_model


def test_product_by_hand():
    forward, reverse = naive.model1([[0.6]], [0.2], 0.5), naive.model1([[0.3]], [0.4], 0.5)
    links, log_total = naive.product_exact(forward, reverse)
    linked, unlinked = 0.5 * 0.6 * 0.5 * 0.3, 0.5 * 0.2 * 0.5 * 0.4
    assert log_total == pytest.approx(math.log(linked + unlinked))
    assert links == [[pytest.approx(linked / (linked + unlinked))]]


def test_product_runs_over_partial_matchings():
    assert sum(naive.reverse_alignment(a, 2) is not None for a in naive.alignments(2, 2)) == 7
    assert naive.reverse_alignment((0, 3, 1), 3) == (3, 0, 2)
    assert naive.reverse_alignment((2, 2), 2) is None
    rng = random.Random(8)
    links, _ = naive.product_exact(random_model(rng, 3, 2, "hmm"), random_model(rng, 2, 3, "hmm"))
    assert all(sum(row) <= 1 for row in links)
    assert all(sum(column) <= 1 for column in zip(*links, strict=True))
