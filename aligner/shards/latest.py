"""The value that was used last, for processes that take many steps of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

_Value = TypeVar("_Value")


class Latest(Generic[_Value]):
    """The value that was asked for last. It is made again only if one of another key is needed."""

    def __init__(self) -> None:
        self._key: Any = None
        self._value: _Value | None = None

    def get(self, key: Any, make: Callable[[], _Value]) -> _Value:
        """Return the value of a key."""
        if self._value is None or self._key != key:
            self._value = None  # frees its memory before another one is made
            self._key, self._value = key, make()
        return self._value
