"""Bilingual dictionaries: entries with weights."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from aligner.errors import DataError
from aligner.messages import display_name
from aligner.text.files import PathLike
from aligner.text.lines import read_lines

GREATEST_WEIGHT = 1e3
"""The greatest weight of an entry, and of a dictionary."""


@dataclass(frozen=True)
class Dictionary:
    """Entries (source text, target text, weight): observed translations, counted ``weight`` times each.

    An entry is a sentence pair, too (see ``priors.dictionary_text``). The weights of equal entries are added.

    Raises
    ------
    DataError
        If a weight is out of range.
    """

    entries: tuple[tuple[str, str, float], ...]

    def __post_init__(self) -> None:
        for source, target, weight in self.entries:
            if not 0.0 <= weight <= GREATEST_WEIGHT:
                raise DataError(
                    f"dictionary: {source!r}, {target!r}: weight {weight}; expected a number from 0 to"
                    f" {GREATEST_WEIGHT:g}"
                )

    def turned(self) -> Dictionary:
        """Return the dictionary of the other direction."""
        return Dictionary(tuple((target, source, weight) for source, target, weight in self.entries))


def read_dictionary(path: PathLike) -> Dictionary:
    """Read a dictionary with a line ``source TAB target`` or ``source TAB target TAB weight`` for each entry.

    The default weight is 1. Blank lines are ignored.

    Raises
    ------
    DataError
        With file and line, if a line has another form.
    """
    lines = enumerate(chain.from_iterable(read_lines(path)), start=1)
    return Dictionary(tuple(_parse_entry(line, path, number) for number, line in lines if line.strip()))


def _parse_entry(line: str, path: PathLike, number: int) -> tuple[str, str, float]:
    """Parse a line of a dictionary; raise DataError with file and line number."""
    source, *others = line.split("\t")
    try:
        weight = float(others[1]) if len(others) > 1 else 1.0
    except ValueError:
        weight = -1.0
    source, target = source.strip(" "), others[0].strip(" ") if others else ""
    if not (source and target) or len(others) > 2 or not 0.0 <= weight <= GREATEST_WEIGHT:
        raise DataError(
            f"{display_name(path)}:{number}: found {line[:80]!r}; expected: source TAB target, or source"
            f" TAB target TAB weight, with words on both sides and a weight from 0 to {GREATEST_WEIGHT:g}"
        )
    return source, target, weight
