"""Posterior-constrained EM: the M-step learns from posteriors projected on a set of constraints.

Graca, Ganchev & Taskar 2007: not from p(z | x), but from q = argmin KL(q || p) among the q that satisfy the
constraints in expectation. From iteration to iteration, sum log p(x) - KL(q || p) rises (proposition 2.1),
less the price of what slack let pass, provided that the projections are solved.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria.base import BlockPosteriors, Criterion
from aligner.criteria.constraints import AtMostOneLink, Infer, SameLinks
from aligner.criteria.counts import DistortionCounts
from aligner.criteria.projection import Family, Projection, ascend
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import Block
from aligner.models import DirectionalCells, ModelPair
from aligner.text.sentences import offsets_of


class Memory(NamedTuple):
    """The multipliers of a whole text as the last iteration left them.

    values: int16, flat, in units of 1 / 1024; offsets: int64 [pairs + 1], each pair's first.
    """

    values: NDArray[np.int16]
    offsets: NDArray[np.int64]

    def of(self, block: Block) -> NDArray[np.int16]:
        """A block's own multipliers, a view."""
        return self.values[self.offsets[block.start] : self.offsets[block.start + len(block)]]


class Projected(NamedTuple):
    """A family, the member of it that the constraints ask for, and the potentials of that member."""

    family: Family
    projection: Projection
    cells: tuple[DirectionalCells, ...]


@dataclass(frozen=True)
class Constrained(Criterion):
    """Posteriors that satisfy constraints; subclasses say which.

    steps: the most gradient steps of a sentence pair per iteration, each of them one more inference; with
    none this is independent EM. tolerance: a pair rests once no constraint is missed by more than this beyond
    its slack. slack: missing a constraint by v costs v^2 / (2 slack) nats; 0, as in the paper, forgives
    nothing and needs many more steps. warm_start: begin at the last iteration's multipliers, for two bytes
    each.

    Measured are both models' log-likelihoods; kl, KL(q || p) of both directions together; penalised, the
    log-likelihoods less kl and the price of what is missed; violation, by how much the worst constraint of a
    pair is missed; residual, what tolerance is compared with. The last two, too, are summed over pairs.
    """

    columns = 2
    measures = (*Criterion.measures, "kl", "penalised", "violation", "residual")
    objective = "penalised"
    incompatible_with: ClassVar[Mapping[str, str]] = {
        "hard": "a single best alignment meets constraints on expectations or it does not"
    }

    steps: int = 5
    tolerance: float = 0.05
    slack: float = 0.3
    warm_start: bool = True

    def __post_init__(self) -> None:
        for name in ("steps", "tolerance", "slack"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} = {getattr(self, name)}: expected a number that is not negative")

    @abstractmethod
    def families(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> list[Family]:
        """What is projected: each direction separately, or both together."""

    @abstractmethod
    def offsets(self, source: BlockSource) -> list[NDArray[np.int64]]:
        """For each family, where each pair's multipliers begin in the text, int64 [pairs + 1]."""

    def initial_state(self, source: BlockSource) -> list[Memory] | None:
        if not self.warm_start:
            return None
        return [Memory(np.zeros(offsets[-1], np.int16), offsets) for offsets in self.offsets(source)]

    def tilt(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> tuple[DirectionalCells, DirectionalCells]:
        """Potentials for which the model's posteriors are q: what decoding under constraints infers from."""
        return _directions(self._project(model, potentials, []))

    def estep(
        self, model: ModelPair, block: Block, distortion: DistortionCounts, state: list[Memory] | None
    ) -> BlockPosteriors:
        memories = [memory.of(block) for memory in state or []]
        projected = self._project(model, model.potentials(block), memories)
        for memory, (_, projection, _) in zip(memories, projected, strict=False):
            kernels.projection.remember(projection.multipliers, memory)
        forward, reverse = _directions(projected)
        log_mass = model.forward_posteriors(forward, distortion.forward)
        log_mass += model.reverse_posteriors(reverse, distortion.reverse)
        measures = self._measure(projected, log_mass)
        links = block.side_by_side(forward.links, reverse.links)
        return BlockPosteriors(links, forward.null, reverse.null, measures)

    def _project(
        self,
        model: ModelPair,
        potentials: tuple[DirectionalCells, DirectionalCells],
        starts: list[NDArray[np.int16]],
    ) -> list[Projected]:
        """Project every family, from ``starts`` if there are any."""
        projected = []
        for n, family in enumerate(self.families(model, potentials)):
            projection = ascend(
                family,
                steps=self.steps,
                tolerance=self.tolerance,
                slack=self.slack,
                start=starts[n] if starts else None,
            )
            everyone = np.arange(len(family.sizes))
            projected.append(Projected(family, projection, family.tilt(everyone, projection.multipliers)))
        return projected

    def _measure(self, projected: list[Projected], log_mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """The measures, float64 [names, pairs], now that cells are posteriors; log_mass: log Z of q, [pairs].

        KL(q || p) = -l . E_q[f] - log(Z(l) / Z(0)).
        """
        tilt, excess, violation, residual = np.zeros((4, len(log_mass)))
        for family, projection, posteriors in projected:
            kernels.projection.measure(
                offsets_of(family.sizes),
                np.float32(family.bound),
                family.equal,
                projection.multipliers,
                family.expectations(posteriors),
                tilt,
                excess,
                violation,
            )
            np.maximum(residual, projection.residual, out=residual)
        forward, reverse = (direction for one in projected for direction in one.projection.log_mass)
        kl = forward + reverse - log_mass - tilt
        penalised = forward + reverse - kl
        if self.slack:
            penalised -= excess / (2 * self.slack)
        return np.stack([forward, reverse, kl, penalised, violation, residual])


@dataclass(frozen=True)
class Substochastic(Constrained):
    """Each conditioning word has at most one link in expectation, sum_j q(a_j = i) <= 1 (section 4.1.1).

    Rare words no longer collect the words that fit nowhere: NULL does.
    """

    name = "substochastic"
    summary = "no word has more than one expected link (Graca, Ganchev & Taskar 2007)"

    def families(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> list[Family]:
        return [
            AtMostOneLink(cells, infer) for cells, infer in zip(potentials, _uncounted(model), strict=True)
        ]

    def offsets(self, source: BlockSource) -> list[NDArray[np.int64]]:
        return [source.bitext.source.offsets, source.bitext.target.offsets]


@dataclass(frozen=True)
class Symmetric(Constrained):
    """Both directions expect the same links, q_fwd(a_j = i) = q_rev(b_i = j) (section 4.1.2)."""

    name = "symmetric"
    summary = "both directions expect the same links (Graca, Ganchev & Taskar 2007)"

    def families(
        self, model: ModelPair, potentials: tuple[DirectionalCells, DirectionalCells]
    ) -> list[Family]:
        return [SameLinks(*potentials, *_uncounted(model))]

    def offsets(self, source: BlockSource) -> list[NDArray[np.int64]]:
        return [source.offsets]

    def memory(self, pair_ids: int, cells: int) -> int:
        return super().memory(pair_ids, cells) + 2 * cells * self.warm_start


def _uncounted(model: ModelPair) -> tuple[Infer, Infer]:
    """Both directions' inference for the steps of an ascent: only the final q's jumps are counted."""
    forward, reverse = model.forward.new_counts(), model.reverse.new_counts()
    return (
        lambda cells: model.forward_posteriors(cells, forward),
        lambda cells: model.reverse_posteriors(cells, reverse),
    )


def _directions(projected: list[Projected]) -> tuple[DirectionalCells, DirectionalCells]:
    forward, reverse = (cells for one in projected for cells in one.cells)
    return forward, reverse
