"""Text in pieces: sentences of words as sentences of the pieces of these words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aligner.arrays import Int32s, offsets_of
from aligner.pieces.segmenter import Segmentation, Segmenter
from aligner.system.threads import unlocked_property
from aligner.text.bitext import Bitext
from aligner.text.rows import Rows
from aligner.text.sentences import Sentences
from aligner.text.side import TextSide
from aligner.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class PieceEncoder:
    """An encoder of one side of a text as pieces.

    Attributes
    ----------
    segmenter
        The segmenter of words.
    words
        The vocabulary of words in which text is given.
    pieces
        The vocabulary of the pieces of these words. Its ids are those of the encoded text.
    """

    segmenter: Segmenter
    words: Vocabulary
    pieces: Vocabulary

    @classmethod
    def of(cls, segmenter: Segmenter, side: TextSide) -> PieceEncoder:
        """Return the encoder of a text, whose pieces are ordered as the words of all texts.

        The most frequent pieces are first, ties in the order of first appearance.
        """
        words = side.vocabulary
        counts, appearing = side.count(len(words) + 1)
        appearing = appearing[appearing < len(words)]
        cut = segmenter.segment(words.words[k] for k in appearing.tolist())
        found, first, numbers = np.unique(cut.values, return_index=True, return_inverse=True)
        sums = np.bincount(numbers, np.repeat(counts[appearing], cut.lengths)).astype(np.int64)
        order = np.lexsort((first, -sums))
        pieces = [*segmenter.pieces.words, *cut.unknown]
        return cls(segmenter, words, Vocabulary([pieces[k] for k in found[order].tolist()], sums[order]))

    def encode(self, side: TextSide) -> TextSide:
        """Return sentences of words as sentences of pieces, which are the parts of these words."""
        cut = self._cut(side)
        pieces, sizes = side.with_oov.spelled(cut)
        return replace(TextSide.of(pieces.tokens, pieces.lengths, self.pieces, cut.unknown), word_sizes=sizes)

    def outline(self, side: TextSide) -> Sentences:
        """Return the sentences of pieces with lengths alone: every token is piece 0, and takes no memory.

        No sentence may be empty.
        """
        pieces = self._cut(side).lengths.astype(np.int32)[side.token_ids_with_oov]
        offsets = offsets_of(np.add.reduceat(pieces, side.offsets[:-1], dtype=np.int64))
        return Sentences(np.broadcast_to(np.int32(0), offsets[-1:]), offsets)

    def sample(self, side: TextSide, nth: int) -> Sentences:
        """Return the sentences of pieces with every n-th piece of the vocabulary alone."""
        cut = self._cut(side)
        chosen = cut.values % nth == nth // 2
        return side.with_oov.spelled(Rows(cut.values[chosen], offsets_of(chosen)[cut.offsets]))[0]

    def _cut(self, side: TextSide) -> Segmentation:
        """Return the pieces of the words of the vocabulary, and of the words outside it."""
        cut = self.cut_words
        if side.oov is None or not len(side.oov.values):
            return cut
        new = self._segment(side.oov.words)
        ids = new.values + len(cut.unknown) * (new.values >= len(self.pieces)).astype(np.int32)
        both = Rows.concatenate([cut, Rows(ids, new.offsets)])
        return Segmentation(both.values, both.offsets, [*cut.unknown, *new.unknown])

    @unlocked_property
    def cut_words(self) -> Segmentation:
        """The pieces of the words of the vocabulary."""
        return self._segment(self.words.words)

    @unlocked_property
    def _segmenter_ids(self) -> Int32s:
        """The id of each piece of the segmenter in the vocabulary of pieces, int32 [pieces], or -1."""
        return self.segmenter.pieces.ids_in(self.pieces)[:-1]

    def _segment(self, words: Sequence[str]) -> Segmentation:
        """Return the pieces of words, in the vocabulary of pieces."""
        cut = self.segmenter.segment(words)
        of_letters = [self.pieces.index.get(letter, -1) for letter in cut.unknown]
        ids = np.append(self._segmenter_ids, of_letters).astype(np.int32)
        unknown = np.flatnonzero(ids < 0)
        ids[unknown] = len(self.pieces) + np.arange(len(unknown))
        spelling = [*self.segmenter.pieces.words, *cut.unknown]
        return Segmentation(ids[cut.values], cut.offsets, [spelling[k] for k in unknown.tolist()])


def in_pieces(bitext: Bitext, source: PieceEncoder, target: PieceEncoder) -> Bitext:
    """Return a text, in the vocabularies of the encoders, as pieces, which are the parts of its tokens."""
    return Bitext(source.encode(bitext.source), target.encode(bitext.target), bitext.lookup)
