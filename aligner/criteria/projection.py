"""Projection of posteriors on expectation constraints, for any constraints (Graca, Ganchev & Taskar 2007).

The distribution q nearest to p, by KL(q || p), that satisfies E_q[f] <= b is (section 2.2)

    q_l(z) ∝ p(z) exp(-l . f(z)),    l >= 0.

Its multipliers l maximise the dual, eq. (11), which has one more term here:

    g(l) = -b . l - log sum_z p(z) exp(-l . f(z)) - slack / 2 |l|^2.

The multiplier of an equality constraint E_q[f] = b may have either sign.

Slack above 0 makes the constraints soft. The primal problem is then min KL(q || p) + |v|^2 / (2 slack), where
v is the violation of the constraints. Ganchev, Graca, Gillenwater & Taskar (2010, section 2.3) penalise the
norm of v and not its square. Slack also bounds the curvature of g away from 0, so that a few gradient steps
are enough. Without slack, moving probability to NULL takes tens of steps.

References
----------
J. V. Graca, K. Ganchev, B. Taskar (2007). Expectation maximization and posterior constraints. NIPS 20.

K. Ganchev, J. V. Graca, J. Gillenwater, B. Taskar (2010). Posterior regularization for structured latent
variable models. JMLR 11.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s, offsets_of
from aligner.kernels.structs import DualAscent, DualProblem
from aligner.models import DirectionalCells

LARGEST_MULTIPLIER = 30.0
"""The largest absolute value of a multiplier.

A lexical probability, at least 1e-12, times exp(-30), a jump and p0 is still a normal float32, and exp(30) is
far from overflow. Odds of exp(30), about 1e13, exceed the resolution of float32 posteriors.
"""


FamilyCells: TypeAlias = tuple[DirectionalCells, ...]
"""The cells of one direction or of both."""


class ExponentialFamily(ABC):
    """The distributions q_l(z) ∝ p(z) exp(-l . f(z)) of each sentence pair of a block.

    Every pair has its own multipliers l. Arrays of multipliers are flat, one pair after another.

    Attributes
    ----------
    bound
        The right-hand side b of every constraint.
    equal
        True for constraints E[f] = b, False for E[f] <= b.
    first_step
        The size of each pair's first gradient step.
    sizes
        int64 [pairs], the number of multipliers of each pair.
    cell_offsets
        int64 [pairs + 1], where the cells of each pair begin.
    """

    bound: ClassVar[float]
    equal: ClassVar[bool]
    first_step: ClassVar[float]
    sizes: Int64s
    cell_offsets: Int64s

    @abstractmethod
    def tilt(self, pairs: Int64s, multipliers: Float32s) -> FamilyCells:
        """Return the potentials of q_l, in new arrays, for some pairs of the block.

        pairs: numbers of the pairs; multipliers: flat, of these pairs only.
        """

    @abstractmethod
    def infer(self, cells: FamilyCells) -> Float64s:
        """Turn tilted potentials into posteriors in place.

        Returns log Z(l), float64 [directions, pairs].
        """

    @abstractmethod
    def expectations(self, posteriors: FamilyCells) -> Float32s:
        """Return E[f] of every constraint, flat like multipliers."""


class Projection(NamedTuple):
    """The result of ``project``.

    Attributes
    ----------
    family
        The distributions that were projected.
    multipliers
        float32, flat.
    dual
        float64 [pairs], g(l) - g(0).
    residual
        float64 [pairs], the largest change that a gradient step of size 1 would still make to a multiplier.
        Every constraint is violated by at most the residual plus slack times its multiplier.
    log_mass
        float64 [directions, pairs], log Z(0), which is log p(x).
    links
        float32 [cells], the link posteriors of q, for each direction of the family; empty if not kept.
    """

    family: ExponentialFamily
    multipliers: Float32s
    dual: Float64s
    residual: Float64s
    log_mass: Float64s
    links: list[Float32s]

    def tilted(self) -> FamilyCells:
        """Return the potentials whose posteriors are q, in new arrays."""
        return self.family.tilt(np.arange(len(self.family.sizes)), self.multipliers)


def project(
    family: ExponentialFamily,
    steps: int,
    tolerance: float,
    slack: float = 0.0,
    start: NDArray[np.int16] | None = None,
    keep_links: bool = False,
) -> Projection:
    """Maximise the dual of each sentence pair by projected gradient ascent from l = 0.

    The result of a pair depends on that pair alone. A pair has its own step size, and it moves only where its
    dual does not decrease.

    Parameters
    ----------
    family
        The distributions of a block and their constraints.
    steps
        The largest number of gradient steps of a pair. Each step is one more inference.
    tolerance
        A pair whose residual is at most this takes no further step.
    slack
        Weight of the quadratic penalty.
    start
        Multipliers in units of 1 / 1024, flat, to try in the first step. A pair without a nonzero one takes
        an ordinary first step.
    keep_links
        True to keep the link posteriors of q, which are known after the last step.
    """
    starts = offsets_of(family.sizes)
    all_pairs = np.arange(len(family.sizes))
    problem = DualProblem(
        starts,
        np.float32(-LARGEST_MULTIPLIER if family.equal else 0.0),
        np.float32(LARGEST_MULTIPLIER),
        np.float32(family.bound),
        np.float32(slack),
    )
    ascent = DualAscent(
        multipliers=np.zeros(starts[-1], np.float32),
        gradient=np.zeros(starts[-1], np.float32),
        dual=np.full(len(all_pairs), -np.inf),
        step=np.full(len(all_pairs), family.first_step),
        residual=np.zeros(len(all_pairs)),
        accepted=np.zeros(len(all_pairs), np.bool_),
    )
    log_mass_at_zero = np.zeros(len(all_pairs))

    def attempt(pairs: Int64s, trial: Float32s, cells: FamilyCells) -> Float64s:
        """Infer some pairs at trial multipliers, and accept these where the dual does not decrease.

        cells: the potentials of q at the trial, then its posteriors. Returns log Z.
        """
        log_mass = family.infer(cells)
        gain = log_mass.sum(axis=0) - log_mass_at_zero[pairs]
        kernels.projection.accept_or_shorten(problem, ascent, pairs, trial, family.expectations(cells), gain)
        return log_mass

    zeros = np.zeros(starts[-1], np.float32)
    cells = family.tilt(all_pairs, zeros)
    log_mass = attempt(all_pairs, zeros, cells)
    log_mass_at_zero = log_mass.sum(axis=0)
    links = [of_direction.links for of_direction in cells] if keep_links else []
    ascent.dual[:] = 0.0
    for step in range(steps):
        pairs = np.flatnonzero(ascent.residual > tolerance)
        if not len(pairs):
            break
        trial = np.empty(family.sizes[pairs].sum(), np.float32)
        kernels.projection.propose(problem, ascent, pairs, trial)
        if step == 0 and start is not None:
            kernels.projection.recall(starts, start, pairs, trial)
        cells = family.tilt(pairs, trial)
        attempt(pairs, trial, cells)
        for kept, of_direction in zip(links, cells, strict=False):  # no links if they are not kept
            kernels.projection.put(pairs, family.cell_offsets, ascent.accepted, of_direction.links, kept)
    return Projection(family, ascent.multipliers, ascent.dual, ascent.residual, log_mass, links)
