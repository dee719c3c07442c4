"""The bitext: sentence pairs as word ids, with the vocabularies of both sides.

Words are separated by ASCII spaces and TABs only: U+00A0, U+2028 and other spaces are parts of words. Word i
is therefore the same word for every program that splits at spaces. Line k is always pair k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aligner.arrays import Bools, Int32s, Int64s, Integers, offsets_of
from aligner.errors import DataError
from aligner.files.lines import Chunk, chunks_of_strings
from aligner.messages import counted
from aligner.text.ingest import encode_chunk, encode_text, is_trainable
from aligner.text.lookup import BY_DEFAULT, Lookup
from aligner.text.pairs_like import PairsLike, string_pairs
from aligner.text.rows import Indices, Rows
from aligner.text.sentences import EncodedPairs
from aligner.text.side import TextSide
from aligner.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class ReadReport:
    """Counts of the lines and words of a text: lines == trainable + empty + too_long + bad.

    Attributes
    ----------
    lines
        All lines.
    trainable
        Pairs with 1 to ``max_length`` words on both sides.
    empty
        Pairs with an empty side, blank lines included.
    too_long
        Pairs with a side of more words than the limit.
    bad
        Bad lines, which were read as empty pairs (see ``read_bitext``).
    source_tokens, target_tokens
        Words on each side.
    """

    lines: int
    trainable: int
    empty: int
    too_long: int
    bad: int
    source_tokens: int
    target_tokens: int

    def to_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


class OtherLinks(NamedTuple):
    """Links of other aligners of the lines of a text, as evidence, in the order of cells.

    source, target: positions of words; masses: the sum of weight x probability of each link; weights: one
    number a line, the sum of the weights of the aligners that have links there.
    """

    source: Rows[np.int32]
    target: Rows[np.int32]
    masses: Rows[np.float32]
    weights: Rows[np.float32]

    def __len__(self) -> int:
        return len(self.source)

    def map(self, choose: Callable[[Any], Any]) -> OtherLinks:
        """Return the links of the lines that a function chooses."""
        return OtherLinks(*map(choose, self))


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs as word ids: sentence k of the source is paired with sentence k of the target.

    Make one by ``read_bitext`` or ``Bitext.from_text``.

    Attributes
    ----------
    source, target
        The sentences of each side, n of them, with their vocabulary (see ``aligner.text.side.TextSide``).
    lookup
        How words were looked up.
    max_length
        The length limit of the pairs that the vocabularies were counted in; 0 stands for 65,535.
    bad_lines
        The number of pairs that are empty because of a bad line (see ``read_bitext``).
    others
        Links of other aligners of these sentences, which decoding takes as evidence; or None.

    Raises
    ------
    DataError
        If the sides have different numbers of sentences, or if an id or an offset is out of range.
    """

    source: TextSide
    target: TextSide
    lookup: Lookup = BY_DEFAULT
    max_length: int = 0
    bad_lines: int = 0
    others: OtherLinks | None = None

    def __post_init__(self) -> None:
        for side in self.sides:
            side.check(len(side.vocabulary))
        if len(self.source) != len(self.target):
            raise DataError(
                f"found {len(self.source)} source and {len(self.target)} target sentences; expected as many "
                f"of each; pair them before encoding"
            )

    def __repr__(self) -> str:
        source, target = len(self.source.tokens), len(self.target.tokens)
        return f"Bitext({counted(len(self), 'pair')}, {source:,} + {counted(target, 'token')})"

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def from_text(
        cls,
        pairs: PairsLike,
        *,
        vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
        lowercase: bool = True,
        fold: str = "letters",
        max_length: int = 100,
        ignore: str = "",
    ) -> Bitext:
        """Encode sentence pairs.

        Parameters
        ----------
        pairs
            Pairs of a source and a target side; or a data frame with two columns, or a tuple of two columns,
            such as ``(frame["fr"], frame["en"])``; or rows of a Hugging Face data set, ``{"fr": ..., "en":
            ...}`` or ``{"translation": {"fr": ..., "en": ...}}``, whose first language is the source. A side
            is a string of one line, with words separated by spaces or TABs, or a list of tokens.
        vocabularies
            The source and the target vocabulary. By default, vocabularies of the trainable pairs.
        lowercase
            Lowercase words.
        fold
            "letters" to look words up without the marks of their scripts, or "none".
        max_length
            Greatest number of words of each side of a trainable pair; 0 stands for 65,535.
        ignore
            Tokens to ignore, separated by spaces (see ``aligner.text.lookup.Lookup``).

        Returns
        -------
        Bitext
            As many pairs as are given, in the same order.

        Raises
        ------
        TypeError
            If this is no text, such as a string or a LazyFrame.
        DataError
            If these are no sentence pairs, if a string has more than one line, if a token is empty or has a
            space, a TAB or a newline in it, or if a word of a new vocabulary holds a lone surrogate.
        """
        lines, lookup = string_pairs(pairs), Lookup(lowercase, fold, ignore)
        if vocabularies is None:
            bitext = cls.from_chunks(chunks_of_strings(lines), lookup, max_length=max_length)
            for vocabulary in bitext.vocabularies:
                vocabulary.to_bytes()  # raises before training what saving the model would raise after it
            return bitext
        return cls.from_chunk(Chunk.of_strings(list(lines)), *vocabularies, lookup, max_length)

    @classmethod
    def from_chunk(
        cls,
        chunk: Chunk,
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        lookup: Lookup,
        max_length: int = 0,
    ) -> Bitext:
        """Encode lines in given vocabularies; raise DataError if they are not UTF-8."""
        texts = encode_chunk(chunk, lookup)
        source = TextSide.encode(texts[0], source_vocabulary, lookup)
        target = TextSide.encode(texts[1], target_vocabulary, lookup)
        return cls(source, target, lookup, max_length)

    @classmethod
    def from_chunks(
        cls, chunks: Iterable[Chunk], lookup: Lookup, *, max_length: int, **running: Any
    ) -> Bitext:
        """Encode lines in the vocabularies of their trainable pairs; running: see ``encode_text``."""
        source, target = encode_text(chunks, lookup=lookup.check(), max_length=max_length, **running)
        return cls(source, target, lookup, max_length)

    @property
    def sides(self) -> tuple[TextSide, TextSide]:
        """The source and the target side."""
        return self.source, self.target

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Both vocabularies."""
        return self.source.vocabulary, self.target.vocabulary

    @property
    def has_word_sizes(self) -> bool:
        """True if words are split, or tokens ignored, on either side."""
        return self.source.word_sizes is not None or self.target.word_sizes is not None

    def without_word_sizes(self) -> Bitext:
        """Return the text whose tokens are its words."""
        source, target = (replace(side, word_sizes=None) for side in self.sides)
        return replace(self, source=source, target=target)

    @property
    def lengths(self) -> tuple[Int64s, Int64s]:
        """The number of words, and ignored tokens, of each sentence of both sides, int64 [n] each."""
        return self.source.word_lengths, self.target.word_lengths

    @property
    def report(self) -> ReadReport:
        """Counts of lines and words, and of the pairs that are trainable under ``max_length``."""
        source, target = (side.counted_lengths for side in self.sides)
        empty = int(np.count_nonzero((source == 0) | (target == 0)))
        trainable = int(np.count_nonzero(self.trainable(self.max_length)))
        return ReadReport(
            lines=len(self),
            trainable=trainable,
            empty=empty - self.bad_lines,
            too_long=len(self) - trainable - empty,
            bad=self.bad_lines,
            source_tokens=int(source.sum()),
            target_tokens=int(target.sum()),
        )

    @property
    def is_repetition(self) -> bool:
        """True if both sides have the same words throughout, as if the same file were given for both."""
        return (
            len(self.source.tokens) > 0
            and np.array_equal(self.source.offsets, self.target.offsets)
            and np.array_equal(self.source.tokens, self.target.tokens)
            and self.source.vocabulary.words == self.target.vocabulary.words
        )

    @property
    def source_types(self) -> int:
        """The number of words of the source vocabulary."""
        return len(self.source.vocabulary)

    @property
    def target_types(self) -> int:
        """The number of words of the target vocabulary."""
        return len(self.target.vocabulary)

    @property
    def sizes(self) -> Int64s:
        """The number of cells of each pair, the product of its lengths, int64 [n]."""
        return self.source.lengths * self.target.lengths

    @cached_property
    def token_ids_with_oov(self) -> tuple[Int32s, Int32s]:
        """Token ids of both sides, int32 [tokens], with an id of its own for each out-of-vocabulary word."""
        return self.source.token_ids_with_oov, self.target.token_ids_with_oov

    def reversed(self) -> Bitext:
        """Return the bitext with source and target exchanged. Arrays are shared, not copied."""
        return replace(self, source=self.target, target=self.source, others=None)

    def encoded_in(self, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary) -> Bitext:
        """Return the text encoded in other vocabularies, or the bitext itself if these are its own.

        Raises
        ------
        DataError
            If it has out-of-vocabulary words whose spelling was not kept.
        """
        if self.source.vocabulary is source_vocabulary and self.target.vocabulary is target_vocabulary:
            return self
        source, target = self.source.encoded_in(source_vocabulary), self.target.encoded_in(target_vocabulary)
        return replace(self, source=source, target=target)

    def joined_with(self, other: Bitext) -> Bitext:
        """Append the pairs of a text without out-of-vocabulary words, with the words of both."""
        sides = []
        for side, further in zip(self.sides, other.sides, strict=True):
            words = side.vocabulary.joined_with(further.vocabulary)
            sides.append(side.encoded_in(words).joined_with(further.encoded_in(words)))
        return replace(self, source=sides[0], target=sides[1], others=None)

    def slice(self, first: int, stop: int) -> Bitext:
        """Return pairs first to stop - 1. Tokens are views. Its report counts bad lines as empty pairs."""
        return self._map(lambda rows: rows.slice(first, stop))

    def chunks(self, pairs: int) -> Iterator[Bitext]:
        """Yield slices of at most ``pairs`` pairs."""
        return (self.slice(n, min(n + pairs, len(self))) for n in range(0, len(self), pairs))

    def select(self, indices: Indices, threads: int = 1) -> Bitext:
        """Return the pairs with these numbers, in this order, or the pairs where a mask is true.

        Tokens are copied. Its report counts bad lines as empty pairs.
        """
        numbers = np.arange(len(self))[indices]
        return self._map(lambda rows: rows.select(numbers, threads))

    def _map(self, choose: Callable[[Any], Any]) -> Bitext:
        """Return the bitext whose rows went through a function."""
        source, target = map(choose, self.sides)
        if source is self.source and not self.bad_lines:
            return self  # all pairs, in their order
        others = self.others and self.others.map(choose)
        return replace(self, source=source, target=target, bad_lines=0, others=others)

    def cells_of_words(self, pair: Int64s, i: Integers, j: Integers) -> tuple[Int64s, Int64s, Int64s]:
        """Return the cells of all tokens of words (i, j) that may have links.

        Returns the number of the cell of words, and both positions.
        """
        if not self.has_word_sizes:
            return np.arange(len(pair)), i.astype(np.int64), j.astype(np.int64)
        first_i, rows = self.source.tokens_of_words(pair, i)
        first_j, columns = self.target.tokens_of_words(pair, j)
        cells = rows * columns
        number = np.repeat(np.arange(len(cells)), cells)
        rest = np.arange(len(number)) - offsets_of(cells)[number]
        positions = first_i[number] + rest // columns[number], first_j[number] + rest % columns[number]
        source, target = (
            side.may_link[side.offsets[pair[number]] + own]
            for side, own in zip(self.sides, positions, strict=True)
        )
        may_link = source & target
        return number[may_link], positions[0][may_link], positions[1][may_link]

    def trainable(self, max_length: int) -> Bools:
        """Return True for each pair with 1 to max_length words on both sides (0: 65,535), bool [n]."""
        return is_trainable(self.source.counted_lengths, self.target.counted_lengths, max_length)


SentencePairs: TypeAlias = Bitext | EncodedPairs
"""Sentence pairs as word ids, of vocabularies of which the sizes are known: source_types, target_types."""
