"""The codec of stored values: nested dataclasses and named tuples as tables of plain data and named arrays.

The codec needs no declaration besides the annotations of fields. A class that is stored in another form has
a method ``to_fields``, which returns them by name, and a class method ``from_fields``, which checks them.
Data of a file are not trusted: every field must have its annotated type, every array the annotated element
type, and every value whose class has a method ``check_structure`` must pass it. So a file that was damaged or
made on purpose is a value or a DamagedError.
"""

from __future__ import annotations

import types
import typing
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DamagedError
from aligner.storage.array_file import bytes_of
from aligner.storage.checks import require


class Arrays(dict[str, NDArray]):
    """A field of a value that consists of arrays by name alone."""


def encode(value: Any, arrays: dict[str, NDArray], name: str = "") -> Any:
    """Return a value as JSON data, and add its arrays to ``arrays``.

    A value with fields is a table of them; fields that are None are left out. The name of an array is its
    path of names, with dots; it stands for the array in the data, except in ``Arrays``. A class names, as
    ``inlined``, the fields whose own fields and arrays stand beside the others.

    Parameters
    ----------
    value
        Dataclasses, named tuples and classes with ``to_fields``, lists, tuples, dicts, arrays, numbers,
        strings and None.
    arrays
        Receives the arrays.
    name
        The name of the value, with which the names of its arrays begin.

    Raises
    ------
    TypeError
        If the value contains another type.
    """
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return name
    if value is None or isinstance(value, (int, float, str)):
        return value
    if isinstance(value, Arrays):
        return arrays.update({_join(name, own): array for own, array in value.items()})
    if type(value) in (list, tuple):
        return [encode(own, arrays, _join(name, str(n))) for n, own in enumerate(value)]
    found = value if type(value) is dict else fields_of(value)
    if found is None:
        raise TypeError(
            f"found {type(value).__name__} in {name}; expected dataclasses, lists, tuples, arrays, numbers"
            f" and strings"
        )
    table: dict[str, Any] = {}
    for field, own in found.items():
        is_inlined = field in getattr(value, "inlined", ())
        encoded = encode(own, arrays, name if is_inlined else _join(name, field))
        if is_inlined:
            table |= encoded or {}
        elif encoded is not None or found is value:
            table[field] = encoded
    return table


def decode(hint: Any, encoded: Any, arrays: Mapping[str, NDArray], name: str) -> Any:
    """Return the value that ``encode`` was given.

    Parameters
    ----------
    hint
        The type of the value: a class, or an annotation as fields of values have. Any stands for plain data.
    encoded, arrays, name
        What ``encode`` returned, the arrays by name, and the name of the value.

    Raises
    ------
    DamagedError
        If the data are no such value.
    """
    try:
        return _decode(hint, encoded, arrays, name)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DamagedError(f"'{name or 'model'}' cannot be rebuilt: {error!r}") from None


def _decode(hint: Any, encoded: Any, arrays: Mapping[str, NDArray], name: str) -> Any:
    """Return the value that was encoded, as ``decode`` does."""
    hint, may_be_none = _without_none(hint)
    hint = _without_alias(hint)
    if hint is Any:
        return encoded
    if hint is Arrays:
        prefix = _join(name, "")
        return Arrays({own.removeprefix(prefix): arrays[own] for own in arrays if own.startswith(prefix)})
    if encoded is None:
        return require(may_be_none or hint is None, f"'{name}' is missing")
    origin, arguments = get_origin(hint) or hint, get_args(hint)
    if origin is np.ndarray:
        array = arrays[encoded]
        fits = not arguments or array.dtype == np.dtype(get_args(arguments[1])[0])
        require(fits, f"'{name}' is {_describe(array)}")
        return array
    hints = _hints(origin)
    kind = dict if hints is not None else list if origin is tuple else origin
    require(type(encoded) is kind, f"'{name}' is {_describe(encoded)}")
    if hints is not None:
        return _decode_fields(origin, hints, encoded, arrays, name)
    if origin in (list, tuple) and arguments:
        if origin is list or arguments[-1] is ...:
            arguments = (arguments[0],) * len(encoded)
        require(len(arguments) == len(encoded), f"'{name}' has {len(encoded)} elements")
        elements = zip(arguments, encoded, strict=True)
        return origin(_decode(kind, own, arrays, f"{name}.{n}") for n, (kind, own) in enumerate(elements))
    if origin is dict and arguments:
        return {key: _decode(arguments[1], own, arrays, _join(name, key)) for key, own in encoded.items()}
    return origin(encoded)


def _decode_fields(
    kind: Any, hints: dict[str, Any], table: dict[str, Any], arrays: Mapping[str, NDArray], name: str
) -> Any:
    """Return the value of a class that has fields; hints: their types by name."""
    decoded = {}
    for field, hint in hints.items():
        is_inlined = field in getattr(kind, "inlined", ())
        encoded = table if is_inlined else table.get(field)
        decoded[field] = _decode(hint, encoded, arrays, name if is_inlined else _join(name, field))
    value = (kind.from_fields if hasattr(kind, "from_fields") else kind)(**decoded)
    if hasattr(value, "check_structure"):
        value.check_structure()
    return value


def _join(name: str, field: str) -> str:
    """Return the name of a field of a value."""
    return f"{name}.{field}" if name else field


def require_like(value: Any, example: Any, name: str = "state") -> None:
    """Require the types and the shapes of arrays of an example, and its values of the fields ``constants``.

    A class names, as ``constants``, the fields that are the same in all of its values, such as indices.
    """
    require(type(value) is type(example), f"'{name}' is {_describe(value)}")
    if isinstance(value, np.ndarray):
        alike = value.dtype == example.dtype and value.shape == example.shape
        return require(alike, f"'{name}' is {_describe(value)}")
    found, expected = fields_of(value), fields_of(example)
    if found is None or expected is None:
        return None
    require(len(found) == len(expected), f"'{name}' has {len(found)} fields")
    for field, own in found.items():
        require_like(own, expected[field], field)
        if field in getattr(type(value), "constants", ()):
            require(np.array_equal(own, expected[field]), f"'{field}' has other values")
    return None


def checksum(value: Any, start: int = 0) -> int:
    """Return the CRC-32 of all arrays and numbers in a value; start: the CRC-32 of the values before it."""
    if isinstance(value, np.ndarray):
        return zlib.crc32(bytes_of(np.ascontiguousarray(value)), start)
    found = fields_of(value)
    if found is None:
        return zlib.crc32(repr(value).encode(), start)
    for own in found.values():
        start = checksum(own, start)
    return start


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass, named tuple, list or tuple by name; None for another value."""
    if hasattr(value, "to_fields"):
        found: dict[str, Any] = value.to_fields()
        return found
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


def _without_alias(hint: Any) -> Any:
    """Return an annotation in full: since NumPy 2.5, ``NDArray`` is the alias of another."""
    alias = get_origin(hint)
    return alias.__value__[get_args(hint)] if hasattr(alias, "__value__") else hint


@cache  # a call costs 0.1 ms
def _hints(kind: Any) -> dict[str, Any] | None:
    """Return the types of the fields of a class by name; None for a class without fields."""
    if hasattr(kind, "from_fields"):
        return {
            name: hint for name, hint in typing.get_type_hints(kind.from_fields).items() if name != "return"
        }
    if is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return {field.name: hints[field.name] for field in fields(kind) if field.init}
    return typing.get_type_hints(kind) if hasattr(kind, "_fields") else None


def _describe(value: Any) -> str:
    """Return the type of a value, for messages; of an array, the element type and the shape."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    return f"a {type(value).__name__}"
