"""Edges: where a sentence begins or ends, or punctuation stands, and how often frequent words stand there.

A word is a token. If a token has several parts, the word is its part that is no punctuation, if it has one
such part alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aligner.arrays import Bools, Float64s, Int32s, Int64s, offsets_of
from aligner.text.kinds import PUNCTUATION, kinds_of_tokens
from aligner.text.side import TextSide

LEAST_SHARE = 0.002
"""A word is frequent if it is more than this share of the tokens."""

_SENTENCES = 1 << 14
"""Sentences that are counted at a time, which bounds memory."""


class Edges(NamedTuple):
    """The frequent words of one side of a text, and how often they stand at edges.

    Attributes
    ----------
    words
        int32 [k], their ids, ascending.
    counts
        int64 [k, 2], how often each has an edge to its left, and to its right.
    """

    words: Int32s
    counts: Int64s

    @classmethod
    def of(cls, counts: Int64s) -> Edges:
        """Return the edges of the frequent words; counts: as of ``count_edges``."""
        words = np.flatnonzero(counts[:-1, 0] > LEAST_SHARE * counts[-1, 0])
        return cls(words.astype(np.int32), counts[words, 1:])

    @property
    def tendencies(self) -> Float64s:
        """The log of the left edges of each word to its right edges, float64 [k]; above 0, phrases begin."""
        left, right = (self.counts + 0.5).T
        return np.log(left / right)


def count_edges(side: TextSide, chosen: Bools | None = None) -> Int64s:
    """Return how often each word occurs, has an edge to its left, and to its right, int64 [V + 1, 3].

    The last row begins with the number of all tokens, parts counted singly. chosen: bool [sentences], those
    that count; by default, all.
    """
    counts = np.zeros((len(side.vocabulary) + 1, 3), np.int64)
    numbers = np.arange(len(side)) if chosen is None else np.flatnonzero(chosen)
    for first in range(0, len(numbers), _SENTENCES):
        words, edges = words_and_edges(side.select(numbers[first : first + _SENTENCES]))
        for column, found in enumerate((words, words[edges[:-1]], words[edges[1:]])):
            counts[:, column] += np.bincount(found, minlength=len(counts))
    counts[-1] = side.lengths[numbers].sum(), 0, 0
    return counts


def words_and_edges(side: TextSide) -> tuple[Int32s, Bools]:
    """Return the word of each token of a side, int32 [N], and True for each edge, bool [N + 1].

    Edge k is before token k; the last is at the end. A token without a word has the id V. Ignored tokens are
    left out.
    """
    words, is_mark = side.tokens, kinds_of_tokens(side) == PUNCTUATION
    edges = np.zeros(len(words) + 1, np.bool_)
    edges[side.offsets] = True
    edges[:-1] |= is_mark
    edges[1:] |= is_mark
    if side.word_sizes is None:
        return words, edges
    first = offsets_of(side.word_sizes.values)
    others, ids = (np.diff(offsets_of(parts)[first]) for parts in (~is_mark, np.where(is_mark, 0, words)))
    words = np.where(others == 1, ids, len(side.vocabulary)).astype(np.int32)
    is_word = side.word_sizes.values > 0
    return words[is_word], edges[first[np.append(is_word, True)]]
