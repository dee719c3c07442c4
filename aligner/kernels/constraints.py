"""Tilting of lexical potentials by multipliers, and the expectations that constraints bound.

Kernels that take ``pairs``, int64, work on these pairs of a block. ``starts``, int64 [pairs of the block +
1], holds the first entry of each pair in arrays of the whole block. All other arrays hold the chosen pairs
only, one after the other.
"""

import numpy as np

from aligner.kernels.arrays import copy
from aligner.kernels.policy import kernel


@kernel
def take(pairs, starts, values, out):
    """Copy the chosen pairs' entries of ``values``, an array of the whole block, to ``out``."""
    begin = 0
    for n in pairs:
        size = starts[n + 1] - starts[n]
        copy(values[starts[n] : starts[n + 1]], out[begin : begin + size])
        begin += size


@kernel
def put(pairs, starts, chosen, values, out):
    """Copy those of the pairs' ``values`` for which chosen[pair] is True to ``out``, of the whole block."""
    begin = 0
    for n in pairs:
        size = starts[n + 1] - starts[n]
        if chosen[n]:
            copy(values[begin : begin + size], out[starts[n] : starts[n + 1]])
        begin += size


@kernel
def tilt_columns(pairs, starts, emit, factors, conditioning, emitted, out):
    """Set out[j, i] to emit[j, i] factors[i]: scale the potentials of every conditioning word.

    emit: float32, [J, I] for every pair of the block; factors: float32, [I] for each chosen pair;
    conditioning, emitted: int32 [chosen pairs], I and J; out: float32, [J, I] for each chosen pair.
    """
    cell = 0
    token = 0
    for n in range(len(pairs)):
        width = conditioning[n]
        height = emitted[n]
        e = emit[starts[pairs[n]] : starts[pairs[n]] + width * height]
        factor = factors[token : token + width]
        for j in range(height):
            x = e[j * width : (j + 1) * width]
            y = out[cell : cell + width]
            for i in range(width):
                y[i] = x[i] * factor[i]
            cell += width
        token += width


@kernel
def sum_columns(links, conditioning, emitted, out):
    """Set out[i] to sum_j links[j, i], the expected number of links of each conditioning word.

    links: float32, [J, I] for each pair; out: float32, [I] for each pair.
    """
    cell = 0
    token = 0
    for n in range(len(conditioning)):
        width = conditioning[n]
        total = out[token : token + width]
        total[:] = np.float32(0.0)
        for _ in range(emitted[n]):
            x = links[cell : cell + width]
            for i in range(width):
                total[i] += x[i]
            cell += width
        token += width


@kernel
def tilt_links(
    pairs, starts, forward, reverse, factors, source_lengths, target_lengths, forward_out, reverse_out
):
    """Multiply each forward potential by its cell's factor, and divide the reverse potential by it.

    forward: float32, [J, I], and reverse: float32, [I, J], for every pair of the block; factors: float32,
    [I, J] for each chosen pair; source_lengths, target_lengths: int32 [chosen pairs], I and J; forward_out,
    reverse_out: float32, [J, I] and [I, J] for each chosen pair.
    """
    cell = 0
    for n in range(len(pairs)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        begin = starts[pairs[n]]
        f = forward[begin : begin + size]
        tilted = forward_out[cell : cell + size]
        r = reverse[begin : begin + size]
        q = reverse_out[cell : cell + size]
        factor = factors[cell : cell + size]
        for k in range(size):
            q[k] = r[k] / factor[k]
        for j in range(height):
            x = f[j * width : (j + 1) * width]
            y = tilted[j * width : (j + 1) * width]
            for i in range(width):
                y[i] = x[i] * factor[i * height + j]
        cell += size
