"""The jump buckets that Model 2 and the HMM share: their M-steps and the jumps that they expect."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float64s, Int64s
from aligner.kernels.constants import BUCKETS, JUMP_SCALE, LEFT_REACHES, RIGHT_REACHES
from aligner.models.alignment_model import JumpCounts
from aligner.storage.checks import require, take_array

JUMP_FLOOR = 1e-7
"""The least share of a bucket in its set, so that a jump that was never seen stays possible."""

JUMP_COUNTS = BUCKETS + LEFT_REACHES * RIGHT_REACHES
"""The number of counts of one set: expected jumps in 11 buckets, then expected uses of 42 normalisers.

A normaliser is the sum of the buckets within one reach (see ``kernels.constants``).
"""

WORD_STRENGTH = 20.0
"""The pseudo-counts of a word's own set of jumps. With 10 or 30, mean dev AER differs by less than 0.1."""

_LEAST_JUMP = 0.9 * JUMP_FLOOR
"""The least share in a model file: normalisation may lower a share that was raised to ``JUMP_FLOOR``."""

_MOST_ROUNDS = 50

_ROUNDS_OF_WORDS = 3
"""Rounds for each word's set. With 10 rounds, AER differs by at most 0.02 percentage points."""


def uniform_jumps() -> Float64s:
    """Return a set of equal buckets, float64 [11]."""
    return np.full(BUCKETS, 1.0 / BUCKETS)


def take_jumps(arrays: Mapping[str, NDArray], *sets: int | None) -> Float64s:
    """Return the array "jumps" of a file, float64 [*sets, 11]; raise DamagedError if it is no such sets.

    None stands for any number of sets.
    """
    jumps = take_array(arrays, "jumps", np.float64, *sets, BUCKETS)
    fits = (jumps >= _LEAST_JUMP).all() and (jumps <= 1.0).all()  # also False for a NaN
    require(fits, f"'jumps' has values outside {JUMP_FLOOR:g} to 1")
    return jumps


def mstep_of_jumps(jumps: Float64s, counts: Int64s) -> Float64s:
    """Raise the expected log-likelihood of a set of buckets, by rounds of minorise-maximise.

    With N_d expected jumps in bucket d and M_r expected uses of normaliser Z_r(c), the sum of the c_d within
    reach r, the objective is sum_d N_d log c_d - sum_r M_r log Z_r(c). To bound -log Z_r by its tangent gives

        c_d <- N_d / sum over reaches r that include d of M_r / Z_r(c).

    Each round raises the objective. The maximum is reached only in the limit. There are at most 50 rounds,
    and each bucket keeps a share of at least ``JUMP_FLOOR``; a round that would lower the objective because
    of this floor is not taken. Normalising N alone, a common shortcut, does not maximise the objective. A
    bucket within no reach that was used keeps its value, until the set is normalised.

    jumps: float64 [11], the start; counts: int64 [53], in units of 1 / ``JUMP_SCALE``. Returns float64 [11].
    """
    result = jumps.copy()
    if counts[:BUCKETS].any():
        kernels.distortion.mstep(result[None], counts[None] / JUMP_SCALE, JUMP_FLOOR, _MOST_ROUNDS)
    return result


def mstep_of_word_jumps(jumps: Float64s, counts: Int64s, mean: Float64s) -> Float64s:
    """Raise the expected log-likelihood and log prior of each word's set of buckets (He 2007).

    The prior of a set is a Dirichlet distribution around the mean m, the set of all words. Its log density is
    the sum over buckets d of k m_d log c_d, with k = ``WORD_STRENGTH``, for buckets that sum to 1. So a set
    without counts becomes the mean, and a set with many counts ignores it. For a given mean, no round lowers
    the objective (see ``mstep_of_jumps``).

    jumps: float64 [sets, 11], the start; counts: int64 [sets, 53], in units of 1 / ``JUMP_SCALE``; mean:
    float64 [11]. Returns float64 [sets, 11].
    """
    result = jumps.copy()
    expected = counts / JUMP_SCALE
    expected[:, :BUCKETS] += WORD_STRENGTH * mean
    expected[:, -1] += WORD_STRENGTH  # the normaliser of all buckets
    kernels.distortion.mstep(result, expected, JUMP_FLOOR, _ROUNDS_OF_WORDS)
    return result


def expect_jumps(jumps: Float64s, counts: Int64s) -> JumpCounts:
    """Return the jumps of counts, and the jumps that sets of buckets expect at the same origins.

    With M_r expected uses of normaliser Z_r(c), bucket d is expected c_d * sum over reaches r that include d
    of M_r / Z_r(c) times.

    jumps: float64 [..., 11]; counts: int64 [..., 53], in units of 1 / ``JUMP_SCALE``.
    """
    as_counts = counts.reshape(-1, JUMP_COUNTS) / JUMP_SCALE
    found = as_counts[:, :BUCKETS].copy()
    excess = np.zeros(found.shape)
    for buckets, counts_of_set, excess_of_set in zip(
        jumps.reshape(-1, BUCKETS), as_counts, excess, strict=True
    ):
        kernels.distortion.add_gains(1.0, buckets, counts_of_set, excess_of_set)
    expected = np.maximum(found - excess, 0.0)
    as_counts[:, :BUCKETS] = expected
    return JumpCounts(found.ravel(), expected.ravel(), as_counts.reshape(counts.shape) * JUMP_SCALE)
