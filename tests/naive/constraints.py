"""Posterior constraints: projections by enumeration."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tests.naive.buckets import Alignment, Posterior, Vector
from tests.naive.directional import Directional, marginals, posterior, size


class Projection(NamedTuple):
    """The projection q = argmin KL(q || p) under constraints on one direction."""

    q: Posterior
    links: list[list[float]]
    nulls: list[float]
    lambdas: list[float]
    dual: float
    kl: float


class Agreement(NamedTuple):
    """The projection of both directions. All matrices are J x I, reverse links included."""

    forward_q: Posterior
    reverse_q: Posterior
    forward_links: list[list[float]]
    reverse_links: list[list[float]]
    lambdas: list[list[float]]
    dual: float
    kl: float


class _Factor(NamedTuple):
    """An independent part of an alignment: p(features), where features are the numbers of constraints."""

    sign: float
    probabilities: Mapping[tuple[int, ...], float]


def kl_divergence(q: Mapping[Alignment, float], p: Mapping[Alignment, float]) -> float:
    """Return KL(q || p) = sum_a q(a) log q(a) / p(a)."""
    return math.fsum(q[a] * math.log(q[a] / p[a]) for a in q if q[a] > 0)


def _factor(sign: float, p: Mapping[Alignment, float], features: Callable[[Alignment], list[int]]) -> _Factor:
    grouped: Counter[tuple[int, ...]] = Counter()
    for a, probability in p.items():
        grouped[tuple(sorted(features(a)))] += probability  # type: ignore[assignment]
    return _Factor(sign, grouped)


def _dual(factors: Sequence[_Factor], bound: float, lambdas: Vector) -> tuple[float, list[float]]:
    """Return g(lambda) = -b sum_k lambda_k - sum_factors log E_p exp(-sign lambda.f) and its gradient.

    The gradient is E_q[sign f] - b.
    """
    value = -bound * math.fsum(lambdas)
    gradient = [-bound] * len(lambdas)
    for sign, probabilities in factors:
        weights = {f: p * math.exp(-sign * sum(lambdas[k] for k in f)) for f, p in probabilities.items()}
        Z = math.fsum(weights.values())
        if Z == 0:
            raise ArithmeticError("the dual grows without bound: the constraints cannot be met")
        value -= math.log(Z)
        for f, weight in weights.items():
            for k in f:
                gradient[k] += sign * weight / Z
    return value, gradient


def _ascend(
    factors: Sequence[_Factor], bound: float, size: int, *, signed: bool, tolerance: float
) -> tuple[list[float], float]:
    """Maximise the dual by projected gradient ascent with step 1/L.

    The dual is concave and its curvature is a covariance, at most L = sum over factors of max |f|^2.
    Nesterov's momentum, dropped whenever it points downhill, saves time. The ascent stops when the gradient
    mapping |lambda_new - lambda| / step is below the tolerance in every coordinate.
    """
    step = 1 / sum(
        max(sum(n * n for n in Counter(f).values()) for f in factor.probabilities) or 1 for factor in factors
    )
    old, at, momentum = [0.0] * size, [0.0] * size, 1.0
    for _ in range(200_000):
        _, gradient = _dual(factors, bound, at)
        new = [x + step * g for x, g in zip(at, gradient, strict=True)]
        if not signed:
            new = [max(0.0, x) for x in new]
        if max(abs(x - y) for x, y in zip(new, at, strict=True)) < tolerance * step:
            return new, _dual(factors, bound, new)[0]
        moves = [x - y for x, y in zip(new, old, strict=True)]
        if sum(g * move for g, move in zip(gradient, moves, strict=True)) < 0:
            momentum = 1.0
        following = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
        at = [x + (momentum - 1) / following * move for x, move in zip(new, moves, strict=True)]
        old, momentum = new, following
    raise ArithmeticError("the dual did not reach its maximum: can the constraints be met?")


def _tilt(p: Posterior, exponent: Callable[[Alignment], float]) -> Posterior:
    """Return the distribution that is proportional to p(a) exp(exponent(a))."""
    weights = {a: probability * math.exp(exponent(a)) for a, probability in p.items()}
    Z = math.fsum(weights.values())
    return {a: weight / Z for a, weight in weights.items()}


def substochastic(model: Directional, *, tolerance: float = 1e-10, **power: float) -> Projection:
    """Project on the distributions that use each conditioning word at most once in expectation.

    Graca, Ganchev & Taskar 2007, section 4.1:
    q = argmin KL(q || p) s.t. sum_j q(a_j = i) <= 1 for each i; NULL is free. lambda >= 0 and
    q ∝ p exp(-sum_i lambda_i #{j: a_j = i}). At the solution kl = dual.
    """
    I, J = size(model)
    p = posterior(model, **power)
    factor = _factor(1.0, p, lambda a: [i - 1 for i in a if i > 0])
    lambdas, dual = _ascend([factor], 1.0, I, signed=False, tolerance=tolerance)
    q = _tilt(p, lambda a: -sum(lambdas[i - 1] for i in a if i > 0))
    links, nulls = marginals(q, I, J)
    return Projection(q, links, nulls, lambdas, dual, kl_divergence(q, p))


def symmetric(
    forward: Directional, reverse: Directional, *, tolerance: float = 1e-10, **power: float
) -> Agreement:
    """Project on the pairs of distributions that agree on each link in expectation.

    Graca, Ganchev & Taskar 2007, section 4.2:
    (q_f, q_r) = argmin KL(q_f || p_f) + KL(q_r || p_r) s.t. q_f(a_j = i) = q_r(b_i = j) for each i, j.
    q_f ∝ p_f exp(sum lambda_ji z_ij), q_r ∝ p_r exp(-sum lambda_ji z_ij), lambda of either sign; the dual's
    gradient is R - F. `reverse` has emit I x J; all results are J x I.
    """
    I, J = size(forward)
    p_f, p_r = posterior(forward, **power), posterior(reverse, **power)

    def forward_cells(a: Alignment) -> list[int]:
        return [j * I + i - 1 for j, i in enumerate(a) if i > 0]

    def reverse_cells(b: Alignment) -> list[int]:
        return [(j - 1) * I + i for i, j in enumerate(b) if j > 0]

    factors = [_factor(-1.0, p_f, forward_cells), _factor(1.0, p_r, reverse_cells)]
    flat, dual = _ascend(factors, 0.0, I * J, signed=True, tolerance=tolerance)

    q_f = _tilt(p_f, lambda a: sum(flat[k] for k in forward_cells(a)))
    q_r = _tilt(p_r, lambda b: -sum(flat[k] for k in reverse_cells(b)))
    forward_links, _ = marginals(q_f, I, J)
    by_source, _ = marginals(q_r, J, I)
    return Agreement(
        q_f,
        q_r,
        forward_links,
        [[by_source[i][j] for i in range(I)] for j in range(J)],
        [flat[j * I : (j + 1) * I] for j in range(J)],
        dual,
        kl_divergence(q_f, p_f) + kl_divergence(q_r, p_r),
    )
