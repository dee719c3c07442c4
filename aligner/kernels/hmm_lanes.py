"""Transport of the data of sentence pairs to vector lanes, one lane for each pair, and back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.kernels.arrays import copy, least
from aligner.kernels.constants import BUCKETS, LANES
from aligner.kernels.distortion import set_of
from aligner.kernels.hmm_group import MARGIN
from aligner.kernels.policy import helper
from aligner.kernels.simd import deinterleave, interleave, splat, store, width_of

TO_LANES, FROM_LANES = True, False
"""The directions of ``move_cells``."""


class Pairs(NamedTuple):
    """The pairs of a group, one for each lane. All arrays are int64 [lanes], 0 for a lane without a pair.

    widths, heights, sizes: I, J and I J. cells, tokens, words: the first cell, the first emitted token and
    the first conditioning token of each pair in the block's arrays. factors: the index of the first factor
    for the pair's I. row, row_width: working memory, the first cell of a row and the row's length.
    """

    widths: NDArray
    heights: NDArray
    sizes: NDArray
    cells: NDArray
    tokens: NDArray
    words: NDArray
    factors: NDArray
    row: NDArray
    row_width: NDArray


@helper
def new_pairs(lanes):
    """Return a new ``Pairs`` for this number of lanes."""
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
        np.zeros(lanes, i8),
    )


@helper
def runs_to_lanes(lanes, runs, starts, counts, length, out):
    """Copy one run of numbers for each lane to out, [length, lanes], with 0 beyond the lane's own count.

    Run l is runs[starts[l] : starts[l] + counts[l]].
    """
    if lanes == 1:
        copy(runs[starts[0] : starts[0] + counts[0]], out)
        return
    interleave(runs, starts, counts, length, out, 0)


@helper
def lanes_to_runs(lanes, values, starts, counts, length, runs):
    """Undo ``runs_to_lanes``: copy values, [length, lanes], to the runs."""
    if lanes == 1:
        copy(values[: counts[0]], runs[starts[0] :])
        return
    deinterleave(values, 0, runs, starts, counts, length)


@helper
def move_cells(lanes, direction, pairs, width, height, emit, links):
    """Copy a group's cells between emit, [J, I] for each pair, and links, [height, width, lanes].

    direction: TO_LANES copies emit to links, where cells beyond a pair's own become 0; FROM_LANES copies
    links to emit. width, height: the largest I and J of the group.
    """
    if least(pairs.widths) == width:
        # Where all pairs have the same I, as a single pair has, the cells of each are a single run.
        if direction == TO_LANES:
            runs_to_lanes(lanes, emit, pairs.cells, pairs.sizes, width * height, links)
        else:
            lanes_to_runs(lanes, links, pairs.cells, pairs.sizes, width * height, emit)
        return
    copy(pairs.cells, pairs.row)
    for j in range(height):
        for lane in range(LANES):
            pairs.row_width[lane] = pairs.widths[lane] if j < pairs.heights[lane] else 0
        first = j * width * LANES
        if direction == TO_LANES:
            interleave(emit, pairs.row, pairs.row_width, width, links, first)
        else:
            deinterleave(links, first, emit, pairs.row, pairs.row_width, width)
        for lane in range(LANES):
            pairs.row[lane] += pairs.widths[lane]


@helper
def set_weights(lanes, pairs, width, words, weights, factors):
    """Set the weights of the jumps from each position, by its conditioning word.

    words: int32, [I] for each pair of the block; weights: float32 [sets, 11].
    """
    flat = weights.ravel()
    for i in range(width):
        for lane in range(lanes):
            inside = i < pairs.widths[lane]
            pairs.row_width[lane] = BUCKETS if inside else 0
            if inside:
                pairs.row[lane] = set_of(words[pairs.words[lane] + i], len(weights)) * BUCKETS
        out = factors.weights[(i + MARGIN) * BUCKETS * lanes :]
        runs_to_lanes(lanes, flat, pairs.row, pairs.row_width, BUCKETS, out)


@helper
def set_factors(like, by_length, pairs, width, factors):
    """Set each lane's ``Factors``, [width, lanes], from those of all lengths, but for weights of jumps."""
    lanes = width_of(like)
    starts = pairs.factors
    widths = pairs.widths
    if least(widths) == width:
        start = starts[0]
        for i in range(width):
            k = i * lanes
            store(factors.stay, k, splat(like, by_length.stay[start + i]))
            store(factors.up, k, splat(like, by_length.up[start + i]))
            store(factors.down, k, splat(like, by_length.down[start + i]))
            store(factors.first, k, splat(like, by_length.first[start + i]))
            store(factors.last, k, splat(like, by_length.last[start + i]))
    else:
        runs_to_lanes(lanes, by_length.stay, starts, widths, width, factors.stay)
        runs_to_lanes(lanes, by_length.up, starts, widths, width, factors.up)
        runs_to_lanes(lanes, by_length.down, starts, widths, width, factors.down)
        runs_to_lanes(lanes, by_length.first, starts, widths, width, factors.first)
        runs_to_lanes(lanes, by_length.last, starts, widths, width, factors.last)
