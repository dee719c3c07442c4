"""The HMM: a word's position depends on where the last linked word before it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.constants import LARGE_PAIR
from aligner.models.base import DirectionalCells, Distortion, Gradient
from aligner.models.grouping import order_by_size
from aligner.models.jumps import STATISTICS, gradient_of_jumps, jumps_of, mstep_of_jumps, uniform_jumps


@dataclass(frozen=True, eq=False)
class HMM(Distortion):
    """p_d(i' | i) = (1 - p0) c(i' - i) / Z_i (Vogel, Ney & Tillmann 1996; Liang, Taskar & Klein 2006).

    jumps: float64 [3, 11], one set of buckets for entering the sentence, one inside it, one for leaving it.
    """

    name = "hmm"
    summary = "a position depends on the one of the last linked word before"

    jumps: NDArray[np.float64]
    p0: float

    @classmethod
    def initial(cls, conditioning: NDArray[np.int32], emitted: NDArray[np.int32], p0: float) -> Self:
        return cls(np.stack([uniform_jumps()] * 3), p0)

    def new_counts(self) -> NDArray[np.int64]:
        return np.zeros((3, STATISTICS), np.int64)

    def posteriors(
        self, cells: DirectionalCells, statistics: NDArray[np.int64], power: float = 1.0
    ) -> NDArray[np.float64]:
        log_likelihood = np.zeros(len(cells.emitted))
        left = len(log_likelihood)
        for infer, *sizes in (
            (kernels.hmm.posteriors, 1, LARGE_PAIR),
            (kernels.hmm.posteriors_alone, LARGE_PAIR + 1),
        ):
            if not left:
                break
            members = order_by_size(cells.conditioning, cells.emitted, *sizes)
            if len(members):
                infer(members, *cells, self.jumps, self.p0, power, log_likelihood, statistics)
            left -= len(members)
        return log_likelihood

    def viterbi(self, cells: DirectionalCells) -> NDArray[np.int32]:
        alignment = np.empty(len(cells.null), np.int32)
        kernels.hmm_viterbi.viterbi(*cells, self.jumps, self.p0, alignment)
        return alignment

    def mstep(self, statistics: NDArray[np.int64]) -> Self:
        jumps = [mstep_of_jumps(c, counts) for c, counts in zip(self.jumps, statistics, strict=True)]
        return type(self)(np.stack(jumps), self.p0)

    def gradient(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Gradient:
        return gradient_of_jumps(self.jumps, one, other)

    def with_values(self, values: NDArray[np.float32]) -> Self:
        return type(self)(jumps_of(values), self.p0)

    def parameters(self) -> dict[str, NDArray]:
        return {"jumps": self.jumps}

    @classmethod
    def from_parameters(cls, parameters: dict[str, NDArray], p0: float) -> Self:
        return cls(parameters["jumps"], p0)
