"""Compressed rows: rows of different lengths in one array."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, Self, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Bools, Int64s, Integers, offsets_of
from aligner.system.threads import run_all, split_rows

Indices = Sequence[int] | Integers | Bools
"""Numbers of rows, or a mask with one truth value for each row."""

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Rows(Generic[T]):
    """Compressed rows: row k is values[offsets[k]:offsets[k + 1]].

    Attributes
    ----------
    values
        The values of all rows, [N].
    offsets
        Beginnings of the rows and the end of the last, int64 [n + 1], from 0 to N, not decreasing.
    """

    values: NDArray[T]
    offsets: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, k: SupportsIndex) -> NDArray[T]:
        """Return row k as a view; a negative k counts from the end."""
        k = range(len(self))[operator.index(k)]  # raises IndexError
        return self.values[self.offsets[k] : self.offsets[k + 1]]

    @property
    def lengths(self) -> Int64s:
        """The number of values of each row, int64 [n]."""
        return self.offsets[1:] - self.offsets[:-1]

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all parts, of which there is at least one."""
        offsets = offsets_of(np.concatenate([part.lengths for part in parts]))
        return replace(parts[0], values=np.concatenate([part.values for part in parts]), offsets=offsets)

    def slice(self, first: int, stop: int) -> Self:
        """Return rows first to stop - 1, as a view."""
        if stop - first == len(self):
            return self
        offsets = self.offsets[first : stop + 1]
        return replace(self, values=self.values[offsets[0] : offsets[-1]], offsets=offsets - offsets[0])

    def select(self, indices: Indices, threads: int = 1) -> Self:
        """Copy the rows with these numbers, in this order, or the rows where a mask is true."""
        numbers = np.arange(len(self))[indices]
        if len(numbers) == len(self) == 1:
            return self
        starts = self.offsets[numbers]
        offsets = offsets_of(self.offsets[numbers + 1] - starts)
        return replace(self, values=gather_rows(self.values, starts, offsets, threads), offsets=offsets)


def gather_rows(values: NDArray[T], starts: Int64s, offsets: Int64s, threads: int = 1) -> NDArray[T]:
    """Copy rows of values of 32 bits: row n begins at values[starts[n]], and goes to offsets[n] on.

    starts: int64 [rows]; offsets: int64 [rows + 1]. Returns [offsets[-1]].
    """
    out = np.empty(offsets[-1], values.dtype)
    bits = values.view(np.int32), offsets, out.view(np.int32)  # one kernel copies integers and floats

    def copy(run: tuple[int, int]) -> None:
        kernels.loops.gather_rows(*run, starts, *bits)

    run_all(split_rows(offsets, 4 * threads if threads > 1 else 1), copy, threads)
    return out
