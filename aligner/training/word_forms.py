"""The word-form prior: pseudo-counts from the translations of a word's other forms.

Inflected words are rare, but their forms translate alike. Every M-step gives each word pair pseudo-counts in
proportion to how the other words with the same first letters translate each other (see
``kernels.word_forms``). The estimates leave the pair itself out. Where first letters say nothing, or where
words are frequent, the prior has no effect.

Measured with 3 pseudo-counts on 13 texts: AER falls on 11 of them by 0.2 to 6.5 percentage points, the most
with 1,300 sentence pairs of inflected languages. With 1,130,588 pairs of French and English it stays within
0.02, and with 100,484 it rises by 0.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria.counts import PseudoCounts
from aligner.kernels.structs import WordClasses
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.system.threads import run_all, split_rows
from aligner.text.bitext import Bitext
from aligner.text.sentences import offsets_of
from aligner.text.vocabulary import Vocabulary

PREFIXES = (4, 6)
"""Numbers of first letters by which words are dealt into classes. 3 to 6 letters give about the same AER."""


@dataclass(frozen=True, eq=False)
class WordForms:
    """The word-form prior of a text."""

    bitext: Bitext
    threads: int = 1

    def pseudo_counts(self, lexicon: Lexicon, links: NDArray[np.int64], weight: float) -> PseudoCounts:
        """Return the pseudo-counts of all word pairs.

        lexicon: any tables over the co-occurrence index of the counts; links: int64 fixed point
        [pair_ids + 1, 1 or 2], the expected link counts of the text; weight: the pseudo-counts of a word
        whose other forms all have the same certain translation.
        """
        if not weight:
            return PseudoCounts.none()
        scores = np.zeros(len(lexicon.index) + 1, np.float32)
        totals = lexicon.totals(links, self.threads)
        for source, target in zip(*self._classes, strict=True):
            classes = source.with_totals(totals[0]), target.with_totals(totals[1])
            self._add_scores(lexicon.index, links, *classes, scores)
        scores *= np.float32(weight / len(PREFIXES))
        return PseudoCounts.none()._replace(everywhere=scores)

    def _add_scores(
        self,
        index: CooccurrenceIndex,
        links: NDArray[np.int64],
        source: WordClasses,
        target: WordClasses,
        scores: NDArray[np.float32],
    ) -> None:
        """Add the scores by one kind of classes. Each source class is the work of one thread."""
        sizes = np.diff(index.row_offsets)[source.members]
        work = offsets_of(sizes)[source.offsets]

        def add(classes: tuple[int, int]) -> None:
            rows = index.row_offsets, index.columns
            kernels.word_forms.add_scores(*classes, source, target, *rows, links, scores)

        run_all(split_rows(work, 4 * self.threads), add, self.threads)

    @cached_property
    def _classes(self) -> tuple[list[_Classes], list[_Classes]]:
        """The classes of source and of target words, for each number of letters."""
        vocabularies = self.bitext.source_vocabulary, self.bitext.target_vocabulary
        source, target = ([_Classes.of(words, length) for length in PREFIXES] for words in vocabularies)
        return source, target


@dataclass(frozen=True, eq=False)
class _Classes:
    """The words of one side in classes of the same first letters (see ``WordClasses``)."""

    classes: NDArray[np.int32]
    members: NDArray[np.int32]
    offsets: NDArray[np.int64]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, vocabulary: Vocabulary, length: int) -> _Classes:
        """Deal words into classes by their first letters."""
        numbers: dict[str, int] = {}
        prefixes = (word[:length] for word in vocabulary.words)
        classes = np.array([numbers.setdefault(prefix, len(numbers)) for prefix in prefixes], np.int32)
        sizes = np.bincount(classes, minlength=len(numbers))
        occurrences = np.bincount(classes, vocabulary.counts, len(numbers))
        return cls(
            classes,
            np.argsort(classes, kind="stable").astype(np.int32),
            offsets_of(sizes),
            vocabulary.counts / occurrences[classes],
        )

    def with_totals(self, totals: NDArray[np.float64]) -> WordClasses:
        """Return the classes with their expected counts; totals: float64 [types + 1], integers."""
        sums = np.bincount(self.classes, totals[:-1], len(self.offsets) - 1)
        return WordClasses(self.classes, self.members, self.offsets, self.shares, sums.astype(np.int64))
