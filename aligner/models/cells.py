"""Directional cells: the arrays of a block that inference reads and writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import Float32s, Int32s, Int64s

AddedTo: TypeAlias = Int64s | None
"""Expected distortion counts that inference adds to; None: they are not counted."""


class DirectionalCells(NamedTuple):
    """One direction's cells of a block: potentials before inference, posteriors after it.

    The *emitted* side is generated given the *conditioning* side. Forward, the target is emitted and the
    source is conditioning. For a pair with I conditioning and J emitted words, its cells are the [J, I]
    matrix.

    Attributes
    ----------
    links
        float32 [cells], [J, I] for each pair: t(emitted_j | conditioning_i), then P(a_j = i).
    null
        float32 [emitted tokens]: t(emitted_j | NULL), then P(a_j = NULL).
    conditioning, emitted
        int32 [pairs], the lengths I and J.
    words
        int32 [conditioning tokens], the conditioning words.
    """

    links: Float32s
    null: Float32s
    conditioning: Int32s
    emitted: Int32s
    words: Int32s

    @classmethod
    def empty(
        cls, conditioning: Int32s, emitted: Int32s, words: Int32s, cells: int, tokens: int
    ) -> DirectionalCells:
        """Return cells without values; cells, tokens: the numbers of cells and of emitted tokens."""
        links, null = np.empty(cells, np.float32), np.empty(tokens, np.float32)
        return cls(links, null, conditioning, emitted, words)

    def without_values(self) -> DirectionalCells:
        """Return uninitialised cells of the same shapes and words."""
        return self._replace(links=np.empty_like(self.links), null=np.empty_like(self.null))

    def without_words(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays for kernels of models that do not depend on words, in order."""
        return self[:-1]

    def by_pair(self) -> Iterator[tuple[Float32s, Float32s, Int32s]]:
        """Yield links, [J, I], NULLs, [J], and conditioning words, [I], of each sentence pair, as views."""
        cell = token = word = 0
        for width, height in zip(self.conditioning.tolist(), self.emitted.tolist(), strict=True):
            links = self.links[cell : cell + width * height].reshape(height, width)
            yield links, self.null[token : token + height], self.words[word : word + width]
            cell, token, word = cell + width * height, token + height, word + width

    def copy(self) -> DirectionalCells:
        """Return cells whose potentials may be changed. The lengths and the words are shared."""
        return self._replace(links=self.links.copy(), null=self.null.copy())

    def to_power(self, power: float) -> DirectionalCells:
        """Return new cells with every potential raised to a power; the same cells if the power is 1."""
        if power == 1.0:
            return self
        return self._replace(links=self.links**power, null=self.null**power)


CellPair: TypeAlias = tuple[DirectionalCells, DirectionalCells]
"""The cells of both directions: forward, then reverse."""
