"""Packed values: nested values as JSON and named arrays, as checkpoints store the state of training."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, DistortionCounts, state_types
from aligner.errors import DamagedError
from aligner.models import array_file
from aligner.models.structure import require


def _compound_types() -> dict[str, Callable[..., Any]]:
    """Return the types of values by name: of stepwise EM, and of the states of all registered criteria."""
    return {"Counts": Counts, "DistortionCounts": DistortionCounts, **state_types()}


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
    parts, kind, known = _parts(value), type(value).__name__, _compound_types()
    if parts is None or kind not in ("list", "tuple", *known):
        raise TypeError(
            f"found {kind} in the state of a criterion; expected {', '.join(known)}, lists, tuples, arrays,"
            f" numbers and strings; use these, or declare it in Criterion.state_types"
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
    return tuple(parts) if kind == "tuple" else _compound_types()[kind](*parts)


def require_like(value: Any, example: Any, name: str = "state", is_equal: bool = False) -> None:
    """Require the types, the shapes of arrays and the constants of an example.

    is_equal: True to require the value of the example, too.
    """
    require(type(value) is type(example), f"'{name}' is a {type(value).__name__}")
    if isinstance(value, np.ndarray):
        alike = value.dtype == example.dtype and value.shape == example.shape
        require(alike, f"'{name}' is {value.dtype} {list(value.shape)}")
    parts, others = _parts(value), _parts(example)
    if is_equal:
        require(np.array_equal(value, example), f"'{name}' has other values")
    elif parts is not None and others is not None:
        require(len(parts) == len(others), f"'{name}' has {len(parts)} parts")
        constants = getattr(value, "constants", ())
        for own, part, other in zip(_names(value), parts, others, strict=True):
            require_like(part, other, own, own in constants)


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
