"""The word-form prior: pseudo-counts from the translations of a word's other forms.

Inflected words are rare, but their forms translate alike. Every M-step draws each row of both lexical tables
towards the translations of the words with the same first letters: a hierarchical Dirichlet prior, from few
letters to more. Each mean is computed without the pair's own count (see ``kernels.word_forms``). The
concentration is learned from the expected counts, in each direction (see ``priors.concentration``).
Decoding guesses at new words by the same classes (see ``decoding.guesses``).

Both directions share the pseudo-counts, the geometric mean of k m(f | e) and k' m(e | f), because agreement
has one count for both. Given the pseudo-counts, the M-step maximises the expected log-likelihood plus
sum_ef pseudo-count log t, so a step of independent EM never lowers the log-likelihood plus this log prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s, inverse, offsets_of
from aligner.criteria import Counts
from aligner.criteria.counts import PseudoCounts
from aligner.kernels.constants import COUNT_SCALE
from aligner.kernels.structs import WordClasses
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.prefix_classes import BACK_OFF, PrefixClasses
from aligner.models import ModelPair
from aligner.priors.concentration import concentrations
from aligner.priors.knowledge import Knowledge
from aligner.priors.prior_means import PriorRows
from aligner.priors.source import PseudoCountSource
from aligner.recipe.config import Stage
from aligner.system.threads import for_rows
from aligner.text.facts import TextFacts
from aligner.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class WordForms(PseudoCountSource):
    """The word-form prior of a text; with a model to go on from, of counted word pairs as in ``Cognates``."""

    facts: TextFacts
    knowledge: Knowledge
    threads: int = 1

    def pseudo_counts(self, pair: ModelPair, counts: Counts, stage: Stage) -> PseudoCounts:
        """Return the pseudo-counts of all word pairs, if the stage has them."""
        if not stage.word_forms:
            return PseudoCounts()
        scores = self.scores(pair.lexicon.index, counts.links)
        found = PseudoCounts(everywhere=scores[:, None])
        return found if self.knowledge.init is None else found.of_counted(counts)

    def needs_counts(self, stage: Stage) -> bool:
        return stage.word_forms

    def scores(self, index: CooccurrenceIndex, links: Int64s) -> Float32s:
        """Compute the pseudo-counts of all word pairs, float32 [pair_ids + 1].

        links: int64 fixed point [pair_ids + 1, 1 or 2], the expected link counts of the text.
        """
        threads, means = self.threads, self._means(index, links)
        sums = PriorRows.of(index, links, means, threads)
        index.for_rows(kernels.tables.scale_rows, *map(inverse, sums.shares), means, threads=threads)
        learned = concentrations(index, links, means, sums.normalised(), threads=threads)
        strength = np.sqrt(np.prod(learned))
        rows = index.row_offsets
        for_rows(rows, threads, kernels.priors.geometric_means, rows, strength, means)
        return means[:, 0]

    def _means(self, index: CooccurrenceIndex, links: Int64s) -> Float32s:
        """Return the prior means of both directions, not normalised, float32 [pair_ids + 1, 2].

        Each source class is the work of one thread.
        """
        means = np.zeros((len(index) + 1, 2), np.float32)
        source_totals, target_totals = index.totals(links, self.threads)
        for source_classes, target_classes in zip(*self._classes, strict=True):
            source = _with_totals(source_classes, source_totals)
            target = _with_totals(target_classes, target_totals)
            work = offsets_of(np.diff(index.row_offsets)[source.members])[source.offsets]
            counts = links, BACK_OFF * COUNT_SCALE, means
            arguments = source, target, index.row_offsets, index.columns, *counts
            for_rows(work, self.threads, kernels.word_forms.back_off, *arguments)
        return means

    @cached_property
    def _classes(self) -> tuple[list[WordClasses], ...]:
        """The classes of source and of target words, from coarse to fine, without expected counts."""
        return tuple(map(_classes_of, self.facts.vocabularies))


def _classes_of(vocabulary: Vocabulary) -> list[WordClasses]:
    """Return the words of a vocabulary in classes of the same first letters, from coarse to fine."""
    return [
        WordClasses(
            level.classes,
            *level.members(),
            vocabulary.counts / level.occurrences[level.classes],
            np.empty(0, np.int64),
        )
        for level in PrefixClasses.levels(vocabulary)
    ]


def _with_totals(classes: WordClasses, totals: Float64s) -> WordClasses:
    """Return classes with their expected counts; totals: float64 [types + 1], integers."""
    sums = np.bincount(classes.classes, totals[:-1], len(classes.offsets) - 1)
    return classes._replace(totals=sums.astype(np.int64))
