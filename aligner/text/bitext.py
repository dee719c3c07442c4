"""The bitext: sentence pairs as word ids, with the vocabularies of both sides.

Words are separated by ASCII spaces and TABs only: U+00A0, U+2028 and other spaces are parts of words. Word i
is therefore the same word for every program that splits at spaces. Line k is always pair k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.messages import counted
from aligner.text.ingest import encode_chunk, encode_text, is_trainable
from aligner.text.lines import Chunk, chunks_of_strings
from aligner.text.lookup import BY_DEFAULT, Lookup
from aligner.text.oov_words import OovWords
from aligner.text.other_links import OtherLinks
from aligner.text.pairs_like import PairsLike, string_pairs
from aligner.text.sentences import EncodedPairs, Indices, Sentences
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
        Lines without exactly one separator, which were read as empty pairs.
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


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs as word ids: sentence k of the source is paired with sentence k of the target.

    Make one by ``read_bitext`` or ``Bitext.from_text``.

    Attributes
    ----------
    source, target
        The sentences of each side, n of them.
    source_vocabulary, target_vocabulary
        The words of each side by id. An out-of-vocabulary word has the id ``len(vocabulary)``.
    max_length
        The length limit of the pairs that the vocabularies were counted in; 0 stands for 65,535.
    bad_lines
        The number of pairs that are empty because their line could not be split into two sides.
    lookup
        How words were looked up.
    source_oov, target_oov
        The spelling of out-of-vocabulary words, or None if there are none or their spelling was not kept.
    source_parts, target_parts
        The number of tokens of each word, as the "ids" of sentences, if words are split at prefixes or tokens
        are ignored, which have 0; or None.
    others
        Links of other aligners of these sentences, which decoding takes as evidence; or None.

    Raises
    ------
    DataError
        If the sides have different numbers of sentences, or if an id or an offset is out of range.
    """

    source: Sentences
    target: Sentences
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    max_length: int = 0
    bad_lines: int = 0
    lookup: Lookup = BY_DEFAULT
    source_oov: OovWords | None = None
    target_oov: OovWords | None = None
    source_parts: Sentences | None = None
    target_parts: Sentences | None = None
    others: OtherLinks | None = None

    def __post_init__(self) -> None:
        self.source.check(len(self.source_vocabulary))
        self.target.check(len(self.target_vocabulary))
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
            such as ``(frame["fr"], frame["en"])``. A side is a string of one line, with words separated by
            spaces or TABs, or a list of tokens.
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
            for vocabulary in (bitext.source_vocabulary, bitext.target_vocabulary):
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
        return cls.of_sides(source, target, lookup, max_length)

    @classmethod
    def from_chunks(
        cls, chunks: Iterable[Chunk], lookup: Lookup, *, max_length: int, **running: Any
    ) -> Bitext:
        """Encode lines in the vocabularies of their trainable pairs; running: see ``encode_text``."""
        source, target = encode_text(chunks, lookup=lookup.check(), max_length=max_length, **running)
        return cls.of_sides(source, target, lookup, max_length)

    @classmethod
    def of_sides(
        cls, source: TextSide, target: TextSide, lookup: Lookup, max_length: int = 0, bad_lines: int = 0
    ) -> Bitext:
        """Return the bitext of two sides."""
        sentences = source.sentences, target.sentences
        vocabularies = source.vocabulary, target.vocabulary
        oov, parts = (source.oov, target.oov), (source.parts, target.parts)
        return cls(*sentences, *vocabularies, max_length, bad_lines, lookup, *oov, *parts)

    @property
    def sides(self) -> tuple[TextSide, TextSide]:
        """The source and the target side."""
        return (
            TextSide(self.source, self.source_vocabulary, self.source_oov, self.source_parts),
            TextSide(self.target, self.target_vocabulary, self.target_oov, self.target_parts),
        )

    def with_sides(self, source: TextSide, target: TextSide) -> Bitext:
        """Return the bitext of two other sides, which were read alike."""
        return self.of_sides(source, target, self.lookup, self.max_length, self.bad_lines)

    @property
    def lowercase(self) -> bool:
        """True if words were looked up in lowercase."""
        return self.lookup.lowercase

    @property
    def fold(self) -> str:
        """The marks without which words were looked up."""
        return self.lookup.fold

    @property
    def lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of words, and ignored tokens, of each sentence of both sides, int64 [n] each."""
        source, target = self.sides
        return source.lengths, target.lengths

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
            and self.source_vocabulary.words == self.target_vocabulary.words
        )

    @property
    def source_types(self) -> int:
        """The number of words of the source vocabulary."""
        return len(self.source_vocabulary)

    @property
    def target_types(self) -> int:
        """The number of words of the target vocabulary."""
        return len(self.target_vocabulary)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of cells of each pair, the product of its lengths, int64 [n]."""
        return self.source.lengths * self.target.lengths

    @cached_property
    def token_ids_with_oov(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Token ids of both sides, int32 [tokens], with an id of its own for each out-of-vocabulary word."""
        source, target = self.sides
        return source.token_ids_with_oov, target.token_ids_with_oov

    def reversed(self) -> Bitext:
        """Return the bitext with source and target exchanged. Arrays are shared, not copied."""
        source, target = self.sides
        return self.with_sides(target, source)

    def encoded_in(self, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary) -> Bitext:
        """Return the text encoded in other vocabularies, or the bitext itself if these are its own.

        Raises
        ------
        DataError
            If it has out-of-vocabulary words whose spelling was not kept.
        """
        if self.source_vocabulary is source_vocabulary and self.target_vocabulary is target_vocabulary:
            return self
        source, target = self.sides
        encoded = source.encoded_in(source_vocabulary), target.encoded_in(target_vocabulary)
        return replace(self.with_sides(*encoded), others=self.others)

    def joined_with(self, other: Bitext) -> Bitext:
        """Append the pairs of a text without out-of-vocabulary words, with the words of both."""
        sides = []
        for own, further in zip(self.sides, other.sides, strict=True):
            words = own.vocabulary.joined_with(further.vocabulary)
            sides.append(own.encoded_in(words).joined_with(further.encoded_in(words)))
        return self.with_sides(*sides)

    def slice(self, first: int, stop: int) -> Bitext:
        """Return pairs first to stop - 1. Tokens are views. Its report counts bad lines as empty pairs."""
        return self._map(lambda sentences: sentences.slice(first, stop))

    def chunks(self, pairs: int) -> Iterator[Bitext]:
        """Yield slices of at most ``pairs`` pairs."""
        return (self.slice(n, min(n + pairs, len(self))) for n in range(0, len(self), pairs))

    def select(self, indices: Indices, threads: int = 1) -> Bitext:
        """Return the pairs with these numbers, in this order, or the pairs where a mask is true.

        Tokens are copied. Its report counts bad lines as empty pairs.
        """
        numbers = np.arange(len(self))[indices]
        return self._map(lambda sentences: sentences.select(numbers, threads))

    def _map(self, choose: Callable[[Sentences], Sentences]) -> Bitext:
        """Return the bitext whose sides went through a function."""
        source, target = (side.map(choose) for side in self.sides)
        if source.sentences is self.source and not self.bad_lines:
            return self  # all pairs, in their order
        chosen = self.of_sides(source, target, self.lookup, self.max_length)
        return chosen if self.others is None else replace(chosen, others=self.others.map(choose))

    def trainable(self, max_length: int) -> NDArray[np.bool_]:
        """Return True for each pair with 1 to max_length words on both sides (0: 65,535), bool [n]."""
        source, target = self.sides
        return is_trainable(source.counted_lengths, target.counted_lengths, max_length)


SentencePairs: TypeAlias = Bitext | EncodedPairs
"""Sentence pairs as word ids, of vocabularies of which the sizes are known: source_types, target_types."""
