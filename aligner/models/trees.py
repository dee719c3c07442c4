"""Boosted trees as arrays: a function of the features of a cell, a sum of regression trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int32s, offsets_of
from aligner.storage.checks import require, take_array

_NODE_TYPES = {"features": np.int16, "thresholds": np.float32, "left": np.int32, "values": np.float64}
"""The element types of the arrays with an entry for each node."""

_LEAF = -1
_GREATEST_VALUE = 1e6
_MOST_NODES = 1 << 24
_MOST_NODES_OF_TREE = 1 << 10
"""A walk takes as many steps as its tree is deep: a chain of millions of nodes would take forever."""


@dataclass(frozen=True, eq=False)
class Trees:
    """A sum of regression trees.

    Attributes
    ----------
    roots
        int32 [trees + 1], the first node of each tree, and the number of nodes.
    features
        int16 [nodes], the feature that a node looks at, or -1 for a leaf.
    thresholds
        float32 [nodes]. Cells go left whose feature is at most this.
    left
        int32 [nodes], the left child, which follows its parent. The right child is the next node.
    values
        float64 [nodes], the value of a leaf.
    """

    roots: Int32s
    features: NDArray[np.int16]
    thresholds: Float32s
    left: Int32s
    values: Float64s

    @classmethod
    def none(cls) -> Trees:
        """Return a sum of no tree."""
        return cls(np.zeros(1, np.int32), *(np.empty(0, kind) for kind in _NODE_TYPES.values()))

    @classmethod
    def stump(cls, feature: int, threshold: float, left: float, right: float) -> Trees:
        """Return a tree with one node and two leaves of these values."""
        nodes = [feature, _LEAF, _LEAF], [threshold, 0, 0], [1, 0, 0], [0, left, right]
        own = (np.array(x, kind) for x, kind in zip(nodes, _NODE_TYPES.values(), strict=True))
        return cls(np.array([0, 3], np.int32), *own)

    @classmethod
    def joined(cls, parts: Sequence[Trees]) -> Trees:
        """Return the sum of several sums."""
        sizes = [len(part.features) for part in parts]
        shifts = offsets_of(np.array(sizes)).astype(np.int32)
        roots = [part.roots[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        nodes = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _NODE_TYPES}
        nodes["left"] += np.repeat(shifts[:-1], sizes)
        return cls(np.concatenate([*roots, shifts[-1:]]), **nodes)

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.roots) - 1

    def times(self, weight: float | Float64s) -> Trees:
        """Return the sum of the trees, each multiplied by a weight, or by its own of float64 [trees]."""
        weights = np.broadcast_to(weight, len(self))
        return replace(self, values=self.values * np.repeat(weights, np.diff(self.roots)))

    def first(self, trees: int) -> Trees:
        """Return the sum of the first trees; of all, if there are fewer."""
        trees = min(trees, len(self))
        end = self.roots[trees]
        return Trees(self.roots[: trees + 1], *(getattr(self, name)[:end] for name in _NODE_TYPES))

    def add_to(self, sums: Float64s, x: Float32s, least: float = -np.inf) -> None:
        """Add the values of the trees to sums, float64 [rows]. Sums below ``least`` may become -inf.

        x: float32 [rows, features], without NaN.
        """
        kernels.trees.evaluate(self.roots[:-1], *self._walk, least, x, sums)

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays by name."""
        return {name: getattr(self, name) for name in ("roots", *_NODE_TYPES)}

    @classmethod
    def take(cls, arrays: Mapping[str, NDArray], features: int) -> Trees:
        """Return the trees of ``arrays``; raise DamagedError unless every walk ends in a leaf of its tree.

        features: the number of features that there are.
        """
        roots = take_array(arrays, "roots", np.int32, None)
        require(len(roots) > 0 and roots[0] == 0 and (np.diff(roots) > 0).all(), "'roots' does not increase")
        require(roots[-1] < _MOST_NODES, "'roots' has too many nodes")
        require((np.diff(roots) <= _MOST_NODES_OF_TREE).all(), "'roots' has too large a tree")
        own = [take_array(arrays, name, kind, int(roots[-1])) for name, kind in _NODE_TYPES.items()]
        trees = cls(roots, *own)
        inner = np.flatnonzero(trees.features != _LEAF)
        looked_at, left = trees.features[inner], trees.left[inner].astype(np.int64)
        require(((looked_at >= 0) & (looked_at < features)).all(), "'features' is out of range")
        ends = roots[np.searchsorted(roots, inner, side="right")]
        require(((left > inner) & (left + 1 < ends)).all(), "'left' leaves its tree")
        require(np.isfinite(trees.thresholds).all(), "'thresholds' is not finite")
        require((np.abs(trees.values) <= _GREATEST_VALUE).all(), "'values' is out of range")
        return trees

    @cached_property
    def _walk(self) -> tuple[NDArray, ...]:
        """Return the arguments ``depths`` to ``rest`` of the kernel: leaves lead to themselves."""
        is_leaf = self.features == _LEAF
        depths = np.zeros(len(is_leaf), np.int32)
        for node in np.flatnonzero(~is_leaf).tolist():  # children follow their parents
            depths[self.left[node] : self.left[node] + 2] = depths[node] + 1
        left = np.where(is_leaf, np.arange(len(is_leaf)), self.left).astype(np.uint32)
        looked_at = np.where(is_leaf, 0, self.features).astype(np.uint32)
        trees = self.roots[:-1]
        values = np.where(is_leaf, self.values, -np.inf)
        greatest = np.maximum.reduceat(values, trees) if len(self) else values
        return (
            np.maximum.reduceat(depths, trees) if len(self) else depths,
            left << np.uint32(8) | looked_at,
            np.where(is_leaf, np.float32(np.inf), self.thresholds),
            self.values,
            np.append(np.cumsum(greatest[::-1])[::-1], 0.0)[1:],
        )
