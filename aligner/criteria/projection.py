"""Projecting posteriors on a set of constraints, whatever the constraints are.

The distribution nearest to p that satisfies E_q[f] <= b is q_l ∝ p exp(-l . f) (Graca, Ganchev & Taskar 2007,
section 2.2). Its multipliers l >= 0 maximise the dual, eq. (11), here with one more term,

    g(l) = -b . l - log sum_z p(z) exp(-l . f(z)) - slack / 2 |l|^2;

a constraint E_q[f] = b has a multiplier of either sign. Slack lets a constraint be missed by v at the price
of v^2 / (2 slack): the primal problem is min KL(q || p) + |v|^2 / (2 slack) (Ganchev, Graca, Gillenwater &
Taskar 2010, section 2.3, have a norm where this has its square). It also bounds the curvature of g from
below, so that a few steps are enough; without it, moving mass to NULL takes tens of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.structs import DualAscent, DualProblem
from aligner.models import DirectionalCells
from aligner.text.sentences import offsets_of

LIMIT = 30.0
"""The greatest size of a multiplier.

A lexical probability, at least 1e-12, times exp(-30), a jump and p0 is still a normal float32, and exp(30) is
far from overflow; such odds, 1e13, are more than float32 posteriors can tell from certainty.
"""


class Family(ABC):
    """The distributions q_l(z) ∝ p(z) exp(-l . f(z)) of a block of sentence pairs, each with its own l.

    sizes: int64 [pairs], how many multipliers each pair has; flat arrays of them hold one pair's after the
    other's. bound: the b of every constraint; equal: whether it says E[f] = b rather than E[f] <= b.
    """

    bound: ClassVar[float]
    equal: ClassVar[bool]
    sizes: NDArray[np.int64]

    @abstractmethod
    def tilt(
        self, pairs: NDArray[np.int64], multipliers: NDArray[np.float32]
    ) -> tuple[DirectionalCells, ...]:
        """The potentials of q_l for some pairs of the block, fresh arrays; multipliers: theirs alone."""

    @abstractmethod
    def infer(self, cells: tuple[DirectionalCells, ...]) -> NDArray[np.float64]:
        """Turn tilted potentials into posteriors in place; each direction's log Z(l), [directions, pairs]."""

    @abstractmethod
    def expectations(self, posteriors: tuple[DirectionalCells, ...]) -> NDArray[np.float32]:
        """E[f] of every constraint, flat like multipliers."""


class Projection(NamedTuple):
    """Where an ascent arrived.

    multipliers: float32, flat; dual: float64 [pairs], g(l) - g(0); residual: float64 [pairs], the largest
    change that a gradient step of size one would still make to a multiplier, so that no constraint is missed
    by more than this and its slack, slack times l; log_mass: float64 [directions, pairs], log Z(0), which is
    log p(x).
    """

    multipliers: NDArray[np.float32]
    dual: NDArray[np.float64]
    residual: NDArray[np.float64]
    log_mass: NDArray[np.float64]


def ascend(
    family: Family,
    *,
    steps: int,
    tolerance: float,
    slack: float = 0.0,
    start: NDArray[np.int16] | None = None,
) -> Projection:
    """Maximise each pair's dual by projected gradient ascent from l = 0, in at most ``steps`` steps.

    Every pair has its own step size, moves only where its own dual does not fall, and rests once its residual
    is at most ``tolerance``; later steps infer only the others. What a pair gets depends on that pair alone.
    start: multipliers of a similar problem in units of 1 / 1024, the first step tried by pairs that have any.
    """
    starts = offsets_of(family.sizes)
    everyone = np.arange(len(family.sizes))
    problem = DualProblem(
        starts,
        np.float32(-LIMIT if family.equal else 0.0),
        np.float32(LIMIT),
        np.float32(family.bound),
        np.float32(slack),
    )
    ascent = DualAscent(
        multipliers=np.zeros(starts[-1], np.float32),
        gradient=np.zeros(starts[-1], np.float32),
        dual=np.full(len(everyone), -np.inf),
        step=np.ones(len(everyone)),
        residual=np.zeros(len(everyone)),
    )
    at_zero = np.zeros(len(everyone))

    def attempt(pairs: NDArray[np.int64], trial: NDArray[np.float32]) -> NDArray[np.float64]:
        """Infer some pairs at the trial, and move those whose dual does not fall."""
        cells = family.tilt(pairs, trial)
        log_mass = family.infer(cells)
        gain = log_mass.sum(axis=0) - at_zero[pairs]
        kernels.projection.judge(problem, ascent, pairs, trial, family.expectations(cells), gain)
        return log_mass

    log_mass = attempt(everyone, np.zeros(starts[-1], np.float32))
    at_zero = log_mass.sum(axis=0)
    ascent.dual[:] = 0.0
    for step in range(steps):
        pairs = np.flatnonzero(ascent.residual > tolerance)
        if not len(pairs):
            break
        trial = np.empty(family.sizes[pairs].sum(), np.float32)
        kernels.projection.propose(problem, ascent, pairs, trial)
        if step == 0 and start is not None:
            kernels.projection.recall(starts, start, pairs, trial)
        attempt(pairs, trial)
    return Projection(ascent.multipliers, ascent.dual, ascent.residual, log_mass)
