"""Maximum reconstruction estimation (Cheng, Liu & Xu 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aligner import kernels
from aligner.criteria.base import BlockPosteriors, Criterion
from aligner.criteria.counts import Counts, DistortionCounts
from aligner.criteria.exponentiated_gradient import Climb, Rates
from aligner.criteria.mstep import MStep
from aligner.errors import ConfigError
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import Gradient, ModelPair

ENCODED, PLAIN = 0, 1
"""The two passes: Q, with the lexical probabilities squared, and the posterior P."""

GREATEST_RATE = 10.0
"""At ten times the steepest slope, a step is a factor of exp(50): what float32 still holds."""


@dataclass(frozen=True)
class MRE(Criterion):
    """Each direction maximises how well it reconstructs what it emits, given its own alignment of it.

    With x the emitted and y the conditioning side, eq. (23)-(25) summed over the text:

        log P(x | x, y) = log [ sum_z P(z | y) P(x | z, y)^2 / P(x | y) ].

    The gradient with respect to t(x | y) is (2 E_Q - E_P) / t and with respect to the alignment parameters
    (E_Q - E_P) / p (eq. 26, 27), where P(z | x, y) is the posterior and Q(z) is proportional to
    P(z | y) P(x | z, y)^2: two inferences per direction. The update is exponentiated gradient with
    individually adapted rates (``ascent``), each direction for itself.

    A step is measured by the next E-step. If it was down, the next model is a shorter step from the best
    model measured, so that no model a stage yields is known to be worse than an earlier one. Nothing measures
    a stage's last step, which would cost one more E-step: from maximum likelihood, with these rates, all of
    352 steps of the four models on four texts were up. The stage should start from the maximum-likelihood
    model of the same kind.

    rate, growth, shrink, least_rate, greatest_rate: see ``ascent.Rates``.
    """

    name = "mre"
    summary = "each direction's probability of reconstructing its emitted side (Cheng, Liu & Xu 2017)"
    columns = 4
    passes = 2
    measures = ("objective", "forward_objective", "reverse_objective", *Criterion.measures)
    objective = "objective"
    incompatible_with: ClassVar[Mapping[str, str]] = {
        "update": "it has no counts to normalise: its update is a step along a gradient",
        "hard": "its gradient compares two distributions over alignments, not two single ones",
        "anneal_from": "softened posteriors are not the gradient of its objective",
        "batch_pairs": "its step rates adapt to the objective of the whole text",
        "cognates": "it has no expected counts that pseudo-counts could be added to",
        "dictionary": "it has no expected counts that observed ones could be added to",
    }

    rate: float = Rates.start
    growth: float = Rates.growth
    shrink: float = Rates.shrink
    least_rate: float = Rates.least
    greatest_rate: float = Rates.greatest

    def __post_init__(self) -> None:
        if not 0.0 < self.least_rate <= self.rate <= self.greatest_rate <= GREATEST_RATE:
            raise ConfigError(
                f"rate = {self.rate}, least_rate = {self.least_rate}, greatest_rate = {self.greatest_rate}:"
                f" expected 0 < least_rate <= rate <= greatest_rate <= {GREATEST_RATE:g}"
            )
        if not 0.0 < self.shrink <= 1.0 <= self.growth:
            raise ConfigError(
                f"shrink = {self.shrink}, growth = {self.growth}: expected 0 < shrink <= 1 <= growth"
            )

    def initial_state(self, source: BlockSource) -> Any:
        return None, None

    def state_after_pruning(self, state: Any) -> Any:
        return None, None  # a climb is over the word pairs that there were

    def memory(self, pair_ids: int, cells: int) -> int:
        # Both directions' values, words, slopes and rates, of this climb and of the one before it.
        return super().memory(pair_ids, cells) + 2 * 2 * 16 * pair_ids

    def estep(
        self, model: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = model.potentials(block)
        forward_q, reverse_q = forward.to_power(2.0), reverse.to_power(2.0)
        log_forward_q = model.forward_posteriors(forward_q, distortion.forward[ENCODED])
        log_reverse_q = model.reverse_posteriors(reverse_q, distortion.reverse[ENCODED])
        log_forward = model.forward_posteriors(forward, distortion.forward[PLAIN])
        log_reverse = model.reverse_posteriors(reverse, distortion.reverse[PLAIN])
        forward_objective, reverse_objective = log_forward_q - log_forward, log_reverse_q - log_reverse
        return BlockPosteriors(
            block.side_by_side(forward_q.links, reverse_q.links, forward.links, reverse.links),
            np.stack([forward_q.null, forward.null]),
            np.stack([reverse_q.null, reverse.null]),
            np.stack(
                [
                    forward_objective + reverse_objective,
                    forward_objective,
                    reverse_objective,
                    log_forward,
                    log_reverse,
                ]
            ),
        )

    def mstep(
        self,
        model: ModelPair,
        counts: Counts,
        state: Any,
        rule: MStep | None = None,
        threads: int = 1,
    ) -> tuple[ModelPair, Any]:
        """One step up for each direction; the state is the two climbs. There is no other rule."""
        rates = Rates(self.rate, self.growth, self.shrink, self.least_rate, self.greatest_rate)
        forward, reverse = (
            Climb.on(
                state[direction],
                int(counts.measures[1 + direction]),
                gradients(model, counts, direction),
                rates,
            )
            for direction in (0, 1)
        )
        return stepped(model, forward, reverse), (forward, reverse)


def gradients(model: ModelPair, counts: Counts, direction: int) -> Iterator[Gradient]:
    """The gradient of a direction's objective: of its lexical table, its NULL row and its distortion.

    direction: 0 for forward, 1 for reverse.
    """
    lexicon = model.lexicon
    rows = lexicon.rows(direction)
    row_count = (lexicon.index.source_types, lexicon.index.target_types)[direction]
    gains, events = np.empty(len(rows)), np.zeros(row_count)
    links = counts.links[1:]
    encoded, plain = 2 * ENCODED + direction, 2 * PLAIN + direction
    kernels.exponentiated_gradient.gains(2, links, encoded, links, plain, rows, gains, events)
    yield Gradient(lexicon.table[1:], direction, rows, gains, events)
    null = (lexicon.null_forward, lexicon.null_reverse)[direction]
    q, p = (counts.null_forward, counts.null_reverse)[direction][:, :-1]
    one_row = np.zeros(len(p), np.int32)
    yield Gradient(
        null[:-1, None], 0, one_row, (2.0 * q - p) / COUNT_SCALE, np.array([(p / COUNT_SCALE).sum()])
    )
    distortion = (model.forward, model.reverse)[direction]
    yield distortion.gradient(*counts.distortion[direction])


def stepped(model: ModelPair, *climbs: Climb) -> ModelPair:
    """The model one step on, forward and reverse, from the best points that their climbs know."""
    table = np.empty_like(model.lexicon.table)
    table[0] = FLOOR
    null, distortions = [], []
    for climb, distortion in zip(climbs, (model.forward, model.reverse), strict=True):
        links, words, jumps = climb.parts
        links.step(table[1:], FLOOR)
        row = np.full((len(words.values) + 1, 1), FLOOR, np.float32)
        words.step(row[:-1], FLOOR)
        null.append(row[:, 0])
        values = np.empty_like(jumps.values)
        jumps.step(values)
        distortions.append(distortion.with_values(values[:, 0]))
    return ModelPair(Lexicon(model.lexicon.index, table, null[0], null[1]), *distortions)
