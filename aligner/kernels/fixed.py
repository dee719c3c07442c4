"""64-bit fixed point: sums that are exact in any order.

An expected count c is added as the integer round(c * 2**32). Integer addition is associative, so counts are
bit-identical for any number of threads, blocks or shards. The resolution is 2.3e-10 of one occurrence; the
largest sum is 2**31 occurrences of one event.
"""

from aligner.kernels._jit import kernel

SCALE = 4294967296.0


@kernel
def to_fixed(value):
    """Nearest fixed-point integer of a non-negative number."""
    return int(value * 4294967296.0 + 0.5)
