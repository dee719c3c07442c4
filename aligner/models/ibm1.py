"""IBM Model 1: every position is equally likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float64s, Int32s, Int64s
from aligner.models.alignment_model import MODELS, NULL_BY_LENGTH, AlignmentModel
from aligner.models.cells import AddedTo, DirectionalCells


@MODELS.register("ibm1", "every position is equally likely")
@dataclass(frozen=True, eq=False)
class IBM1(AlignmentModel):
    """IBM Model 1: p_d(i) = (1 - p0) / I (Brown et al. 1993). It has no parameters but ``p0``."""

    is_uniform = True

    p0: float = NULL_BY_LENGTH

    @classmethod
    def initial(cls, conditioning: Int32s, emitted: Int32s, p0: float) -> Self:
        return cls(p0)

    def new_counts(self) -> Int64s:
        return np.zeros(0, np.int64)

    def posteriors(self, cells: DirectionalCells, counts: AddedTo, power: float = 1.0) -> Float64s:
        log_likelihood = np.empty(len(cells.emitted))
        kernels.ibm1.posteriors(*cells.without_words(), self.p0, power, log_likelihood)
        return log_likelihood

    def viterbi(self, cells: DirectionalCells) -> Int32s:
        alignment = np.empty(len(cells.null), np.int32)
        kernels.ibm1.viterbi(*cells.without_words(), self.p0, alignment)
        return alignment

    def mstep(self, counts: Int64s) -> Self:
        return self

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray], p0: float) -> Self:
        return cls(p0)
