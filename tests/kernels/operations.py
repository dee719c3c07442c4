"""Kernels that run every operation of ``intrinsics`` on random input."""

import sys

import numpy as np

from aligner.kernels.intrinsics import (
    ALONE,
    LANES,
    SIDE_BY_SIDE,
    add_atomically,
    deinterleave,
    eight_bytes,
    interleave,
    load,
    prefetch,
    splat,
    store,
    vector,
    where_live,
    width_of,
)
from aligner.kernels.policy import kernel


@kernel
def compute(like, a, b, live, out):
    """Write the result of each arithmetic operation to a row of out, float32 [7, n]."""
    like = vector(like)
    lanes = width_of(like)
    for k in range(0, len(a), lanes):
        x = load(like, a, k)
        y = load(like, b, k)
        store(out[0], k, x + y)
        store(out[1], k, x - y)
        store(out[2], k, x * y)
        store(out[3], k, x / y)
        store(out[4], k, splat(like, b[k]))
        store(out[5], k, where_live(load(like, live, k), x, y))
        store(out[6], k, splat(like, np.float32(lanes)))


@kernel
def make_zeros(like, out):
    """Store the zeros of ``vector``."""
    store(out, 0, vector(like))


@kernel
def transport(like, array, starts, counts, length, lanes, at, out):
    """Interleave runs of an array, then deinterleave them to another array."""
    like = vector(like)
    interleave(like, array, starts, counts, length, lanes, at)
    deinterleave(like, lanes, at, out, starts, counts, length)


@kernel
def prefetch_and_add(rows, columns, values, counts):
    """Prefetch and add to counts[rows[k], columns[k]], int64."""
    for k in range(len(rows)):
        prefetch(counts, rows[min(k + 3, len(rows) - 1)])
        prefetch(values, k + 1_000)
        add_atomically(counts, rows[k], columns[k], values[k])


@kernel
def load_bytes(array, out):
    """Set out[k], uint64, to the eight bytes from array[k] on."""
    for k in range(len(out)):
        out[k] = eight_bytes(array, k)


def results(seed):
    """Return the results of all operations by name."""
    rng = np.random.default_rng(seed)
    found = {}
    a, b, live = (rng.normal(size=(3, 10 * LANES)) ** 3).astype(np.float32)
    live[rng.random(len(live)) < 0.5] = 0.0
    a[:4] = np.inf, np.nan, 0.0, -0.0
    b[2:6] = 0.0
    live[6:8] = np.nan, -0.0
    for name, like in (("lanes", SIDE_BY_SIDE), ("numbers", ALONE)):
        out = np.full((7, len(a)), 7.0, np.float32)
        with np.errstate(all="ignore"):
            compute(like, a, b, live, out)
        found[f"compute_{name}"] = out
    found["make_zeros"] = np.full(LANES, 7.0, np.float32)
    make_zeros(SIDE_BY_SIDE, found["make_zeros"])
    array = rng.random(LANES * 60).astype(np.float32)
    for length in (1, 15, 16, 17, 40):
        starts = rng.permutation(LANES) * 60
        counts = rng.integers(0, 61, LANES)  # beyond the length, too
        at = LANES * int(rng.integers(0, 4))
        lanes, out = np.full(at + LANES * 48, 7.0, np.float32), np.full(len(array), 7.0, np.float32)
        transport(SIDE_BY_SIDE, array, starts, counts, length, lanes, at, out)
        found[f"lanes{length}"], found[f"out{length}"] = lanes, out
    found["alone"], found["out"] = np.full((2, 40), 7.0, np.float32)
    run = np.array([11]), np.array([20])
    transport(ALONE, array, *run, 20, found["alone"], 3, found["out"])
    found["counts"] = np.zeros((5, 3), np.int64)
    rows, columns = rng.integers(0, 5, 100), rng.integers(0, 3, 100)
    prefetch_and_add(rows, columns, rng.integers(-(2**60), 2**60, 100), found["counts"])
    found["numbers"] = np.zeros(33, np.uint64)
    load_bytes(rng.integers(0, 256, 40).astype(np.uint8), found["numbers"])
    return found


if __name__ == "__main__":
    np.savez(sys.argv[2], **results(int(sys.argv[1])))
