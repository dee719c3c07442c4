"""The member of a trained model that aligns the pieces of words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aligner.messages import counted
from aligner.text.piece_text import PieceEncoder

if TYPE_CHECKING:
    from aligner.models.trained import TrainedModel


@dataclass(frozen=True, eq=False)
class PieceMember:
    """A model of the pieces of words, whose posteriors are mixed with those of the words.

    Attributes
    ----------
    source, target
        The encoders of both sides.
    model
        The model, whose words are pieces.
    weight
        The weight of its posteriors, from 0 to 1; the words have the rest.
    """

    source: PieceEncoder
    target: PieceEncoder
    model: TrainedModel
    weight: float

    def describe(self) -> str:
        """Return the number of pieces and their weight, in a few words."""
        pieces = f"{len(self.source.pieces):,} + {counted(len(self.target.pieces), 'piece')}"
        return f"{pieces} of weight {self.weight:g}"

    def compact(self) -> PieceMember:
        """Return the member without the pairs of pieces that have the least probability."""
        return replace(self, model=self.model.compact())
