"""Posterior-constrained EM: the M-step learns from posteriors projected on a set of constraints.

Graca, Ganchev & Taskar (2007, section 2.1, eq. 5) replace the E-step's p(z | x) by

    q = argmin KL(q || p(z | x))    over the q that satisfy the constraints in expectation.

The iterations are coordinate ascent on the sum over the text of log p(x) - KL(q || p) (proposition 2.1).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s, offsets_of
from aligner.criteria.base import CRITERIA, BlockPosteriors, Criterion
from aligner.criteria.constraints import AgreementFamily, FertilityFamily
from aligner.criteria.counts import DistortionCounts
from aligner.criteria.projection import ExponentialFamily, FamilyCells, Projection, project
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair
from aligner.models.cells import CellPair

LEAST_SLACK, GREATEST_SLACK = 1e-4, 1e4
"""The range of slack above 0. Below it, the summed cost of violations may not fit into 64 bits."""


@dataclass(frozen=True, eq=False)
class StoredMultipliers:
    """The multipliers of a text as the last iteration left them.

    values: int16, flat, in units of 1 / 1024; offsets: int64 [pairs + 1], where each pair's values begin.
    """

    constants: ClassVar[tuple[str, ...]] = ("offsets",)

    values: NDArray[np.int16]
    offsets: Int64s

    def of_block(self, block: Block) -> NDArray[np.int16]:
        """Return a view of a block's multipliers."""
        return self.values[self.offsets[block.start] : self.offsets[block.start + len(block)]]


@dataclass(frozen=True)
class Constrained(Criterion):
    """EM with posterior constraints; subclasses define the constraints (Graca, Ganchev & Taskar 2007).

    Parameters
    ----------
    steps
        The largest number of gradient steps of a sentence pair in one iteration. Each step is one more
        inference. 0 steps are independent EM. 5 steps do not reach the tolerance in each pair: of 300 pairs
        in 7 iterations, from l = 0, 2.8 % of the projections of substochastic were left, with residuals up to
        0.33, and 0.1 % of those of symmetric. A sixth step leaves 1.4 %. A warm start goes on from them.
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
    state_type = list[StoredMultipliers] | None
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
    def families(self, pair: ModelPair, potentials: CellPair) -> list[ExponentialFamily]:
        """Return the families to project: one for each direction, or one for both directions together."""

    @abstractmethod
    def offsets(self, source: BlockSource) -> list[Int64s]:
        """Return, for each family, where each pair's multipliers begin in the text, int64 [pairs + 1]."""

    def initial_state(self, source: BlockSource, pair: ModelPair) -> list[StoredMultipliers] | None:
        if not self.warm_start:
            return None
        return [
            StoredMultipliers(np.zeros(offsets[-1], np.int16), offsets) for offsets in self.offsets(source)
        ]

    def tilt(self, pair: ModelPair, potentials: CellPair) -> CellPair:
        """Return forward and reverse potentials for which the model's posteriors are q, for decoding."""
        forward, reverse = chain.from_iterable(p.tilted() for p in self._project(pair, potentials))
        return forward, reverse

    def link_posteriors(self, pair: ModelPair, potentials: CellPair) -> tuple[list[Float32s], Float64s]:
        """Return both directions' link posteriors q, [cells] each, and log p(x), [2, pairs], for decoding.

        They are the posteriors of ``tilt``, without one more inference.
        """
        projections = self._project(pair, potentials, keep_links=True)
        links = [of_direction for projection in projections for of_direction in projection.links]
        return links, np.concatenate([projection.log_mass for projection in projections])

    def estep(
        self,
        pair: ModelPair,
        block: Block,
        distortion: DistortionCounts,
        state: list[StoredMultipliers] | None,
    ) -> BlockPosteriors:
        starts = [stored.of_block(block) for stored in state or ()]
        projections = self._project(pair, pair.potentials(block), starts)
        for projection, multipliers in zip(projections, starts, strict=False):  # no starts without a state
            multipliers[:] = np.rint(projection.multipliers * np.float32(kernels.projection.UNITS))
        of_families = [projection.tilted() for projection in projections]
        forward, reverse = cells = list(chain.from_iterable(of_families))
        log_mass = pair.infer(cells, distortion).sum(axis=0)
        measures = self._measure(projections, of_families, log_mass)
        links = block.side_by_side(forward.links, reverse.links)
        return BlockPosteriors(links, forward.null, reverse.null, measures)

    def _project(
        self,
        pair: ModelPair,
        potentials: CellPair,
        starts: Sequence[NDArray[np.int16]] = (),
        keep_links: bool = False,
    ) -> list[Projection]:
        """Project every family. starts: the first multipliers to try, for each family; none for zeros."""
        families = zip_longest(self.families(pair, potentials), starts)
        return [
            project(family, self.steps, self.tolerance, self.slack, start, keep_links)
            for family, start in families
        ]

    def _measure(
        self, projections: list[Projection], of_families: list[FamilyCells], log_mass: Float64s
    ) -> Float64s:
        """Return the measures, float64 [names, pairs].

        of_families: the posteriors q of each family; log_mass: float64 [pairs], log Z(l) of both directions
        together. The divergence is KL(q || p) = -l . E_q[f] - log(Z(l) / Z(0)).
        """
        tilt, excess, violation, residual = np.zeros((4, len(log_mass)))
        for projection, posteriors in zip(projections, of_families, strict=True):
            family, sums = projection.family, (tilt, excess, violation)
            bound = np.float32(family.bound), family.equal
            expected = projection.multipliers, family.expectations(posteriors)
            kernels.projection.measure(offsets_of(family.sizes), *bound, *expected, *sums)
            np.maximum(residual, projection.residual, out=residual)
        forward, reverse = np.concatenate([projection.log_mass for projection in projections])
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

    def families(self, pair: ModelPair, potentials: CellPair) -> list[ExponentialFamily]:
        return [FertilityFamily(pair, direction, cells) for direction, cells in enumerate(potentials)]

    def offsets(self, source: BlockSource) -> list[Int64s]:
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

    def families(self, pair: ModelPair, potentials: CellPair) -> list[ExponentialFamily]:
        return [AgreementFamily(pair, potentials)]

    def offsets(self, source: BlockSource) -> list[Int64s]:
        return [source.offsets]
