"""Maximum reconstruction estimation (Cheng, Liu & Xu 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aligner.celltext import CellText
from aligner.errors import ConfigError
from aligner.kernels import ascent as kernels
from aligner.kernels.fixed import SCALE
from aligner.models import Gradient, ModelPair
from aligner.objectives.ascent import Climb, Rates
from aligner.objectives.base import Counts, Expectation, Objective, Statistics
from aligner.objectives.updates import Update
from aligner.pairs import Block

FORWARD, REVERSE = 0, 1
ENCODED, PLAIN = 0, 1
"""The two passes: Q, with the lexical probabilities squared, and the posterior P."""

GREATEST_RATE = 10.0
"""At ten times the steepest slope, a step is a factor of exp(50): what float32 still holds."""


@dataclass(frozen=True)
class MRE(Objective):
    """Each direction maximises how well it reconstructs what it emits, given its own alignment of it.

    With x the emitted and y the conditioning side, eq. (23)-(25) summed over the text:

        log P(x | x, y) = log [ sum_z P(z | y) P(x | z, y)^2 / P(x | y) ].

    The gradient with respect to t(x | y) is (2 E_Q - E_P) / t and with respect to the alignment parameters
    (E_Q - E_P) / p (eq. 26, 27), where P(z | x, y) is the posterior and Q(z) is proportional to
    P(z | y) P(x | z, y)^2: two inferences per direction. The update is exponentiated gradient with
    individually adapted rates (``ascent``), each direction for itself.

    A step is measured by the next E-step. If it was down, the next model is a shorter step from the best
    model measured, so that no model a stage yields is known to be worse than an earlier one. The stage should
    start from the maximum-likelihood model of the same kind.

    rate, growth, shrink, least_rate, greatest_rate: see ``ascent.Rates``.
    """

    name = "mre"
    summary = "each direction's probability of reconstructing its emitted side (Cheng, Liu & Xu 2017)"
    columns = 2
    passes = 2
    measures = ("objective", "forward_objective", "reverse_objective", *Objective.measures)
    objective = "objective"
    refuses: ClassVar[Mapping[str, str]] = {
        "update": "it has no counts to normalise: its update is a step along a gradient",
        "hard": "its gradient compares two distributions over alignments, not two single ones",
        "anneal_from": "softened posteriors are not the gradient of its objective",
        "batch_pairs": "its step rates adapt to the objective of the whole text",
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

    def begin(self, model: ModelPair, text: CellText) -> Any:
        return None, None

    def memory(self, slots: int, cells: int) -> int:
        # Both directions' values, words, slopes and rates, of this climb and of the one before it.
        return super().memory(slots, cells) + 2 * 2 * 16 * slots

    def expect(self, model: ModelPair, block: Block, statistics: Statistics, state: Any) -> Expectation:
        forward, reverse = model.potentials(block)
        forward_q, reverse_q = forward.to_power(2.0), reverse.to_power(2.0)
        log_forward_q = model.forward_posteriors(forward_q, statistics.forward[ENCODED])
        log_reverse_q = model.reverse_posteriors(reverse_q, statistics.reverse[ENCODED])
        log_forward = model.forward_posteriors(forward, statistics.forward[PLAIN])
        log_reverse = model.reverse_posteriors(reverse, statistics.reverse[PLAIN])
        links = np.empty((2, len(reverse.links), 2), np.float32)
        links[ENCODED] = block.side_by_side(forward_q.links, reverse_q.links)
        links[PLAIN] = block.side_by_side(forward.links, reverse.links)
        forward_objective, reverse_objective = log_forward_q - log_forward, log_reverse_q - log_reverse
        return Expectation(
            links,
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

    def update(
        self, model: ModelPair, counts: Counts, state: Any, rule: Update | None = None
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
            for direction in (FORWARD, REVERSE)
        )
        (links_f, null_f, jumps_f), (links_r, null_r, jumps_r) = forward.step(), reverse.step()
        lexicon = model.lexicon.with_values((links_f, links_r), (null_f, null_r))
        pair = ModelPair(lexicon, model.forward.with_values(jumps_f), model.reverse.with_values(jumps_r))
        return pair, (forward, reverse)


def gradients(model: ModelPair, counts: Counts, direction: int) -> Iterator[Gradient]:
    """The gradient of a direction's objective: of its lexical table, its NULL row and its distortion."""
    lexicon = model.lexicon
    rows = lexicon.rows(direction)
    row_count = (lexicon.pairs.source_types, lexicon.pairs.target_types)[direction]
    gains, events = np.empty(len(rows)), np.zeros(row_count)
    kernels.gains(counts.links[ENCODED, 1:], counts.links[PLAIN, 1:], 2, direction, rows, gains, events)
    yield Gradient(np.ascontiguousarray(lexicon.table[1:, direction]), rows, gains, events)
    null = (lexicon.null_forward, lexicon.null_reverse)[direction]
    q, p = (counts.null_forward, counts.null_reverse)[direction][:, :-1]
    yield Gradient(null[:-1], np.zeros(len(p), np.int32), (2 * q - p) / SCALE, np.array([p.sum() / SCALE]))
    distortion = (model.forward, model.reverse)[direction]
    yield distortion.gradient(*counts.statistics[direction])
