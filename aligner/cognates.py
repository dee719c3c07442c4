"""Words that are spelled alike in both languages: names, numbers, punctuation, and cognates proper.

Two words are taken for cognates if their longest common subsequence has at least 58 % of the letters of the
longer one (the ratio and its threshold: Melamed 1999), where letters are compared without case and
diacritics. That such words translate each other is worth a pseudo-count in every M-step, much as if the text
had that many more pairs of just these two words (Kondrak, Marcu & Knight 2003).
"""

from __future__ import annotations

import re
import unicodedata
import weakref
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aligner.corpus import Bitext
from aligner.kernels import cognates as kernels
from aligner.kernels.fixed import SCALE
from aligner.objectives import Counts
from aligner.pairs import PairIndex
from aligner.parallel import over, runs_of

LEAST_RATIO = 0.58
"""Of the longest common subsequence to the longer word, at least."""

_DIACRITICS = re.compile("[\u0300-\u036f]+")
_NEWLINE = 10
_MOST_LETTERS = 60_000


class Cognates:
    """The word pairs of a text that are spelled alike, in whatever index it has just now."""

    def __init__(self, bitext: Bitext, threads: int = 1) -> None:
        self._words = bitext.source_vocabulary.words, bitext.target_vocabulary.words
        self._threads = threads
        self._index: weakref.ref[PairIndex] | None = None
        self._slots = np.empty(0, np.int64)

    def observe(self, counts: Counts, pairs: PairIndex, weight: float) -> None:
        """Add a pseudo-count to the expected counts of each, for both directions; pairs: what they are of."""
        if weight:
            counts.links[self.slots(pairs)] += round(weight * SCALE)

    def slots(self, pairs: PairIndex) -> NDArray[np.int64]:
        """Their slots, ascending; found anew only if this is another index than before."""
        if self._index is None or self._index() is not pairs:
            self._slots = self._find(pairs)
            self._index = weakref.ref(pairs)
        return self._slots

    def _find(self, pairs: PairIndex) -> NDArray[np.int64]:
        source, target, letters = _lettered(*map(_spelled, self._words))
        sides = source, np.flatnonzero(source == 0), target, np.flatnonzero(target == 0)
        alike = np.zeros(len(pairs) + 1, np.uint8)

        def find(run: tuple[int, int]) -> None:
            rows = pairs.row_offsets, pairs.columns
            kernels.find_cognates(*run, *rows, *sides, letters, round(100 * LEAST_RATIO), alike)

        # The last row is the unknown word's, and empty.
        over(runs_of(pairs.row_offsets[:-1], 4 * self._threads), find, self._threads)
        return np.flatnonzero(alike)


def _spelled(words: Sequence[str]) -> NDArray[np.uint32]:
    """The code points of words in lower case, without diacritics, a newline behind each."""
    text = "".join(f"{word}\n" for word in words).casefold()
    if not text.isascii():
        text = _DIACRITICS.sub("", unicodedata.normalize("NFKD", text))
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def _lettered(
    source: NDArray[np.uint32], target: NDArray[np.uint32]
) -> tuple[NDArray[np.uint16], NDArray[np.uint16], int]:
    """Code points as the letters of `find_cognates`, and how many letters both sides have."""
    present = np.zeros((2, 1 + max(side.max(initial=_NEWLINE) for side in (source, target))), np.bool_)
    present[0, source] = present[1, target] = True
    present[:, _NEWLINE] = False
    shared = np.flatnonzero(present.all(axis=0))[:_MOST_LETTERS]
    letters = np.empty(present.shape, np.uint16)
    letters[:] = [[len(shared) + 1], [len(shared) + 2]]
    letters[:, shared] = np.arange(1, len(shared) + 1)
    letters[:, _NEWLINE] = 0
    return letters[0, source], letters[1, target], len(shared)
