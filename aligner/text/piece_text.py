"""Text in pieces: sentences of words as sentences of the pieces of these words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.text.bitext import Bitext
from aligner.text.pieces import PieceModel
from aligner.text.sentences import Sentences, gather_rows
from aligner.text.side import TextSide
from aligner.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class WordPieces:
    """The pieces of words: word k consists of tokens[offsets[k] : offsets[k + 1]].

    tokens: int32, ids of a vocabulary of pieces, and from its size on, indices into ``unknown``.
    """

    offsets: NDArray[np.int64]
    tokens: NDArray[np.int32]
    unknown: list[str]

    def joined_with(self, other: WordPieces, types: int) -> WordPieces:
        """Return these words and others; types: the size of the vocabulary of pieces."""
        tokens = other.tokens + np.where(other.tokens >= types, np.int32(len(self.unknown)), np.int32(0))
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return WordPieces(offsets, np.concatenate([self.tokens, tokens]), [*self.unknown, *other.unknown])


@dataclass(frozen=True, eq=False)
class PieceEncoder:
    """An encoder of one side of a text as pieces.

    Attributes
    ----------
    model
        The model that segments words.
    words
        The vocabulary of words in which text is given.
    pieces
        The vocabulary of the pieces of these words. Its ids are those of the encoded text.
    """

    model: PieceModel
    words: Vocabulary
    pieces: Vocabulary

    @classmethod
    def of(cls, model: PieceModel, words: Vocabulary) -> PieceEncoder:
        """Return the encoder for text in a vocabulary of words."""
        found = model.segment(words.words)
        uses = np.repeat(words.counts, np.diff(found.offsets))
        counts = np.bincount(found.ids, uses, len(found.pieces)).astype(np.int64)
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        return cls(model, words, Vocabulary([found.pieces[k] for k in order.tolist()], counts[order]))

    def encode(self, side: TextSide) -> tuple[TextSide, Sentences]:
        """Encode sentences of words.

        Returns sentences of pieces, and the number of pieces of each word as the "ids" of sentences.
        """
        word_pieces = self._known
        if side.oov is not None:
            word_pieces = word_pieces.joined_with(self._pieces_of(list(side.oov.words)), len(self.pieces))
        words, offsets = side.token_ids_with_oov, side.sentences.offsets
        counts = np.diff(word_pieces.offsets)[words]
        ends = offsets_of(counts)
        tokens = gather_rows(word_pieces.tokens, word_pieces.offsets[words], ends)
        pieces = TextSide.of(tokens, np.diff(ends[offsets]), self.pieces, word_pieces.unknown)
        return pieces, Sentences(counts.astype(np.int32), offsets)

    @cached_property
    def _known(self) -> WordPieces:
        """The pieces of the words of the vocabulary."""
        return self._pieces_of(self.words.words)

    @cached_property
    def _ids_of_model(self) -> NDArray[np.int32]:
        """The id of each piece of the model in the vocabulary of pieces, int32 [pieces], or -1."""
        return self.model.pieces.ids_in(self.pieces)[:-1]

    def _pieces_of(self, words: list[str]) -> WordPieces:
        """Return the pieces of words."""
        found = self.model.segment(words)
        letters = found.pieces[len(self.model) :]
        ids = np.append(self._ids_of_model, [self.pieces.index.get(letter, -1) for letter in letters]).astype(
            np.int32
        )
        unknown = np.flatnonzero(ids < 0)
        ids[unknown] = len(self.pieces) + np.arange(len(unknown))
        return WordPieces(found.offsets, ids[found.ids], [found.pieces[k] for k in unknown.tolist()])


@dataclass(frozen=True, eq=False)
class PieceText:
    """A text in pieces.

    Attributes
    ----------
    text
        The sentence pairs as pieces.
    source, target
        The number of pieces of each word, as the "ids" of sentences.
    """

    text: Bitext
    source: Sentences
    target: Sentences

    @classmethod
    def of(cls, bitext: Bitext, source: PieceEncoder, target: PieceEncoder) -> PieceText:
        """Return a text, in the vocabularies of the encoders, in pieces."""
        source_side, target_side = bitext.sides
        source_pieces, source_counts = source.encode(source_side)
        target_pieces, target_counts = target.encode(target_side)
        text = Bitext.of_sides(source_pieces, target_pieces, lowercase=bitext.lowercase)
        return cls(text, source_counts, target_counts)

    def in_order_of_text(self) -> PieceText:
        """Return the text in vocabularies ordered as those of all texts.

        The most frequent pieces are first, ties in the order of first appearance. All pieces are known.
        """
        source, target = map(_ordered, self.text.sides)
        return replace(self, text=self.text.with_sides(source, target))

    def select(self, numbers: NDArray[np.integer]) -> PieceText:
        """Return the pairs with these numbers, in this order."""
        return PieceText(self.text.select(numbers), self.source.select(numbers), self.target.select(numbers))


def _ordered(side: TextSide) -> TextSide:
    """Return a side whose vocabulary has the most frequent pieces first, ties by first appearance."""
    tokens, pieces = side.sentences.tokens, side.vocabulary
    counts = np.bincount(tokens, minlength=len(pieces))
    first = np.zeros(len(pieces), np.int64)
    first[tokens[::-1]] = np.arange(len(tokens) - 1, -1, -1)
    order = np.lexsort((first, -counts))[: np.count_nonzero(counts)]
    ids = np.full(len(pieces), -1, np.int32)
    ids[order] = np.arange(len(order))
    vocabulary = Vocabulary([pieces.words[k] for k in order.tolist()], counts[order])
    return TextSide(Sentences(ids[tokens], side.sentences.offsets), vocabulary, side.oov)
