"""The segmenter of words into pieces: a unigram model, learned from a vocabulary, that segments any word.

    segmenter = Segmenter.learn(vocabulary)
    segmenter.segment(["houses"])                 # the ids of ▁house and s

A piece that begins words differs from the same letters inside words. Counts and probabilities are integers
(see ``kernels.segmentation``), so the pieces depend neither on the platform nor on the order of the words.

References
----------
T. Kudo (2018). Subword regularization: improving neural network translation models with multiple subword
candidates. ACL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from aligner import kernels
from aligner.arrays import Int32s, offsets_of
from aligner.errors import DamagedError
from aligner.pieces.trie import LONGEST, MARKER, PieceTrie, SpelledText, string_of
from aligner.system.threads import unlocked_property
from aligner.text.rows import Rows
from aligner.text.vocabulary import MOST_COUNT, Vocabulary

_ITERATIONS = 3
"""Iterations of learning. 1 and 8 give the same AER of words and pieces within 0.1 points on average."""


MOST_LETTERS = 64
"""The largest number of letters of a word that is segmented. Longer words, such as encoded files, would take
time and memory by the square of their letters: all of them are one and the same piece."""

_TOO_LONG = "\ufffd"


@dataclass(frozen=True, eq=False)
class Segmentation(Rows[np.int32]):
    """The pieces of words: a row of ids for each word, int32, at least one.

    The ids are of a vocabulary of pieces, and from its size on, indices into ``unknown``: the pieces of these
    words that are not in the vocabulary.
    """

    unknown: list[str]


@dataclass(frozen=True, eq=False)
class Segmenter:
    """A segmenter: a unigram model of the pieces of one language's words.

    Attributes
    ----------
    pieces
        The pieces with their expected counts in units of 2**-16, the most frequent first. A piece that
        begins words has ``MARKER`` before it.
    """

    pieces: Vocabulary

    def __len__(self) -> int:
        return len(self.pieces)

    def check_structure(self) -> None:
        """Raise DamagedError if a piece is too long, or if counts are too large to add."""
        if max(map(len, self.pieces.words), default=0) > LONGEST + len(MARKER):
            raise DamagedError(f"a piece has more than {LONGEST} letters")
        if sum(self.pieces.counts.tolist()) > MOST_COUNT:
            raise DamagedError(f"the counts of its pieces are more than {MOST_COUNT:,} together")

    @classmethod
    def learn(cls, vocabulary: Vocabulary, threads: int = 1) -> Segmenter:
        """Learn pieces from words and their frequencies. No result depends on the number of threads.

        The first pieces are all substrings that occur twice in the vocabulary. Expectation-maximisation finds
        their counts, and removes pieces that are expected less than half a time.
        """
        words = _spelled(vocabulary.words)
        trie = PieceTrie.of_substrings(words, vocabulary.counts)
        for _ in range(_ITERATIONS):
            trie = trie.with_expected_counts(words, vocabulary.counts, threads)
        spellings = trie.spellings()
        order = sorted(np.flatnonzero(trie.counts).tolist(), key=lambda k: (-trie.counts[k], spellings[k]))
        return cls(Vocabulary([spellings[k] for k in order], trie.counts[order]))

    def segment(self, words: Iterable[str]) -> Segmentation:
        """Return the most probable segmentation of each word, in the vocabulary of the segmenter.

        The unknown pieces are letters. Joined, the pieces of a word are ``MARKER`` and the word, if it is
        not too long.
        """
        text = _spelled(words)
        trie, ids = self._trie_and_ids
        # The node of the piece that ends with each letter, or -1. A letter that is no piece has a node, too.
        nodes = np.empty(len(text.letters), np.int32)
        kernels.segmentation.segment(trie.for_kernels, *text, nodes)
        is_end = nodes >= 0
        found = ids[nodes[is_end]]
        is_unknown = found < 0
        letters, numbers = np.unique(text.letters[is_end][is_unknown], return_inverse=True)
        found[is_unknown] = len(self) + numbers
        offsets = offsets_of(is_end.view(np.int8))[text.offsets]
        return Segmentation(found, offsets, [string_of(letter) for letter in letters.tolist()])

    @unlocked_property
    def _trie_and_ids(self) -> tuple[PieceTrie, Int32s]:
        """The trie of the pieces, and the id of the piece at each node, int32 [nodes], or -1."""
        trie, nodes = PieceTrie.of_pieces(self.pieces.words, self.pieces.counts)
        ids = np.full(len(trie.counts), -1, np.int32)
        ids[nodes] = np.arange(len(self))
        return trie, ids


def _spelled(words: Iterable[str]) -> SpelledText:
    """Return words as letters."""
    return SpelledText.of(MARKER + (word if len(word) <= MOST_LETTERS else _TOO_LONG) for word in words)
