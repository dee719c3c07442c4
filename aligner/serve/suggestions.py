"""Suggestions: the queue of lines to correct next, in a passage of the text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from aligner.arrays import Int64s
from aligner.learning.suggest import suggest
from aligner.serve.models import Models
from aligner.text.bitext import Bitext

_LENGTH = 50
"""The number of lines in the queue."""

_FEW = 5
"""With fewer lines that are not complete, the queue is filled anew."""

_LINES_AT_ONCE = 4096


class Suggestions:
    """The queue of lines to correct next. Lines with the same words are in it once.

    Parameters
    ----------
    text
        The text.
    path
        The file that keeps the passage.

    Attributes
    ----------
    passage
        The first and the last line that are looked at, from 1.
    queue
        The lines as plain data, the most uncertain first: "line", "uncertainty" in bits, "reasons".
    """

    def __init__(self, text: Bitext, path: Path) -> None:
        self._text, self._path = text, path
        self.passage = (1, len(text))
        with suppress(OSError, ValueError):  # there is none, or a person has written it
            self.passage = self._inside(*map(int, path.read_text().split()))
        self.queue: list[dict[str, Any]] = []
        self._may_grow = False
        self._groups = _groups(text)

    def state(self) -> dict[str, Any]:
        """Return the queue and the passage as plain data."""
        return {"queue": self.queue, "passage": self.passage}

    def choose(self, first: int, last: int) -> None:
        """Choose another passage, also for the next start."""
        self.passage = self._inside(first, last)
        self._path.write_text(f"{self.passage[0]} {self.passage[1]}\n")

    def _inside(self, first: int, last: int = 0) -> tuple[int, int]:
        """Return the lines of a passage that the text has, at least one."""
        first = min(max(first, 1), len(self._text))
        return first, min(max(last, first), len(self._text))

    def runs_out(self, complete: Collection[int]) -> bool:
        """Return True if few lines of the queue are not complete, and there may be others."""
        return self._may_grow and sum(found["line"] not in complete for found in self.queue) < _FEW

    def find(self, models: Models, complete: Collection[int], check: Callable[[], object]) -> None:
        """Fill the queue with the most uncertain lines of the passage that are not complete.

        If another passage is chosen meanwhile, the queue does not change: a search in that one follows.

        check: called now and then; an exception that it raises ends the search.
        """
        self._may_grow = False  # not while a search goes on
        (first, last), model = self.passage, models.model
        skipped = self._known_or_repeated(first, last, complete)
        found: list[dict[str, Any]] = []
        for start in range(first - 1, last, _LINES_AT_ONCE):
            check()
            if self.passage != (first, last):
                return
            part = self._text.slice(start, min(start + _LINES_AT_ONCE, last))
            found += [
                {"line": own.line + start, "uncertainty": round(own.uncertainty, 1), "reasons": own.reasons}
                for own in suggest(model, part, _LENGTH, skip=skipped - start, threads=models.threads)
            ]
            found = sorted(found, key=lambda own: (-own["uncertainty"], own["line"]))[:_LENGTH]
        self.queue = found
        self._may_grow = len(found) == _LENGTH

    def _known_or_repeated(self, first: int, last: int, complete: Collection[int]) -> Int64s:
        """Return the lines of a passage with the words of a complete line, or of an earlier line of it."""
        groups = self._groups[first - 1 : last]
        known = np.isin(groups, self._groups[np.array(sorted(complete), np.int64) - 1])
        known[np.setdiff1d(np.arange(len(groups)), np.unique(groups, return_index=True)[1])] = True
        return np.flatnonzero(known) + first


def _groups(text: Bitext) -> Int64s:
    """Return a number for each line, the same for lines with the same words, int64 [lines]."""
    sides = [np.split(side.tokens, side.offsets[1:-1]) for side in text.sides]
    keys = ((own.tobytes(), other.tobytes()) for own, other in zip(*sides, strict=True))
    numbers: dict[tuple[bytes, bytes], int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
