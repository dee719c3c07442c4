"""Registries: the named choices that recipes and the command line offer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from aligner.errors import ConfigError
from aligner.extensions import load_extensions

_Entry = TypeVar("_Entry")


class Registry(Mapping[str, _Entry], Generic[_Entry]):
    """Entries of one kind by name, each with a one-line summary.

    Strings become objects here and nowhere else: recipes look their names up in a registry, and the command
    line takes its choices and help texts from it.

    Parameters
    ----------
    kind
        What an entry is, for messages, such as "criterion".
    prepare
        Called with the name of each new entry and the entry before it is added. It raises ConfigError to
        refuse the entry.
    """

    def __init__(self, kind: str, prepare: Callable[[str, _Entry], object] | None = None) -> None:
        self.kind = kind
        self._prepare = prepare
        self._entries: dict[str, tuple[_Entry, str]] = {}
        self._accepts: Callable[[_Entry], bool] = lambda entry: True

    def where(self, accepts: Callable[[_Entry], bool]) -> Registry[_Entry]:
        """Return a view of the entries that a function accepts. What is registered in it is in both."""
        view = copy(self)
        view._accepts = accepts
        return view

    def register(self, name: str, summary: str = "") -> Callable[[_Entry], _Entry]:
        """Return a decorator that adds an entry under a new name, and returns the entry unchanged.

        Parameters
        ----------
        name
            The name that users give.
        summary
            One line for help texts.

        Raises
        ------
        ConfigError
            If the name is taken, or if the entry is refused.
        """
        if name in self._entries:
            raise ConfigError(f"{self.kind} {name!r} is registered already; choose another name")

        def add(entry: _Entry) -> _Entry:
            if self._prepare is not None:
                self._prepare(name, entry)
            self._entries[name] = entry, summary
            return entry

        return add

    def __getitem__(self, name: str) -> _Entry:
        """Return the entry, if need be of an extension; KeyError if there is none (see ``find``)."""
        if name not in self._entries:
            load_extensions()
        entry, _ = self._entries[name]
        if not self._accepts(entry):
            raise KeyError(name)
        return entry

    def __iter__(self) -> Iterator[str]:
        return (name for name, (entry, _) in self._entries.items() if self._accepts(entry))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def find(self, name: str) -> _Entry:
        """Return the entry of a name that a user gave.

        Raises
        ------
        ConfigError
            If there is none. The message names the nearest known name.
        """
        check_known(name, self, self.kind)
        return self[name]

    def summary(self, name: str) -> str:
        """Return the one-line summary of an entry."""
        return self._entries[name][1]

    def describe(self) -> str:
        """Return all names with their summaries, separated by semicolons, for help texts."""
        summaries = {name: self.summary(name) for name in self}
        return "; ".join(f"{name}: {summary}" if summary else name for name, summary in summaries.items())


def set_name(name: str, entry: Any) -> None:
    """Set the attribute ``name`` of a class to the name under which it is registered."""
    entry.name = name


def check_known(name: str, names: Mapping[str, object] | tuple[str, ...] | list[str], kind: str) -> None:
    """Raise ConfigError, with the nearest known name, unless ``name`` is one of ``names``."""
    if name in names:
        return
    nearest = get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    raise ConfigError(f"unknown {kind} {name!r}{hint} (known: {', '.join(names)})")
