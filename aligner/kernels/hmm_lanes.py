"""Sentence pairs side by side: what belongs to each brought into a vector lane of its own, and back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.arrays import copy, least
from aligner.kernels.policy import helper
from aligner.kernels.simd import deinterleave, interleave, splat, store, width_of


class Pairs(NamedTuple):
    """The pairs that are side by side: int64 [lanes] each, 0 for a lane without any.

    widths, heights, sizes: I, J and I J. cells, words, factors: where each pair's begin among those of all.
    row, row_width: working memory, where a row of cells begins, and how long it is.
    """

    widths: NDArray
    heights: NDArray
    sizes: NDArray
    cells: NDArray
    words: NDArray
    factors: NDArray
    row: NDArray
    row_width: NDArray


@helper
def new_pairs(lanes):
    """Room for so many."""
    i8 = np.int64
    return Pairs(
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
        np.zeros(lanes, i8),
    )


@helper
def widen(lanes, runs, starts, counts, length, out):
    """Bring one run of numbers for each lane side by side: [length, lanes], 0 beyond a lane's own count."""
    if lanes == 1:
        copy(runs[starts[0] : starts[0] + counts[0]], out)
        return
    interleave(runs, starts, counts, length, out, 0)


@helper
def narrow(lanes, wide, starts, counts, length, runs):
    """The inverse of ``widen``."""
    if lanes == 1:
        copy(wide[: counts[0]], runs[starts[0] :])
        return
    deinterleave(wide, 0, runs, starts, counts, length)


@helper
def move(lanes, inwards, pairs, width, height, emit, links):
    """Copy a group's cells from [J, I] per pair to [height, width, lanes], 0 beyond a pair's own, or back."""
    if least(pairs.widths) == width:
        if inwards:
            widen(lanes, emit, pairs.cells, pairs.sizes, width * height, links)
        else:
            narrow(lanes, links, pairs.cells, pairs.sizes, width * height, emit)
        return
    copy(pairs.cells, pairs.row)
    for j in range(height):
        for lane in range(16):
            pairs.row_width[lane] = pairs.widths[lane] if j < pairs.heights[lane] else 0
        at = j * width * 16
        if inwards:
            interleave(emit, pairs.row, pairs.row_width, width, links, at)
        else:
            deinterleave(links, at, emit, pairs.row, pairs.row_width, width)
        for lane in range(16):
            pairs.row[lane] += pairs.widths[lane]


@helper
def set_factors(like, known, pairs, width, factors):
    """Bring each lane's factors side by side, of those ``known``."""
    lanes = width_of(like)
    starts = pairs.factors
    widths = pairs.widths
    if least(widths) == width:
        start = starts[0]
        for i in range(width):
            k = i * lanes
            store(factors.stay, k, splat(like, known.stay[start + i]))
            store(factors.up, k, splat(like, known.up[start + i]))
            store(factors.down, k, splat(like, known.down[start + i]))
            store(factors.first, k, splat(like, known.first[start + i]))
            store(factors.last, k, splat(like, known.last[start + i]))
    else:
        for f in range(len(known)):
            widen(lanes, known[f], starts, widths, width, factors[f])
