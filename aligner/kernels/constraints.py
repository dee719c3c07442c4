"""Tilting lexical potentials by multipliers, and the expectations that constraints are about.

Kernels with ``pairs``, int64, work on these pairs of a block; ``starts``, int64 [pairs of the block + 1], say
where each pair's entries begin in arrays of the whole block. Other arrays are of the chosen pairs alone, one
after the other.
"""

import numpy as np

from aligner.kernels.arrays import copy
from aligner.kernels.policy import kernel


@kernel
def take(pairs, starts, values, out):
    """Copy these pairs' entries of ``values``, of the whole block."""
    at = 0
    for n in pairs:
        size = starts[n + 1] - starts[n]
        copy(values[starts[n] : starts[n + 1]], out[at : at + size])
        at += size


@kernel
def tilt_columns(pairs, starts, emit, factors, conditioning, emitted, out):
    """out[j, i] = emit[j, i] factors[i]: every conditioning word's potentials scaled.

    emit: float32, [J, I] for every pair of the block. factors: float32, [I] for each of these pairs;
    conditioning, emitted: int32, their I and J; out: float32, [J, I] for each.
    """
    at = 0
    token = 0
    for n in range(len(pairs)):
        width = conditioning[n]
        height = emitted[n]
        e = emit[starts[pairs[n]] : starts[pairs[n]] + width * height]
        factor = factors[token : token + width]
        for j in range(height):
            x = e[j * width : (j + 1) * width]
            y = out[at : at + width]
            for i in range(width):
                y[i] = x[i] * factor[i]
            at += width
        token += width


@kernel
def column_sums(links, conditioning, emitted, out):
    """out[i] = sum_j links[j, i], the expected number of links of each conditioning word.

    links: float32, [J, I] per pair; out: float32, [I] per pair.
    """
    at = 0
    token = 0
    for n in range(len(conditioning)):
        width = conditioning[n]
        total = out[token : token + width]
        total[:] = np.float32(0.0)
        for _ in range(emitted[n]):
            x = links[at : at + width]
            for i in range(width):
                total[i] += x[i]
            at += width
        token += width


@kernel
def tilt_links(
    pairs, starts, forward, reverse, factors, source_lengths, target_lengths, forward_out, reverse_out
):
    """Multiply forward potentials by a factor per cell, and divide the reverse ones by it.

    forward: float32, [J, I], and reverse: float32, [I, J], for every pair of the block. factors: float32, [I,
    J] for each of these pairs; source_lengths, target_lengths: int32, their I and J; forward_out,
    reverse_out: shaped like forward and reverse.
    """
    at = 0
    for n in range(len(pairs)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        begin = starts[pairs[n]]
        f = forward[begin : begin + size]
        g = forward_out[at : at + size]
        r = reverse[begin : begin + size]
        q = reverse_out[at : at + size]
        factor = factors[at : at + size]
        for k in range(size):
            q[k] = r[k] / factor[k]
        for j in range(height):
            x = f[j * width : (j + 1) * width]
            y = g[j * width : (j + 1) * width]
            for i in range(width):
                y[i] = x[i] * factor[i * height + j]
        at += size
