"""Misalignment of a text: one side has shifted by some lines, so that sentences meet the wrong translations.

This happens when a line is lost, or broken in two, on one side only. Sentence lengths reveal it: the lengths
of translations correlate so strongly that a shift which raises the correlation by far is the true one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_SHIFT = 8
"""Greatest shift, in lines, that is looked for in either direction."""

_WINDOW = 500
"""Lines whose lengths are correlated together."""

_MIN_WINDOW = 100
"""Fewest lines to judge by. No shift is found in a text of fewer lines than these and 2 ``MAX_SHIFT``."""

_WINDOWS = 64
"""Windows examined, spread evenly over a text. Few are enough, because a shift mostly lasts to the end."""

_PIECE_LINES, _WINDOWS_OF_PIECE = 1 << 13, 4
"""Lines of a streamed text that are examined as one piece, and the number of windows in it."""

_MIN_CORRELATION = 0.5
"""The least correlation of a significant shift."""

_MIN_GAIN = 0.25
"""The least difference of the correlations with a significant shift and without it.

Seven bitexts of 6 language pairs, one of them half a dictionary, were cut into 21,000 pieces. No shift is
found in any piece. Nearly all pieces that were shifted by a line are found, except in the dictionary.
"""

_MAX_COMMONEST = 0.9
"""Greatest share of lines of one length. Beyond it, as in word lists, other lengths correlate by chance."""

_MAX_LENGTH = 1 << 12
"""Lengths from here on count as equal."""


class Shift(NamedTuple):
    """A shift: line k + by of the source seems to match line k of the target, from about ``line`` on.

    line: counted from 1; correlation: correlation of the ranks of sentence lengths with the shift; without:
    their correlation without the shift.
    """

    line: int
    by: int
    correlation: float
    without: float

    def describe(self) -> str:
        """Return a one-line warning."""
        source, target = (f" + {by}" if by > 0 else "" for by in (self.by, -self.by))
        return (
            f"from about line {self.line:,} on, line n{source} of the source seems to match line n{target} of"
            f" the target: their lengths correlate by {self.correlation:.2f}, and by {self.without:.2f}"
            f" without this shift; was a line lost?"
        )


class ShiftFinder:
    """A search for the first shift of a streamed text, which may come in pieces of any size."""

    def __init__(self) -> None:
        self._lengths = np.empty((2, 0), np.int64)  # of the lines that have not been examined
        self._examined = 0
        self._found: Shift | None = None

    def add(self, source: NDArray[np.integer], target: NDArray[np.integer]) -> None:
        """Add the lengths of the next sentences, both [n]."""
        if self._found is None:
            self._lengths = np.concatenate([self._lengths, [source, target]], axis=1)
            while self._lengths.shape[1] >= _PIECE_LINES:
                self._examine()

    def found(self) -> Shift | None:
        """Return the first shift, or None, after the last sentences were added."""
        if self._found is None:
            self._examine()
        return self._found

    def _examine(self) -> None:
        """Look for a shift in the next piece."""
        piece, self._lengths = self._lengths[:, :_PIECE_LINES], self._lengths[:, _PIECE_LINES:]
        shift = find_shift(piece[0], piece[1], _WINDOWS_OF_PIECE)
        if shift is not None and self._found is None:
            self._found = shift._replace(line=self._examined + shift.line)
        self._examined += piece.shape[1]


def find_shift(
    source: NDArray[np.integer], target: NDArray[np.integer], windows: int = _WINDOWS
) -> Shift | None:
    """Return the first shift of a text, given the lengths of its sentences, both [n], or None.

    windows: the number of windows to examine.
    """
    window = min(_WINDOW, len(source) - 2 * MAX_SHIFT)
    if window < _MIN_WINDOW:
        return None
    sides = _Side.of(source), _Side.of(target)
    last = len(source) - MAX_SHIFT - window
    count = min(windows, (last - MAX_SHIFT) // window + 1)
    starts = np.unique(np.linspace(MAX_SHIFT, last, count).astype(int))
    previous = MAX_SHIFT
    for start in starts.tolist():
        shift = _best_shift(*sides, start, window)
        if shift is not None:
            return _earliest(sides, previous, start, window, shift)
        previous = start
    return None


def length_correlation(source: NDArray[np.integer], target: NDArray[np.integer]) -> float | None:
    """Return the correlation of the ranks of sentence lengths, both [n].

    Returns None if there are too few sentences to judge by, or too many of the same length.
    """
    if len(source) < _MIN_WINDOW:
        return None
    ranks = [_Side.of(lengths).standardised(0, len(lengths)) for lengths in (source, target)]
    if ranks[0] is None or ranks[1] is None:
        return None
    return float(np.mean(ranks[0] * ranks[1]))


class _Side(NamedTuple):
    """The lengths of a side's sentences [n], and the rank of each length as a share of all sentences.

    Ranks, unlike lengths, give a very long sentence no more weight than others.
    """

    lengths: NDArray[np.integer]
    ranks: NDArray[np.float64]

    @classmethod
    def of(cls, lengths: NDArray[np.integer]) -> _Side:
        """Rank the lengths. Equal lengths share their mean rank."""
        lengths = np.minimum(lengths, _MAX_LENGTH)
        counts = np.bincount(lengths)
        return cls(lengths, (np.cumsum(counts) - counts / 2) / len(lengths))

    def standardised(self, first: int, last: int) -> NDArray[np.float64] | None:
        """Return the ranks of lines first to last - 1, with mean 0 and standard deviation 1.

        Returns None if too many of them have the same length.
        """
        lengths = self.lengths[first:last]
        if np.bincount(lengths).max() > _MAX_COMMONEST * len(lengths):
            return None
        ranks = self.ranks[lengths]
        return (ranks - ranks.mean()) / ranks.std()


def _earliest(sides: tuple[_Side, _Side], before: int, start: int, window: int, shift: Shift) -> Shift:
    """Return the shift found at ``start`` where it begins, by bisection. At ``before`` there is no shift."""
    while start - before > window // 2:
        middle = (before + start) // 2
        earlier = _best_shift(*sides, middle, window)
        if earlier is None:
            before = middle
        else:
            start, shift = middle, earlier
    return shift


def _best_shift(source: _Side, target: _Side, start: int, window: int) -> Shift | None:
    """Return the shift of the best correlation in a window, or None if it is not significant."""
    source_ranks = source.standardised(start - MAX_SHIFT, start + window + MAX_SHIFT)
    target_ranks = target.standardised(start, start + window)
    if source_ranks is None or target_ranks is None:
        return None
    correlations = np.correlate(source_ranks, target_ranks) / window
    best = int(correlations.argmax())
    highest, unshifted = float(correlations[best]), float(correlations[MAX_SHIFT])
    if highest < max(unshifted + _MIN_GAIN, _MIN_CORRELATION):
        return None
    return Shift(start + 1 if start > MAX_SHIFT else 1, best - MAX_SHIFT, min(highest, 1.0), unshifted)
