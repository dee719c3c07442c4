"""Kernels that run every operation of ``intrinsics`` on random input."""

import sys

import numpy as np

from aligner.kernels.constants import LANES
from aligner.kernels.intrinsics import (
    add_atomically,
    deinterleave,
    interleave,
    lanes16,
    load,
    prefetch,
    splat,
    store,
    where_live,
    width_of,
)
from aligner.kernels.policy import helper, kernel


@helper
def compute(like, a, b, live, out):
    """Write the result of each arithmetic operation to a row of out, float32 [7, n]."""
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
def compute_lanes(a, b, live, out):
    """Compute sixteen numbers at a time."""
    compute(lanes16(), a, b, live, out)


@kernel
def compute_numbers(a, b, live, out):
    """Compute one number at a time."""
    compute(np.float32(0.0), a, b, live, out)


@kernel
def make_zeros(out):
    """Store the sixteen zeros of ``lanes16``."""
    store(out, 0, lanes16())


@kernel
def transport(array, starts, counts, length, lanes, at, out):
    """Interleave runs of an array, then deinterleave them to another array."""
    interleave(array, starts, counts, length, lanes, at)
    deinterleave(lanes, at, out, starts, counts, length)


@kernel
def prefetch_and_add(rows, columns, values, counts):
    """Prefetch and add to counts[rows[k], columns[k]], int64."""
    for k in range(len(rows)):
        prefetch(counts, rows[min(k + 3, len(rows) - 1)])
        prefetch(values, k + 1_000)
        add_atomically(counts, rows[k], columns[k], values[k])


def results(seed):
    """Return the results of all operations by name."""
    rng = np.random.default_rng(seed)
    found = {}
    a, b, live = (rng.normal(size=(3, 10 * LANES)) ** 3).astype(np.float32)
    live[rng.random(len(live)) < 0.5] = 0.0
    a[:4] = np.inf, np.nan, 0.0, -0.0
    b[2:6] = 0.0
    live[6:8] = np.nan, -0.0
    for function in (compute_lanes, compute_numbers):
        out = np.full((7, len(a)), 7.0, np.float32)
        with np.errstate(all="ignore"):
            function(a, b, live, out)
        found[function.__name__] = out
    found["make_zeros"] = np.full(LANES, 7.0, np.float32)
    make_zeros(found["make_zeros"])
    array = rng.random(LANES * 60).astype(np.float32)
    for length in (1, 15, 16, 17, 40):
        starts = rng.permutation(LANES) * 60
        counts = rng.integers(0, 61, LANES)  # beyond the length, too
        at = LANES * int(rng.integers(0, 4))
        lanes, out = np.full(at + LANES * 48, 7.0, np.float32), np.full(len(array), 7.0, np.float32)
        transport(array, starts, counts, length, lanes, at, out)
        found[f"lanes{length}"], found[f"out{length}"] = lanes, out
    found["counts"] = np.zeros((5, 3), np.int64)
    rows, columns = rng.integers(0, 5, 100), rng.integers(0, 3, 100)
    prefetch_and_add(rows, columns, rng.integers(-(2**60), 2**60, 100), found["counts"])
    return found


if __name__ == "__main__":
    np.savez(sys.argv[2], **results(int(sys.argv[1])))
