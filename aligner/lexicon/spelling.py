"""The spelling of words as arrays of letters, which kernels compare."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.structs import Outlines, SpelledWords
from aligner.lexicon.transliteration import to_latin

LEAST_PERCENT = 58
"""Similar words: the longest common subsequence has this share of the longer word (Melamed 1999)."""

_NEWLINE = 10
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
        sides = [_in_latin(words) for words in (source, target)]
        present = np.zeros((2, 1 + max(points.max(initial=_NEWLINE) for points in sides)), np.bool_)
        for row, points in zip(present, sides, strict=True):
            row[points] = True
        present[:, _NEWLINE] = False
        shared = np.flatnonzero(present.all(axis=0))[:_MOST_LETTERS]
        letters = np.empty(present.shape, np.uint16)
        letters[:] = [[len(shared) + 1], [len(shared) + 2]]
        letters[:, shared] = np.arange(1, len(shared) + 1)
        letters[:, _NEWLINE] = 0
        numbers = [letters[n][points] for n, points in enumerate(sides)]
        first, second = (SpelledWords(own, np.flatnonzero(own == 0)) for own in numbers)
        return cls(first, second, len(shared))


def outlines_of(words: SpelledWords) -> Outlines:
    """Return summaries of words, by which most pairs of words are known to differ."""
    outlines = Outlines(np.empty(len(words.ends), np.uint64), np.empty(len(words.ends), np.int32))
    kernels.spelling.outline(words, outlines)
    return outlines


def _in_latin(words: Iterable[str]) -> NDArray[np.uint32]:
    """Return the code points of casefolded words in Latin letters, each word ended by a newline."""
    text = "\n".join([*words, ""]).casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = text.translate({ord(letter): to_latin(letter) for letter in set(text)})
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
