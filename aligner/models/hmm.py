"""The HMM: each link's position depends on the position of the previous link, and on its word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float64s, Int32s, Int64s, Integers
from aligner.kernels.constants import GENERAL_SETS, LARGE_PAIR
from aligner.kernels.structs import JumpSets
from aligner.models.alignment_model import MODELS, AlignmentModel, JumpCounts
from aligner.models.cells import AddedTo, DirectionalCells
from aligner.models.jumps import (
    JUMP_COUNTS,
    expect_jumps,
    mstep_of_jumps,
    mstep_of_word_jumps,
    take_jumps,
    uniform_jumps,
)
from aligner.storage.checks import require

_NO_COUNTS = np.zeros((0, JUMP_COUNTS), np.int64)
"""Counts to which a kernel adds nothing."""


@MODELS.register("hmm", "each link's position depends on the position of the previous link")
@dataclass(frozen=True, eq=False)
class HMM(AlignmentModel):
    """The hidden Markov model (Vogel, Ney & Tillmann 1996; Liang, Taskar & Klein 2006).

    p_d(i' | i) = (1 - p0) c(i' - i) / Z_i, where c has 11 buckets of jumps.

    Frequent conditioning words may have jumps c of their own, drawn towards those of all words (He 2007). All
    other words, and out-of-vocabulary words, then share one more set.

    jumps: float64 [sets, 11], the weights c of the jumps that enter the sentence, stay inside it and leave
    it, then those inside it from each frequent word, by word id, and from all other words. Without jumps of
    words, there are 3 sets.

    References
    ----------
    S. Vogel, H. Ney, C. Tillmann (1996). HMM-based word alignment in statistical translation. COLING.

    P. Liang, B. Taskar, D. Klein (2006). Alignment by agreement. HLT-NAACL.

    X. He (2007). Using word-dependent transition models in HMM based word alignment for statistical machine
    translation. WMT.
    """

    has_word_jumps = True

    jumps: Float64s
    p0: float

    @classmethod
    def initial(cls, conditioning: Int32s, emitted: Int32s, p0: float) -> Self:
        return cls(np.stack([uniform_jumps()] * GENERAL_SETS), p0)

    def sets(self, power: float = 1.0) -> JumpSets:
        """Return the jumps as kernels need them, for a power of inference. They are computed once."""
        by_power = self._sets  # read once: another thread may set the cached property to another dictionary
        if power not in by_power:
            masses = kernels.distortion.normalise(self.jumps)
            weights = (self.jumps**power).astype(np.float32)
            scales = masses if power == 1.0 else masses**power
            by_power[power] = JumpSets(self.jumps, masses, weights, scales)
        return by_power[power]

    @cached_property
    def _sets(self) -> dict[float, JumpSets]:
        """The results of ``sets`` by power."""
        return {}

    def new_counts(self) -> Int64s:
        return np.zeros((len(self.jumps), JUMP_COUNTS), np.int64)

    def posteriors(self, cells: DirectionalCells, counts: AddedTo, power: float = 1.0) -> Float64s:
        log_likelihood = np.zeros(len(cells.emitted))
        if counts is None:
            counts = _NO_COUNTS
        arguments = (*cells, self.sets(power), self.p0, power, log_likelihood, counts)
        small, large = kernels.hmm.members(cells.conditioning, cells.emitted, LARGE_PAIR)
        if len(small):
            kernels.hmm.posteriors(kernels.hmm.SIDE_BY_SIDE, small, *arguments)
        if len(large):
            kernels.hmm.posteriors(kernels.hmm.ALONE, large, *arguments)
        return log_likelihood

    def viterbi(self, cells: DirectionalCells) -> Int32s:
        alignment = np.empty(len(cells.null), np.int32)
        kernels.hmm.viterbi(*cells, self.sets(), self.p0, alignment)
        return alignment

    def mstep(self, counts: Int64s) -> Self:
        general = map(mstep_of_jumps, self.jumps, _general_counts(counts))
        jumps = np.stack(list(general))
        words = mstep_of_word_jumps(self.jumps[GENERAL_SETS:], counts[GENERAL_SETS:], jumps[1])
        return type(self)(np.concatenate([jumps, words]), self.p0)

    def with_word_jumps(self, frequent: int | None) -> Self:
        sets = 0 if frequent is None else frequent + 1
        if len(self.jumps) == GENERAL_SETS + sets:
            return self
        general, inside = self.jumps[:GENERAL_SETS], self.jumps[1]
        return type(self)(np.concatenate([general, np.tile(inside, (sets, 1))]), self.p0)

    def continued_from(self, other: Self) -> Self:
        return type(self)(other.jumps[:GENERAL_SETS], self.p0)

    def expect_jumps(self, counts: Int64s) -> JumpCounts | None:
        general = expect_jumps(self.jumps[:GENERAL_SETS], _general_counts(counts))
        as_counts = np.zeros(counts.shape)
        as_counts[:GENERAL_SETS] = general.as_counts
        return general._replace(as_counts=as_counts)

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray], p0: float) -> Self:
        jumps = take_jumps(arrays, None)
        require(len(jumps) >= GENERAL_SETS, f"'jumps' has {len(jumps)} sets")
        return cls(jumps, p0)


def _general_counts(counts: Int64s) -> Int64s:
    """Return the counts of the general sets. The jumps from all words are jumps inside a sentence."""
    general = counts[:GENERAL_SETS].copy()
    general[1] += counts[GENERAL_SETS:].sum(axis=0)
    return general


def order_by_size(conditioning: Integers, emitted: Integers) -> Int64s:
    """Return the numbers of sentence pairs in an order in which neighbours have about the same lengths.

    conditioning, emitted: integer [pairs], the lengths I and J (see ``kernels.order.ordered``).
    """
    order: Int64s = kernels.order.ordered(conditioning.astype(np.int32), emitted.astype(np.int32))
    return order
