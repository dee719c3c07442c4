"""Checks of the contents of model files and checkpoints.

Each check raises DamagedError with a reason, unless what it looks at may be part of a model.
The readers of files (``array_file``, ``shards.folder``, ``training.checkpoint``) add the name of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from aligner.arrays import Float32s, Int64s
from aligner.errors import DamagedError

_Value = TypeVar("_Value")


def require(holds: bool | np.bool_, reason: str) -> None:
    """Raise DamagedError, with the reason, unless a condition holds."""
    if not holds:
        raise DamagedError(reason)


def take(table: Mapping[str, Any], name: str, kind: type[_Value]) -> _Value:
    """Return the entry of a table that has this name and exactly this type."""
    require(name in table, f"{name!r} is missing")
    value = table[name]
    require(type(value) is kind, f"{name!r} is {value!r:.40}")
    return value


def take_array(
    arrays: Mapping[str, NDArray], name: str, dtype: DTypeLike, *shape: int | None
) -> NDArray[Any]:
    """Return the array that has this name, type and shape. None stands for any length of an axis."""
    require(name in arrays, f"{name!r} is missing")
    array = arrays[name]
    fits = array.ndim == len(shape) and all(
        expected in (None, length) for length, expected in zip(array.shape, shape, strict=True)
    )
    require(array.dtype == dtype and fits, f"{name!r} is {array.dtype} {list(array.shape)}")
    return array


def require_probabilities(array: Float32s, name: str, least: float = 0.0) -> None:
    """Require values from ``least`` to 1, which rules out NaN and infinity."""
    # Non-negative floats have the order of their bits. Negative ones and NaN have greater bits than 1.0.
    bits, (low, high) = array.view(np.uint32), np.array([least, 1.0], np.float32).view(np.uint32)
    fits = bits.min(initial=high) >= low and bits.max(initial=low) <= high
    require(fits, f"{name!r} has values outside {least:g} to 1")


def require_rows(offsets: Int64s, first: int, last: int, name: str) -> None:
    """Require offsets of compressed rows: from ``first`` to ``last``, not decreasing."""
    holds = len(offsets) > 0 and offsets[0] == first and offsets[-1] == last
    require(holds and (offsets[1:] >= offsets[:-1]).all(), f"{name!r} is no sequence of offsets")
