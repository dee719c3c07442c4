"""Posteriors of lines in two languages, in the order of the lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aligner.arrays import Float32s, Int64s, offsets_of
from aligner.decoding.decoder import Decoder
from aligner.decoding.text_block import alignable, sorted_blocks
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.rows import gather_rows


@dataclass(frozen=True, eq=False)
class LinePosteriors:
    """Both directions' link posteriors of lines in two languages.

    Attributes
    ----------
    text
        The lines.
    numbers
        The numbers of the lines that have cells, int64, ascending. A line has none if a side is empty, or if
        it is too large to align.
    forward
        float32 [cells], [J, I] for each line.
    reverse
        float32 [cells], [I, J] for each line.
    """

    text: Bitext
    numbers: Int64s
    forward: Float32s
    reverse: Float32s

    @classmethod
    def of(cls, model: TrainedModel, text: Bitext, decoder: Decoder) -> LinePosteriors:
        """Return the posteriors of a text, in the vocabularies of a model."""
        ascending = alignable(text)
        numbers, blocks = sorted_blocks(model, text, ascending)
        cells = np.concatenate(
            [np.empty((2, 0), np.float32), *(np.stack(decoder.posteriors(block)[0]) for block in blocks)],
            axis=1,
        )
        starts = np.zeros(len(text), np.int64)
        starts[numbers] = offsets_of(text.sizes[numbers])[:-1]
        offsets = offsets_of(text.sizes[ascending])
        forward, reverse = (gather_rows(own, starts[ascending], offsets) for own in cells)
        return cls(text, ascending, forward, reverse)

    def reversed(self) -> LinePosteriors:
        """Return the posteriors with the languages exchanged. Arrays are shared: [J, I] is then [I, J]."""
        return LinePosteriors(self.text.reversed(), self.numbers, self.reverse, self.forward)

    @property
    def offsets(self) -> Int64s:
        """The first cell of each line, and the number of cells, int64 [lines + 1]."""
        sizes = np.zeros(len(self.text), np.int64)
        sizes[self.numbers] = self.text.sizes[self.numbers]
        return offsets_of(sizes)
