"""Posterior-constrained EM: the M-step learns from posteriors projected on a set of constraints.

Graca, Ganchev & Taskar (2007, section 2.1, eq. 5) replace the E-step's p(z | x) by

    q = argmin KL(q || p(z | x))    over the q that satisfy the constraints in expectation.

The iterations are coordinate ascent on the sum over the text of log p(x) - KL(q || p) (proposition 2.1).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.criteria.base import CRITERIA, BlockPosteriors, Criterion
from aligner.criteria.constraints import AgreementFamily, FertilityFamily
from aligner.criteria.counts import DistortionCounts
from aligner.criteria.projection import ExponentialFamily, Projection, project
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import Block
from aligner.models import DirectionalCells, ModelPair

LEAST_SLACK, GREATEST_SLACK = 1e-4, 1e4
"""The range of slack above 0. Below it, the summed cost of violations may not fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class StoredMultipliers:
    """The multipliers of a text as the last iteration left them.

    values: int16, flat, in units of 1 / 1024; offsets: int64 [pairs + 1], where each pair's values begin.
    """

    constants: ClassVar[tuple[str, ...]] = ("offsets",)

    values: NDArray[np.int16]
    offsets: NDArray[np.int64]

    def of_block(self, block: Block) -> NDArray[np.int16]:
        """Return a view of a block's multipliers."""
        return self.values[self.offsets[block.start] : self.offsets[block.start + len(block)]]


class ProjectedFamily(NamedTuple):
    """A family, its projection on the constraints, and the projected cells.

    cells: one direction's or both. They are potentials whose posteriors are q; inference turns them into q.
    """

    family: ExponentialFamily
    projection: Projection
    cells: tuple[DirectionalCells, ...]


@dataclass(frozen=True)
class Constrained(Criterion):
    """EM with posterior constraints; subclasses define the constraints (Graca, Ganchev & Taskar 2007).

    Parameters
    ----------
    steps
        The largest number of gradient steps of a sentence pair in one iteration. Each step is one more
        inference. 0 steps are independent EM.
    tolerance
        The ascent of a sentence pair stops when no constraint is violated by more than this beyond slack
        times its multiplier.
    slack
        With slack above 0, constraints are soft: a violation v costs v^2 / (2 slack) nats. 0 is the paper's
        hard constraints, which need many more steps. Otherwise from 1e-4 to 1e4.
    warm_start
        True to start from the multipliers of the last iteration, which take 2 bytes each.

    Notes
    -----
    The objective, ``penalised``, never decreases if the projections are solved. It is the sum over the text
    of both log-likelihoods, less ``kl``, less the cost of violations within slack. The other measures are

    * ``forward_log_likelihood`` and ``reverse_log_likelihood``, of the models before projection;
    * ``kl``, KL(q || p) of both directions together;
    * ``violation``, the largest violation of a constraint in each sentence pair, summed over pairs;
    * ``residual``, the figure that is compared with ``tolerance``, summed over pairs.

    References
    ----------
    J. V. Graca, K. Ganchev, B. Taskar (2007). Expectation maximization and posterior constraints. NIPS 20.
    """

    columns = 2
    measures = (*Criterion.measures, "kl", "penalised", "violation", "residual")
    objective = "penalised"
    state_types = (StoredMultipliers,)
    has_pair_state = True
    incompatible_with: ClassVar[Mapping[str, str]] = {
        "hard": "a single best alignment cannot be projected, since no other alignment has any probability"
    }

    steps: int = 5
    tolerance: float = 0.05
    slack: float = 0.3
    warm_start: bool = True

    def __post_init__(self) -> None:
        for name in ("steps", "tolerance", "slack"):
            value = getattr(self, name)
            if not 0 <= value < float("inf"):
                raise ConfigError(f"{name} = {value}: expected a finite number, 0 or above")
        if self.slack and not LEAST_SLACK <= self.slack <= GREATEST_SLACK:
            raise ConfigError(
                f"slack = {self.slack}: expected 0, or a number from {LEAST_SLACK:g} to {GREATEST_SLACK:g}"
            )

    @abstractmethod
    def families(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> list[ExponentialFamily]:
        """Return the families to project: one for each direction, or one for both directions together."""

    @abstractmethod
    def offsets(self, source: BlockSource) -> list[NDArray[np.int64]]:
        """Return, for each family, where each pair's multipliers begin in the text, int64 [pairs + 1]."""

    def initial_state(self, source: BlockSource, model: ModelPair) -> list[StoredMultipliers] | None:
        if not self.warm_start:
            return None
        return [
            StoredMultipliers(np.zeros(offsets[-1], np.int16), offsets) for offsets in self.offsets(source)
        ]

    def tilt(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> tuple[DirectionalCells, DirectionalCells]:
        """Return forward and reverse potentials for which the model's posteriors are q, for decoding."""
        return _both_directions(self._project(model, potentials, None))

    def link_posteriors(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> tuple[list[NDArray[np.float32]], NDArray[np.float64]]:
        """Return both directions' link posteriors q, [cells] each, and log p(x), [2, pairs], for decoding.

        They are the posteriors of ``tilt``, without one more inference.
        """
        families = self.families(model, potentials)
        projections = [self._projection(family, keep_links=True) for family in families]
        links = [of_direction for projection in projections for of_direction in projection.links]
        return links, np.concatenate([projection.log_mass for projection in projections])

    def estep(
        self,
        model: ModelPair,
        block: Block,
        distortion: DistortionCounts,
        state: list[StoredMultipliers] | None,
    ) -> BlockPosteriors:
        starts = None if state is None else [stored.of_block(block) for stored in state]
        projected = self._project(model, model.potentials(block), starts)
        if starts is not None:
            for p, multipliers in zip(projected, starts, strict=True):
                multipliers[:] = np.rint(p.projection.multipliers * np.float32(kernels.projection.UNITS))
        forward, reverse = cells = _both_directions(projected)
        log_mass = model.infer(cells, distortion)
        measures = self._measure(projected, log_mass.sum(axis=0))
        links = block.side_by_side(forward.links, reverse.links)
        return BlockPosteriors(links, forward.null, reverse.null, measures)

    def _project(
        self,
        model: ModelPair,
        potentials: tuple[DirectionalCells, DirectionalCells],
        starts: list[NDArray[np.int16]] | None,
    ) -> list[ProjectedFamily]:
        """Project every family. starts: the first multipliers to try, for each family; None for zeros."""
        projected = []
        for n, family in enumerate(self.families(model, potentials)):
            projection = self._projection(family, None if starts is None else starts[n])
            all_pairs = np.arange(len(family.sizes))
            cells = family.tilt(all_pairs, projection.multipliers)
            projected.append(ProjectedFamily(family, projection, cells))
        return projected

    def _projection(
        self, family: ExponentialFamily, start: NDArray[np.int16] | None = None, keep_links: bool = False
    ) -> Projection:
        """Project a family by the options of the criterion."""
        return project(
            family,
            steps=self.steps,
            tolerance=self.tolerance,
            slack=self.slack,
            start=start,
            keep_links=keep_links,
        )

    def _measure(
        self, projected: list[ProjectedFamily], log_mass: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the measures, float64 [names, pairs], of families whose cells are posteriors by now.

        log_mass: float64 [pairs], log Z(l) of both directions together. The divergence is
        KL(q || p) = -l . E_q[f] - log(Z(l) / Z(0)).
        """
        tilt, excess, violation, residual = np.zeros((4, len(log_mass)))
        for p in projected:
            kernels.projection.measure(
                offsets_of(p.family.sizes),
                np.float32(p.family.bound),
                p.family.equal,
                p.projection.multipliers,
                p.family.expectations(p.cells),
                tilt,
                excess,
                violation,
            )
            np.maximum(residual, p.projection.residual, out=residual)
        forward, reverse = (log_p for p in projected for log_p in p.projection.log_mass)
        kl = forward + reverse - log_mass - tilt
        penalised = forward + reverse - kl
        if self.slack:
            penalised -= excess / (2 * self.slack)
        return np.stack([forward, reverse, kl, penalised, violation, residual])


@CRITERIA.register("substochastic", "no word has more than one expected link (Graca, Ganchev & Taskar 2007)")
@dataclass(frozen=True)
class Substochastic(Constrained):
    """EM with substochastic constraints (Graca, Ganchev & Taskar 2007, section 4.1.1).

    In each direction, the expected fertility of each conditioning word i is at most 1:

        sum_j q(a_j = i) <= 1.

    Without the constraint, rare words collect the words that have no translation in the sentence. With it,
    NULL does. See ``Constrained`` for the options.
    """

    def families(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> list[ExponentialFamily]:
        return [FertilityFamily(model, direction, cells) for direction, cells in enumerate(potentials)]

    def offsets(self, source: BlockSource) -> list[NDArray[np.int64]]:
        return [offsets_of(lengths) for lengths in source.lengths]


@CRITERIA.register("symmetric", "both directions expect the same links (Graca, Ganchev & Taskar 2007)")
@dataclass(frozen=True)
class Symmetric(Constrained):
    """EM with agreement constraints (Graca, Ganchev & Taskar 2007, section 4.1.2).

    Both directions expect the same links, F = R:

        q_fwd(a_j = i) = q_rev(b_i = j)    for each i and j.

    The paper writes the constraint on a mixture of both models, with half the weight each. Here the two
    directions' own posteriors are projected together, by the least KL(q_fwd || p_fwd) + KL(q_rev || p_rev),
    and each direction is counted by its own q. See ``Constrained`` for the options.
    """

    def families(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> list[ExponentialFamily]:
        return [AgreementFamily(model, potentials)]

    def offsets(self, source: BlockSource) -> list[NDArray[np.int64]]:
        return [source.offsets]


def _both_directions(projected: list[ProjectedFamily]) -> tuple[DirectionalCells, DirectionalCells]:
    """Return the forward and the reverse cells of the families."""
    forward, reverse = (cells for p in projected for cells in p.cells)
    return forward, reverse
