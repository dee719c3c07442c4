"""Cognates: word pairs that are spelled alike, such as names, numbers, punctuation and cognates proper.

Such words often translate each other, also in different scripts (see ``lexicon.transliteration``). Every
M-step adds a pseudo-count to each of these pairs, as if the text had that many more sentence pairs of just
these two words (Kondrak, Marcu & Knight 2003).
"""

from __future__ import annotations

from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from aligner import kernels
from aligner.arrays import Int64s
from aligner.criteria import Counts
from aligner.criteria.counts import PseudoCounts
from aligner.kernels.constants import COUNT_SCALE
from aligner.kernels.structs import Outlines
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.spelling import LEAST_PERCENT, Spelling, outlines_of
from aligner.models import ModelPair
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import PseudoCountSource
from aligner.recipe.config import Stage
from aligner.system.threads import for_rows
from aligner.text.facts import TextFacts


class Cognates(PseudoCountSource):
    """The cognates of a text, by their pair_ids in the current index.

    If training goes on from a model, only word pairs with expected counts have pseudo-counts: the others have
    them in the model.
    """

    def __init__(self, facts: TextFacts, knowledge: Knowledge, threads: int = 1) -> None:
        self._words = facts.source_vocabulary.words, facts.target_vocabulary.words
        self._threads, self._counted_only = threads, knowledge.init is not None
        self._found: WeakKeyDictionary[CooccurrenceIndex, Int64s] = WeakKeyDictionary()

    def pseudo_counts(self, pair: ModelPair, counts: Counts, stage: Stage) -> PseudoCounts:
        """Return the stage's pseudo-count of each pair of cognates in the index."""
        if not stage.cognates:
            return PseudoCounts()
        pair_ids = self.pair_ids(pair.lexicon.index)
        found = PseudoCounts(pair_ids, np.full(len(pair_ids), round(stage.cognates * COUNT_SCALE)))
        return found.of_counted(counts) if self._counted_only else found

    def needs_counts(self, stage: Stage) -> bool:
        return self._counted_only

    def pair_ids(self, index: CooccurrenceIndex) -> Int64s:
        """Return the pair_ids of cognates, ascending. They are found anew only for a new index."""
        if index not in self._found:
            self._found[index] = self._find(index)
        return self._found[index]

    @cached_property
    def _spelling(self) -> tuple[Spelling, Outlines, Outlines]:
        """The spelling of all words, and the outlines of source and target words."""
        spelling = Spelling.of(*self._words)
        return spelling, outlines_of(spelling.source), outlines_of(spelling.target)

    def _find(self, index: CooccurrenceIndex) -> Int64s:
        """Return the pair_ids of cognates, ascending."""
        spelling, source_outlines, target_outlines = self._spelling
        alike = np.zeros(len(index) + 1, np.bool_)
        letters = *spelling, source_outlines, target_outlines, LEAST_PERCENT
        arguments = index.row_offsets, index.columns, *letters, alike
        # The last row, of the out-of-vocabulary word, is empty.
        for_rows(index.row_offsets[:-1], self._threads, kernels.spelling.find_cognates, *arguments)
        return np.flatnonzero(alike)
