"""Pieces of words: a unigram model, learned from a vocabulary, that segments any word.

    pieces = PieceModel.learn(vocabulary, 3000)
    pieces.segment(["houses"]).of(0)                       # ["▁house", "s"]

A word is spelled with a marker before it, so a piece at its start differs from the same letters inside.
Learning begins with the substrings that several words share. It alternates between their expected counts
and the removal of those that words need least, until the wanted number is left (Kudo 2018). All numbers are
integers (see ``kernels.pieces``), so the pieces are the same on every platform, for words in any order.

References
----------
T. Kudo (2018). Subword regularization: improving neural network translation models with multiple subword
candidates. ACL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.errors import DamagedError
from aligner.kernels.structs import PieceTrie
from aligner.text.vocabulary import Vocabulary

MARKER = "▁"
"""The first letter of every word, U+2581."""

_LONGEST = 16
"""The largest number of letters of a piece."""

_SEEDS = 10
"""Pieces that learning begins with, for each piece that is wanted."""

_KEPT = 0.75
"""The share of pieces that a round of learning keeps."""

_UNKNOWN = 10
"""How much more an unknown letter costs than a piece with the count 1, in bits."""


class Segmentation(NamedTuple):
    """The pieces of words: word k consists of ids[offsets[k] : offsets[k + 1]].

    offsets: int64 [words + 1], each word has a piece or more; ids: int32; pieces: the spelling of each id,
    those of the model and then the unknown letters of these words, in the order of their code points.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    pieces: list[str]

    def of(self, word: int) -> list[str]:
        """Return the pieces of a word as strings."""
        return [self.pieces[k] for k in self.ids[self.offsets[word] : self.offsets[word + 1]]]


class _Spelling(NamedTuple):
    """Letters of words as numbers: those of word k are letters[offsets[k] : offsets[k + 1]]."""

    letters: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, words: Sequence[str]) -> _Spelling:
        """Spell words by code points."""
        text = "".join(words).encode("utf-32-le", "surrogatepass")
        return cls(np.frombuffer(text, np.int32), offsets_of(np.fromiter(map(len, words), np.int64)))


@dataclass(frozen=True, eq=False)
class PieceModel:
    """A unigram model of the pieces of one language's words.

    Attributes
    ----------
    pieces
        The pieces with their expected counts in units of 2**-16, the most frequent first. A piece at the
        start of words begins with ``MARKER``.
    """

    pieces: Vocabulary

    def __len__(self) -> int:
        return len(self.pieces)

    def check_structure(self) -> None:
        """Raise DamagedError if a piece is there twice."""
        if len(set(self.pieces.words)) < len(self):
            raise DamagedError("a piece is there twice")

    @classmethod
    def learn(cls, vocabulary: Vocabulary, size: int) -> PieceModel:
        """Learn ``size`` pieces from words and their frequencies, or fewer if the words have no more."""
        words = _Spelling.of([MARKER + word for word in vocabulary.words])
        learner = _Learner(words, vocabulary.counts, *_seeds(words, vocabulary.counts, _SEEDS * size))
        while len(learner.counts) > size:
            learner = learner.counted().counted()
            learner = learner.pruned(max(size, int(_KEPT * len(learner.counts))))
        learner = learner.counted().counted()
        spelled = [
            "".join(map(chr, words.letters[first : first + length]))
            for first, length in zip(learner.firsts.tolist(), learner.lengths.tolist(), strict=True)
        ]
        order = sorted(range(len(spelled)), key=lambda k: (-learner.counts[k], spelled[k]))
        return cls(Vocabulary([spelled[k] for k in order], learner.counts[order]))

    def segment(self, words: Sequence[str]) -> Segmentation:
        """Return the most probable segmentation of each word."""
        spelling = _Spelling.of([MARKER + word for word in words])
        trie, ids = self._trie
        nodes, lengths, _ = _segment(trie, spelling, _unknown_cost(self.pieces.counts))
        offsets = offsets_of(lengths)
        found = ids[nodes]
        unknown = found < 0
        # Pieces are in the order of the letters, so the pieces' lengths say where the unknown letters are.
        sizes = np.where(unknown, 1, self._sizes[found])
        letters = spelling.letters[offsets_of(sizes)[:-1][unknown]]
        others, numbers = np.unique(letters, return_inverse=True)
        found[unknown] = len(self) + numbers
        return Segmentation(offsets, found, [*self.pieces.words, *map(chr, others.tolist())])

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """The number of letters of each piece, int64 [pieces]; at least one entry."""
        return np.fromiter(map(len, [*self.pieces.words, ""]), np.int64)

    @cached_property
    def _trie(self) -> tuple[PieceTrie, NDArray[np.int32]]:
        """The trie of the pieces, and the piece of each node, int32 [nodes], or -1."""
        spelling = _Spelling.of(self.pieces.words)
        trie, ends = _trie_of(spelling.letters, spelling.offsets[:-1], np.diff(spelling.offsets))
        trie.costs[ends] = _costs(self.pieces.counts)
        ids = np.full(len(trie.costs), -1, np.int32)
        ids[ends] = np.arange(len(self))
        return trie, ids


class _Learner(NamedTuple):
    """A state of learning: words, their frequencies, and pieces with their counts.

    firsts, lengths: int64 [pieces], where the letters of each piece occur in the words; counts: int64
    [pieces], in units of 2**-16. The pieces are in the order of a trie.
    """

    words: _Spelling
    frequencies: NDArray[np.int64]
    firsts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    counts: NDArray[np.int64]

    def _trie(self) -> tuple[PieceTrie, NDArray[np.int64]]:
        trie, ends = _trie_of(self.words.letters, self.firsts, self.lengths)
        trie.costs[ends] = _costs(self.counts)
        return trie, ends

    def counted(self) -> _Learner:
        """Return the pieces with their expected counts, without those below 1/2 but for single letters."""
        trie, ends = self._trie()
        expected = np.zeros(len(trie.costs), np.int64)
        kernels.pieces.expect(trie, *self.words, _unknown_cost(self.counts), self.frequencies, expected)
        # The mean of log p under a Dirichlet posterior is about log(count - 1/2): rare pieces lose.
        counts = np.maximum(expected[ends] - kernels.pieces.ONE // 2, 0)
        kept = (counts > 0) | (self.lengths == 1)
        return self._with(kept, np.maximum(counts, 1))

    def pruned(self, size: int) -> _Learner:
        """Return the ``size`` pieces whose removal would raise the cost of the words most, and single letters."""
        trie, _ = self._trie()
        letters = np.concatenate([self.words.letters[a : a + n] for a, n in zip(self.firsts, self.lengths)])
        spelling = _Spelling(letters, offsets_of(self.lengths))
        costs = _segment(trie, spelling, _unknown_cost(self.counts), whole=False)[2]
        losses = (costs - _costs(self.counts)).astype(np.float64) * self.counts
        losses[self.lengths == 1] = np.inf
        order = np.argsort(-losses, kind="stable")
        kept = np.zeros(len(order), np.bool_)
        kept[order[:size]] = True
        return self._with(kept, self.counts)

    def _with(self, kept: NDArray[np.bool_], counts: NDArray[np.int64]) -> _Learner:
        return self._replace(firsts=self.firsts[kept], lengths=self.lengths[kept], counts=counts[kept])


def _seeds(
    words: _Spelling, frequencies: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the first occurrences, the lengths and the counts of the substrings with the most letters."""
    letters, offsets = words
    sizes = np.diff(offsets)
    weights = np.repeat(frequencies, sizes)
    left = np.repeat(offsets[1:], sizes) - np.arange(len(letters))
    parents = np.zeros(len(letters), np.int64)
    where = np.arange(len(letters))
    base = int(letters.max(initial=0)) + 1
    found = []
    for depth in range(1, _LONGEST + 1):
        where = where[left[where] >= depth]
        if not len(where):
            break
        keys = parents[where] * base + letters[where + depth - 1]
        _, first, inverse, types = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        counts = np.bincount(inverse, weights[where]).astype(np.int64)
        kept = (types > 1) | (depth == 1)
        found.append((where[first][kept], np.full(kept.sum(), depth), counts[kept]))
        parents[where] = inverse
        where = where[kept[inverse]]
    firsts, lengths, counts = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(-np.where(lengths == 1, 1 << 62, counts * lengths), kind="stable")[:size]
    order.sort()
    return firsts[order], lengths[order], counts[order] * kernels.pieces.ONE


def _trie_of(
    letters: NDArray[np.int32], firsts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[PieceTrie, NDArray[np.int64]]:
    """Return the trie of pieces, without costs, and the node of each piece, int64 [pieces].

    letters: int32, in which piece k is letters[firsts[k] : firsts[k] + lengths[k]].
    """
    ends = np.zeros(len(firsts), np.int64)
    base = int(letters.max(initial=0)) + 1
    parents, own = [np.empty(0, np.int64)], [np.zeros(1, np.int64)]
    nodes, depth = 1, 1
    going = np.arange(len(firsts))
    while len(going):
        keys = ends[going] * base + letters[firsts[going] + depth - 1]
        unique, inverse = np.unique(keys, return_inverse=True)
        parents.append(unique // base)
        own.append(unique % base)
        ends[going] = nodes + inverse
        nodes += len(unique)
        depth += 1
        going = going[lengths[going] >= depth]
    children = np.searchsorted(np.concatenate(parents), np.arange(nodes + 1)) + 1
    costs = np.full(nodes, kernels.pieces.NO_PIECE, np.int64)
    return PieceTrie(children.astype(np.int32), np.concatenate(own).astype(np.int32), costs), ends


def _segment(
    trie: PieceTrie, words: _Spelling, unknown: int, whole: bool = True
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the nodes of all words, the number of nodes and the cost of each word."""
    nodes = np.empty(len(words.letters), np.int32)
    lengths, costs = np.empty((2, len(words.offsets) - 1), np.int64)
    kernels.pieces.segment(trie, *words, unknown, whole, nodes, lengths, costs)
    return nodes[: lengths.sum()], lengths, costs


def _costs(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return -log2 of the shares of counts, in units of 2**-10 bits."""
    return _log2(counts.sum(keepdims=True)) - _log2(counts)


def _unknown_cost(counts: NDArray[np.int64]) -> int:
    """Return the cost of a letter that is no piece."""
    total = _log2(np.maximum(counts.sum(keepdims=True), 1))[0]
    return int(total) + kernels.pieces.BIT * (_UNKNOWN - 16)


def _log2(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the logarithms of positive numbers in units of 2**-10, rounded down to 11 bits of each number."""
    fractions, exponents = np.frexp(numbers.astype(np.float64))
    bit = kernels.pieces.BIT
    return kernels.pieces.LOGS[(fractions * 2 * bit).astype(np.int64) - bit] + (exponents - 1) * bit
