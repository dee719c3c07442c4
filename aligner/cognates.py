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
from aligner.corpus import Bitext
from aligner.kernels.constants import COUNT_SCALE
from aligner.kernels.structs import Outlines
from aligner.objectives import Counts
from aligner.pairs import PairIndex
from aligner.parallel import over, runs_of
from aligner.spelling import LEAST_PERCENT, Spelling, outlines_of


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
            slots = self.slots(pairs)
            amounts = np.full(len(slots), round(weight * COUNT_SCALE))
            kernels.counting.add_to_rows(slots, amounts, counts.links)

    def slots(self, pairs: PairIndex) -> NDArray[np.int64]:
        """Their slots, ascending; found anew only if this is another index than before."""
        if self._index is None or self._index() is not pairs:
            self._slots = self._find(pairs)
            self._index = weakref.ref(pairs)
        return self._slots

    @cached_property
    def _spelling(self) -> tuple[Spelling, Outlines, Outlines]:
        """How words are spelled, and what shows of source and target words at once."""
        spelling = Spelling.of(*self._words)
        return spelling, outlines_of(spelling.source), outlines_of(spelling.target)

    def _find(self, pairs: PairIndex) -> NDArray[np.int64]:
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
