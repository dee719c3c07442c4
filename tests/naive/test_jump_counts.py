"""Jump counts and the distortion M-step: derivatives by differences, and stationary points."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

import itertools
import math
import random

import pytest

from tests import naive
from tests.naive import BUCKETS
from tests.naive.random_models import derivative, positive, random_model


def log_total(model):
    """Return the log-likelihood of the emitted side."""
    return math.log(naive.total(model))


def expected_slope(c, counts):
    """N_b - c_b sum M r_b / Z: the derivative of the log-likelihood, by Fisher's identity."""
    classes = [(left, right) for left in range(naive.LEFTS) for right in range(naive.RIGHTS)]
    return [
        counts.N[b]
        - sum(
            counts.M[left][right] * c[b] / naive.normaliser(c, left, right)
            for left, right in classes
            if b in naive.reachable(left, right)
        )
        for b in range(BUCKETS)
    ]


@pytest.mark.parametrize(("I", "J"), [(3, 3), (7, 2), (1, 3)])
def test_hmm_statistics_are_the_gradient(I, J):
    rng = random.Random(5)
    emit, null = [positive(rng, I) for _ in range(J)], positive(rng, J)
    sets = {name: positive(rng, BUCKETS) for name in ("first", "inside", "last")}
    counts = naive.hmm_statistics(naive.posterior(naive.hmm(emit, null, 0.2, **sets)), I)
    for name, c in sets.items():
        slope = derivative(lambda c, n=name: log_total(naive.hmm(emit, null, 0.2, **{**sets, n: c})), c)
        assert slope == pytest.approx(expected_slope(c, counts[name]), abs=1e-8)
        assert sum(counts[name].N) == pytest.approx(sum(map(sum, counts[name].M)))


@pytest.mark.parametrize(("I", "J"), [(3, 3), (8, 2), (2, 4)])
def test_model2_statistics_are_the_gradient(I, J):
    rng = random.Random(6)
    emit, null, c = [positive(rng, I) for _ in range(J)], positive(rng, J), positive(rng, BUCKETS)
    counts = naive.model2_statistics(naive.posterior(naive.model2(emit, null, 0.2, c)), I, J)
    slope = derivative(lambda c: log_total(naive.model2(emit, null, 0.2, c)), c)
    assert slope == pytest.approx(expected_slope(c, counts), abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_mm_rounds_raise_the_objective_to_a_stationary_point(seed):
    rng = random.Random(seed)
    N, M = naive.hmm_statistics(naive.posterior(random_model(rng, 9, 2, "hmm")), 9)["inside"]
    c = [1 / BUCKETS] * BUCKETS
    values = [naive.mstep_objective(c, N, M)]
    for _ in range(50):
        c = naive.mstep_round(c, N, M)
        values.append(naive.mstep_objective(c, N, M))
    assert all(new >= old - 1e-12 for old, new in itertools.pairwise(values))
    best = naive.mstep(c, N, M)
    assert expected_slope(best, naive.JumpCounts(N, M)) == pytest.approx([0] * BUCKETS, abs=1e-7)
    value = naive.mstep_objective(best, N, M)
    assert value > naive.mstep_objective(
        [n / sum(N) for n in N], N, M
    )  # the usual heuristic is not the maximiser
    for _ in range(20):
        other = [x * math.exp(rng.uniform(-0.1, 0.1)) for x in best]
        assert naive.mstep_objective(other, N, M) <= value + 1e-12
