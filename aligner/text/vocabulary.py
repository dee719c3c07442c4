"""Vocabularies: the words of one language and their ids."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import Bools, Int32s, Int64s, UInt8s
from aligner.errors import DamagedError, DataError
from aligner.messages import counted
from aligner.text.lookup import Lookup
from aligner.text.marks import Marks, letters_in
from aligner.text.prefixes import JOINER
from aligner.text.splits import Splits
from aligner.text.word_table import WordTable

MOST_COUNT = 1 << 56
"""The greatest frequency of a word in a file: sums of frequencies fit into 64 bits."""

LONGEST_PREFIX = 2
"""The most letters of a prefix."""

_ENTRIES = 72
"""Bytes of a word besides its string: its entries in a list and in a table."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The V words of one language by id, the most frequent first; ties in order of first appearance.

    Every out-of-vocabulary word has the id V == len(vocabulary).

    Attributes
    ----------
    words
        V different words; word k has the id k.
    counts
        Frequency of each word in the trainable pairs, int64 [V].
    splits
        What text is split at: marks and prefixes that are words of their own.
    spellings
        The first spelling in the text, but for case, of each word that the lookup folds, the most frequent
        word first.
    """

    words: list[str]
    counts: Int64s
    splits: Splits = field(default_factory=Splits)
    spellings: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Vocabulary({counted(len(self), 'word')})"

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of each word, for single words. It is built on first use: models load fast without it."""
        return dict(zip(self.words, range(len(self)), strict=True))

    @cached_property
    def has_letters(self) -> Bools:
        """True for each word with a letter or a digit, bool [V + 1]; the last entry is False."""
        return np.append(letters_in(self.words), False)

    @cached_property
    def table(self) -> WordTable:
        """The hash table of the words, for encoding text. It is built on first use."""
        return WordTable.of_words(self.words)

    def find(self, words: WordTable) -> Int32s:
        """Return the id of each word of a table, int32 [words]; V for an out-of-vocabulary word.

        All text is encoded through this look-up. ``index`` serves single words.
        """
        return self.table.find(words)

    def ids_in(self, other: Vocabulary) -> Int32s:
        """Return the id of each word in another vocabulary, or -1, int32 [V + 1]; the last entry is -1."""
        ids = np.append(other.find(self.table), np.int32(-1))
        ids[ids == len(other)] = -1
        return ids

    def joined_with(self, other: Vocabulary) -> Vocabulary:
        """Return the words of both vocabularies with the sums of their frequencies.

        Of equally frequent words, these come first.
        """
        sums = Counter(dict(zip(self.words, self.counts.tolist(), strict=True)))
        sums.update(dict(zip(other.words, other.counts.tolist(), strict=True)))
        spellings = {**other.spellings, **self.spellings}
        return replace(Vocabulary.of_counts(sums), splits=self.splits, spellings=spellings)

    def split_at(self, splits: Splits) -> Vocabulary:
        """Return the vocabulary of the parts of words, or the vocabulary itself if nothing is split off."""
        if not splits:
            return self
        counts: Counter[str] = Counter()
        for word, count in zip(self.words, self.counts.tolist(), strict=True):
            for part in splits.split(word):
                counts[part] += count
        return replace(Vocabulary.of_counts(counts), splits=splits, spellings=self.spellings)

    def written(self, lookup: Lookup) -> list[str]:
        """Return the words as the text of this lookup writes them, but for case."""
        written: dict[str, str] = {}
        for word, spelling in self.spellings.items():
            for part in self.splits.split(word):
                ends = (n for n in range(1, len(spelling) + 1) if lookup.key(spelling[:n]) == part)
                end = max(ends, default=0)
                written.setdefault(part, spelling[:end] or part)
                spelling = spelling[end:].removeprefix(JOINER)
        return [written.get(word, word) for word in self.words]

    @classmethod
    def of_counts(cls, counts: Mapping[str, int]) -> Vocabulary:
        """Return the vocabulary of words with frequencies. Of equally frequent words, the order is kept."""
        words = sorted(counts, key=counts.__getitem__, reverse=True)
        return cls(words, np.array([counts[word] for word in words], np.int64))

    def to_bytes(self) -> bytes:
        r"""Return the words as UTF-8, joined by "\n"; raise DataError if a word holds a lone surrogate."""
        try:
            return "\n".join(self.words).encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(
                f"found {error.object[error.start : error.end]!a} in a word; expected valid Unicode; decode "
                f"the text strictly when reading it"
            ) from error

    def to_fields(self) -> dict[str, NDArray]:
        """Return the words, counts, and splits and spellings if there are any: arrays for files."""
        words = np.frombuffer(self.to_bytes(), np.uint8)
        fields: dict[str, NDArray] = {"words": words, "counts": self.counts}
        marks = self.splits.marks
        lines = {
            "prefixes": self.splits.prefixes,
            "marks": () if marks is None else map("\t".join, marks.to_lists()),
            "forms": map("\t".join, self.spellings.items()),
        }
        for name, of_field in lines.items():
            if joined := "\n".join(of_field):
                fields[name] = np.frombuffer(joined.encode(), np.uint8)
        return fields

    @classmethod
    def from_fields(
        cls,
        words: UInt8s,
        counts: Int64s,
        prefixes: UInt8s | None = None,
        marks: UInt8s | None = None,
        forms: UInt8s | None = None,
    ) -> Vocabulary:
        """Return the vocabulary of ``to_fields``; raise DamagedError if these are no words with counts."""
        if words.dtype != np.uint8 or counts.dtype != np.int64 or not words.ndim == counts.ndim == 1:
            raise DamagedError(f"its vocabulary has {words.dtype} words and {counts.dtype} counts")
        if (counts[1:] > counts[:-1]).any() or (
            len(counts) and not 0 < counts[-1] <= counts[0] <= MOST_COUNT
        ):
            raise DamagedError(f"the counts of its vocabulary increase, or are outside 1 to {MOST_COUNT:,}")
        data = words.tobytes()
        listed, affixes = _words_of(words), tuple(_words_of(prefixes))
        if len(listed) != len(counts):
            raise DamagedError(f"it has {len(listed)} words, but {len(counts)} counts")
        if len(set(listed)) < len(listed):
            raise DamagedError("its vocabulary has a word twice")
        if "" in listed or b" " in data or b"\t" in data:
            raise DamagedError("its vocabulary has a word that is empty or has a space")
        if not all(0 < len(prefix) <= LONGEST_PREFIX for prefix in affixes):
            raise DamagedError(f"its vocabulary has a prefix without letters, or with over {LONGEST_PREFIX}")
        rows = [line.split("\t") for line in _words_of(forms)]
        if not all(len(row) == 2 for row in rows):
            raise DamagedError("its vocabulary has a spelling without a word")
        splits = Splits(
            affixes,
            None if marks is None else Marks.from_lists([line.split("\t") for line in _words_of(marks)]),
        )
        return cls(listed, counts, splits, dict(rows))


def _words_of(data: UInt8s | None) -> list[str]:
    """Return the words that are joined by newlines; raise DamagedError if they are not UTF-8."""
    if data is None:
        return []
    if data.dtype != np.uint8:
        raise DamagedError(f"its vocabulary has {data.dtype} in place of letters")
    try:
        return data.tobytes().decode("utf-8").split("\n") if len(data) else []
    except UnicodeDecodeError as error:
        raise DamagedError(f"its vocabulary is not UTF-8: {error}") from None


def bytes_of_words(words: Sequence[str]) -> int:
    """Return about how many bytes of memory the different words of a text take."""
    return _ENTRIES * len(words) + sum(map(sys.getsizeof, words))
