"""The words of some shards, with their frequencies: the sum of round 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.text.bitext import Bitext
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import WordTable

_POSITIONS = 1 << 40
"""A shard has fewer tokens than this, so that (shard, position) fits into one integer."""

MOST_SHARDS = 1 << 22
"""The largest number of shards, and of slices."""


class SideWords(NamedTuple):
    """The different words of one side, in the order in which they first occur.

    text: UTF-8, each word followed by a newline; counts: int64 [words]; first: int64 [words], the shard and
    the position in the shard at which each word first occurs, as one number.
    """

    text: bytes
    counts: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, side: Sentences, vocabulary: Vocabulary, shard: int) -> SideWords:
        """Return the words of one side of a shard, encoded in its own vocabulary."""
        first = np.zeros(len(vocabulary), np.int64)
        first[side.tokens[::-1]] = np.arange(len(side.tokens) - 1, -1, -1)
        return cls._ordered(vocabulary.words, vocabulary.counts, shard * _POSITIONS + first)

    def plus(self, other: SideWords) -> SideWords:
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
    def _ordered(cls, words: list[str], counts: NDArray[np.int64], first: NDArray[np.int64]) -> SideWords:
        """Return words in the order in which they first occur."""
        order = np.argsort(first)
        text = "".join(f"{words[k]}\n" for k in order.tolist())
        return cls(text.encode(), counts[order], first[order])

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary: most frequent words first, ties in order of first appearance."""
        order = np.lexsort((self.first, -self.counts))
        words = self.text.decode().split("\n")
        return Vocabulary([words[k] for k in order.tolist()], self.counts[order])


@dataclass(frozen=True, eq=False)
class Words:
    """The words of both sides of some shards, and what was read.

    report: the sums of ``Bitext.report``.
    """

    source: SideWords
    target: SideWords
    report: dict[str, int]

    @classmethod
    def of(cls, usable: Bitext, report: Mapping[str, int], shard: int) -> Words:
        """Return the words of a shard. usable: its usable pairs, in the order of the text."""
        return cls(
            SideWords.of(usable.source, usable.source_vocabulary, shard),
            SideWords.of(usable.target, usable.target_vocabulary, shard),
            dict(report),
        )

    def plus(self, other: Words) -> Words:
        """Return the words of both parts."""
        report = {name: count + other.report[name] for name, count in self.report.items()}
        return Words(self.source.plus(other.source), self.target.plus(other.target), report)

    def values(self) -> dict[str, Any]:
        """Return the plain data of the part, for its file."""
        return {"report": self.report}

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the part, for its file."""
        named: dict[str, NDArray] = {}
        for name, side in (("source", self.source), ("target", self.target)):
            named[f"{name}.text"] = np.frombuffer(side.text, np.uint8)
            named |= {f"{name}.counts": side.counts, f"{name}.first": side.first}
        return named

    @classmethod
    def rebuild(cls, values: dict[str, Any], arrays: Mapping[str, NDArray]) -> Words:
        """Return the part with these values and arrays."""
        source, target = (
            SideWords(arrays[f"{name}.text"].tobytes(), arrays[f"{name}.counts"], arrays[f"{name}.first"])
            for name in ("source", "target")
        )
        return cls(source, target, values["report"])


def _table_of(text: bytes, words: int) -> WordTable:
    """Return a table that numbers different words, each followed by a newline, in their order."""
    return WordTable.of_text(text, words).table
