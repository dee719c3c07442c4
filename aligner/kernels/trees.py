"""Evaluation of boosted trees: sums of regression trees, stored as arrays.

The nodes of all trees are in one array. The two children of a node are neighbours: x goes to the first one if
x[feature] <= threshold, else to the second. A leaf is its own first child, with threshold infinity, so each
walk takes as many steps as its tree is deep, without a branch that the processor would have to guess.
"""

import numpy as np

from aligner.kernels.policy import kernel

_ABREAST = 16
"""Rows that go down a tree together. It hides the latency of memory: 2 times as fast as one by one."""


@kernel
def evaluate(roots, depths, nodes, thresholds, values, x, sums):
    """Add the value of every tree to sums, float64 [rows], in the order of the trees.

    roots, depths: int32 [trees]; nodes: uint32 [nodes], the left child times 256 plus the column of x that
    the node looks at; thresholds: float32 [nodes]; values: float64 [nodes]; x: float32 [rows, columns],
    without NaN.
    """
    at = np.empty(_ABREAST, np.uint32)
    for first in range(0, len(x), _ABREAST):
        rows = min(_ABREAST, len(x) - first)
        for tree in range(len(roots)):
            for k in range(rows):
                at[np.uint32(k)] = roots[tree]
            for _ in range(depths[tree]):
                for k in range(rows):
                    here = at[np.uint32(k)]
                    node = nodes[here]
                    goes_right = x[np.uint32(first + k), node & np.uint32(255)] > thresholds[here]
                    at[np.uint32(k)] = (node >> np.uint32(8)) + np.uint32(goes_right)
            for k in range(rows):
                sums[first + k] += values[at[np.uint32(k)]]
