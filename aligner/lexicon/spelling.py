"""The spelling of words as arrays of letters, which kernels compare."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.structs import Outlines, SpelledWords
from aligner.lexicon.transliteration import to_latin

LEAST_PERCENT = 58
"""Similar words: the longest common subsequence has this share of the longer word (Melamed 1999)."""

_NEWLINE = 10
_LETTERS_AT_ONCE = 1 << 20
"""The number of letters that are numbered at a time, which limits the memory of their code points."""

_MOST_LETTERS = 60_000
"""The largest number of letters with a number of their own, so that letters fit into 16 bits."""


class Spelling(NamedTuple):
    """Words of two languages as numbered Latin letters, without case and diacritics.

    shared: the number of letters that occur in both languages.
    """

    source: SpelledWords
    target: SpelledWords
    shared: int

    @classmethod
    def of(cls, source: Iterable[str], target: Iterable[str]) -> Spelling:
        """Assign numbers to the letters of source and target words."""
        sides = _in_latin(source), _in_latin(target)
        greatest = [points.max() for side in sides for _, points in _code_points(side)]
        present = np.zeros((2, 1 + max(greatest, default=_NEWLINE)), np.bool_)
        for row, side in zip(present, sides, strict=True):
            for _, points in _code_points(side):
                row[points] = True
        present[:, _NEWLINE] = False
        shared = np.flatnonzero(present.all(axis=0))[:_MOST_LETTERS]
        letters = np.empty(present.shape, np.uint16)
        letters[:] = [[len(shared) + 1], [len(shared) + 2]]
        letters[:, shared] = np.arange(1, len(shared) + 1)
        letters[:, _NEWLINE] = 0
        first, second = map(_spelled, sides, letters)
        return cls(first, second, len(shared))


def outlines_of(words: SpelledWords) -> Outlines:
    """Return summaries of words, by which most pairs of words are known to differ."""
    outlines = Outlines(np.empty(len(words.ends), np.uint64), np.empty(len(words.ends), np.int32))
    kernels.spelling.outline(words, outlines)
    return outlines


def _in_latin(words: Iterable[str]) -> str:
    """Return casefolded words in Latin letters, each ended by a newline."""
    text = "\n".join([*words, ""]).casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = text.translate({ord(letter): to_latin(letter) for letter in set(text)})
    return text


def _code_points(text: str) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield the position and the code points, uint32, of one part of a text after another."""
    for first in range(0, len(text), _LETTERS_AT_ONCE):
        part = text[first : first + _LETTERS_AT_ONCE]
        yield first, np.frombuffer(part.encode("utf-32-le", "surrogatepass"), np.uint32)


def _spelled(text: str, letters: NDArray[np.uint16]) -> SpelledWords:
    """Return the words of a text, each ended by a newline, in the numbers of their letters, by code point."""
    numbers = np.empty(len(text), np.uint16)
    for first, points in _code_points(text):
        numbers[first : first + len(points)] = letters[points]
    return SpelledWords(numbers, np.flatnonzero(numbers == 0))
