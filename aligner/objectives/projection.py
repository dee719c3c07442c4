"""Projecting posteriors on a set of constraints, whatever the constraints are.

The nearest distribution to p that satisfies E_q[f] <= b is q_l ∝ p exp(-l . f) (Graca, Ganchev & Taskar 2007,
section 2.2), with the multipliers l >= 0 that maximise the dual, eq. (11),

    g(l) = -b . l - log sum_z p(z) exp(-l . f(z)) - slack / 2 |l|^2;

equality constraints have multipliers of either sign. The last term is not in the paper: it lets a constraint be
violated by v for a price of |v|^2 / (2 slack), as in Ganchev, Graca, Gillenwater & Taskar 2010 (section 2.3, there
with a norm), so the primal is min KL(q || p) + |v|^2 / (2 slack).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels import projection as kernels
from aligner.models import Cells

LIMIT = 30.0
"""The greatest size of a multiplier.

A lexical probability, at least 1e-12, times exp(-30), a jump and p0 is still a normal float32, and exp(30) times
one is far from overflow; odds of 1e13 are more than any float32 posterior can tell from certainty.
"""


class Family(ABC):
    """The distributions q_l(z) ∝ p(z) exp(-l . f(z)) of a block of sentence pairs, each with its own l.

    sizes: int64 [pairs], how many multipliers each pair has; flat arrays of them are pair after pair. bound: the
    b of every constraint; equal: whether it is E[f] = b rather than E[f] <= b.
    """

    bound: ClassVar[float]
    equal: ClassVar[bool]
    sizes: NDArray[np.int64]

    @abstractmethod
    def tilt(self, pairs: NDArray[np.int64], multipliers: NDArray[np.float32]) -> tuple[Cells, ...]:
        """The potentials of q_l for these pairs of the block, fresh arrays; multipliers: theirs alone."""

    @abstractmethod
    def infer(self, cells: tuple[Cells, ...]) -> NDArray[np.float64]:
        """Turn tilted potentials into posteriors in place; each direction's log Z(l), [directions, pairs]."""

    @abstractmethod
    def expectations(self, posteriors: tuple[Cells, ...]) -> NDArray[np.float32]:
        """E[f] of each constraint, as flat as multipliers."""


class Projection(NamedTuple):
    """Where an ascent arrived.

    multipliers: float32, flat; dual: float64 [pairs], g(l) - g(0); residual: float64 [pairs], the largest change
    that one more gradient step of size one would make to a multiplier, so that no constraint is violated by more
    than this beyond its slack; log_mass: float64 [directions, pairs], log Z(0), which is log p(x).
    """

    multipliers: NDArray[np.float32]
    dual: NDArray[np.float64]
    residual: NDArray[np.float64]
    log_mass: NDArray[np.float64]


def starts_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each run of these sizes begins, int64 [runs + 1]."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def ascend(
    family: Family,
    *,
    steps: int,
    tolerance: float,
    slack: float = 0.0,
    start: NDArray[np.float32] | None = None,
) -> Projection:
    """Maximise each pair's dual by projected gradient ascent from l = 0, in at most ``steps`` steps.

    Every pair has its own step size, goes only where its own dual does not fall, and drops out once its residual is
    at most ``tolerance``: a pair's result depends on that pair alone. ``start``: multipliers of a similar problem,
    the first step tried by pairs that have any there.
    """
    starts = starts_of(family.sizes)
    everyone = np.arange(len(family.sizes))
    least, greatest = np.float32(-LIMIT if family.equal else 0.0), np.float32(LIMIT)
    multipliers = np.zeros(starts[-1], np.float32)
    gradient = np.zeros(starts[-1], np.float32)
    dual = np.full(len(everyone), -np.inf)
    step_sizes = np.ones(len(everyone))
    residual = np.zeros(len(everyone))
    at_zero = np.zeros(len(everyone))

    def attempt(pairs: NDArray[np.int64], trial: NDArray[np.float32]) -> NDArray[np.float64]:
        """Infer at the trial, and move the pairs whose dual has not fallen."""
        cells = family.tilt(pairs, trial)
        log_mass = family.infer(cells)
        kernels.judge(
            pairs,
            starts,
            least,
            greatest,
            np.float32(family.bound),
            np.float32(slack),
            trial,
            family.expectations(cells),
            log_mass.sum(axis=0) - at_zero[pairs],
            multipliers,
            gradient,
            dual,
            step_sizes,
            residual,
        )
        return log_mass

    log_mass = attempt(everyone, np.zeros_like(multipliers))
    at_zero = log_mass.sum(axis=0)
    dual[:] = 0.0
    for step in range(steps):
        pairs = np.flatnonzero(residual > tolerance)
        if not len(pairs):
            break
        trial = np.empty(family.sizes[pairs].sum(), np.float32)
        kernels.propose(pairs, starts, least, greatest, multipliers, gradient, step_sizes, trial)
        if step == 0 and start is not None:
            kernels.recall(pairs, starts, start, trial)
        attempt(pairs, trial)
    return Projection(multipliers, dual, residual, log_mass)
