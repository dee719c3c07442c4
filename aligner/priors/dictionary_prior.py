"""The dictionary as a prior: each entry counts as observed translations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
from aligner.text.facts import TextFacts
from aligner.text.prefixes import split_word
from aligner.text.vocabulary import Vocabulary

GREATEST_WORD_WEIGHT = 1 << 30
"""The greatest weight of all entries of a word. Added to a word's expected counts, it fits into 64 bits."""


@dataclass(frozen=True, eq=False)
class DictionaryPrior(PseudoCountSource):
    """The counts of a dictionary's word pairs, of those whose words both occur in a text.

    Attributes
    ----------
    entry
        int32 [word pairs], the number of the entry.
    source, target
        int32 [word pairs], word ids.
    counts
        int64 [word pairs], fixed point.
    entries
        Number of entries of the whole dictionary.
    """

    entry: NDArray[np.int32]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    counts: NDArray[np.int64]
    entries: int

    @classmethod
    def of(cls, facts: TextFacts, knowledge: Knowledge, threads: int = 1) -> DictionaryPrior | None:
        """Return the prior of a text, or None without a dictionary.

        Raises
        ------
        DataError
            If the entries of a word weigh too much together.
        """
        dictionary, weight = knowledge.evidence.dictionary, knowledge.evidence.weight
        if dictionary is None:
            return None
        source, target = facts.vocabularies
        ids, counts = [], []
        for number, source_word, target_word, share in dictionary.word_pairs(facts.lookup):
            s = source.index.get(split_word(source_word, source.prefixes)[-1])
            t = target.index.get(split_word(target_word, target.prefixes)[-1])
            if s is not None and t is not None:
                ids.append((number, s, t))
                counts.append(round(share * weight * COUNT_SCALE))
        entry, source_ids, target_ids = np.array(ids, np.int32).reshape(-1, 3).T.copy()
        _check_word_weights(source, source_ids, counts)
        _check_word_weights(target, target_ids, counts)
        return cls(entry, source_ids, target_ids, np.array(counts, np.int64), len(dictionary.entries))

    def pseudo_counts(self, pair: ModelPair, counts: Counts, stage: Stage) -> PseudoCounts:
        """Return the counts of the word pairs in the index.

        Word pairs that never co-occur, or were pruned, are not in the lexical tables and are left out.
        """
        pair_ids = self._pair_ids(pair.lexicon.index)  # looked up each time, since pruning renumbers them
        present = pair_ids > 0
        return PseudoCounts(pair_ids[present], self.counts[present])

    def needs_counts(self, stage: Stage) -> bool:
        return False

    def report(self, index: CooccurrenceIndex) -> dict[str, int]:
        """Return the number of entries, of those without any word pair in the index, and why.

        A missing entry has a word that is not in the text. The words of other unused entries never co-occur.
        """
        pairs = np.zeros(self.entries, np.int64)
        np.add.at(pairs, self.entry[self._pair_ids(index) > 0], 1)
        unused = int(np.count_nonzero(pairs == 0))
        missing = self.entries - len(np.unique(self.entry))
        return {
            "dictionary_entries": self.entries,
            "dictionary_unused": unused,
            "dictionary_missing": missing,
        }

    def _pair_ids(self, index: CooccurrenceIndex) -> NDArray[np.int64]:
        """Return the pair_id of each word pair, or 0, int64 [word pairs]."""
        ones = np.ones(len(self.source), np.int32)
        block = Block(self.source, ones, self.target, ones, np.empty(0, np.uint32))
        return index.find(block).pair_ids.astype(np.int64)


def _check_word_weights(vocabulary: Vocabulary, ids: NDArray[np.int32], counts: list[int]) -> None:
    """Raise DataError if the entries of a word weigh more together than 64-bit counts can hold."""
    totals = np.bincount(ids, np.array(counts) / COUNT_SCALE)
    too_heavy = np.flatnonzero(totals > GREATEST_WORD_WEIGHT)
    if len(too_heavy):
        word = too_heavy[0]
        raise DataError(
            f"dictionary: the entries of {vocabulary.words[word]!r} weigh {totals[word]:,.0f} together;"
            f" expected at most {GREATEST_WORD_WEIGHT:,}; give these entries, or the dictionary, less weight"
        )
