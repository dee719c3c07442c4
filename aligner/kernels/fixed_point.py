"""64-bit fixed point, so that sums of expected counts are exact in any order.

An expected count c is added as the integer round(c * 2**32). Integer addition is associative: counts are the
same bits for any number of threads, blocks or shards. The resolution is 2.3e-10 of one occurrence. The
largest sum is 2**31 occurrences of one event.

Every token of a text has a jump, and there are few kinds of jumps. Jumps are therefore added in units of
2**-24, the resolution of a float32 posterior, and 2**39 of them fit.
"""

import numpy as np

from aligner.kernels.constants import COUNT_SCALE, JUMP_SCALE
from aligner.kernels.policy import helper


@helper
def count_to_fixed(value):
    """Return the fixed-point integer nearest to a non-negative count."""
    return int(np.float64(value) * COUNT_SCALE + 0.5)


@helper
def jump_to_fixed(value):
    """Return the fixed-point integer nearest to a non-negative number of jumps."""
    return int(np.float64(value) * JUMP_SCALE + 0.5)
