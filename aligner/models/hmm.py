"""The HMM: each link's position depends on the position of the previous link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.constants import LARGE_PAIR
from aligner.models.base import DirectionalCells, Distortion, Gradient, JumpCounts
from aligner.models.grouping import order_by_size
from aligner.models.jumps import (
    JUMP_COUNTS,
    expect_jumps,
    gradient_of_jumps,
    jumps_of,
    mstep_of_jumps,
    take_jumps,
    uniform_jumps,
)


@dataclass(frozen=True, eq=False)
class HMM(Distortion):
    """The hidden Markov model (Vogel, Ney & Tillmann 1996; Liang, Taskar & Klein 2006).

    p_d(i' | i) = (1 - p0) c(i' - i) / Z_i, where c has 11 buckets of jumps.

    jumps: float64 [3, 11], the weights c of the jumps that enter the sentence, stay inside it and leave it.
    """

    name = "hmm"
    summary = "each link's position depends on the position of the previous link"

    jumps: NDArray[np.float64]
    p0: float

    @classmethod
    def initial(cls, conditioning: NDArray[np.int32], emitted: NDArray[np.int32], p0: float) -> Self:
        return cls(np.stack([uniform_jumps()] * 3), p0)

    def new_counts(self) -> NDArray[np.int64]:
        return np.zeros((3, JUMP_COUNTS), np.int64)

    def posteriors(
        self, cells: DirectionalCells, counts: NDArray[np.int64], power: float = 1.0
    ) -> NDArray[np.float64]:
        log_likelihood = np.zeros(len(cells.emitted))
        arguments = (*cells, self.jumps, self.p0, power, log_likelihood, counts)
        small = order_by_size(cells.conditioning, cells.emitted, 1, LARGE_PAIR)
        if len(small):
            kernels.hmm.posteriors(small, *arguments)
        large = order_by_size(cells.conditioning, cells.emitted, LARGE_PAIR + 1)
        if len(large):
            kernels.hmm.posteriors_alone(large, *arguments)
        return log_likelihood

    def viterbi(self, cells: DirectionalCells) -> NDArray[np.int32]:
        alignment = np.empty(len(cells.null), np.int32)
        kernels.hmm_viterbi.viterbi(*cells, self.jumps, self.p0, alignment)
        return alignment

    def mstep(self, counts: NDArray[np.int64]) -> Self:
        return type(self)(np.stack(list(map(mstep_of_jumps, self.jumps, counts))), self.p0)

    def continued_from(self, other: Self) -> Self:
        return type(self)(other.jumps, self.p0)

    def expect_jumps(self, counts: NDArray[np.int64]) -> JumpCounts | None:
        return expect_jumps(self.jumps, counts)

    def gradient(self, plus: NDArray[np.int64], minus: NDArray[np.int64]) -> Gradient:
        return gradient_of_jumps(self.jumps, plus, minus)

    def with_values(self, values: NDArray[np.float32]) -> Self:
        return type(self)(jumps_of(values), self.p0)

    def parameters(self) -> dict[str, NDArray]:
        return {"jumps": self.jumps}

    @classmethod
    def from_parameters(cls, parameters: dict[str, NDArray], p0: float) -> Self:
        return cls(take_jumps(parameters, 3), p0)
