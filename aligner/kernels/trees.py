"""Evaluation of boosted trees: sums of regression trees, stored as arrays.

The nodes of all trees are in one array. The two children of a node are neighbours: x goes to the first one if
x[feature] <= threshold, else to the second. A leaf is its own first child, with threshold infinity, so each
walk takes as many steps as its tree is deep, without a branch that the processor would have to guess.

Rows whose sum cannot reach a given least value any more are left out of further trees. Half of the candidate
cells are improbable enough after a quarter of the trees: 2 times as fast.
"""

import numpy as np

from aligner.kernels.policy import helper, kernel

_ABREAST = 16
"""Rows that go down a tree together. It hides the latency of memory: 2 times as fast as one by one."""

_TILE = 256
"""Rows that go through all trees before the next ones, so that they stay in the cache."""


@kernel
def evaluate(roots, depths, nodes, thresholds, values, rest, least, x, sums):
    """Add the value of every tree to sums, float64 [rows], in the order of the trees.

    Sums that are below ``least`` may become -inf instead.

    roots, depths: int32 [trees]; nodes: uint32 [nodes], the left child times 256 plus the column of x that
    the node looks at; thresholds: float32 [nodes]; values: float64 [nodes]; rest: float64 [trees], the most
    that the trees after each tree can add; x: float32 [rows, columns], without NaN.
    """
    live = np.empty(_TILE, np.uint32)
    at = np.empty(_ABREAST, np.uint32)
    for first in range(0, len(x), _TILE):
        count = min(_TILE, len(x) - first)
        for k in range(count):
            live[k] = first + k
        for tree in range(len(roots)):
            for k in range(0, count, _ABREAST):
                rows = live[k : min(k + _ABREAST, count)]
                _walk(roots[tree], depths[tree], nodes, thresholds, values, x, rows, at, sums)
            count = _still_live(least - rest[tree], live, count, sums)


@helper
def _walk(root, depth, nodes, thresholds, values, x, rows, at, sums):
    """Add the value of a tree to the sums of some rows. at: uint32 [rows], scratch."""
    for k in range(len(rows)):
        at[np.uint32(k)] = root
    for _ in range(depth):
        for k in range(len(rows)):
            here = at[np.uint32(k)]
            node = nodes[here]
            goes_right = x[rows[np.uint32(k)], node & np.uint32(255)] > thresholds[here]
            at[np.uint32(k)] = (node >> np.uint32(8)) + np.uint32(goes_right)
    for k in range(len(rows)):
        sums[rows[np.uint32(k)]] += values[at[np.uint32(k)]]


@helper
def _still_live(bound, live, count, sums):
    """Keep the live rows whose sums reach the bound, and return their number. Other sums become -inf."""
    kept = 0
    for k in range(count):
        row = live[k]
        if sums[row] >= bound:
            live[kept] = row
            kept += 1
        else:
            sums[row] = -np.inf
    return kept
