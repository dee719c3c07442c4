"""Paths through a pivot language: products of posteriors, and the scale that keeps the number of links."""

import numpy as np

from aligner.kernels.policy import kernel

# More than the rounding of a product of two float32, by which a scaled cell could miss the threshold.
_MARGIN = np.float32(1 + 1e-6)


@kernel
def add_products(left, left_offsets, right, right_offsets, rows, inner, columns, weights, offsets, out):
    """Add the product of two matrices, left [rows, inner] times right [inner, columns], for each line.

    left, right, out: float32 [cells]; left_offsets, right_offsets, offsets: int64 [lines + 1], where the
    cells of each line begin; rows, inner, columns: int64 [lines]; weights: float32 [lines], a factor of the
    product. A line of weight 0 is left out: it need not have these cells.
    """
    for n in range(len(weights)):
        weight = weights[n]
        if weight == 0.0:
            continue
        width = columns[n]
        for r in range(rows[n]):
            begin = offsets[n] + r * width
            row = out[begin : begin + width]
            for k in range(inner[n]):
                factor = weight * left[left_offsets[n] + r * inner[n] + k]
                if factor > 0.0:
                    begin = right_offsets[n] + k * width
                    other = right[begin : begin + width]
                    for c in range(width):
                        row[c] += factor * other[c]


@kernel
def match(model, mixture, offsets, threshold, scales):
    """Find the least scale of each pair, at least 1, that brings enough cells of a mixture to a threshold.

    Enough are as many as the cells of the model that reach it. model, mixture: float32 [cells], at least 0;
    offsets: int64 [pairs + 1], where the cells of each pair begin; threshold: float32; scales: float32
    [pairs], set.
    """
    for n in range(len(scales)):
        links = 0
        for c in range(offsets[n], offsets[n + 1]):
            links += model[c] >= threshold
        scales[n] = 1.0
        if links > 0:
            least = np.sort(mixture[offsets[n] : offsets[n + 1]])[-links]
            if least > 0:
                scales[n] = max(np.float32(1.0), _MARGIN * threshold / least)
