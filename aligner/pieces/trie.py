"""The trie of the pieces of words: which substrings are pieces, and how often each is expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from aligner import kernels
from aligner.arrays import Int32s, Int64s, offsets_of
from aligner.kernels.structs import TrieNodes
from aligner.system.threads import run_all, split_rows

MARKER = "▁"
"""The sign before a word, and before a piece that begins words, U+2581."""

LONGEST = 16
"""The largest number of letters of a piece."""

_MOST_SUMMING = 4
"""The largest number of threads that count the pieces of a side: each has an array as large as the trie."""

_INITIAL = 1 << 21
"""The first letter of a word is the sum of its code point and this."""


class SpelledText(NamedTuple):
    """Strings as letters: string k is letters[offsets[k] : offsets[k + 1]].

    letters: int32, code points; ``MARKER`` at the start of a longer string is part of the next letter, which
    has ``_INITIAL`` added. offsets: int64 [strings + 1].
    """

    letters: Int32s
    offsets: Int64s

    @classmethod
    def of(cls, strings: Iterable[str]) -> SpelledText:
        """Spell pieces, or words with ``MARKER`` before each."""
        strings = list(strings)
        lengths = np.fromiter(map(len, strings), np.int64, len(strings))
        is_marked = np.fromiter((len(s) > 1 and s[0] == MARKER for s in strings), np.bool_, len(strings))
        letters = np.frombuffer("".join(strings).encode("utf-32-le", "surrogatepass"), np.int32).copy()
        markers = offsets_of(lengths)[:-1][is_marked]
        letters[markers + 1] += _INITIAL
        return cls(np.delete(letters, markers), offsets_of(lengths - is_marked))

    @property
    def lengths(self) -> Int64s:
        """The number of letters of each string, int64 [strings]."""
        return np.diff(self.offsets)


def string_of(letter: int) -> str:
    """Return a letter of ``SpelledText`` as a string."""
    return chr(letter) if letter < _INITIAL else MARKER + chr(letter - _INITIAL)


@dataclass(frozen=True, eq=False)
class PieceTrie:
    """A trie with a node for each piece and for each of its prefixes.

    Nodes are in the order of their depths, then of their letters. Node 0 is the root, its own parent.

    parents: int64 [nodes]; letters: int32 [nodes], the last letter of each node; counts: int64 [nodes], the
    counts of the pieces in units of 2**-16, or 0 for a node that is no piece.
    """

    parents: Int64s
    letters: Int32s
    counts: Int64s

    @classmethod
    def of_pieces(cls, pieces: list[str], counts: Int64s) -> tuple[PieceTrie, Int64s]:
        """Return the trie of pieces with these counts, and the node of each piece, int64 [pieces]."""
        text = SpelledText.of(pieces)
        trie, nodes = _grow(text.letters, text.offsets[:-1], text.lengths, counts, 1)
        sums = np.zeros_like(trie.counts)
        sums[nodes] = counts
        return replace(trie, counts=sums), nodes

    @classmethod
    def of_substrings(cls, words: SpelledText, frequencies: Int64s) -> PieceTrie:
        """Return all letters, and all substrings that occur twice in the words, as pieces.

        Their counts are those in a text that has word k ``frequencies[k]`` times, int64 [words].
        """
        places = np.arange(len(words.letters))
        left = np.minimum(np.repeat(words.offsets[1:], words.lengths) - places, LONGEST)
        left[words.letters == ord(MARKER)] = 1  # as a string, a longer piece would seem to begin words
        trie, _ = _grow(words.letters, places, left, np.repeat(frequencies, words.lengths), 2)
        return replace(trie, counts=trie.counts * kernels.segmentation.ONE)

    def spellings(self) -> list[str]:
        """Return the string of each node."""
        found = [""]
        for parent, letter in zip(self.parents[1:].tolist(), self.letters[1:].tolist(), strict=True):
            found.append(found[parent] + string_of(letter))
        return found

    def with_expected_counts(self, words: SpelledText, frequencies: Int64s, threads: int = 1) -> PieceTrie:
        """Return the pieces with their expected counts minus 1/2, without pieces whose count is not larger.

        The mean of log p under a Dirichlet posterior is about log(count - 1/2), so that rare pieces lose.
        Letters stay pieces.
        """
        expected = self._expected_counts(words, frequencies, threads)
        counts = np.maximum(expected - kernels.segmentation.ONE // 2, self.parents == 0)
        counts[0] = 0
        needed = (counts > 0) | (self.parents == 0)
        for _ in range(LONGEST):
            needed[self.parents[needed]] = True
        numbers = np.cumsum(needed) - 1
        return PieceTrie(numbers[self.parents[needed]], self.letters[needed], counts[needed])

    def _expected_counts(self, words: SpelledText, frequencies: Int64s, threads: int) -> Int64s:
        """Return the expected count of each node, int64 [nodes]."""
        nodes, parts = self.for_kernels, split_rows(words.offsets, min(threads, _MOST_SUMMING))

        def expect(part: tuple[int, int]) -> Int64s:
            first, last = part
            own = np.zeros_like(self.counts)
            kernels.segmentation.expect(
                nodes, words.letters, words.offsets[first : last + 1], frequencies[first:last], own
            )
            return own

        return sum(run_all(parts, expect, threads), np.zeros_like(self.counts))

    @cached_property
    def for_kernels(self) -> TrieNodes:
        """The trie as kernels take it."""
        children = np.searchsorted(self.parents[1:], np.arange(len(self.parents) + 1)) + 1
        total = _log2(np.maximum(self.counts.sum(keepdims=True), 1))
        absent = np.where(self.parents == 0, total + kernels.segmentation.BIT, kernels.segmentation.NO_PIECE)
        costs = np.where(self.counts > 0, total - _log2(np.maximum(self.counts, 1)), absent)
        return TrieNodes(children, self.letters, costs)


def _grow(
    letters: Int32s, starts: Int64s, lengths: Int64s, weights: Int64s, least: int
) -> tuple[PieceTrie, Int64s]:
    """Return the trie of strings, and the last node of each string, int64 [strings].

    String k is letters[starts[k] : starts[k] + lengths[k]]. The trie has the prefixes of at least ``least``
    strings, and all single letters. The count of a node is the sum of the weights of these strings.
    """
    reached = np.zeros(len(starts), np.int64)
    going, nodes = np.flatnonzero(lengths > 0), 1
    levels = [np.zeros((3, 1), np.int64)]
    for depth in range(int(lengths.max(initial=0))):
        keys = reached[going] << 32 | letters[starts[going] + depth]
        keys, numbers, strings = np.unique(keys, return_inverse=True, return_counts=True)
        sums = np.bincount(numbers, weights[going]).astype(np.int64)
        kept = (strings >= least) | (depth == 0)
        levels.append(np.stack([keys >> 32, keys & 0xFFFFFFFF, sums])[:, kept])
        going, numbers = going[kept[numbers]], np.cumsum(kept)[numbers[kept[numbers]]]
        reached[going] = nodes + numbers - 1
        nodes += int(np.count_nonzero(kept))
        going = going[lengths[going] > depth + 1]
    parents, last_letters, sums = np.concatenate(levels, axis=1)
    return PieceTrie(parents, last_letters.astype(np.int32), sums), reached


def _log2(numbers: Int64s) -> Int64s:
    """Return the logarithms of the first 11 bits of positive numbers, in units of 2**-10."""
    bit = kernels.segmentation.BIT
    fractions, exponents = np.frexp(numbers.astype(np.float64))
    mantissas = (2 * bit * fractions).astype(np.int64)
    return kernels.segmentation.LOGS[mantissas - bit] + bit * (exponents.astype(np.int64) - 1)
