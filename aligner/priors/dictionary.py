"""Bilingual dictionaries: entries with weights."""

from __future__ import annotations

from dataclasses import dataclass

from aligner.errors import DataError
from aligner.files.opening import PathLike
from aligner.priors.dictionary_formats import GREATEST_WEIGHT, Entry, read_entries


@dataclass(frozen=True)
class Dictionary:
    """Entries (source text, target text, weight): observed translations, counted ``weight`` times each.

    An entry is a sentence pair, too (see ``priors.dictionary_text``). The weights of equal entries are added.

    Raises
    ------
    DataError
        If a weight is out of range.
    """

    entries: tuple[Entry, ...]

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
    """Read a dictionary in one of the formats of ``priors.dictionary_formats``.

    Without weights, each entry has the weight 1. Blank lines are ignored. Raises DataError, with file and
    line, if a line has another form than its format.
    """
    return Dictionary(tuple(read_entries(path)))
