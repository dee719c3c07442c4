"""The words of some shards, with their frequencies: the sum of round 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DamagedError
from aligner.storage.checks import require
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import WordTable

_POSITIONS = 1 << 40
"""A shard has fewer tokens than this, so that (shard, position) fits into one integer."""

MOST_SHARDS = 1 << 22
"""The largest number of shards."""


class SideWordCounts(NamedTuple):
    """The different words of one side, in the order in which they first occur.

    text: uint8, UTF-8, each word followed by a newline; counts: int64 [words]; first: int64 [words], the
    shard and the position in the shard at which each word first occurs, as one number.
    """

    text: NDArray[np.uint8]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]

    def check_structure(self) -> None:
        """Raise DamagedError unless these are words."""
        data = self.text.tobytes()
        words = data.count(b"\n")
        require(data.endswith(b"\n") == (words > 0) and len(data) >= 2 * words, "it has words that are none")
        require(len(self.counts) == len(self.first) == words, "it has other numbers of words")
        require(self.counts.min(initial=1) > 0 and self.first.min(initial=0) >= 0, "its counts are negative")
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise DamagedError(f"its words are not UTF-8: {error}") from None

    @classmethod
    def of(cls, side: Sentences, vocabulary: Vocabulary, shard: int) -> SideWordCounts:
        """Return the words of one side of a shard, encoded in its own vocabulary."""
        first = np.zeros(len(vocabulary), np.int64)
        first[side.tokens[::-1]] = np.arange(len(side.tokens) - 1, -1, -1)
        return cls._ordered(vocabulary.words, vocabulary.counts, shard * _POSITIONS + first)

    def plus(self, other: SideWordCounts) -> SideWordCounts:
        """Return the words of both."""
        table, others = (_table_of(side.text, len(side.counts)) for side in (self, other))
        numbers = table.add(others)
        added = len(table) - len(self.counts)
        counts = np.concatenate([self.counts, np.zeros(added, np.int64)])
        first = np.concatenate([self.first, np.full(added, np.iinfo(np.int64).max)])
        counts[numbers] += other.counts
        first[numbers] = np.minimum(first[numbers], other.first)
        return self._ordered(table.words(), counts, first)

    @classmethod
    def _ordered(
        cls, words: list[str], counts: NDArray[np.int64], first: NDArray[np.int64]
    ) -> SideWordCounts:
        """Return words in the order in which they first occur."""
        order = np.argsort(first)
        text = "".join(f"{words[k]}\n" for k in order.tolist())
        return cls(np.frombuffer(text.encode(), np.uint8), counts[order], first[order])

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary: most frequent words first, ties in order of first appearance."""
        order = np.lexsort((self.first, -self.counts))
        words = self.text.tobytes().decode().split("\n")
        return Vocabulary([words[k] for k in order.tolist()], self.counts[order])


@dataclass(frozen=True, eq=False)
class WordCounts:
    """The words of both sides of some shards, and what was read.

    report: the sums of ``Bitext.report``.
    """

    source: SideWordCounts
    target: SideWordCounts
    report: dict[str, int]

    def __add__(self, other: WordCounts) -> WordCounts:
        """Return the words of both parts."""
        report = {name: count + other.report[name] for name, count in self.report.items()}
        return WordCounts(self.source.plus(other.source), self.target.plus(other.target), report)


def _table_of(text: NDArray[np.uint8], words: int) -> WordTable:
    """Return a table that numbers different words, each followed by a newline, in their order."""
    return WordTable.of_text(text.tobytes(), words).table
