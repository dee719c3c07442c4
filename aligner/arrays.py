"""Types and functions of arrays that packages share."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Int64s: TypeAlias = NDArray[np.int64]
Int32s: TypeAlias = NDArray[np.int32]
UInt8s: TypeAlias = NDArray[np.uint8]
Integers: TypeAlias = NDArray[np.integer]
Float32s: TypeAlias = NDArray[np.float32]
Float64s: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


def offsets_of(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the cumulative sums of lengths [n] from 0: the offsets of compressed rows, int64 [n + 1]."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    lengths.cumsum(out=offsets[1:])
    return offsets


def position_type(lengths: NDArray[np.integer]) -> type[np.uint16 | np.int32]:
    """Return the smallest type that holds positions in sentences of these lengths, and their lengths.

    A sentence of at most 65,535 words may have more parts of words.
    """
    return np.uint16 if lengths.max(initial=0) <= np.iinfo(np.uint16).max else np.int32


def inverse(totals: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 / total for each total, or 0 where the total is 0, float64 [n]."""
    return np.divide(1.0, totals, out=np.zeros(len(totals)), where=totals > 0)


def enlarge(array: NDArray, size: int) -> NDArray:
    """Return the array if it has ``size`` elements or more, else a larger copy, padded with zeros."""
    if len(array) >= size:
        return array
    larger = np.zeros(size + size // 2 if len(array) else size, array.dtype)
    larger[: len(array)] = array
    return larger
