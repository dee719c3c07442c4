"""Misalignment of a text: one side has shifted by some lines, so that sentences meet the wrong translations.

This happens when a line is lost, or broken in two, on one side only. Sentence lengths reveal it: the lengths
of translations correlate so strongly that a shift which raises the correlation by far is the true one.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from aligner.arrays import Float64s, Integers

MAX_SHIFT = 8
"""Greatest shift, in lines, that is looked for in either direction."""

_WINDOW = 500
"""Lines whose lengths are correlated together."""

_MIN_WINDOW = 100
"""Fewest lines to judge by. No shift is found in a text of fewer lines than these and 2 ``MAX_SHIFT``."""

_WINDOWS = 64
"""Windows examined, spread evenly over a text. Few are enough, because a shift mostly lasts to the end."""

_CHUNK_LINES, _WINDOWS_OF_CHUNK = 1 << 13, 4
"""Lines of a streamed text that are examined as one chunk, and the number of windows in it."""

_MIN_CORRELATION = 0.5
"""The least correlation of a significant shift."""

_MIN_GAIN = 0.25
"""The least difference of the correlations with a significant shift and without it.

Seven bitexts of 6 language pairs, one of them half a dictionary, were cut into 21,000 chunks. No shift is
found in any chunk. Nearly all chunks that were shifted by a line are found, except in the dictionary.
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
    """A search for the first shift of a streamed text, which may come in chunks of any size."""

    def __init__(self) -> None:
        self._lengths = np.empty((2, 0), np.int64)  # of the lines that have not been examined
        self._examined = 0
        self._found: Shift | None = None

    def add(self, source: Integers, target: Integers) -> None:
        """Add the lengths of the next sentences, both [n]."""
        self._lengths = np.concatenate([self._lengths, [source, target]], axis=1)
        while self._lengths.shape[1] >= _CHUNK_LINES:
            self._examine()

    def found(self) -> Shift | None:
        """Return the first shift, or None, after the last sentences were added."""
        self._examine()
        return self._found

    def _examine(self) -> None:
        """Look for a shift in the next chunk, unless one is found already."""
        chunk, self._lengths = self._lengths[:, :_CHUNK_LINES], self._lengths[:, _CHUNK_LINES:]
        if self._found is None and (shift := find_shift(chunk[0], chunk[1], _WINDOWS_OF_CHUNK)):
            self._found = shift._replace(line=self._examined + shift.line)
        self._examined += chunk.shape[1]


def find_shift(source: Integers, target: Integers, windows: int = _WINDOWS) -> Shift | None:
    """Return the first shift of a text, given the lengths of its sentences, both [n], or None.

    windows: the number of windows to examine.
    """
    window = min(_WINDOW, len(source) - 2 * MAX_SHIFT)
    if window < _MIN_WINDOW:
        return None
    sides = _ranks_of(source), _ranks_of(target)
    last = len(source) - MAX_SHIFT - window
    count = min(windows, (last - MAX_SHIFT) // window + 1)
    starts = np.unique(np.linspace(MAX_SHIFT, last, count).astype(int))
    previous = MAX_SHIFT
    for start in starts.tolist():
        shift = _best_shift(sides, start, window)
        if shift is not None:
            return _earliest(sides, previous, start, window, shift)
        previous = start
    return None


def length_correlation(source: Integers, target: Integers) -> float | None:
    """Return the correlation of the ranks of sentence lengths, both [n].

    Returns None if there are too few sentences to judge by, or too many of the same length.
    """
    if len(source) < _MIN_WINDOW:
        return None
    ranks = [_standardised(_ranks_of(lengths)) for lengths in (source, target)]
    if ranks[0] is None or ranks[1] is None:
        return None
    return float(np.mean(ranks[0] * ranks[1]))


def _ranks_of(lengths: Integers) -> Float64s:
    """Return the rank of the length of each sentence as a share of all sentences, float64 [n].

    Equal lengths share their mean rank. Ranks, unlike lengths, give a very long sentence no more weight.
    """
    lengths = np.minimum(lengths, _MAX_LENGTH)
    counts = np.bincount(lengths)
    return ((np.cumsum(counts) - counts / 2) / len(lengths))[lengths]


def _standardised(ranks: Float64s) -> Float64s | None:
    """Return ranks with mean 0 and standard deviation 1, or None if too many of them are equal."""
    if np.unique(ranks, return_counts=True)[1].max() > _MAX_COMMONEST * len(ranks):
        return None
    return (ranks - ranks.mean()) / ranks.std()


_Sides: TypeAlias = tuple[Float64s, Float64s]
"""The ranks of the lengths of source and target sentences."""


def _earliest(sides: _Sides, before: int, start: int, window: int, shift: Shift) -> Shift:
    """Return the shift found at ``start`` where it begins, by bisection. At ``before`` there is no shift."""
    while start - before > window // 2:
        middle = (before + start) // 2
        earlier = _best_shift(sides, middle, window)
        if earlier is None:
            before = middle
        else:
            start, shift = middle, earlier
    return shift


def _best_shift(sides: _Sides, start: int, window: int) -> Shift | None:
    """Return the shift of the best correlation in a window, or None if it is not significant."""
    source = _standardised(sides[0][start - MAX_SHIFT : start + window + MAX_SHIFT])
    target = _standardised(sides[1][start : start + window])
    if source is None or target is None:
        return None
    correlations = np.correlate(source, target) / window
    best = int(correlations.argmax())
    highest, unshifted = float(correlations[best]), float(correlations[MAX_SHIFT])
    if highest < max(unshifted + _MIN_GAIN, _MIN_CORRELATION):
        return None
    return Shift(start + 1 if start > MAX_SHIFT else 1, best - MAX_SHIFT, min(highest, 1.0), unshifted)
