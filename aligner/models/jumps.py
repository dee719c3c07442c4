"""The M-step of the jump buckets that Model 2 and the HMM share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.distortion import BUCKETS, LEFT_REACHES, RIGHT_REACHES
from aligner.kernels.fixed import JUMP_SCALE
from aligner.models.base import Gradient

JUMP_FLOOR = 1e-7
"""The least share of a bucket within its set: a jump never seen stays possible."""

STATISTICS = BUCKETS + LEFT_REACHES * RIGHT_REACHES
"""Expected jumps by bucket, then expected uses of each normaliser by reach."""

_ROUNDS = 50

_LEFT, _RIGHT, _BUCKET = np.ogrid[:LEFT_REACHES, :RIGHT_REACHES, :BUCKETS]
_REACHED = (_BUCKET >= 6 - _LEFT) & (_BUCKET < 6 + _RIGHT)


def uniform_jumps() -> NDArray[np.float64]:
    """All eleven buckets alike."""
    return np.full(BUCKETS, 1.0 / BUCKETS)


def expected_log_likelihood(jumps: NDArray[np.float64], statistics: NDArray[np.int64]) -> float:
    """sum_d N_d log c_d - sum_r M_r log Z_r(c), the part of the M-step's objective that depends on c."""
    counts, uses = _split(statistics)
    z = (_REACHED * jumps).sum(axis=2)
    seen, used = counts > 0, uses > 0
    return float(counts[seen] @ np.log(jumps[seen]) - uses[used] @ np.log(z[used]))


def maximise_jumps(jumps: NDArray[np.float64], statistics: NDArray[np.int64]) -> NDArray[np.float64]:
    """The exact M-step, by minorise-maximise rounds that each raise the expected log-likelihood.

    With N_d expected jumps in bucket d and M_r expected uses of normaliser Z_r(c) = sum of the c_d within
    reach r, bounding -log Z_r by its tangent gives

        c_d <- N_d / sum over reaches r that include d of M_r / Z_r(c).

    Normalising N alone, the common shortcut, is not the maximiser. jumps: float64 [11], the start;
    statistics: int64 [11 + 42], in the unit of jumps. A bucket within no reach keeps its value.
    """
    counts, uses = _split(statistics)
    if counts.sum() <= 0:
        return jumps
    value = expected_log_likelihood(jumps, statistics)
    for _ in range(_ROUNDS):
        demand = _demand(jumps, uses)
        reached = demand > 0
        following = np.where(reached, counts / np.where(reached, demand, 1.0), jumps)
        following = np.maximum(following, JUMP_FLOOR * following.sum())
        following = following / following.sum()
        before, value = value, expected_log_likelihood(following, statistics)
        if value < before:
            # Short sentences may want shares that differ by more than the floor allows: then it costs more
            # than the round gains.
            break
        jumps = following
    return jumps


def gradient_of_jumps(
    jumps: NDArray[np.float64], one: NDArray[np.int64], other: NDArray[np.int64]
) -> Gradient:
    """The gradient of E_one[log p_d] - E_other[log p_d], for one set of buckets or several.

    c_d times the derivative of ``expected_log_likelihood`` is N_d - c_d * sum over reaches r that include d
    of M_r / Z_r(c). jumps: float64 [..., 11]; one, other: int64 [..., 11 + 42], in the unit of jumps.
    """
    sets = jumps.reshape(-1, BUCKETS)
    gains = np.zeros(sets.shape)
    for sign, statistics in ((1.0, one), (-1.0, other)):
        for k, values in enumerate(statistics.reshape(-1, STATISTICS)):
            counts, uses = _split(values)
            gains[k] += sign * (counts - sets[k] * _demand(sets[k], uses))
    rows = np.repeat(np.arange(len(sets), dtype=np.int32), BUCKETS)
    events = other.reshape(-1, STATISTICS)[:, :BUCKETS].sum(axis=1) / JUMP_SCALE
    return Gradient(sets.reshape(-1, 1).astype(np.float32), 0, rows, gains.ravel(), events)


def jumps_of(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Sets of buckets, float64 [sets, 11], from flat values: none below the floor, each set of sum one."""
    sets = values.reshape(-1, BUCKETS).astype(np.float64)
    sets = np.maximum(sets, JUMP_FLOOR * sets.sum(axis=1, keepdims=True))
    return np.asarray(sets / sets.sum(axis=1, keepdims=True))


def _demand(jumps: NDArray[np.float64], uses: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each bucket, the sum over the reaches r that include it of M_r / Z_r(c); float64 [11]."""
    z = (_REACHED * jumps).sum(axis=2)
    uses_by_mass = np.divide(uses, z, where=z > 0, out=np.zeros_like(z))
    return np.asarray((uses_by_mass[:, :, None] * _REACHED).sum(axis=(0, 1)))


def _split(statistics: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = statistics / JUMP_SCALE
    return values[:BUCKETS], values[BUCKETS:].reshape(LEFT_REACHES, RIGHT_REACHES)
