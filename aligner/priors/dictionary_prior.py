"""The dictionary as a prior: each entry counts as observed translations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aligner.arrays import Int32s, Int64s
from aligner.criteria import Counts
from aligner.criteria.counts import PseudoCounts
from aligner.errors import DataError
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.blocks import Block
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models import ModelPair
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import PseudoCountSource
from aligner.recipe.config import Stage
from aligner.text.bitext import Bitext
from aligner.text.facts import TextFacts
from aligner.text.vocabulary import Vocabulary

GREATEST_WORD_WEIGHT = 1 << 30
"""The greatest weight of all entries of a word. Added to a word's expected counts, it fits into 64 bits."""


@dataclass(frozen=True, eq=False)
class DictionaryPrior(PseudoCountSource):
    """The counts of a dictionary's entries of one word on each side. All entries are text, too.

    Attributes
    ----------
    source, target
        int32 [entries], word ids.
    counts
        int64 [entries], fixed point.
    """

    source: Int32s
    target: Int32s
    counts: Int64s

    @classmethod
    def of(cls, facts: TextFacts, knowledge: Knowledge, threads: int = 1) -> DictionaryPrior | None:
        """Return the prior of a text with the entries of the dictionary, or None without a dictionary.

        Of a word that is split at prefixes, the rest counts. Raises DataError if the entries of a word weigh
        too much together.
        """
        dictionary = knowledge.evidence.dictionary
        if dictionary is None:
            return None
        if facts.report.get("dictionary_turned"):
            dictionary = dictionary.turned()
        single = [entry for entry in dictionary.entries if " " not in entry[0] and " " not in entry[1]]
        pairs = [(source, target) for source, target, _ in single]
        text = Bitext.from_text(pairs, vocabularies=facts.vocabularies, **facts.lookup._asdict())
        weights = np.array([weight for *_, weight in single]) * knowledge.evidence.weight
        words = [side.tokens[side.offsets[1:] - 1] for side in (text.source, text.target)]
        known = (words[0] < text.source_types) & (words[1] < text.target_types)
        source, target = (own[known] for own in words)
        counts = np.rint(weights[known] * COUNT_SCALE).astype(np.int64)
        _check_word_weights(facts.source_vocabulary, source, counts)
        _check_word_weights(facts.target_vocabulary, target, counts)
        return cls(source, target, counts)

    def pseudo_counts(self, pair: ModelPair, counts: Counts, stage: Stage) -> PseudoCounts:
        """Return the counts of the word pairs in the index.

        Word pairs that never co-occur, or were pruned, are not in the lexical tables and are left out.
        """
        pair_ids = self._pair_ids(pair.lexicon.index)  # looked up each time, since pruning renumbers them
        present = pair_ids > 0
        return PseudoCounts(pair_ids[present], self.counts[present])

    def needs_counts(self, stage: Stage) -> bool:
        return False

    def _pair_ids(self, index: CooccurrenceIndex) -> Int64s:
        """Return the pair_id of each entry, or 0, int64 [entries]."""
        ones = np.ones(len(self.source), np.int32)
        block = Block(self.source, ones, self.target, ones, np.empty(0, np.uint32))
        return index.find(block).pair_ids.astype(np.int64)


def _check_word_weights(vocabulary: Vocabulary, ids: Int32s, counts: Int64s) -> None:
    """Raise DataError if the entries of a word weigh more together than 64-bit counts can hold."""
    totals = np.bincount(ids, counts / COUNT_SCALE)
    too_heavy = np.flatnonzero(totals > GREATEST_WORD_WEIGHT)
    if len(too_heavy):
        word = too_heavy[0]
        raise DataError(
            f"dictionary: the entries of {vocabulary.words[word]!r} weigh {totals[word]:,.0f} together;"
            f" expected at most {GREATEST_WORD_WEIGHT:,}; give these entries, or the dictionary, less weight"
        )
