"""What the processor can do and Python cannot say: vectors, bytes of text, locks, fetching ahead.

The same kernel source runs on one sentence pair or sixteen at once: recursions along a sentence do not
vectorise, but sixteen sentence pairs of like size can go through them side by side, one per lane. LLVM turns
the 16-lane type into whatever the processor has (AVX-512, AVX2, SSE, NEON).

A function takes a ``like`` argument, ``lanes16()`` or a float32, and is compiled for its type; ``load``,
``store`` and ``splat`` follow it. Arithmetic of lanes is rounded in program order (no reassociation), so a
lane's result never depends on its neighbours or on padding. That of a float32 may be reassociated, as
everywhere else in kernels: 1 is not to be added to what may be small, to be subtracted again.
"""

from aligner.kernels._jit import intrinsic

LANES = 16


@intrinsic
def lanes16():
    """Sixteen zeros."""


@intrinsic
def width_of(like):
    """Lanes of the type of ``like``: 16 or 1."""


@intrinsic
def load(like, array, index):
    """array[index : index + lanes], unaligned."""


@intrinsic
def store(array, index, value):
    """array[index : index + lanes] = value."""


@intrinsic
def load_first(like, array, index, count):
    """array[index : index + count], zeros after so many; for sixteen lanes."""


@intrinsic
def store_first(array, index, value, count):
    """array[index : index + count] = the first of value; for sixteen lanes."""


@intrinsic
def splat(like, value):
    """The float32 in every lane."""


@intrinsic
def within(live, value, beyond):
    """Value where live is not 0, else beyond: of lanes, or of float32."""


@intrinsic
def fixed_sum(like, array, index):
    """The sum of array[index : index + lanes], none negative, in the unit of jumps (see ``fixed``): int64."""


@intrinsic
def multiply_by(like, products, array, index):
    """Multiply products, float64 [lanes], by array[index : index + lanes]; whether any is out of 1e+-200."""


@intrinsic
def add_to(sums, value):
    """Add sixteen lanes to sums, float64 [16]."""


@intrinsic
def add_products(sums, index, row, there, back):
    """sums[index] += row[index] * (there, back), products of float32, to the nearest fixed-point integer.

    sums: int64 [n, 2], fixed point (see ``fixed``); row: float32 [n, 2]. No product is above 2**19.
    """


@intrinsic
def interleave(array, starts, counts, length, out, at):
    """out[at + 16 r + l] = array[starts[l] + r] for r < counts[l], else 0: runs become lanes.

    starts, counts: int64 [16]; all of r < length is written, rounded up to a multiple of sixteen.
    """


@intrinsic
def deinterleave(lanes, at, array, starts, counts, length):
    """array[starts[l] + r] = lanes[at + 16 r + l] for r < counts[l], at most length: the inverse."""


@intrinsic
def prefetch(array, index):
    """Start fetching array[index], of a contiguous vector or matrix, into the cache, if there is one."""


@intrinsic
def acquire(locks, index):
    """Whether the lock locks[index, 0], int64, was free, which then is the caller's until ``release``."""


@intrinsic
def release(locks, index):
    """Let others have the lock; what was written before is written for them, too."""


@intrinsic
def add_shared(counts, row, column, value):
    """counts[row, column] += value, int64, at one go, whoever else may be adding to it."""


@intrinsic
def eight_bytes(text, index):
    """text[index : index + 8] as one number."""


@intrinsic
def separators(text, index):
    """Which of text[index : index + 64] end a word, the first in the lowest bit."""


@intrinsic
def lowest_bit(bits):
    """The number of the lowest bit that is set."""
