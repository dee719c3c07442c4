"""The distortion of Model 2 and the HMM: eleven jump buckets and their M-step (Liang, Taskar & Klein 2006).

Jumps fall into the buckets <= -5, -4 .. 4, >= 5. The positions in an outer bucket share its mass equally. The
normaliser of an origin therefore depends only on its *reach*, the buckets that can be reached from it:
``left`` = min(origin, 6) and ``right`` = min(length - origin, 5). Origins and positions count from 1; origin
0 is the sentence start.

An M-step takes sets of buckets c, float64 [11] each, and the ``expected`` counts of an E-step, float64
[11 + 7 * 6] for each set: N_d, the jumps in each bucket d, and M_r, the uses of each normaliser Z_r(c), which
is the sum of the c_d within reach r.

Slow twins: ``tests.naive.buckets`` and ``tests.naive.jump_counts``.
"""

import math

import numpy as np

from aligner.kernels.constants import BUCKETS, GENERAL_SETS, LEFT_REACHES, RIGHT_REACHES
from aligner.kernels.loops import copy
from aligner.kernels.policy import helper, kernel


@helper
def set_normalisers(jumps, z):
    """Set Z[left, right], float64 [7, 6], to the mass of the buckets within a reach; jumps: float64 [11]."""
    for left in range(LEFT_REACHES):
        for right in range(RIGHT_REACHES):
            total = 0.0
            for bucket in range(6 - left, 6 + right):
                total += jumps[bucket]
            z[left, right] = total


@helper
def use_index(origin, length):
    """Return the index of the uses of an origin's normaliser in the counts of a set of jumps (11 + 7 x 6)."""
    return BUCKETS + RIGHT_REACHES * min(origin, 6) + min(length - origin, 5)


@helper
def set_of(word, sets):
    """Return the set of jumps inside a sentence from a conditioning word, of this number of sets.

    Sets beyond the ``GENERAL_SETS`` belong to the most frequent words, by word id, and at last one for all
    other words.
    """
    if sets == GENERAL_SETS:
        return 1
    return GENERAL_SETS + min(np.int64(word), sets - GENERAL_SETS - 1)


@helper
def null_probability(fixed_p0, length):
    """Return ``fixed_p0``, or if it is negative, p0 = 1 / (I + 1) (Liang et al. 2006, section 2)."""
    if fixed_p0 >= 0.0:
        return np.float64(fixed_p0)
    return 1.0 / (length + 1.0)


@kernel
def normalise(jumps):
    """Return the normalisers of sets of jumps, float64 [sets, 7, 6]; jumps: float64 [sets, 11]."""
    result = np.empty((len(jumps), LEFT_REACHES, RIGHT_REACHES))
    for k in range(len(jumps)):
        set_normalisers(jumps[k], result[k])
    return result


@helper
def _log_likelihood(jumps, expected, masses):
    """Return sum_d N_d log c_d - sum_r M_r log Z_r(c); masses: the normalisers of c."""
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
def _set_demand(expected, masses, out):
    """Set out[d] to the sum of M_r / Z_r(c) over the reaches r that include bucket d."""
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
    """Add sign * (N_d - c_d sum M_r / Z_r(c)), summed over the reaches r that include d, to gains[d].

    This is c_d times the derivative of the log-likelihood by c_d. gains: float64 [11].
    """
    demand, masses = np.empty(BUCKETS), np.empty((LEFT_REACHES, RIGHT_REACHES))
    set_normalisers(jumps, masses)
    _set_demand(expected, masses, demand)
    for bucket in range(BUCKETS):
        gains[bucket] += sign * (expected[bucket] - jumps[bucket] * demand[bucket])


@kernel
def mstep(jumps, expected, floor, rounds):
    """Run minorise-maximise rounds on each set of buckets, in place (see ``models.jumps.mstep_of_jumps``).

    jumps: float64 [sets, 11]; expected: float64 [sets, 11 + 42]; floor: the least share of a bucket; rounds:
    the most rounds of a set. A round that would lower the log-likelihood is not applied and is the last.
    """
    demand, following = np.empty(BUCKETS), np.empty(BUCKETS)
    masses = np.empty((LEFT_REACHES, RIGHT_REACHES))
    for k in range(len(jumps)):
        current, counts = jumps[k], expected[k]
        copy(current, following)
        value = -np.inf
        for n in range(rounds + 1):
            if n > 0:
                _set_demand(counts, masses, demand)
                _set_shares(current, counts, demand, floor, following)
            set_normalisers(following, masses)
            previous, value = value, _log_likelihood(following, counts, masses)
            if value < previous:
                # The best shares of short sentences may differ by more than the floor allows. Raising a share
                # to the floor then costs more than the round gains.
                break
            copy(following, current)


@helper
def _set_shares(jumps, expected, demand, floor, out):
    """Set out[d] to N_d / demand[d], or to c_d if the demand is 0, then normalise with the floor."""
    for bucket in range(BUCKETS):
        out[bucket] = expected[bucket] / demand[bucket] if demand[bucket] > 0.0 else jumps[bucket]
    least = floor * out.sum()
    for bucket in range(BUCKETS):
        out[bucket] = max(out[bucket], least)
    whole = out.sum()
    for bucket in range(BUCKETS):
        out[bucket] /= whole
