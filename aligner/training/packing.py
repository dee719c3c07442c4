"""Packed values: nested values as JSON and named arrays, as checkpoints store the state of training."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, DistortionCounts
from aligner.criteria.constrained import StoredMultipliers
from aligner.criteria.exponentiated_gradient import Climb, Multinomials
from aligner.errors import DamagedError
from aligner.models import array_file
from aligner.models.structure import require

_COMPOUND_TYPES: dict[str, Callable[..., Any]] = {
    kind.__name__: kind for kind in (Climb, Counts, DistortionCounts, StoredMultipliers, Multinomials)
}
"""Types of the state of criteria and of stepwise EM. A criterion with a new type of state adds it here."""


def pack(value: Any, arrays: dict[str, NDArray]) -> Any:
    """Return a value as JSON data that names its arrays, and add these to ``arrays``.

    Raises
    ------
    TypeError
        If the value contains a type that ``unpack`` cannot build.
    """
    if isinstance(value, np.ndarray):
        name = f"remembered.{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if value is None or isinstance(value, (int, float, str)):
        return value
    parts, kind = _parts(value), type(value).__name__
    if parts is None or kind not in ("list", "tuple", *_COMPOUND_TYPES):
        raise TypeError(
            f"found {kind} in the state of a criterion; expected {', '.join(_COMPOUND_TYPES)}, lists, tuples,"
            f" arrays, numbers and strings; use these, or add it to training.packing"
        )
    return {"kind": kind, "parts": [pack(part, arrays) for part in parts]}


def unpack(packed: Any, arrays: Mapping[str, NDArray]) -> Any:
    """Return the value that ``pack`` was given; raise DamagedError if this is not what ``pack`` returned."""
    try:
        return _unpack(packed, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"the state of training cannot be rebuilt: {error!r}") from None


def _unpack(packed: Any, arrays: Mapping[str, NDArray]) -> Any:
    """Return the value that ``pack`` was given."""
    if not isinstance(packed, dict):
        return packed
    if "array" in packed:
        return arrays[packed["array"]]
    parts = [_unpack(part, arrays) for part in packed["parts"]]
    kind = packed["kind"]
    if kind == "list":
        return parts
    return tuple(parts) if kind == "tuple" else _COMPOUND_TYPES[kind](*parts)


_INDICES = ("offsets", "rows", "row_count", "column")
"""Fields of states that must be equal, because kernels use them as indices."""


def require_like(value: Any, example: Any, name: str = "state") -> None:
    """Require the types, the shapes of arrays and the indices of an example."""
    require(type(value) is type(example), f"'{name}' is a {type(value).__name__}")
    if isinstance(value, np.ndarray):
        alike = value.dtype == example.dtype and value.shape == example.shape
        require(alike, f"'{name}' is {value.dtype} {list(value.shape)}")
    parts, others = _parts(value), _parts(example)
    if name in _INDICES:
        require(np.array_equal(value, example), f"'{name}' has other values")
    elif parts is not None and others is not None:
        names = _names(value)
        require(len(parts) == len(others), f"'{name}' has {len(parts)} parts")
        for own, part, other in zip(names, parts, others, strict=True):
            require_like(part, other, own)


def require_like_one(value: Any, examples: Sequence[Any]) -> None:
    """Require the types, the shapes of arrays and the indices of one of the examples."""
    for example in examples[:-1]:
        try:
            return require_like(value, example)
        except DamagedError:
            continue
    require_like(value, examples[-1])


def checksum(value: Any, start: int = 0) -> int:
    """Return the CRC-32 of all arrays and numbers in a value; start: the CRC-32 of the values before it."""
    if isinstance(value, np.ndarray):
        return zlib.crc32(array_file.bytes_of(np.ascontiguousarray(value)), start)
    parts = _parts(value)
    if parts is None:
        return zlib.crc32(repr(value).encode(), start)
    for part in parts:
        start = checksum(part, start)
    return start


def _names(value: Any) -> Sequence[str]:
    """Return the name of each part of a compound value."""
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return getattr(value, "_fields", None) or [f"state {n}" for n in range(len(value))]


def _parts(value: Any) -> list[Any] | None:
    """Return the parts of a compound value; None for another value."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    return list(value) if isinstance(value, (list, tuple)) else None
