"""Packed values: nested values as JSON and named arrays, as checkpoints store the state of training."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, DistortionCounts
from aligner.criteria.constrained import StoredMultipliers
from aligner.criteria.exponentiated_gradient import Climb, Multinomials
from aligner.models import array_file

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
    parts = _parts(value)
    if parts is None:
        return value
    kind = type(value).__name__
    if kind not in ("list", "tuple", *_COMPOUND_TYPES):
        raise TypeError(
            f"found {kind} in the state of a criterion; expected {', '.join(_COMPOUND_TYPES)}, lists, tuples,"
            f" arrays and numbers; add it to training.packing"
        )
    return {"kind": kind, "parts": [pack(part, arrays) for part in parts]}


def unpack(packed: Any, arrays: Mapping[str, NDArray]) -> Any:
    """Return the value that ``pack`` was given."""
    if not isinstance(packed, dict):
        return packed
    if "array" in packed:
        return arrays[packed["array"]]
    parts = [unpack(part, arrays) for part in packed["parts"]]
    kind = packed["kind"]
    if kind == "list":
        return parts
    return tuple(parts) if kind == "tuple" else _COMPOUND_TYPES[kind](*parts)


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


def _parts(value: Any) -> list[Any] | None:
    """Return the parts of a compound value; None for another value."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    return list(value) if isinstance(value, (list, tuple)) else None
