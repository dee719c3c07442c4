"""The M-step of the jump buckets that Model 2 and the HMM share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.constants import BUCKETS, JUMP_SCALE, LEFT_REACHES, RIGHT_REACHES
from aligner.models.base import Gradient

JUMP_FLOOR = 1e-7
"""The least share of a bucket within its set: a jump never seen stays possible."""

STATISTICS = BUCKETS + LEFT_REACHES * RIGHT_REACHES
"""Expected jumps by bucket, then expected uses of each normaliser by reach."""

_ROUNDS = 50


def uniform_jumps() -> NDArray[np.float64]:
    """All eleven buckets alike."""
    return np.full(BUCKETS, 1.0 / BUCKETS)


def mstep_of_jumps(jumps: NDArray[np.float64], statistics: NDArray[np.int64]) -> NDArray[np.float64]:
    """The exact M-step, by minorise-maximise rounds that each raise the expected log-likelihood.

    With N_d expected jumps in bucket d and M_r expected uses of normaliser Z_r(c) = sum of the c_d within
    reach r, that is sum_d N_d log c_d - sum_r M_r log Z_r(c); bounding -log Z_r by its tangent gives

        c_d <- N_d / sum over reaches r that include d of M_r / Z_r(c).

    Normalising N alone, the common shortcut, is not the maximiser. jumps: float64 [11], the start;
    statistics: int64 [11 + 42], in the unit of jumps. A bucket within no reach keeps its value.
    """
    found = jumps.copy()
    if statistics[:BUCKETS].any():
        kernels.jump_mstep.mstep(found, statistics / JUMP_SCALE, JUMP_FLOOR, _ROUNDS)
    return found


def gradient_of_jumps(
    jumps: NDArray[np.float64], one: NDArray[np.int64], other: NDArray[np.int64]
) -> Gradient:
    """The gradient of E_one[log p_d] - E_other[log p_d], for one set of buckets or several.

    Of what ``mstep_of_jumps`` raises, c_d times the derivative is N_d - c_d * sum over reaches r that include
    d of M_r / Z_r(c). jumps: float64 [..., 11]; one, other: int64 [..., 11 + 42], in the unit of jumps.
    """
    sets = jumps.reshape(-1, BUCKETS)
    gains = np.zeros(sets.shape)
    for sign, statistics in ((1.0, one), (-1.0, other)):
        for k, values in enumerate(statistics.reshape(-1, STATISTICS)):
            kernels.jump_mstep.add_gains(sign, sets[k], values / JUMP_SCALE, gains[k])
    rows = np.repeat(np.arange(len(sets), dtype=np.int32), BUCKETS)
    events = other.reshape(-1, STATISTICS)[:, :BUCKETS].sum(axis=1) / JUMP_SCALE
    return Gradient(sets.reshape(-1, 1).astype(np.float32), 0, rows, gains.ravel(), events)


def jumps_of(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Sets of buckets, float64 [sets, 11], from flat values: none below the floor, each set of sum one."""
    sets = values.reshape(-1, BUCKETS).astype(np.float64)
    sets = np.maximum(sets, JUMP_FLOOR * sets.sum(axis=1, keepdims=True))
    return np.asarray(sets / sets.sum(axis=1, keepdims=True))
