"""How links are chosen from both directions' posteriors or best alignments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import CRITERIA
from aligner.decoding.scores import Scorer
from aligner.errors import ConfigError
from aligner.lexicon.blocks import Block
from aligner.links.alignments import Alignments
from aligner.links.symmetrize import SYMMETRIZERS, symmetrize
from aligner.models import DirectionalCells, ModelPair
from aligner.models.trained import Model
from aligner.text.sentences import offsets_of

if TYPE_CHECKING:
    from aligner.criteria.constrained import Constrained

GREATEST_POWER = 2.0
"""The least lexical probability, 1e-12, to this power and times the least jump's is still a float32."""

_Values = NDArray[np.float32]
_Sides = tuple[NDArray[np.int32], NDArray[np.int32]]
_Likelihoods = tuple[NDArray[np.float64], NDArray[np.float64]]


POSTERIOR_COMBINATIONS: dict[str, Callable[[Block, _Values, _Values], _Values]] = {
    "product": lambda block, forward, reverse: block.multiply(forward, reverse)[0],
    "average": lambda block, forward, reverse: block.average(forward, reverse),
    "geometric": lambda block, forward, reverse: np.sqrt(block.multiply(forward, reverse)[0]),
    "forward": lambda block, forward, reverse: block.source_major(forward),
    "reverse": lambda block, forward, reverse: reverse,
    "intersection": lambda block, forward, reverse: np.minimum(block.source_major(forward), reverse),
    "union": lambda block, forward, reverse: np.maximum(block.source_major(forward), reverse),
}
"""How two directions' posteriors, of a block, become one probability, float32 [cells], source-major.

Intersection is the least, union the greatest.
"""

VITERBI_COMBINATIONS = ("forward", "reverse", *SYMMETRIZERS)
"""How two directions' best alignments become one."""

METHODS = {
    "posterior": tuple(POSTERIOR_COMBINATIONS),
    "competitive": tuple(POSTERIOR_COMBINATIONS),
    "viterbi": VITERBI_COMBINATIONS,
}
"""Every decoding method with the combinations that have a meaning for it."""

CONSTRAINTS = ("substochastic", "symmetric")
"""What posteriors can be made to satisfy before links are chosen from them: criteria of training."""


@dataclass(frozen=True)
class Decoder:
    """How links are chosen.

    method "posterior" keeps (i, j) where the combined posterior is at least ``threshold`` (Liang, Taskar &
    Klein 2006, section 3), "competitive" those of them that hang together with the best of their row and
    column (DeNero & Klein 2007), or are near it and of another word (see ``kernels.competitive``); "viterbi"
    combines the two directions' most probable alignments.
    lexical_power: exponent of the lexical probabilities in all; 2 makes Viterbi the decision rule of maximum
    reconstruction, argmax over z of P(x | z, y) P(z | x, y) (Cheng, Liu & Xu 2017, eq. 7). constraint:
    project the posteriors first, as the training criterion of that name does with its default options,
    however the model was trained; empty for none (Graca, Ganchev & Taskar 2007).
    """

    method: str = "competitive"
    combine: str = "average"
    threshold: float = 0.5
    lexical_power: float = 1.0
    constraint: str = ""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfigError(f"unknown decoding method {self.method!r} (known: {', '.join(METHODS)})")
        if self.combine not in METHODS[self.method]:
            raise ConfigError(
                f"combination {self.combine!r} has no meaning for method {self.method!r}"
                f" (known: {', '.join(METHODS[self.method])})"
            )
        if not 0.0 < self.threshold <= 1.0:
            raise ConfigError(f"threshold = {self.threshold}: expected a probability above 0 and at most 1")
        if not 0.0 < self.lexical_power <= GREATEST_POWER:
            raise ConfigError(
                f"lexical_power = {self.lexical_power}: expected a number above 0 and at most"
                f" {GREATEST_POWER:g}"
            )
        if self.constraint and self.constraint not in CONSTRAINTS:
            raise ConfigError(f"unknown constraint {self.constraint!r} (known: {', '.join(CONSTRAINTS)})")

    @classmethod
    def of(
        cls,
        model: Model,
        method: str | None = None,
        combine: str | None = None,
        threshold: float | None = None,
        lexical_power: float | None = None,
        constraint: str | None = None,
    ) -> Decoder:
        """The decoder of the model's recipe, with the changes that are not None.

        Where the combination is not said and the recipe's has no meaning for the method, posteriors for best
        alignments or the other way round, it is the product of posteriors or the intersection of best
        alignments. ConfigError for a threshold of best alignments.
        """
        settings = dict(model.config["decode"])
        changes = {
            "method": method,
            "combine": combine,
            "threshold": threshold,
            "lexical_power": lexical_power,
            "constraint": constraint,
        }
        given = {name: value for name, value in changes.items() if value is not None}
        now, before = given.get("method", settings["method"]), settings["method"]
        if now == "viterbi" and threshold is not None:
            raise ConfigError(
                f"threshold = {threshold} has no meaning for method 'viterbi': its links have no probability"
            )
        if (now == "viterbi") != (before == "viterbi"):
            settings["combine"] = "intersection" if now == "viterbi" else "product"
        return cls(**(settings | given))

    def describe(self) -> str:
        """For people: the method, the combination and what else decides."""
        parts = [self.method, self.combine]
        if self.method != "viterbi":
            parts.append(f"threshold {self.threshold:g}")
        if self.lexical_power != 1.0:
            parts.append(f"lexical power {self.lexical_power:g}")
        return ", ".join([*parts, self.constraint] if self.constraint else parts)

    def align(
        self, model: ModelPair, block: Block, scorer: Scorer | None = None, words: _Sides | None = None
    ) -> Alignments:
        """The links of a block of non-empty pairs whose pair_ids are known, with scores if there is a scorer.

        Scores are the model's, however links are chosen. Where links are chosen from its own posteriors,
        they come with these. words: the block's, source and target, if unknown ones can be told apart.
        """
        links, likelihoods = self._links(model, block, words or (block.source, block.target))
        if scorer is None:
            return links
        if likelihoods is None:
            likelihoods = _likelihoods(model, *model.potentials(block))
        return replace(links, scores=scorer.scores(block, *likelihoods))

    def _links(self, model: ModelPair, block: Block, words: _Sides) -> tuple[Alignments, _Likelihoods | None]:
        """A block's links, and the model's log-likelihoods if the links are chosen by what gives these."""
        if self.method == "viterbi":
            return self._best(model, block), None
        forward, reverse = self._potentials(model, block)
        likelihoods = _likelihoods(model, forward, reverse)
        combine = POSTERIOR_COMBINATIONS[self.combine]
        links = self._likely(block, words, combine(block, forward.links, reverse.links))
        return links, likelihoods if self.lexical_power == 1.0 and not self.constraint else None

    def _likely(self, block: Block, words: _Sides, combined: _Values) -> Alignments:
        """The links that a block's combined posteriors, float32 [cells], make likely."""
        lengths = block.source_lengths, block.target_lengths
        chosen = self._choice(words, lengths, combined)
        cells = np.flatnonzero(chosen)
        firsts = offsets_of(block.sizes)
        offsets = np.searchsorted(cells, firsts)
        pair = np.repeat(np.arange(len(block)), np.diff(offsets))
        source, target = np.divmod(cells - firsts[pair], block.target_lengths[pair])
        positions = source.astype(np.int32), target.astype(np.int32)
        return Alignments.unchecked(offsets, *positions, combined[cells])

    def _choice(self, words: _Sides, lengths: _Sides, combined: _Values) -> NDArray[np.bool_]:
        """Which cells are links, bool [cells]."""
        threshold = np.float32(self.threshold)
        if self.method == "posterior":
            return combined >= threshold
        marks = np.zeros(len(combined), np.uint8)
        kernels.competitive.compete(
            combined.view(np.int32), *words, *lengths, int(threshold.view(np.int32)), marks
        )
        return marks == kernels.competitive.CHOSEN

    def _potentials(self, model: ModelPair, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        """What both directions infer from."""
        forward, reverse = (cells.to_power(self.lexical_power) for cells in model.potentials(block))
        if self.constraint:
            return cast("Constrained", CRITERIA[self.constraint]()).tilt(model, (forward, reverse))
        return forward, reverse

    def _best(self, model: ModelPair, block: Block) -> Alignments:
        forward, reverse = self._potentials(model, block)
        from_target = model.forward.viterbi(forward)
        pair, position = _positions(block.target_lengths)
        linked = from_target >= 0
        forward_links = Alignments.from_links(len(block), pair[linked], from_target[linked], position[linked])
        from_source = model.reverse.viterbi(reverse)
        pair, position = _positions(block.source_lengths)
        linked = from_source >= 0
        reverse_links = Alignments.from_links(len(block), pair[linked], position[linked], from_source[linked])
        if self.combine == "forward":
            return forward_links
        if self.combine == "reverse":
            return reverse_links
        return symmetrize(forward_links, reverse_links, self.combine)


def _likelihoods(model: ModelPair, forward: DirectionalCells, reverse: DirectionalCells) -> _Likelihoods:
    """Replace both directions' potentials by posteriors; their log-likelihoods, in nats, by pair."""
    return (
        model.forward_posteriors(forward, model.forward.new_counts()),
        model.reverse_posteriors(reverse, model.reverse.new_counts()),
    )


def _positions(lengths: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each token of a flat text: its pair and its position."""
    pair = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    return pair, np.arange(len(pair)) - starts[pair]
