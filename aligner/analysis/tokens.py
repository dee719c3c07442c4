"""The tokens of a text, with their words, their training frequency and their kind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aligner.arrays import Int32s, Int64s, offsets_of
from aligner.links.alignments import Alignments
from aligner.text.bitext import Bitext
from aligner.text.kinds import class_of
from aligner.text.side import OovWords, TextSide
from aligner.text.vocabulary import Vocabulary

FREQUENCY_CLASSES = ("oov", "1", "2-9", "10-99", "100+")
"""Classes of a word's frequency in the training text. "oov" is out of vocabulary."""

_FREQUENCY_BOUNDS = (1, 2, 10, 100)


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of one side of a text.

    Attributes
    ----------
    side
        "source" or "target".
    offsets
        int64 [n + 1], the first token of each sentence, and the number of all tokens N.
    ids
        int32 [N], the index of each token's word in ``words``.
    words
        The words of the vocabulary, then the out-of-vocabulary words.
    counts
        int64 [words], the frequency of each word in the text of the vocabulary; 0 if out of vocabulary, -1
        for tokens that are ignored, which are the word "".
    """

    side: str
    offsets: Int64s
    ids: Int32s
    words: list[str]
    counts: Int64s

    @classmethod
    def of(cls, text: Bitext) -> tuple[Tokens, Tokens]:
        """Return the source tokens and the target tokens of a text."""
        source, target = text.sides
        return cls._of_side("source", source), cls._of_side("target", target)

    @classmethod
    def _of_side(cls, name: str, side: TextSide) -> Tokens:
        """Return the tokens of a side. A word with parts is as frequent as the rarest of them."""
        ids = side.token_ids_with_oov
        if side.word_sizes is None:
            return cls(name, side.offsets, ids, *_words(side.vocabulary, side.oov))
        text, sizes = side.in_words(), side.word_sizes
        is_word = sizes.values > 0
        words, counts = [*text.table.words(), ""], np.full(len(text.table) + 1, -1)
        ids = np.full(len(is_word), len(text.table), np.int32)
        ids[is_word] = text.tokens
        if len(text.tokens):
            of_parts = np.append(side.vocabulary.counts, 0)[side.tokens]
            counts[text.tokens] = np.minimum.reduceat(of_parts, offsets_of(sizes.values)[:-1][is_word])
        return cls(name, sizes.offsets, ids, words, counts)

    @property
    def lengths(self) -> Int64s:
        """The number of tokens of each sentence, int64 [n]."""
        return np.diff(self.offsets)

    def of_links(self, links: Alignments) -> Int64s:
        """Return the token, from 0 in the whole text, that each link joins, int64 [L]."""
        positions = links.source if self.side == "source" else links.target
        return self.offsets[links.pair] + positions

    def sentence(self, n: int) -> str:
        """Return the words of a sentence, joined by spaces, without ignored tokens."""
        ids = self.ids[self.offsets[n] : self.offsets[n + 1]]
        return " ".join(self.words[k] for k in ids[self.counts[ids] >= 0].tolist())

    @property
    def frequency_classes(self) -> Int64s:
        """The index of each token's class in ``FREQUENCY_CLASSES``, int64 [N]."""
        return np.searchsorted(_FREQUENCY_BOUNDS, self.counts[self.ids], side="right")

    @cached_property
    def kinds(self) -> Int64s:
        """The index of each token's kind in ``WORD_CLASSES``, int64 [N]."""
        words, index = np.unique(self.ids, return_inverse=True)
        return np.array([class_of(self.words[k]) for k in words.tolist()], np.int64)[index]


def _words(vocabulary: Vocabulary, oov: OovWords | None) -> tuple[list[str], Int64s]:
    """Return the words of a side, out-of-vocabulary words last, and their frequencies, 0 for these."""
    # A text that was not read by this program may have out-of-vocabulary words without spelling.
    unknown = list(oov.words) if oov else [""]
    return [*vocabulary.words, *unknown], np.append(vocabulary.counts, np.zeros(len(unknown), np.int64))
