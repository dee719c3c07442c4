"""Text to word numbers, much faster than by a dictionary of strings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels

_FIRST_PLACES = 1 << 14


class EncodedText(NamedTuple):
    """Different words of a text, the numbers of all, int32 [N], and how many each line has, int64 [lines]."""

    table: WordTable
    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]


class WordTable:
    """Numbers words in the order in which they came."""

    def __init__(self) -> None:
        self._places = np.full(_FIRST_PLACES, -1, np.int32)
        self._hashes = np.empty(0, np.uint64)
        self._offsets = np.zeros(1, np.int64)
        self._arena = np.empty(0, np.uint8)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @classmethod
    def of_text(cls, text: bytes, lines: int, *, lowercase: bool = False) -> EncodedText:
        """The words of so many lines, each with a newline behind it, in a new table.

        With lowercase, words have a to z for A to Z; `lowered` does the rest.
        """
        table = cls()
        tokens, lengths = np.empty(len(text) // 2 + 1, np.int32), np.empty(lines, np.int64)
        state = np.zeros(5, np.int64)
        data = np.frombuffer(text, np.uint8)
        while state[0] < len(text):
            table._make_room(len(table._places) // 2 + 1, len(text))
            kernels.word_table.encode(
                data,
                lowercase,
                table._places,
                table._hashes,
                table._offsets,
                table._arena,
                state,
                tokens,
                lengths,
            )
            table._count = int(state[4])
            table._spread(table._count)
        return EncodedText(table, tokens[: state[1]], lengths)

    def text(self) -> bytes:
        """The words by number, a newline behind each."""
        return self._arena[: self._offsets[self._count]].tobytes()

    def is_text(self) -> bool:
        """Whether the words are UTF-8 and without NUL."""
        text = self.text()
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return b"\0" not in text

    def words(self) -> list[str]:
        """The words by number."""
        return self.text().decode("utf-8", "surrogatepass").split("\n")[:-1]

    def lowered(self) -> tuple[WordTable, NDArray[np.int32]]:
        """The table of these words in lowercase, and the number there of each word here, int32 [words].

        For words that were read with lowercase.
        """
        text = self.text()
        if text.isascii():
            return self, np.arange(len(self), dtype=np.int32)
        # As if word by word: no letter becomes or hides a space, a TAB or a newline, and the one rule of
        # lowercase that looks at a letter's neighbours, the final sigma, does not look past them.
        lowered = text.decode("utf-8", "surrogatepass").lower().encode("utf-8", "surrogatepass")
        return self.of_text(lowered, len(self))[:2]

    def find(self, other: WordTable) -> NDArray[np.int32]:
        """The number here of each word of another table, int32 [words]; len(self) where it is not here."""
        return self._find(other, False)[0]

    def add(self, other: WordTable) -> NDArray[np.int32]:
        """The number here of each word of another table, int32 [words]; those that are not here come here."""
        self._make_room(
            self._count + len(other), int(self._offsets[self._count] + other._offsets[len(other)])
        )
        self._spread(self._count + len(other))
        found, self._count = self._find(other, True)
        return found

    def _find(self, other: WordTable, grow: bool) -> tuple[NDArray[np.int32], int]:
        found = np.empty(len(other), np.int32)
        own = self._places, self._hashes, self._offsets, self._arena
        others = other._hashes, other._offsets, other._arena
        return found, kernels.word_table.find(*others, *own, self._count, grow, found)

    def _make_room(self, words: int, size: int) -> None:
        """For so many words that take so many bytes, all in all."""
        self._hashes = enlarged(self._hashes, words)
        self._offsets = enlarged(self._offsets, words + 1)
        self._arena = enlarged(self._arena, size)

    def _spread(self, words: int) -> None:
        """Over four places for each of so many words, or more, unless there are two for each."""
        if len(self._places) < 2 * words:
            self._places = np.full(1 << (4 * words).bit_length(), -1, np.int32)
            kernels.word_table.place(self._hashes, self._count, self._places)


def enlarged(array: NDArray, size: int) -> NDArray:
    """The array, or a copy with room for at least so many elements, and some to spare: zeros."""
    if len(array) >= size:
        return array
    larger = np.zeros(size + size // 2 if len(array) else size, array.dtype)
    larger[: len(array)] = array
    return larger
