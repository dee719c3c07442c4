"""Posterior-constrained EM: the E-step's posteriors are projected on a set of constraints.

Graca, Ganchev & Taskar 2007. Instead of the posterior p, the M-step learns from q = argmin KL(q || p) among the q
that satisfy the constraints in expectation. What rises from iteration to iteration is sum log p(x) - KL(q || p)
(proposition 2.1), less the price of what slack let pass, provided that the projections are solved.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.errors import ConfigError
from aligner.kernels import projection as kernels
from aligner.models import Cells, ModelPair
from aligner.objectives.base import Expectation, Objective, Statistics, source_major
from aligner.objectives.constraints import AtMostOneLink, SameLinks
from aligner.objectives.projection import Family, Projection, ascend, starts_of
from aligner.pairs import Block, CellText


class Memory(NamedTuple):
    """The multipliers of a whole text, where the next iteration starts.

    values: float16, flat, which is as exact as a start needs to be; offsets: int64 [pairs + 1], each pair's first.
    """

    values: NDArray[np.float16]
    offsets: NDArray[np.int64]

    def of(self, block: Block) -> NDArray[np.float16]:
        """A block's own multipliers, a view."""
        return self.values[self.offsets[block.start] : self.offsets[block.start + len(block)]]


@dataclass(frozen=True)
class Constrained(Objective):
    """A criterion whose posteriors satisfy constraints; subclasses say which.

    steps: the most gradient steps per sentence pair and iteration, each one more inference; none is independent
    EM. tolerance: a pair is done when no constraint is violated by more than this beyond its slack. slack: what a
    violation is forgiven: v costs v^2 / (2 slack) nats, none is forgiven if it is 0, the paper's criterion.
    warm_start: begin where the last iteration ended, for two bytes per multiplier.

    Reported are both models' log-likelihoods; kl, KL(q || p) of both directions; penalised, the log-likelihoods less
    kl and the price of the violations; violation and residual, the largest of each pair, summed like all measures
    (divide by the pairs); residual is what solving further would remove.
    """

    columns = 2
    measures = (*Objective.measures, "kl", "penalised", "violation", "residual")
    objective = "penalised"

    steps: int = 10
    tolerance: float = 0.05
    slack: float = 0.2
    warm_start: bool = True

    def __post_init__(self) -> None:
        for name in ("steps", "tolerance", "slack"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} = {getattr(self, name)}: expected a number that is not negative")

    @abstractmethod
    def families(self, model: ModelPair, potentials: tuple[Cells, Cells]) -> list[Family]:
        """What is projected: separately each direction, or both directions together."""

    @abstractmethod
    def offsets(self, text: CellText) -> list[NDArray[np.int64]]:
        """Of each family, the first multiplier of each pair of the text, int64 [pairs + 1]."""

    def begin(self, model: ModelPair, text: CellText) -> list[Memory] | None:
        if not self.warm_start:
            return None
        return [Memory(np.zeros(offsets[-1], np.float16), offsets) for offsets in self.offsets(text)]

    def project(
        self, model: ModelPair, block: Block, memories: list[Memory] | None = None
    ) -> list[tuple[Family, Projection, tuple[Cells, ...]]]:
        """Each family with its projection and the potentials of q."""
        families = self.families(model, model.potentials(block))
        projected = []
        for n, family in enumerate(families):
            memory = memories[n].of(block) if memories else None
            projection = ascend(
                family,
                steps=self.steps,
                tolerance=self.tolerance,
                slack=self.slack,
                start=None if memory is None else memory.astype(np.float32),
            )
            if memory is not None:
                memory[:] = projection.multipliers
            tilted = family.tilt(np.arange(len(block)), projection.multipliers)
            projected.append((family, projection, tilted))
        return projected

    def potentials(self, model: ModelPair, block: Block) -> tuple[Cells, Cells]:
        """Potentials of a block whose posteriors under the model satisfy the constraints: those of q."""
        forward, reverse = (cells for _, _, tilted in self.project(model, block) for cells in tilted)
        return forward, reverse

    def expect(
        self, model: ModelPair, block: Block, statistics: Statistics, state: list[Memory] | None
    ) -> Expectation:
        projected = self.project(model, block, state)
        forward, reverse = (cells for _, _, tilted in projected for cells in tilted)
        forward_mass = model.forward_posteriors(forward, statistics.forward)
        reverse_mass = model.reverse_posteriors(reverse, statistics.reverse)

        tilt, excess, violation, residual = np.zeros((4, len(block)))
        for family, projection, posteriors in projected:
            kernels.measure(
                starts_of(family.sizes),
                np.float32(family.bound),
                family.equal,
                projection.multipliers,
                family.expectations(posteriors),
                tilt,
                excess,
                violation,
            )
            np.maximum(residual, projection.residual, out=residual)
        forward_log_likelihood, reverse_log_likelihood = (
            mass for _, projection, _ in projected for mass in projection.log_mass
        )
        log_likelihood = forward_log_likelihood + reverse_log_likelihood
        kl = log_likelihood - (forward_mass + reverse_mass) - tilt
        price = excess / (2 * self.slack) if self.slack else 0.0
        measures = np.stack(
            [
                forward_log_likelihood,
                reverse_log_likelihood,
                kl,
                log_likelihood - kl - price,
                violation,
                residual,
            ]
        )
        links = np.stack([source_major(forward, block), reverse.links], axis=1)
        return Expectation(links, forward.null, reverse.null, measures)


@dataclass(frozen=True)
class Substochastic(Constrained):
    """Each conditioning word has at most one link in expectation, sum_j q(a_j = i) <= 1 (section 4.1.1).

    Rare words no longer collect what fits nowhere else; NULL may.
    """

    name = "substochastic"
    summary = "no word has more than one expected link (Graca, Ganchev & Taskar 2007)"

    def families(self, model: ModelPair, potentials: tuple[Cells, Cells]) -> list[Family]:
        infer = _scratch_inference(model)
        return [AtMostOneLink(cells, one) for cells, one in zip(potentials, infer, strict=True)]

    def offsets(self, text: CellText) -> list[NDArray[np.int64]]:
        return [text.bitext.source.offsets, text.bitext.target.offsets]


@dataclass(frozen=True)
class Symmetric(Constrained):
    """Both directions expect the same links, q_fwd(a_j = i) = q_rev(b_i = j) (section 4.1.2)."""

    name = "symmetric"
    summary = "both directions expect the same links (Graca, Ganchev & Taskar 2007)"

    def families(self, model: ModelPair, potentials: tuple[Cells, Cells]) -> list[Family]:
        return [SameLinks(*potentials, _scratch_inference(model))]

    def offsets(self, text: CellText) -> list[NDArray[np.int64]]:
        return [text.offsets]


def _scratch_inference(model: ModelPair) -> tuple[Any, Any]:
    """Both directions' inference, its distortion statistics thrown away: only the final q is counted."""
    forward, reverse = model.forward.statistics(), model.reverse.statistics()
    return (
        lambda cells: model.forward_posteriors(cells, forward),
        lambda cells: model.reverse_posteriors(cells, reverse),
    )
