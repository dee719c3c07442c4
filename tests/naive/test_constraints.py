"""Posterior constraints: hand-computed cases, feasibility and optimality."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

import math
import random

import pytest

from tests import naive
from tests.naive import Directional
from tests.naive.random_models import KINDS, random_model


def test_substochastic_by_hand():
    # One conditioning word and two emitted words, linked with probability 0.8 each: both fall to 0.5.
    projection = naive.substochastic(naive.model1([[4.0], [4.0]], [1.0, 1.0], 0.5))
    assert projection.links == [[pytest.approx(0.5)], [pytest.approx(0.5)]]
    assert projection.lambdas == [pytest.approx(math.log(4))]
    assert projection.kl == pytest.approx(2 * (0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.2)))


def test_symmetric_by_hand():
    # 1 x 1 with link odds 3 forward and 1/2 in reverse: meet at the geometric mean of the odds.
    forward, reverse = naive.model1([[3.0]], [1.0], 0.5), naive.model1([[0.5]], [1.0], 0.5)
    agreement = naive.symmetric(forward, reverse)
    odds = math.sqrt(3.0 * 0.5)
    assert agreement.forward_links == [[pytest.approx(odds / (1 + odds))]]
    assert agreement.lambdas == [[pytest.approx(math.log(0.5 / 3.0) / 2)]]


def feasible_elsewhere(rng, q, satisfied):
    """Another distribution over the same alignments that satisfies the constraints."""
    while True:
        noisy = {a: p * math.exp(rng.uniform(-0.3, 0.3)) for a, p in q.items()}
        noisy = {a: p / sum(noisy.values()) for a, p in noisy.items()}
        if satisfied(noisy):
            return noisy


@pytest.mark.parametrize("kind", KINDS)
def test_substochastic_is_the_closest_feasible_distribution(kind):
    rng = random.Random(9)
    I, J = 2, 3
    model = random_model(rng, I, J, kind, p0=0.05)
    p = naive.posterior(model)
    projection = naive.substochastic(model)

    def used(q):
        return [sum(column) for column in zip(*naive.marginals(q, I, J)[0], strict=True)]

    assert max(used(p)) > 1  # the constraint is violated
    for mass, multiplier in zip(used(projection.q), projection.lambdas, strict=True):
        assert mass <= 1 + 1e-9
        assert multiplier * (1 - mass) == pytest.approx(0, abs=1e-8)
    assert projection.kl == pytest.approx(projection.dual, abs=1e-8)
    factors = [[math.exp(-x) for x in projection.lambdas]] * J
    assert naive.posterior(naive.tilted(model, factors)) == pytest.approx(projection.q)
    for _ in range(5):
        other = feasible_elsewhere(rng, projection.q, lambda q: max(used(q)) <= 1)
        assert naive.kl_divergence(other, p) >= projection.kl


@pytest.mark.parametrize("kind", KINDS)
def test_symmetric_agrees_with_no_duality_gap(kind):
    rng = random.Random(10)
    forward, reverse = random_model(rng, 2, 3, kind), random_model(rng, 3, 2, kind)
    agreement = naive.symmetric(forward, reverse)
    for ours, theirs in zip(agreement.forward_links, agreement.reverse_links, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    assert agreement.kl == pytest.approx(agreement.dual, abs=1e-8)
    assert agreement.kl > 0
    up = [[math.exp(x) for x in row] for row in agreement.lambdas]
    down = [[math.exp(-agreement.lambdas[j][i]) for j in range(3)] for i in range(2)]
    assert naive.posterior(naive.tilted(forward, up)) == pytest.approx(agreement.forward_q)
    assert naive.posterior(naive.tilted(reverse, down)) == pytest.approx(agreement.reverse_q)


def test_constraints_already_met_change_nothing():
    model = naive.model1([[0.1, 0.1]], [1.0], 0.5)
    projection = naive.substochastic(model)
    assert projection.lambdas == [0.0, 0.0]
    assert projection.q == pytest.approx(naive.posterior(model))


def test_infeasible_constraints_are_an_error():
    impossible = Directional([[1.0], [1.0]], [0.0, 0.0], lambda a: 1.0)  # two emitted words, no NULL
    with pytest.raises(ArithmeticError, match="cannot be met"):
        naive.substochastic(impossible)
