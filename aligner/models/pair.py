"""The model pair: both directional models, which are trained together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner import kernels
from aligner.arrays import Float64s, Int64s
from aligner.lexicon.blocks import Block
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models.alignment_model import AlignmentModel
from aligner.models.cells import AddedTo, CellPair, DirectionalCells
from aligner.storage.checks import require, take_array
from aligner.storage.codec import Arrays

DIRECTIONS = "forward", "reverse"
"""forward: target words given a source word, t(f|e); reverse: source words given a target word, t(e|f)."""


@dataclass(frozen=True, eq=False)
class ModelPair:
    """Both directional models, p(target, a | source) and p(source, b | target).

    They share one lexicon. A direction is a number: 0 is forward, 1 is reverse. Criteria infer through the
    methods of the pair, so that a variant of inference can override them (see ``models.variants``).

    Attributes
    ----------
    lexicon
        The lexical tables of both directions.
    forward, reverse
        The model of each direction.
    """

    lexicon: Lexicon
    forward: AlignmentModel
    reverse: AlignmentModel

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of the pair in a file."""
        lexicon = self.lexicon
        tables = {name: getattr(lexicon, name) for name in ("table", "null_forward", "null_reverse")}
        return {
            "pairs": Arrays(row_offsets=lexicon.index.row_offsets, columns=lexicon.index.columns),
            "lexicon": Arrays(tables),
            "forward": self.forward,
            "reverse": self.reverse,
        }

    @classmethod
    def from_fields(
        cls, pairs: Arrays, lexicon: Arrays, forward: AlignmentModel, reverse: AlignmentModel
    ) -> ModelPair:
        """Return the pair of ``to_fields``; raise DamagedError if its arrays are no lexicon."""
        columns = take_array(pairs, "columns", np.int32, None)
        null_forward, null_reverse = (
            take_array(lexicon, f"null_{name}", np.float32, None) for name in DIRECTIONS
        )
        row_offsets = take_array(pairs, "row_offsets", np.int64, len(null_reverse) + 1)
        index = CooccurrenceIndex(row_offsets, columns, len(null_forward) - 1)
        table = take_array(lexicon, "table", np.float32, len(columns), 2)
        checked = Lexicon(index, table, null_forward, null_reverse)
        checked.check_structure()
        return cls(checked, forward, reverse)

    def require_types(self, source: int, target: int) -> None:
        """Raise DamagedError unless the lexicon is of vocabularies of these sizes."""
        found = self.lexicon.index.source_types, self.lexicon.index.target_types
        require(
            found == (source, target), f"its lexicon has {found} words, its vocabularies {source, target}"
        )

    @property
    def directions(self) -> tuple[AlignmentModel, AlignmentModel]:
        """The forward and the reverse model."""
        return self.forward, self.reverse

    def potentials(self, block: Block) -> CellPair:
        """Return the lexical potentials of a block, forward and reverse, in new arrays.

        Inference may overwrite the arrays.
        """
        lexicon, lengths = self.lexicon, block.lengths
        forward = DirectionalCells.empty(*lengths, block.source, block.cells, len(block.target))
        reverse = DirectionalCells.empty(*lengths[::-1], block.target, block.cells, len(block.source))
        block.gather(lexicon.table, forward.links, reverse.links)
        kernels.cells.gather_words(block.target, lexicon.null_forward, forward.null)
        kernels.cells.gather_words(block.source, lexicon.null_reverse, reverse.null)
        return forward, reverse

    def posteriors(
        self, direction: int, cells: DirectionalCells, counts: AddedTo = None, power: float = 1.0
    ) -> Float64s:
        """Turn a direction's potentials into posteriors, in place (see ``AlignmentModel.posteriors``)."""
        return self.directions[direction].posteriors(cells, counts, power)

    def infer(
        self, cells: Sequence[DirectionalCells], counts: Sequence[Int64s] | None = None, power: float = 1.0
    ) -> Float64s:
        """Turn the potentials of both directions into posteriors, in place.

        cells, counts: forward and reverse, as for ``posteriors``. Returns float64 [2, pairs].
        """
        added_to = (None, None) if counts is None else counts
        both = zip(cells, added_to, strict=True)
        return np.array([self.posteriors(direction, *own, power) for direction, own in enumerate(both)])
