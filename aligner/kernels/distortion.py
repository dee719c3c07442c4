"""The eleven jump buckets that Model 2 and the HMM share (Liang, Taskar & Klein 2006, section 2).

Jumps fall into the buckets <= -5, -4 .. 4, >= 5. The positions in an outer bucket share its mass equally. The
normaliser of an origin therefore depends only on its *reach*, the buckets that can be reached from it:
``left`` = min(origin, 6) and ``right`` = min(length - origin, 5). Origins and positions count from 1; origin
0 is the sentence start.
"""

import numpy as np

from aligner.kernels.constants import BUCKETS, GENERAL_SETS, LEFT_REACHES, RIGHT_REACHES
from aligner.kernels.policy import helper, kernel


@helper
def normalisers(jumps):
    """Return Z[left, right], the mass of the buckets within a reach, float64 [7, 6]; jumps: float64 [11]."""
    z = np.zeros((LEFT_REACHES, RIGHT_REACHES))
    for left in range(LEFT_REACHES):
        for right in range(RIGHT_REACHES):
            total = 0.0
            for bucket in range(6 - left, 6 + right):
                total += jumps[bucket]
            z[left, right] = total
    return z


@helper
def use_index(origin, length):
    """Return the index of the uses of an origin's normaliser in the counts of a set of jumps (11 + 7 x 6)."""
    return BUCKETS + RIGHT_REACHES * min(origin, 6) + min(length - origin, 5)


@helper
def set_of(word, sets):
    """Return the set of jumps inside a sentence from a conditioning word, of this number of sets.

    Sets beyond the ``GENERAL_SETS`` are those of the most frequent words, by word id, and at last one for all
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
        result[k] = normalisers(jumps[k])
    return result
