"""IBM Model 2: the position that a word is linked to depends on its own position, not on its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int32s, Int64s
from aligner.models.alignment_model import MODELS, AlignmentModel, JumpCounts
from aligner.models.cells import AddedTo, DirectionalCells
from aligner.models.jumps import JUMP_COUNTS, expect_jumps, mstep_of_jumps, take_jumps, uniform_jumps
from aligner.storage.checks import require, require_probabilities, take_array
from aligner.text.ingest import MAX_TOKENS


@MODELS.register("ibm2", "a position depends on its distance from the diagonal")
@dataclass(frozen=True, eq=False)
class IBM2(AlignmentModel):
    """IBM Model 2 by the distance to the diagonal (Liang, Taskar & Klein 2006, section 2).

    p_d(i | j, I, J) = (1 - p0) c(i - round(j I / J)) / Z, where c has 11 buckets of distances.

    jumps: float64 [11], the weight c of each bucket.
    """

    jumps: Float64s
    p0: float

    @classmethod
    def initial(cls, conditioning: Int32s, emitted: Int32s, p0: float) -> Self:
        return cls(uniform_jumps(), p0)

    def new_counts(self) -> Int64s:
        return np.zeros(JUMP_COUNTS, np.int64)

    def posteriors(self, cells: DirectionalCells, counts: AddedTo, power: float = 1.0) -> Float64s:
        log_likelihood = np.empty(len(cells.emitted))
        if counts is None:
            counts = self.new_counts()
        kernels.ibm2.posteriors(*cells.without_words(), self.jumps, self.p0, power, log_likelihood, counts)
        return log_likelihood

    def viterbi(self, cells: DirectionalCells) -> Int32s:
        alignment = np.empty(len(cells.null), np.int32)
        kernels.ibm2.viterbi(*cells.without_words(), self.jumps, self.p0, alignment)
        return alignment

    def mstep(self, counts: Int64s) -> Self:
        return type(self)(mstep_of_jumps(self.jumps, counts), self.p0)

    def continued_from(self, other: Self) -> Self:
        return type(self)(other.jumps, self.p0)

    def expect_jumps(self, counts: Int64s) -> JumpCounts | None:
        return expect_jumps(self.jumps, counts)

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray], p0: float) -> Self:
        return cls(take_jumps(arrays), p0)


@MODELS.register("ibm2-full", "Brown's full table of positions for each pair of lengths")
@dataclass(frozen=True, eq=False)
class IBM2Full(AlignmentModel):
    """IBM Model 2 with a full table for each pair of sentence lengths (Brown et al. 1993).

    p_d(i | j, I, J) = (1 - p0) a(i | j, I, J). A *shape* is a pair of lengths (I, J). A shape that does not
    occur in the training text is uniform.

    shapes: int64 [shapes], I * 2**32 + J, ascending; starts: int64 [shapes], the index in ``table`` of the
    shape's [J, I] rows; table: float32 [entries].
    """

    shapes: Int64s
    starts: Int64s
    table: Float32s
    p0: float

    @classmethod
    def initial(cls, conditioning: Int32s, emitted: Int32s, p0: float) -> Self:
        shapes = np.unique(_shapes_of(conditioning, emitted))
        width, height = shapes >> 32, shapes & 0xFFFFFFFF
        sizes = width * height
        starts = np.cumsum(sizes) - sizes
        table = np.repeat(1.0 / np.maximum(width, 1), sizes).astype(np.float32)
        return cls(shapes, starts, table, p0)

    def new_counts(self) -> Int64s:
        return np.zeros(len(self.table), np.int64)

    def posteriors(self, cells: DirectionalCells, counts: AddedTo, power: float = 1.0) -> Float64s:
        log_likelihood = np.empty(len(cells.emitted))
        if counts is None:
            counts = self.new_counts()
        table = self.table, self._find_starts(cells)
        kernels.ibm2.posteriors_full(*cells.without_words(), *table, self.p0, power, log_likelihood, counts)
        return log_likelihood

    def viterbi(self, cells: DirectionalCells) -> Int32s:
        alignment = np.empty(len(cells.null), np.int32)
        table = self.table, self._find_starts(cells)
        kernels.ibm2.viterbi_full(*cells.without_words(), *table, self.p0, alignment)
        return alignment

    def mstep(self, counts: Int64s) -> Self:
        widths = self.row_lengths()
        row_starts = np.cumsum(widths) - widths
        if not len(row_starts):
            return self
        totals = np.repeat(np.add.reduceat(counts, row_starts), widths)
        table = np.where(totals > 0, counts / np.maximum(totals, 1), self.table).astype(np.float32)
        return type(self)(self.shapes, self.starts, table, self.p0)

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray], p0: float) -> Self:
        shapes = take_array(arrays, "shapes", np.int64, None)
        starts = take_array(arrays, "starts", np.int64, len(shapes))
        table = take_array(arrays, "table", np.float32, None)
        width, height = shapes >> 32, shapes & 0xFFFFFFFF
        possible = (width > 0) & (width <= MAX_TOKENS) & (height > 0) & (height <= MAX_TOKENS)
        require(possible.all() and (shapes[1:] > shapes[:-1]).all(), "'shapes' is no list of lengths")
        ends = np.cumsum(width * height)
        fits = np.array_equal(starts, ends - width * height) and len(table) == ends[-1:].sum()
        require(fits, "'starts' does not fit to 'shapes' and 'table'")
        require_probabilities(table, "table")
        return cls(shapes, starts, table, p0)

    def row_lengths(self) -> Int64s:
        """Return the length of each row of the table, int64 [rows]."""
        return np.repeat(self.shapes >> 32, self.shapes & 0xFFFFFFFF)

    def _find_starts(self, cells: DirectionalCells) -> Int64s:
        """Return the start of each pair's rows in the table, or -1 if its shape is unknown, int64 [pairs]."""
        if not len(self.shapes):
            return np.full(len(cells.emitted), -1, np.int64)
        wanted = _shapes_of(cells.conditioning, cells.emitted)
        found = np.minimum(np.searchsorted(self.shapes, wanted), len(self.shapes) - 1)
        return np.where(self.shapes[found] == wanted, self.starts[found], -1)


def _shapes_of(conditioning: Int32s, emitted: Int32s) -> Int64s:
    """Return the shape of each pair, I * 2**32 + J, int64 [pairs]."""
    return (conditioning.astype(np.int64) << 32) | emitted
