"""Maximum reconstruction estimation (Cheng, Liu & Xu 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from aligner import kernels
from aligner.criteria.base import CRITERIA, BlockPosteriors, Criterion
from aligner.criteria.counts import Counts, DistortionCounts
from aligner.criteria.distortion_gradients import distortion_gradient, has_gradient, with_values
from aligner.criteria.exponentiated_gradient import Climb, Gradient, RateLimits
from aligner.criteria.mstep import LexiconMStep
from aligner.errors import ConfigError
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import FLOOR
from aligner.models import AlignmentModel, ModelPair

Q, POSTERIOR = 0, 1
"""The two inferences of an E-step: under Q, with the lexical probabilities squared, and the posterior P.

They number the columns of NULL counts and the arrays of distortion counts. The columns of links are forward
and reverse under Q, forward and reverse under P.
"""

GREATEST_RATE = 10.0
"""The largest rate. With the largest slope, a step is a factor of exp(50), which float32 still holds."""


@CRITERIA.register(
    "mre", "each direction's probability of reconstructing its emitted side (Cheng, Liu & Xu 2017)"
)
@dataclass(frozen=True)
class MRE(Criterion):
    """Maximum reconstruction estimation (Cheng, Liu & Xu 2017).

    Each direction maximises the probability of reconstructing its emitted side x from its own alignment z of
    x to the conditioning side y, summed over the text (eq. 23-25):

        log P(x | x, y) = log [ sum_z P(z | y) P(x | z, y)^2 / P(x | y) ].

    With the posterior P(z | x, y) and Q(z) proportional to P(z | y) P(x | z, y)^2 (eq. 29), the derivatives
    are (2 E_Q - E_P) / t for a lexical probability t(x | y) (eq. 26) and (E_Q - E_P) / p for an alignment
    probability p (eq. 27). They take two inferences in each direction. The update is exponentiated gradient
    with a rate for each parameter (see ``exponentiated_gradient``), one ascent for each direction.

    Parameters
    ----------
    rate
        The first rate of every parameter.
    growth, shrink
        Factors of a rate whose slope kept its sign, at least 1, or changed it, above 0 and at most 1.
    least_rate, greatest_rate
        Limits of a rate: 0 < least_rate <= rate <= greatest_rate <= 10.

    Notes
    -----
    The objective of the best model measured never decreases. The next E-step measures a step. If the
    objective has decreased, the next model is a shorter step from the best model measured, so no model of a
    stage is known to be worse than an earlier one. The last step of a stage is not measured, since this would
    cost another E-step; from maximum likelihood with the default rates, all of 352 steps of the four models
    on four texts ascended. The stage should start from the maximum-likelihood model of the same kind.

    References
    ----------
    Y. Cheng, Y. Liu, W. Xu (2017). Maximum reconstruction estimation for generative latent-variable models.
    AAAI.
    """

    columns = 4
    measures = ("objective", "forward_objective", "reverse_objective", *Criterion.measures)
    objective = "objective"
    state_type = tuple[Climb, ...]
    incompatible_with: ClassVar[Mapping[str, str]] = {
        "update": "it has no counts to normalise, since its update is a step along a gradient",
        "hard": "its gradient is the difference of two distributions over alignments",
        "anneal_from": "softened posteriors are not the gradient of its objective",
        "batch_pairs": "its step rates adapt to the objective of the whole text",
        "cognates": "it has no expected counts that pseudo-counts could be added to",
        "word_forms": "it has no expected counts that pseudo-counts could be added to",
        "word_jumps": "it has no expected counts, to which the prior of a word's jumps could be added",
        "prior": "it has no expected counts that pseudo-counts could be added to",
        "init": "it has no expected counts that those of the model could be added to",
        "dictionary": "it has no expected counts that observed ones could be added to",
    }

    rate: float = 0.5
    growth: float = 1.2
    shrink: float = 0.5
    least_rate: float = 0.01
    greatest_rate: float = 2.0

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

    def incompatible_model(self, model: type[AlignmentModel]) -> str:
        return "" if has_gradient(model) else "no gradient is registered for it"

    def initial_state(self, source: BlockSource, pair: ModelPair) -> tuple[Climb, ...]:
        return self._start(pair)

    def state_after_pruning(self, state: Any, pair: ModelPair) -> tuple[Climb, ...]:
        return self._start(pair)  # the parameters of a climb are the word pairs

    def _start(self, pair: ModelPair) -> tuple[Climb, ...]:
        """Return the climb of each direction, which has measured no point."""
        nothing = self.empty_counts(pair)
        return tuple(Climb.start(gradients_of(pair, nothing, direction), self.rate) for direction in (0, 1))

    def empty_counts(self, pair: ModelPair) -> Counts:
        counts = super().empty_counts(pair)
        return replace(
            counts,
            null_forward=np.zeros((len(counts.null_forward), 2), np.int64),
            null_reverse=np.zeros((len(counts.null_reverse), 2), np.int64),
            distortion=DistortionCounts(*(np.zeros((2, *own.shape), np.int64) for own in counts.distortion)),
        )

    def estep(
        self, pair: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = cells = pair.potentials(block)
        forward_q, reverse_q = cells_q = [own.to_power(2.0) for own in cells]
        log_q = pair.infer(cells_q, [counts[Q] for counts in distortion])
        log_likelihoods = pair.infer(cells, [counts[POSTERIOR] for counts in distortion])
        objectives = log_q - log_likelihoods
        return BlockPosteriors(
            block.side_by_side(forward_q.links, reverse_q.links, forward.links, reverse.links),
            np.stack([forward_q.null, forward.null], axis=1),
            np.stack([reverse_q.null, reverse.null], axis=1),
            np.stack([objectives.sum(axis=0), *objectives, *log_likelihoods]),
        )

    def mstep(
        self,
        pair: ModelPair,
        counts: Counts,
        state: Any,
        rule: LexiconMStep | None = None,
        threads: int = 1,
    ) -> tuple[ModelPair, Any]:
        """Compute the model after one step of each direction, and the two climbs. ``rule`` is not used."""
        rates = RateLimits(self.growth, self.shrink, self.least_rate, self.greatest_rate)
        climbs = tuple(
            climb.measured(int(counts.measures[1 + direction]), gradients_of(pair, counts, direction), rates)
            for direction, climb in enumerate(state)
        )
        return (take_step(pair, *climbs), climbs)


def gradients_of(pair: ModelPair, counts: Counts, direction: int) -> Iterator[Gradient]:
    """Yield the gradients of a direction's objective by its lexical table, NULL row and distortion.

    direction: 0 for forward, 1 for reverse.
    """
    lexicon = pair.lexicon
    rows = lexicon.rows(direction)
    row_count = (lexicon.index.source_types, lexicon.index.target_types)[direction]
    gains, events = np.empty(len(rows)), np.zeros(row_count)
    links = counts.links[1:]
    q_column, posterior_column = 2 * Q + direction, 2 * POSTERIOR + direction
    kernels.exponentiated_gradient.set_gains(2, links, q_column, links, posterior_column, rows, gains, events)
    yield Gradient(lexicon.table[1:], direction, rows, gains, events)
    null = (lexicon.null_forward, lexicon.null_reverse)[direction]
    q, p = (counts.null_forward, counts.null_reverse)[direction][:-1].T
    one_row = np.zeros(len(p), np.int32)
    yield Gradient(
        null[:-1, None], 0, one_row, (2.0 * q - p) / COUNT_SCALE, np.array([(p / COUNT_SCALE).sum()])
    )
    yield distortion_gradient(pair.directions[direction], *counts.distortion[direction])


def take_step(pair: ModelPair, forward: Climb, reverse: Climb) -> ModelPair:
    """Return the model one step on from the best points of both directions' climbs."""
    table = np.empty_like(pair.lexicon.table)
    table[0] = FLOOR
    null_rows, distortions = [], []
    for climb, distortion in zip((forward, reverse), pair.directions, strict=True):
        link_part, null_part, distortion_part = climb.parts
        link_part.step(table[1:], FLOOR)
        row = np.full((len(null_part.values) + 1, 1), FLOOR, np.float32)
        null_part.step(row[:-1], FLOOR)
        null_rows.append(row[:, 0])
        values = np.empty_like(distortion_part.values)
        distortion_part.step(values)
        distortions.append(with_values(distortion, values[:, 0]))
    lexicon = pair.lexicon.with_tables(table, null_rows[0], null_rows[1])
    return ModelPair(lexicon, *distortions)
