"""Inference of decoding: both directions' posteriors or best alignments, with a power and a constraint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.criteria.constrained import Constrained
from aligner.decoding.piece_mixture import mix_in_pieces
from aligner.decoding.text_block import TextBlock
from aligner.links.alignments import Alignments
from aligner.models import DirectionalCells


@dataclass(frozen=True)
class Inference:
    """Inference of the alignments of a block.

    Attributes
    ----------
    lexical_power
        The exponent of the lexical probabilities.
    constraint
        The constraint that is imposed, or None.
    """

    lexical_power: float
    constraint: Constrained | None

    def posteriors(self, text: TextBlock) -> tuple[list[NDArray[np.float32]], NDArray[np.float64] | None]:
        """Return both directions' link posteriors, [cells] each, and the log-likelihoods of the words.

        Posteriors of words and of pieces are mixed. Log-likelihoods are those of the plain model, float64
        [2, pairs], or None if a lexical power changes them.
        """
        words, log_likelihoods = self.posteriors_of_words(text)
        mix_in_pieces(text, words, lambda block: self.posteriors_of_words(block)[0])
        return words, log_likelihoods if self.lexical_power == 1.0 else None

    def posteriors_of_words(self, text: TextBlock) -> tuple[list[NDArray[np.float32]], NDArray[np.float64]]:
        """Return the posteriors by the model of words alone, and log-likelihoods without the constraint."""
        potentials = self._potentials(text)
        if self.constraint is not None:
            return self.constraint.link_posteriors(text.pair, potentials)
        log_likelihoods = text.pair.infer(potentials)
        return [cells.links for cells in potentials], log_likelihoods

    def best_alignments(self, text: TextBlock) -> tuple[Alignments, Alignments]:
        """Return the most probable alignment of each direction."""
        potentials = self._potentials(text)
        if self.constraint is not None:
            potentials = self.constraint.tilt(text.pair, potentials)
        forward, reverse = (
            _links_of_direction(own.viterbi(cells), cells.emitted)
            for own, cells in zip(text.pair.directions, potentials, strict=True)
        )
        return forward, reverse.reversed()

    def _potentials(self, text: TextBlock) -> tuple[DirectionalCells, DirectionalCells]:
        """Return both directions' potentials, raised to the lexical power."""
        forward, reverse = (cells.to_power(self.lexical_power) for cells in text.pair.potentials(text.block))
        return forward, reverse


def _links_of_direction(alignment: NDArray[np.int32], emitted: NDArray[np.int32]) -> Alignments:
    """Return the links (conditioning position, emitted position) of an alignment.

    alignment: int32 [emitted tokens], the conditioning position, or below 0 for NULL; emitted: int32 [pairs],
    lengths.
    """
    pair = np.repeat(np.arange(len(emitted)), emitted)
    position = np.arange(len(pair)) - offsets_of(emitted)[pair]
    linked = alignment >= 0
    return Alignments.from_links(len(emitted), pair[linked], alignment[linked], position[linked])
