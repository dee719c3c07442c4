"""Frequent prefixes that are words of their own, such as Semitic conjunctions and articles, found in a text.

A prefix is split off from every word that begins with it. A text that marks the parts of its words by U+2060,
WORD JOINER, is split there instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from aligner.text.vocabulary import Vocabulary

JOINER = "\u2060"
"""The mark between parts of a word. Among prefixes, it means: split at this mark alone."""

_LEAST_RATIO = 0.4
"""The least share of the words with a prefix whose rest is a word.

Of 40 sides of texts, the greatest share is at least 0.46 in Hebrew and Arabic, and at most 0.34 in others.
"""

_MOST_WORDS = 20_000
"""The number of most frequent words that are looked at: of more words, more rests are words by chance.

Of all 54,031 words of 1.13 million sentences in French, 0.46 of those with "re" have a rest that is a word.
"""

_LEAST_SHARE = 0.02
"""The least share of the words that begin with a prefix, or have a mark."""

_LEAST_WORDS = 50
"""The least number of words that begin with a prefix: fewer may share their rests with others by chance."""

_LEAST_LETTERS, _LEAST_REST = 4, 2
"""The least number of letters of a word that is split, and of what is left of it."""

_MOST_SPLITS = 3

_LEAST_COUNT = 2
"""The least frequency of a word that counts, with a prefix or without."""


def find_prefixes(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the prefixes of words, sorted: of one letter, or of two unless each of them is a prefix."""
    frequent = set(vocabulary.words[: np.count_nonzero(vocabulary.counts[:_MOST_WORDS] >= _LEAST_COUNT)])
    if sum(JOINER in word for word in frequent) > _LEAST_SHARE * len(frequent):
        return (JOINER,)
    words = [word for word in frequent if len(word) >= _LEAST_LETTERS and word.isalpha()]
    found = Counter(word[:letters] for letters in (1, 2) for word in words)
    with_rest = Counter(word[:letters] for letters in (1, 2) for word in words if word[letters:] in frequent)
    least = max(_LEAST_WORDS, _LEAST_SHARE * len(words))
    often = [own for own, count in found.items() if count >= least]
    prefixes = {own for own in often if with_rest[own] >= _LEAST_RATIO * found[own]}
    return tuple(sorted(own for own in prefixes if len(own) == 1 or not prefixes.issuperset(own)))


def split_word(word: str, prefixes: Collection[str]) -> list[str]:
    """Return the parts of a word: prefixes, the longest first, and the rest."""
    if JOINER in prefixes:
        return [part for part in word.split(JOINER) if part] or [word]
    parts: list[str] = []
    while len(word) >= _LEAST_LETTERS and len(parts) < _MOST_SPLITS:
        if word[:2] in prefixes and len(word) >= 2 + _LEAST_REST:
            letters = 2
        elif word[:1] in prefixes and len(word) > _LEAST_REST:
            letters = 1
        else:
            break
        parts.append(word[:letters])
        word = word[letters:]
    return [*parts, word]
