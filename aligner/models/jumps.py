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
_REACHES = ((_BUCKET >= 6 - _LEFT) & (_BUCKET < 6 + _RIGHT)).reshape(-1, BUCKETS).astype(np.float64)
"""1 where a reach includes a bucket: float64 [42, 11]."""


def uniform_jumps() -> NDArray[np.float64]:
    """All eleven buckets alike."""
    return np.full(BUCKETS, 1.0 / BUCKETS)


class _Expected:
    """What an E-step expects of one set of buckets: N_d jumps, and M_r uses of the normalisers Z_r(c) > 0.

    Z_r is the sum of the c_d within reach r.
    """

    def __init__(self, statistics: NDArray[np.int64]) -> None:
        values = statistics / JUMP_SCALE
        used = (values[BUCKETS:] > 0) & (_REACHES.sum(axis=1) > 0)
        self.jumps, self._uses, self._reaches = values[:BUCKETS], values[BUCKETS:][used], _REACHES[used]
        self._seen = self.jumps > 0

    def masses(self, jumps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Z_r(c) of every normaliser that is used."""
        return self._reaches @ jumps

    def log_likelihood(self, jumps: NDArray[np.float64], masses: NDArray[np.float64]) -> float:
        """sum_d N_d log c_d - sum_r M_r log Z_r(c), the part of the M-step's objective that depends on c."""
        return float(self.jumps[self._seen] @ np.log(jumps[self._seen]) - self._uses @ np.log(masses))

    def demand(self, masses: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each bucket, the sum over the reaches r that include it of M_r / Z_r(c); float64 [11]."""
        return (self._uses / masses) @ self._reaches


def expected_log_likelihood(jumps: NDArray[np.float64], statistics: NDArray[np.int64]) -> float:
    """What ``maximise_jumps`` raises; arguments as there."""
    expected = _Expected(statistics)
    return expected.log_likelihood(jumps, expected.masses(jumps))


def maximise_jumps(jumps: NDArray[np.float64], statistics: NDArray[np.int64]) -> NDArray[np.float64]:
    """The exact M-step, by minorise-maximise rounds that each raise the expected log-likelihood.

    With N_d expected jumps in bucket d and M_r expected uses of normaliser Z_r(c) = sum of the c_d within
    reach r, bounding -log Z_r by its tangent gives

        c_d <- N_d / sum over reaches r that include d of M_r / Z_r(c).

    Normalising N alone, the common shortcut, is not the maximiser. jumps: float64 [11], the start;
    statistics: int64 [11 + 42], in the unit of jumps. A bucket within no reach keeps its value.
    """
    expected = _Expected(statistics)
    if expected.jumps.sum() <= 0:
        return jumps
    masses = expected.masses(jumps)
    value = expected.log_likelihood(jumps, masses)
    for _ in range(_ROUNDS):
        demand = expected.demand(masses)
        following = np.divide(expected.jumps, demand, out=jumps.copy(), where=demand > 0)
        following = np.maximum(following, JUMP_FLOOR * following.sum())
        following /= following.sum()
        masses = expected.masses(following)
        before, value = value, expected.log_likelihood(following, masses)
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
            expected = _Expected(values)
            gains[k] += sign * (expected.jumps - sets[k] * expected.demand(expected.masses(sets[k])))
    rows = np.repeat(np.arange(len(sets), dtype=np.int32), BUCKETS)
    events = other.reshape(-1, STATISTICS)[:, :BUCKETS].sum(axis=1) / JUMP_SCALE
    return Gradient(sets.reshape(-1, 1).astype(np.float32), 0, rows, gains.ravel(), events)


def jumps_of(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Sets of buckets, float64 [sets, 11], from flat values: none below the floor, each set of sum one."""
    sets = values.reshape(-1, BUCKETS).astype(np.float64)
    sets = np.maximum(sets, JUMP_FLOOR * sets.sum(axis=1, keepdims=True))
    return np.asarray(sets / sets.sum(axis=1, keepdims=True))
