"""Bilingual dictionaries: entries with weights, and the counts that they add in training."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.criteria.counts import PseudoCounts
from aligner.errors import DataError
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.blocks import Block
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import AddUp, whole
from aligner.messages import display_name
from aligner.text.bitext import Bitext
from aligner.text.files import PathLike
from aligner.text.lines import read_lines
from aligner.text.vocabulary import Vocabulary

GREATEST_WEIGHT = 1e3
"""The greatest weight of an entry, and of a dictionary."""

GREATEST_WORD_WEIGHT = 1 << 30
"""The greatest weight of all entries of a word. Added to a word's expected counts, it fits into 64 bits."""


@dataclass(frozen=True)
class Dictionary:
    """Entries (source text, target text, weight): observed translations, counted ``weight`` times each.

    An entry of several words on a side counts for every pair of a source and a target word, its weight
    divided by the number of such pairs. The weights of equal entries are added.

    Raises
    ------
    DataError
        If a weight is out of range.
    """

    entries: tuple[tuple[str, str, float], ...]

    def __post_init__(self) -> None:
        for source, target, weight in self.entries:
            if not 0.0 <= weight <= GREATEST_WEIGHT:
                raise DataError(
                    f"dictionary: {source!r}, {target!r}: weight {weight}; expected a number from 0 to"
                    f" {GREATEST_WEIGHT:g}"
                )

    def word_pairs(self, lowercase: bool) -> Iterator[tuple[int, str, str, float]]:
        """Yield (number of the entry, source word, target word, weight) of every word pair."""
        for number, (source, target, weight) in enumerate(self.entries):
            sides = [_split_words(side.lower() if lowercase else side) for side in (source, target)]
            share = weight / max(len(sides[0]) * len(sides[1]), 1)
            yield from ((number, s, t, share) for s in sides[0] for t in sides[1])

    def encode(self, bitext: Bitext, weight: float) -> DictionaryCounts:
        """Return the counts of the word pairs in a text's vocabularies; weight: multiplies all weights.

        Raises
        ------
        DataError
            If the entries of a word weigh too much together.
        """
        source, target = bitext.source_vocabulary, bitext.target_vocabulary
        ids, counts = [], []
        for number, source_word, target_word, share in self.word_pairs(bitext.lowercase):
            s, t = source.index.get(source_word), target.index.get(target_word)
            if s is not None and t is not None:
                ids.append((number, s, t))
                counts.append(round(share * weight * COUNT_SCALE))
        entry, source_ids, target_ids = np.array(ids, np.int32).reshape(-1, 3).T.copy()
        _check_word_weights(source, source_ids, counts)
        _check_word_weights(target, target_ids, counts)
        return DictionaryCounts(entry, source_ids, target_ids, np.array(counts, np.int64), len(self.entries))


class DictionaryCounts(NamedTuple):
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

    def pseudo_counts(self, index: CooccurrenceIndex) -> PseudoCounts:
        """Return the counts of the word pairs in the index.

        Word pairs that never co-occur, or were pruned, are not in the lexical tables and are left out.
        """
        pair_ids = self._pair_ids(index)  # looked up each time, since pruning renumbers them
        present = pair_ids > 0
        return PseudoCounts(pair_ids[present], self.counts[present])

    def report(self, index: CooccurrenceIndex, add_up: AddUp = whole) -> dict[str, int]:
        """Return the number of entries, and of those without any word pair in the index.

        add_up: adds up over the parts of an index that is divided (see ``Lexicon``).
        """
        pairs = np.zeros(self.entries, np.int64)
        np.add.at(pairs, self.entry[self._pair_ids(index) > 0], 1)
        unused = int(np.count_nonzero(add_up(pairs) == 0))
        return {"dictionary_entries": self.entries, "dictionary_unused": unused}

    def _pair_ids(self, index: CooccurrenceIndex) -> NDArray[np.int64]:
        """Return the pair_id of each word pair, or 0, int64 [word pairs]."""
        ones = np.ones(len(self.source), np.int32)
        block = Block(self.source, ones, self.target, ones, np.empty(0, np.uint32))
        return index.find(block).pair_ids.astype(np.int64)


def read_dictionary(path: PathLike) -> Dictionary:
    """Read a dictionary with a line ``source TAB target`` or ``source TAB target TAB weight`` for each entry.

    The default weight is 1. Blank lines are ignored.

    Raises
    ------
    DataError
        With file and line, if a line has another form.
    """
    lines = enumerate(chain.from_iterable(read_lines(path)), start=1)
    return Dictionary(tuple(_parse_entry(line, path, number) for number, line in lines if line.strip()))


def _parse_entry(line: str, path: PathLike, number: int) -> tuple[str, str, float]:
    """Parse a line of a dictionary; raise DataError with file and line number."""
    source, *others = line.split("\t")
    try:
        weight = float(others[1]) if len(others) > 1 else 1.0
    except ValueError:
        weight = -1.0
    source, target = source.strip(" "), others[0].strip(" ") if others else ""
    if not (source and target) or len(others) > 2 or not 0.0 <= weight <= GREATEST_WEIGHT:
        raise DataError(
            f"{display_name(path)}:{number}: found {line[:80]!r}; expected: source TAB target, or source"
            f" TAB target TAB weight, with words on both sides and a weight from 0 to {GREATEST_WEIGHT:g}"
        )
    return source, target, weight


def _split_words(text: str) -> list[str]:
    """Split text at ASCII spaces and TABs, as a bitext is split."""
    return [word for word in re.split("[ \t]", text) if word]


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
