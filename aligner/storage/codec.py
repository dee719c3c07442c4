"""The codec of stored values: nested dataclasses and named tuples as plain data and named arrays.

The codec needs no declaration besides the annotations of fields. A class that is stored in another form has
a method ``to_parts``, which returns its parts by name, and a class method ``from_parts``, which checks them.
Data of a file are not trusted: every part must have its annotated type, every array the annotated element
type, and every value whose class has a method ``check_structure`` must pass it. So a file that was damaged or
made on purpose is a value or a DamagedError.

There are two forms. ``to_table`` and ``from_table`` are for a value of a known class, such as a model: names
of parts are the keys of tables and the names of arrays, so that other programs can read the file. ``encode``
and ``decode`` are for values of any types, such as the state of a criterion: the data name the types.
"""

from __future__ import annotations

import types
import typing
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DamagedError
from aligner.storage.array_file import bytes_of
from aligner.storage.checks import require, take


class Arrays(dict[str, NDArray]):
    """A part of a value that consists of arrays by name alone."""


def to_table(value: Any, arrays: dict[str, NDArray], prefix: str = "") -> dict[str, Any]:
    """Return the parts of a value as a table of plain data, and add its arrays to ``arrays``.

    A part with parts of its own is a table in the table. The names of its arrays, and of those of ``Arrays``,
    begin with the name of the part and a dot. None is left out. A class names, as ``inlined``, the parts
    whose own parts and arrays stand beside the others.

    Parameters
    ----------
    value
        A value whose class has ``to_parts``. A part is None, plain data, ``Arrays``, or such a value.
    arrays
        Receives the arrays.
    prefix
        The beginning of the names of the arrays.
    """
    table: dict[str, Any] = {}
    for name, part in value.to_parts().items():
        is_inlined = name in getattr(value, "inlined", ())
        own_prefix = prefix if is_inlined else f"{prefix}{name}."
        if hasattr(part, "to_parts"):
            own = to_table(part, arrays, own_prefix)
            table |= own if is_inlined else {name: own}
        elif isinstance(part, Arrays):
            arrays |= {own_prefix + own: array for own, array in part.items()}
        elif part is not None:
            table[name] = part
    return table


def from_table(kind: Any, table: dict[str, Any], arrays: Mapping[str, NDArray], prefix: str = "") -> Any:
    """Return the value that ``to_table`` was given.

    Parameters
    ----------
    kind
        The class of the value. The parameters of its ``from_parts`` are the names and the types of its parts.
    table, arrays, prefix
        What ``to_table`` returned, the arrays by name, and the beginning of the names of its arrays.

    Raises
    ------
    DamagedError
        If the data are no such value.
    """
    parts: dict[str, Any] = {}
    for name, hint in typing.get_type_hints(kind.from_parts).items():
        hint, may_be_none = _without_none(hint)
        is_inlined = name in getattr(kind, "inlined", ())
        own_prefix = prefix if is_inlined else f"{prefix}{name}."
        if name == "return" or (may_be_none and name not in table):
            continue
        if hasattr(hint, "from_parts"):
            own = table if is_inlined else take(table, name, dict)
            parts[name] = from_table(hint, own, arrays, own_prefix)
        elif hint is Arrays:
            names = [own for own in arrays if own.startswith(own_prefix)]
            parts[name] = Arrays({own.removeprefix(own_prefix): arrays[own] for own in names})
        else:
            require(name in table, f"{name!r} is missing")
            _require_type(table[name], hint, name)
            parts[name] = table[name]
    return kind.from_parts(**parts)


def encode(value: Any, arrays: dict[str, NDArray], name: str, kinds: Iterable[type] = ()) -> Any:
    """Return a value as JSON data that names its arrays, and add these to ``arrays``.

    Parameters
    ----------
    value
        Dataclasses, named tuples, lists, tuples and dicts of arrays, numbers, strings and None.
    arrays
        Receives the arrays, under names that begin with ``name``.
    name
        The name of the value.
    kinds
        If given, the only dataclasses and named tuples that are allowed.

    Raises
    ------
    TypeError
        If the value contains another type.
    """
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {"array": name}
    if value is None or isinstance(value, (int, float, str)):
        return value
    if type(value) is dict:
        return {"dict": {key: encode(part, arrays, f"{name}.{key}", kinds) for key, part in value.items()}}
    kind, allowed = type(value), tuple(kinds)
    parts = parts_of(value)
    if parts is None or (allowed and kind not in (list, tuple, *allowed)):
        known = ", ".join(other.__name__ for other in allowed)
        raise TypeError(
            f"found {kind.__name__} in {name}; expected {known + ', ' if known else ''}lists, tuples, arrays,"
            f" numbers and strings"
        )
    encoded = [encode(part, arrays, f"{name}.{own}", kinds) for own, part in parts.items()]
    return {"kind": kind.__name__, "parts": encoded}


def decode(
    hint: Any, encoded: Any, arrays: Mapping[str, NDArray], name: str, kinds: Iterable[type] = ()
) -> Any:
    """Return the value that ``encode`` was given.

    Parameters
    ----------
    hint
        The type of the value: a class, or an annotation as fields of values have.
    encoded, arrays
        What ``encode`` returned, and the arrays by name.
    name
        The name of the value, for messages.
    kinds
        Types that occur where the annotation is Any.

    Raises
    ------
    DamagedError
        If the data are no such value.
    """
    known = {kind.__name__: kind for kind in (*_kinds_of(hint), *kinds)}
    try:
        value = _rebuild(encoded, arrays, known)
        _require_type(value, hint, name)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DamagedError(f"'{name}' cannot be rebuilt: {error!r}") from None
    return value


def _rebuild(encoded: Any, arrays: Mapping[str, NDArray], kinds: Mapping[str, type]) -> Any:
    """Return the value that was encoded, without looking at annotations."""
    if not isinstance(encoded, dict):
        return encoded
    if "array" in encoded:
        return arrays[encoded["array"]]
    if "dict" in encoded:
        return {key: _rebuild(part, arrays, kinds) for key, part in encoded["dict"].items()}
    parts = [_rebuild(part, arrays, kinds) for part in encoded["parts"]]
    if encoded["kind"] == "list":
        return parts
    if encoded["kind"] == "tuple":
        return tuple(parts)
    kind = kinds[encoded["kind"]]
    if not hasattr(kind, "from_parts"):
        return kind(*parts)
    for part in parts:
        _require_type(part, Any, encoded["kind"])
    return kind.from_parts(*parts)


def _require_type(value: Any, hint: Any, name: str) -> None:
    """Require that a value, and all of its parts, have their annotated types and pass their checks."""
    hint, may_be_none = _without_none(hint)
    if value is None and hint is not Any:
        return require(may_be_none, f"'{name}' is missing")
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is np.ndarray:
        (element,) = get_args(arguments[1])
        fits = isinstance(value, np.ndarray) and value.dtype == np.dtype(element)
        return require(fits, f"'{name}' is {_describe(value)}")
    if origin in (list, tuple, dict) or hint in (list, tuple, dict):
        return _require_container(value, origin or hint, arguments, name)
    if hint is not Any:
        require(type(value) is hint, f"'{name}' is {_describe(value)}")
    kind: Any = type(value)
    parts = None if hasattr(value, "to_parts") else parts_of(value)  # ``_rebuild`` has checked stored parts
    for own, part in (parts or {}).items():
        _require_type(part, _hints(kind).get(own, Any), f"{name}.{own}")
    if hasattr(value, "check_structure"):
        value.check_structure()
    return None


def _require_container(value: Any, kind: type, arguments: tuple[Any, ...], name: str) -> None:
    """Require a list, a tuple or a dict whose entries have their annotated types."""
    require(type(value) is kind, f"'{name}' is {_describe(value)}")
    if kind is dict:
        for key, part in value.items():
            _require_type(part, arguments[1] if arguments else Any, f"{name}.{key}")
        return
    if kind is tuple and arguments and arguments[-1] is not ...:
        require(len(value) == len(arguments), f"'{name}' has {len(value)} parts")
        hints: Iterable[Any] = arguments
    else:
        hints = [arguments[0] if arguments else Any] * len(value)
    for number, (part, hint) in enumerate(zip(value, hints, strict=True)):
        _require_type(part, hint, f"{name}.{number}")


def require_like(value: Any, example: Any, name: str = "state") -> None:
    """Require the types and the shapes of arrays of an example, and its values of the fields ``constants``.

    A class names, as ``constants``, the fields that are the same in all of its values, such as indices.
    """
    require(type(value) is type(example), f"'{name}' is {_describe(value)}")
    if isinstance(value, np.ndarray):
        alike = value.dtype == example.dtype and value.shape == example.shape
        return require(alike, f"'{name}' is {_describe(value)}")
    parts, others = parts_of(value), parts_of(example)
    if parts is None or others is None:
        return None
    require(len(parts) == len(others), f"'{name}' has {len(parts)} parts")
    for own, part in parts.items():
        require_like(part, others[own], own)
        if own in getattr(type(value), "constants", ()):
            require(np.array_equal(part, others[own]), f"'{own}' has other values")
    return None


def checksum(value: Any, start: int = 0) -> int:
    """Return the CRC-32 of all arrays and numbers in a value; start: the CRC-32 of the values before it."""
    if isinstance(value, np.ndarray):
        return zlib.crc32(bytes_of(np.ascontiguousarray(value)), start)
    parts = parts_of(value)
    if parts is None:
        return zlib.crc32(repr(value).encode(), start)
    for part in parts.values():
        start = checksum(part, start)
    return start


def parts_of(value: Any) -> dict[str, Any] | None:
    """Return the parts of a dataclass, named tuple, list or tuple by name; None for another value."""
    if hasattr(value, "to_parts"):
        parts: dict[str, Any] = value.to_parts()
        return parts
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value) if field.init}
    if isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None) or map(str, range(len(value)))
        return dict(zip(names, value, strict=True))
    return None


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return an annotation without None, Any if several types remain, and True if it allows None."""
    if get_origin(hint) not in (types.UnionType, typing.Union):
        return hint, False
    others = [other for other in get_args(hint) if other is not type(None)]
    return others[0] if len(others) == 1 else Any, type(None) in get_args(hint)


@cache  # a call costs 0.1 ms
def _hints(kind: Any) -> dict[str, Any]:
    """Return the annotations of a class."""
    return typing.get_type_hints(kind) if is_dataclass(kind) or hasattr(kind, "_fields") else {}


def _kinds_of(hint: Any) -> set[type]:
    """Return the dataclasses and named tuples that occur in an annotation, however deep."""
    found: set[type] = set()
    pending = [hint]
    while pending:
        other = pending.pop()
        pending += get_args(other)
        if isinstance(other, type) and other not in found and _hints(other):
            found.add(other)
            pending += _hints(other).values()
    return found


def _describe(value: Any) -> str:
    """Return the type of a value, for messages; of an array, the element type and the shape."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    return f"a {type(value).__name__}"
