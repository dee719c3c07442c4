"""The trie of the pieces of words: which substrings are pieces, and how often each is expected."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.kernels.structs import TrieNodes

_LONGEST = 16
"""The largest number of letters of a piece."""

_LETTER_BITS = 21
"""Code points are below 2**21."""


class SpelledText(NamedTuple):
    """Words as code points: word k is letters[offsets[k] : offsets[k + 1]].

    letters: int32; offsets: int64 [words + 1].
    """

    letters: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, words: Iterable[str]) -> SpelledText:
        """Spell words."""
        words = list(words)
        letters = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.int32)
        return cls(letters, offsets_of(np.fromiter(map(len, words), np.int64, len(words))))


class PieceTrie(NamedTuple):
    """A trie with a node for each piece and for each of its prefixes.

    Nodes are in the order of their depth, then of their spelling. Node 0 is the root, its own parent.

    parents: int64 [nodes]; letters: int32 [nodes], the last letter of each node; counts: int64 [nodes], the
    counts of the pieces in units of 2**-16, or 0 for a node that is no piece.
    """

    parents: NDArray[np.int64]
    letters: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def of_pieces(cls, pieces: list[str], counts: NDArray[np.int64]) -> tuple[PieceTrie, NDArray[np.int64]]:
        """Return the trie of pieces with these counts, and the node of each piece, int64 [pieces]."""
        prefixes = {prefix for piece in pieces for prefix in accumulate(piece, initial="")} | {""}
        spellings = sorted(prefixes, key=lambda prefix: (len(prefix), prefix))
        numbers = {spelling: node for node, spelling in enumerate(spellings)}
        parents = np.array([numbers[spelling[:-1]] for spelling in spellings])
        letters = np.array([ord(spelling[-1:] or "\0") for spelling in spellings], np.int32)
        nodes = np.array([numbers[piece] for piece in pieces], np.int64)
        own = np.zeros(len(parents), np.int64)
        own[nodes] = counts
        return cls(parents, letters, own), nodes

    @classmethod
    def of_substrings(cls, words: SpelledText, frequencies: NDArray[np.int64], size: int) -> PieceTrie:
        """Return ``size`` substrings: all letters, and those that occur twice and cover the most letters.

        Counts are those of the text, which has each word ``frequencies`` times, int64 [words].
        """
        weights = np.repeat(frequencies, np.diff(words.offsets))
        is_last = np.zeros(len(words.letters), np.bool_)
        is_last[words.offsets[1:] - 1] = True
        levels = [np.zeros((4, 1), np.int64)]
        at = np.arange(len(is_last))  # the next letter of each substring
        nodes = np.zeros(len(is_last), np.int64)
        first = 1
        for depth in range(1, _LONGEST + 1):
            keys = nodes << _LETTER_BITS | words.letters[at]
            keys, inverse, occurrences = np.unique(keys, return_inverse=True, return_counts=True)
            counts = np.bincount(inverse, weights[at]).astype(np.int64)
            kept = (occurrences > 1) | (depth == 1)
            parents, letters = keys >> _LETTER_BITS, keys & ((1 << _LETTER_BITS) - 1)
            levels.append(np.stack([parents, letters, counts, counts * depth])[:, kept])
            nodes = np.where(kept, first + np.cumsum(kept) - 1, -1)[inverse]
            first += np.count_nonzero(kept)
            going = (nodes >= 0) & ~is_last[at]
            at, nodes = at[going] + 1, nodes[going]
        parents, letters, counts, covered = np.concatenate(levels, axis=1)
        trie = cls(parents, letters.astype(np.int32), counts * kernels.pieces.ONE)
        return trie.with_most(covered.astype(np.float64), size)

    @property
    def pieces(self) -> int:
        """The number of pieces."""
        return int(np.count_nonzero(self.counts))

    @property
    def is_letter(self) -> NDArray[np.bool_]:
        """True for each node of a single letter, bool [nodes]."""
        is_letter = self.parents == 0
        is_letter[0] = False
        return is_letter

    def spellings(self) -> list[str]:
        """Return the letters on the way to each node."""
        found = [""]
        for parent, letter in zip(self.parents[1:].tolist(), self.letters[1:].tolist(), strict=True):
            found.append(found[parent] + chr(letter))
        return found

    def segment(self, words: SpelledText, *, whole: bool = True) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the most probable segmentation of each word, and its cost, int64 [words].

        whole: True if a word may be a piece. The segmentation is int32 [letters], the node of the piece that
        ends with each letter, or -1 inside a piece; it is 0 for a letter that is no piece.
        """
        nodes, costs = np.empty(len(words.letters), np.int32), np.empty(len(words.offsets) - 1, np.int64)
        kernels.pieces.segment(self._nodes(), *words, whole, nodes, costs)
        return nodes, costs

    def with_expected_counts(self, words: SpelledText, frequencies: NDArray[np.int64]) -> PieceTrie:
        """Return the pieces with their expected counts, less 1/2. Letters keep a positive count.

        The mean of log p under a Dirichlet posterior is about log(count - 1/2), so that rare pieces lose.
        """
        expected = np.zeros(len(self.counts), np.int64)
        kernels.pieces.expect(self._nodes(), *words, frequencies, expected)
        counts = np.maximum(expected - kernels.pieces.ONE // 2, self.is_letter)
        return self._with_counts(counts)

    def pruned(self, size: int) -> PieceTrie:
        """Return the letters and the pieces without which the text would cost most, ``size`` in all."""
        is_piece = self.counts > 0
        spellings = self.spellings()
        pieces = SpelledText.of(spellings[node] for node in np.flatnonzero(is_piece))
        _, costs = self.segment(pieces, whole=False)
        losses = np.zeros(len(is_piece))
        losses[is_piece] = (costs - self._nodes().costs[is_piece]) * self.counts[is_piece].astype(np.float64)
        return self.with_most(losses, size)

    def with_most(self, values: NDArray[np.float64], size: int) -> PieceTrie:
        """Return the letters and the pieces with the largest values, float64 [nodes], ``size`` in all."""
        ranks = np.where(self.is_letter, np.inf, values)
        ranks[self.counts == 0] = -np.inf
        kept = np.argsort(-ranks, kind="stable")[: max(size, np.count_nonzero(self.is_letter))]
        counts = np.zeros_like(self.counts)
        counts[kept] = self.counts[kept]
        return self._with_counts(counts)

    def _with_counts(self, counts: NDArray[np.int64]) -> PieceTrie:
        """Return the pieces with other counts, int64 [nodes], without nodes that no piece needs."""
        needed = counts > 0
        needed[0] = True
        for _ in range(_LONGEST):
            needed[self.parents[needed]] = True
        numbers = np.cumsum(needed) - 1
        return PieceTrie(numbers[self.parents[needed]], self.letters[needed], counts[needed])

    def _nodes(self) -> TrieNodes:
        """Return the trie as kernels take it."""
        count = len(self.parents)
        children = np.searchsorted(self.parents[1:], np.arange(count + 1)) + 1
        total = _log2(np.maximum(self.counts.sum(keepdims=True), 1))
        costs = np.where(self.counts > 0, total - _log2(np.maximum(self.counts, 1)), kernels.pieces.NO_PIECE)
        return TrieNodes(children, self.letters, costs, int(total[0]) + kernels.pieces.BIT)


def _log2(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the logarithms of positive numbers in units of 2**-10; the first 11 bits of a number count."""
    bit = kernels.pieces.BIT
    fractions, exponents = np.frexp(numbers.astype(np.float64))
    return kernels.pieces.LOGS[(fractions * 2 * bit).astype(np.int64) - bit] + (exponents.astype(np.int64) - 1) * bit
