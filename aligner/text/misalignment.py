"""Whether one side of a text has slipped by some lines: then sentences go with others' translations.

It happens when a line is lost, or broken in two, on one side alone. Lengths tell: those of translations are
correlated, so much that a shift of lines which correlates far better than none is the true one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST = 8
"""Shifts by up to so many lines are looked for, either way."""

_WINDOW = 500
"""Lines that are looked at together ..."""

_FEWEST = 100
"""... or in a shorter text, so many at least: of fewer, nothing is said."""

_WINDOWS = 64
"""How many such windows are looked at, evenly over a text: who has slipped has mostly slipped for good."""

_LINES, _WINDOWS_OF_LINES = 1 << 13, 4
"""Of a text that comes in pieces, so many lines are looked at on their own, by so many windows."""

_LEAST = 0.5
_GAIN = 0.25
"""A shift is found where its correlation is at least the one, and above that of no shift by the other.

Of seven bitexts of six pairs of languages, one half a dictionary, cut into 21,000 pieces, none is taken for
shifted; shifted by a line, nearly all are found, but for the dictionary's.
"""

_COMMONEST = 0.9
"""More lines of the same length, as in lists of words, say nothing: the few others correlate by chance."""

_LONG = 1 << 12
"""Lengths from here on are alike."""


class Shift(NamedTuple):
    """Line k + by of the source seems to go with line k of the target, from about a ``line`` on, from 1.

    correlation: of the ranks of lengths there, with the shift; without: without it.
    """

    line: int
    by: int
    correlation: float
    without: float

    def describe(self) -> str:
        """One line for people."""
        source, target = (f" + {by}" if by > 0 else "" for by in (self.by, -self.by))
        return (
            f"from about line {self.line:,} on, line n{source} of the source seems to go with line n{target}"
            f" of the target, and not with its own: their lengths correlate by {self.correlation:.2f} then,"
            f" otherwise by {self.without:.2f}; was a line lost?"
        )


class ShiftFinder:
    """Looks for the first shift of a text that comes in pieces, of whatever size."""

    def __init__(self) -> None:
        self._waiting = np.empty((2, 0), np.int64)
        self._before = 0
        self._found: Shift | None = None

    def add(self, source: NDArray[np.integer], target: NDArray[np.integer]) -> None:
        """The lengths of the sentences that come next."""
        if self._found is None:
            self._waiting = np.concatenate([self._waiting, [source, target]], axis=1)
            while self._waiting.shape[1] >= _LINES:
                self._look()

    def found(self) -> Shift | None:
        """The first shift, now that all have come."""
        if self._found is None:
            self._look()
        return self._found

    def _look(self) -> None:
        lines, self._waiting = self._waiting[:, :_LINES], self._waiting[:, _LINES:]
        shift = find_shift(lines[0], lines[1], _WINDOWS_OF_LINES)
        if shift is not None and self._found is None:
            self._found = shift._replace(line=self._before + shift.line)
        self._before += lines.shape[1]


def find_shift(
    source: NDArray[np.integer], target: NDArray[np.integer], windows: int = _WINDOWS
) -> Shift | None:
    """The first shift of a text whose sentences have these lengths [n], if one of so many windows has one."""
    window = min(_WINDOW, len(source) - 2 * MOST)
    if window < _FEWEST:
        return None
    sides = _Side.of(source), _Side.of(target)
    last = len(source) - MOST - window
    starts = np.unique(np.linspace(MOST, last, min(windows, (last - MOST) // window + 1)).astype(int))
    before = MOST
    for start in starts.tolist():
        found = _best(*sides, start, window)
        if found is not None:
            return _earliest(sides, before, start, window, found)
        before = start
    return None


class _Side(NamedTuple):
    """A side's lengths [n], and the rank of each length there is, as a share of all."""

    lengths: NDArray[np.integer]
    ranks: NDArray[np.float64]

    @classmethod
    def of(cls, lengths: NDArray[np.integer]) -> _Side:
        """With ranks: of its like, a length has half behind it, and no line counts for being long."""
        lengths = np.minimum(lengths, _LONG)
        counts = np.bincount(lengths)
        return cls(lengths, (np.cumsum(counts) - counts / 2) / len(lengths))

    def between(self, first: int, last: int) -> NDArray[np.float64] | None:
        """The ranks of some lines, with mean 0 and standard deviation 1; None if most are of one length."""
        lengths = self.lengths[first:last]
        if np.bincount(lengths).max() > _COMMONEST * len(lengths):
            return None
        ranks = self.ranks[lengths]
        return (ranks - ranks.mean()) / ranks.std()


def _earliest(sides: tuple[_Side, _Side], before: int, start: int, window: int, found: Shift) -> Shift:
    """The shift found at a start, where it begins: after another start, where it is not yet."""
    while start - before > window // 2:
        middle = (before + start) // 2
        earlier = _best(*sides, middle, window)
        if earlier is None:
            before = middle
        else:
            start, found = middle, earlier
    return found


def _best(source: _Side, target: _Side, start: int, window: int) -> Shift | None:
    """What shifts so many lines from a start on, if it is one that is to be said."""
    reach, lines = source.between(start - MOST, start + window + MOST), target.between(start, start + window)
    if reach is None or lines is None:
        return None
    correlations = np.correlate(reach, lines) / window
    best = int(correlations.argmax())
    highest, own = float(correlations[best]), float(correlations[MOST])
    if highest < max(own + _GAIN, _LEAST):
        return None
    return Shift(start + 1 if start > MOST else 1, best - MOST, min(highest, 1.0), own)
