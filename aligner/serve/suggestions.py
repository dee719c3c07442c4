"""Suggestions: the queue of lines to correct next, in a passage of the text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from aligner.learning.suggest import suggest
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext

_LENGTH = 50
"""The number of lines in the queue."""

_FEW = 5
"""With fewer lines that are not complete, the queue is filled anew."""

_LINES_AT_ONCE = 4096


class Suggestions:
    """The queue of lines to correct next.

    Parameters
    ----------
    text
        The text.

    Attributes
    ----------
    passage
        The first and the last line that are looked at, from 1.
    queue
        The lines as plain data, the most uncertain first: "line", "uncertainty" in bits, "reasons".
    """

    def __init__(self, text: Bitext) -> None:
        self._text = text
        self.passage = (1, len(text))
        self.queue: list[dict[str, Any]] = []
        self._may_grow = False

    def choose(self, first: int, last: int) -> None:
        """Choose another passage."""
        first = min(max(first, 1), len(self._text))
        self.passage = first, min(max(last, first), len(self._text))

    def runs_out(self, complete: Collection[int]) -> bool:
        """Return True if few lines of the queue are not complete, and there may be others."""
        return self._may_grow and sum(found["line"] not in complete for found in self.queue) < _FEW

    def find(
        self, model: TrainedModel, complete: Collection[int], check: Callable[[], object], threads: int = 1
    ) -> None:
        """Fill the queue with the most uncertain lines of the passage that are not complete.

        If another passage is chosen meanwhile, the queue stays as it is: a search in that one follows.

        check: called now and then; an exception that it raises ends the search.
        """
        self._may_grow = False  # not while a search goes on
        first, last = self.passage
        found: list[dict[str, Any]] = []
        for start in range(first - 1, last, _LINES_AT_ONCE):
            check()
            if self.passage != (first, last):
                return
            part = self._text.slice(start, min(start + _LINES_AT_ONCE, last))
            done = [line - start for line in complete if line > start]
            found += [
                {"line": own.line + start, "uncertainty": round(own.uncertainty, 1), "reasons": own.reasons}
                for own in suggest(model, part, _LENGTH, skip=done, threads=threads)
            ]
            found = sorted(found, key=lambda own: (-own["uncertainty"], own["line"]))[:_LENGTH]
        self.queue = found
        self._may_grow = len(found) == _LENGTH
