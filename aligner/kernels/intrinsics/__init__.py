"""Operations that Python cannot express: vectors, loads of bytes, prefetching, and shared additions.

The Python functions below define each operation. Compiled kernels use the code of ``llvm`` instead; with
``NUMBA_DISABLE_JIT=1``, the Python functions run, and vectors are NumPy arrays.

A vector has ``LANES`` float32, sixteen or eight by the processor, one *lane* for each of as many sentence
pairs. A recursion along a sentence does not vectorise, but sentence pairs of similar size can go through it
side by side. The same kernel source runs on one pair or on several: a kernel takes an argument ``like``, and
is compiled for its type.

LLVM turns a vector into what the processor has (AVX-512, AVX2, SSE, NEON). Lanes are rounded in
program order, without reassociation, so a lane's result never depends on its neighbours or on padding.
"""

import numpy as np

from aligner.kernels.intrinsics import llvm
from aligner.kernels.intrinsics.llvm import LANES
from aligner.kernels.policy import compiled_as

SIDE_BY_SIDE, ALONE = np.zeros(LANES, np.float32), np.float32(0.0)
"""What a kernel takes as ``like``."""


@compiled_as(llvm.vector)
def vector(like):
    """Return a vector of zeros for ``SIDE_BY_SIDE``, or 0 for ``ALONE``."""
    return like


@compiled_as(llvm.width_of)
def width_of(like):
    """Return the number of lanes of the type of ``like``: ``LANES`` or 1."""
    return np.size(like)


@compiled_as(llvm.load)
def load(like, array, index):
    """Return array[index : index + lanes]."""
    return array[index : index + LANES].copy() if np.size(like) > 1 else array[index]


@compiled_as(llvm.store)
def store(array, index, value):
    """Set array[index : index + lanes] to ``value``."""
    array[index : index + np.size(value)] = value


@compiled_as(llvm.splat)
def splat(like, value):
    """Return a float32 in every lane."""
    return np.full(LANES, value, np.float32) if np.size(like) > 1 else np.float32(value)


@compiled_as(llvm.where_live)
def where_live(live, value, otherwise):
    """Return ``value`` in lanes where ``live`` is not 0, else ``otherwise``."""
    chosen = np.where(live != 0, value, otherwise)
    return chosen if np.size(live) > 1 else np.float32(chosen)


@compiled_as(llvm.interleave)
def interleave(like, array, starts, counts, length, out, at):
    """Turn runs into lanes: out[at + LANES r + l] = array[starts[l] + r] for r < counts[l], else 0.

    starts, counts: int64 [LANES]. All r < length are written, rounded up to a multiple of LANES. With a
    single lane, its run is copied.
    """
    if np.size(like) == 1:
        out[at : at + counts[0]] = array[starts[0] : starts[0] + counts[0]]
        return
    rows = -(-length // LANES) * LANES
    lanes = out[at : at + LANES * rows].reshape(rows, LANES)
    lanes[:] = 0
    for lane in range(LANES):
        count = min(counts[lane], rows)
        lanes[:count, lane] = array[starts[lane] : starts[lane] + count]


@compiled_as(llvm.deinterleave)
def deinterleave(like, lanes, at, array, starts, counts, length):
    """Undo ``interleave``: array[starts[l] + r] = lanes[at + LANES r + l] for r < counts[l]."""
    if np.size(like) == 1:
        array[starts[0] : starts[0] + counts[0]] = lanes[at : at + counts[0]]
        return
    for lane in range(LANES):
        count = min(counts[lane], -(-length // LANES) * LANES)
        column = lanes[at + lane : at + lane + LANES * count : LANES]
        array[starts[lane] : starts[lane] + count] = column


@compiled_as(llvm.eight_bytes)
def eight_bytes(array, index):
    """Return array[index : index + 8], uint8, as one number, uint64, whose lowest byte is the first."""
    return array[index : index + 8].view("<u8")[0]


@compiled_as(llvm.prefetch)
def prefetch(array, index):
    """Start loading array[index], of a contiguous vector or matrix, into the cache."""


@compiled_as(llvm.add_atomically)
def add_atomically(counts, row, column, value):
    """Add ``value`` to counts[row, column], int64, while other threads may be adding to it."""
    counts[row, column] += value
