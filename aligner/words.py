"""Text to word numbers, much faster than by a dictionary of strings."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.kernels import words as kernels
from aligner.textio import excerpt


class WordTable:
    """Numbers words in the order they were first seen; once frozen, other words share the next number."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._places = np.full(1 << 12, -1, np.int32)
        self._hashes = np.empty(0, np.uint64)
        self._offsets = np.zeros(1, np.int64)
        self._arena = np.empty(0, np.uint8)
        self._count = 0
        self._frozen = False
        # Words hold no space, TAB or newline: as a line of text they are read back one by one.
        self.encode([" ".join(words)], lowercase=False)

    def __len__(self) -> int:
        return self._count

    def encode(self, lines: list[str], lowercase: bool) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the word numbers of some lines, int32 [N], and the number of words of each, int64 [n].

        DataError if a line holds a newline.
        """
        joined = "\n".join((*lines, ""))
        if lowercase:
            # As if word by word: no letter becomes or hides a space, a TAB or a newline, and the one rule of
            # lowercase that looks at a letter's neighbours, the final sigma, does not look past them.
            joined = joined.lower()
        text = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)
        if joined.count("\n") != len(lines):
            line = next(line for line in lines if "\n" in line)
            raise DataError(
                f"found a newline inside the text {excerpt(line)}; expected a text of one line; replace the "
                f"newline by a space, or split the text"
            )
        if not self._frozen:
            self._make_room(len(text))
        tokens, lengths = np.empty(len(text) // 2 + 1, np.int32), np.empty(len(lines), np.int64)
        count, self._count = kernels.encode(
            text,
            self._places,
            self._hashes,
            self._offsets,
            self._arena,
            self._count,
            not self._frozen,
            tokens,
            lengths,
        )
        return tokens[:count], lengths

    def freeze(self) -> None:
        """From now on, learn no word."""
        self._frozen = True
        self._spread(2 * self._count + 1)

    def words(self) -> list[str]:
        """The words by number."""
        arena = self._arena[: self._offsets[self._count]].tobytes()
        return arena.decode("utf-8", "surrogatepass").split("\n")[:-1]

    def _make_room(self, size: int) -> None:
        """For the words that so many bytes may bring: at most one for every two."""
        words = self._count + size // 2 + 1
        self._arena = _at_least(self._arena, int(self._offsets[self._count]) + size + 1)
        self._hashes = _at_least(self._hashes, words)
        self._offsets = _at_least(self._offsets, words + 1)
        if len(self._places) < 2 * words:
            self._spread(2 * words)

    def _spread(self, places: int) -> None:
        """Over a new table of at least so many places."""
        self._places = np.full(1 << places.bit_length(), -1, np.int32)
        kernels.place(self._hashes, self._count, self._places)


def _at_least(array: NDArray, size: int) -> NDArray:
    """The array, or a copy with room for at least so many elements, and some to spare."""
    if len(array) >= size:
        return array
    larger = np.empty(size + size // 2, array.dtype)
    larger[: len(array)] = array
    return larger
