"""Word tables: hash tables that number the words of UTF-8 text, much faster than a dictionary of strings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Int32s, Int64s, UInt8s, enlarge, offsets_of
from aligner.text.lookup import AS_IT_IS, Lookup
from aligner.text.rows import Rows

_INITIAL_SLOTS = 1 << 14


class NumberedText(NamedTuple):
    """Lines of text whose words are numbered by a table.

    table: the different words; tokens: the numbers of all words, int32 [N]; lengths: words of each line,
    int64 [lines]; word_sizes: if tokens of the text are ignored, 1 for each word and 0 for each of these.
    """

    table: WordTable
    tokens: Int32s
    lengths: Int64s
    word_sizes: Rows[np.int32] | None = None

    def without_ignored(self, lookup: Lookup) -> NumberedText:
        """Return the text without the tokens that a lookup ignores."""
        if not (ignored := lookup.ignored):
            return self
        keys, numbers = self.table.keys(lookup)
        is_word = np.array([key not in ignored for key in keys.words()], np.bool_)[numbers]
        table = WordTable.of_words(compress(self.table.words(), is_word))
        kept = is_word[self.tokens]
        tokens = (np.cumsum(is_word, dtype=np.int32) - 1)[self.tokens[kept]]
        sizes = Rows(kept.astype(np.int32), offsets_of(self.lengths))
        return NumberedText(table, tokens, np.diff(offsets_of(sizes.values)[sizes.offsets]), sizes)


class WordTable:
    """A hash table that numbers words in the order in which they are added; see ``kernels.words``."""

    def __init__(self) -> None:
        self._slots = np.full(_INITIAL_SLOTS, -1, np.int32)
        self._hashes = np.empty(0, np.uint64)
        self._offsets = np.zeros(1, np.int64)
        self._arena = np.empty(0, np.uint8)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @classmethod
    def of_text(cls, text: bytes, lines: int, *, lowercase: bool = False) -> NumberedText:
        """Assign numbers to the words of lines, each of which ends in a newline, in a new table.

        With lowercase, the letters A to Z become a to z; ``keys`` lowercases all other letters.
        """
        table = cls()
        tokens, lengths = np.empty(len(text) // 2 + 1, np.int32), np.empty(lines, np.int64)
        state = np.zeros(5, np.int64)
        data = np.frombuffer(text, np.uint8)
        while state[0] < len(text):
            table._reserve(len(table._slots) // 2 + 1, len(text))
            kernels.words.encode(data, lowercase, *table._arrays, state, tokens, lengths)
            table._count = int(state[4])
            table._rehash(table._count)
        return NumberedText(table, tokens[: state[1]], lengths)

    @classmethod
    def of_words(cls, words: Iterable[str]) -> WordTable:
        """Assign numbers to different words in their order."""
        return cls.of_lines(words).table

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> NumberedText:
        """Assign numbers to the words of lines, in a new table."""
        text = [f"{line}\n" for line in lines]
        return cls.of_text("".join(text).encode("utf-8", "surrogatepass"), len(text))

    def text(self) -> bytes:
        """Return the words by number, each followed by a newline."""
        return self._arena[: self._offsets[self._count]].tobytes()

    def is_text(self) -> bool:
        """Return True if the words are valid UTF-8 without NUL."""
        text = self.text()
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return b"\0" not in text

    def words(self) -> list[str]:
        """Return the words by number."""
        return self.text().decode("utf-8", "surrogatepass").split("\n")[:-1]

    def keys(self, lookup: Lookup) -> tuple[WordTable, Int32s]:
        """Return the table of the keys of the words, and the number in it of each word, int32 [words].

        The words must have been read with ``lowercase`` as in the lookup.
        """
        text = self.text()
        if text.isascii() or lookup == AS_IT_IS:
            return self, np.arange(len(self), dtype=np.int32)
        keys = lookup.key(text.decode("utf-8", "surrogatepass"))
        return self.of_text(keys.encode("utf-8", "surrogatepass"), len(self))[:2]

    def find(self, other: WordTable) -> Int32s:
        """Return the number here of each word of another table, int32 [words]; len(self) if it is missing."""
        return self._find(other, False)[0]

    def add(self, other: WordTable) -> Int32s:
        """Add the missing words of another table, and return the number here of each, int32 [words]."""
        self._reserve(self._count + len(other), int(self._offsets[self._count] + other._offsets[len(other)]))
        self._rehash(self._count + len(other))
        found, self._count = self._find(other, True)
        return found

    def _find(self, other: WordTable, grow: bool) -> tuple[Int32s, int]:
        """Return the number here of each word of another table, and the size of this table afterwards."""
        found = np.empty(len(other), np.int32)
        return found, kernels.words.find(*other._arrays[1:], *self._arrays, self._count, grow, found)

    @property
    def _arrays(self) -> tuple[Int32s, NDArray[np.uint64], Int64s, UInt8s]:
        """The arrays of the table as kernels take them."""
        return self._slots, self._hashes, self._offsets, self._arena

    def _reserve(self, words: int, size: int) -> None:
        """Enlarge the arrays to hold this many words, of this many bytes in all."""
        self._hashes = enlarge(self._hashes, words)
        self._offsets = enlarge(self._offsets, words + 1)
        self._arena = enlarge(self._arena, size)

    def _rehash(self, words: int) -> None:
        """Grow the table to more than 4 slots a word if this many words would fill more than half of it."""
        if len(self._slots) < 2 * words:
            self._slots = np.full(1 << (4 * words).bit_length(), -1, np.int32)
            kernels.words.fill_slots(self._hashes, self._count, self._slots)
