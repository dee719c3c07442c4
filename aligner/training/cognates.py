"""Words that are spelled alike in both languages: names, numbers, punctuation, and cognates proper.

That such words translate each other is worth a pseudo-count in every M-step, much as if the text had that
many more pairs of just these two words (Kondrak, Marcu & Knight 2003).
"""

from __future__ import annotations

import weakref
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria.counts import PseudoCounts
from aligner.kernels.constants import COUNT_SCALE
from aligner.kernels.structs import Outlines
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.spelling import LEAST_PERCENT, Spelling, outlines_of
from aligner.system.threads import over, runs_of
from aligner.text.bitext import Bitext


class Cognates:
    """The word pairs of a text that are spelled alike, in whatever index it has just now."""

    def __init__(self, bitext: Bitext, threads: int = 1) -> None:
        self._words = bitext.source_vocabulary.words, bitext.target_vocabulary.words
        self._threads = threads
        self._index: weakref.ref[CooccurrenceIndex] | None = None
        self._slots = np.empty(0, np.int64)

    def pseudo_counts(self, index: CooccurrenceIndex, weight: float) -> PseudoCounts:
        """Return a pseudo-count of this weight for each pair of words that are spelled alike."""
        if not weight:
            return PseudoCounts.none()
        pair_ids = self.pair_ids(index)
        return PseudoCounts(pair_ids, np.full(len(pair_ids), round(weight * COUNT_SCALE)))

    def pair_ids(self, pairs: CooccurrenceIndex) -> NDArray[np.int64]:
        """Their pair_ids, ascending; found anew only if this is another index than before."""
        if self._index is None or self._index() is not pairs:
            self._slots = self._find(pairs)
            self._index = weakref.ref(pairs)
        return self._slots

    @cached_property
    def _spelling(self) -> tuple[Spelling, Outlines, Outlines]:
        """How words are spelled, and what shows of source and target words at once."""
        spelling = Spelling.of(*self._words)
        return spelling, outlines_of(spelling.source), outlines_of(spelling.target)

    def _find(self, pairs: CooccurrenceIndex) -> NDArray[np.int64]:
        spelling, source_shows, target_shows = self._spelling
        letters = *spelling, source_shows, target_shows
        alike = np.zeros(len(pairs) + 1, np.bool_)

        def find(run: tuple[int, int]) -> None:
            kernels.spelling.find_cognates(
                *run, pairs.row_offsets, pairs.columns, *letters, LEAST_PERCENT, alike
            )

        # The last row is the unknown word's, and empty.
        over(runs_of(pairs.row_offsets[:-1], 4 * self._threads), find, self._threads)
        return np.flatnonzero(alike)
