"""The M-step of one set of jump buckets: ``expected`` holds what an E-step expects of it.

These are N_d, the jumps in each bucket, and M_r, the uses of each normaliser Z_r(c), the sum of the c_d
within reach r: float64 [11 + 7 * 6]. ``distortion`` says what reaches are.
"""

import math

import numpy as np

from aligner.kernels.arrays import copy
from aligner.kernels.constants import BUCKETS, LEFT_REACHES, RIGHT_REACHES
from aligner.kernels.distortion import normalisers
from aligner.kernels.policy import helper, kernel


@helper
def _log_likelihood(jumps, expected, masses):
    value = 0.0
    for bucket in range(BUCKETS):
        if expected[bucket] > 0.0:
            value += expected[bucket] * math.log(jumps[bucket])
    for left in range(LEFT_REACHES):
        for right in range(RIGHT_REACHES):
            uses = expected[BUCKETS + left * RIGHT_REACHES + right]
            if uses > 0.0 and left + right > 0:
                value -= uses * math.log(masses[left, right])
    return value


@helper
def _demand(expected, masses, out):
    """For each bucket, the sum over the reaches r that include it of M_r / Z_r(c)."""
    out[:] = 0.0
    for left in range(LEFT_REACHES):
        for right in range(RIGHT_REACHES):
            uses = expected[BUCKETS + left * RIGHT_REACHES + right]
            if uses > 0.0 and left + right > 0:
                share = uses / masses[left, right]
                for bucket in range(6 - left, 6 + right):
                    out[bucket] += share


@kernel
def add_gains(sign, jumps, expected, gains):
    """gains[d] += sign * (N_d - c_d sum over the reaches r that include d of M_r / Z_r(c))."""
    demand = np.empty(BUCKETS)
    _demand(expected, normalisers(jumps), demand)
    for bucket in range(BUCKETS):
        gains[bucket] += sign * (expected[bucket] - jumps[bucket] * demand[bucket])


@kernel
def mstep(jumps, expected, floor, rounds):
    """So many rounds of ``models.jumps.mstep_of_jumps``, in place, or up to one that lowers the objective.

    That one is not taken. floor: the least share of a bucket.
    """
    demand, following = np.empty(BUCKETS), np.empty(BUCKETS)
    masses = normalisers(jumps)
    value = _log_likelihood(jumps, expected, masses)
    for _ in range(rounds):
        _demand(expected, masses, demand)
        for bucket in range(BUCKETS):
            wanted = demand[bucket] > 0.0
            following[bucket] = expected[bucket] / demand[bucket] if wanted else jumps[bucket]
        least = floor * following.sum()
        for bucket in range(BUCKETS):
            following[bucket] = max(following[bucket], least)
        whole = following.sum()
        for bucket in range(BUCKETS):
            following[bucket] /= whole
        masses = normalisers(following)
        before, value = value, _log_likelihood(following, expected, masses)
        if value < before:
            # Short sentences may want shares that differ by more than the floor allows: then it costs more
            # than the round gains.
            return
        copy(following, jumps)
