"""The M-step of the jump buckets that Model 2 and the HMM share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.distortion import BUCKETS, LEFT_REACHES, RIGHT_REACHES
from aligner.kernels.fixed import SCALE

JUMP_FLOOR = 1e-7
"""The least share of a bucket within its set: a jump never seen stays possible."""

STATISTICS = BUCKETS + LEFT_REACHES * RIGHT_REACHES
"""Expected jumps by bucket, then expected uses of each normaliser by reach."""

_ROUNDS = 20

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

    With N_d expected jumps in bucket d and M_r expected uses of normaliser Z_r(c) = sum of the c_d within reach
    r, bounding -log Z_r by its tangent gives

        c_d <- N_d / sum over reaches r that include d of M_r / Z_r(c).

    Normalising N alone, the common shortcut, is not the maximiser. jumps: float64 [11], the start; statistics:
    int64 fixed point [11 + 42]. A bucket within no reach keeps its value.
    """
    counts, uses = _split(statistics)
    if counts.sum() <= 0:
        return jumps
    for _ in range(_ROUNDS):
        z = (_REACHED * jumps).sum(axis=2)
        demand = (np.divide(uses, z, where=z > 0, out=np.zeros_like(z))[:, :, None] * _REACHED).sum(axis=(0, 1))
        reached = demand > 0
        jumps = np.where(reached, counts / np.where(reached, demand, 1.0), jumps)
        jumps = np.maximum(jumps, JUMP_FLOOR * jumps.sum())
        jumps = jumps / jumps.sum()
    return jumps


def _split(statistics: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = statistics / SCALE
    return values[:BUCKETS], values[BUCKETS:].reshape(LEFT_REACHES, RIGHT_REACHES)
