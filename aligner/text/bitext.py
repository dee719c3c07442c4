"""Bitext: text on disk or in memory becomes sentences of word ids and two vocabularies.

Words are what ASCII spaces and TABs separate, and nothing else does: U+00A0, U+2028 and their like are parts
of words, so that word i here is word i for every program that splits at spaces. Line i is pair i, always.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from aligner.errors import ConfigError, DataError
from aligner.text.files import PathLike
from aligner.text.ingest import encode_chunk, learn, look_up, trainable
from aligner.text.lines import excerpt
from aligner.text.oov_words import OovWords, recoded, token_ids_with_oov
from aligner.text.pairs import Chunk, read_pairs
from aligner.text.sentences import Indices, Sentences
from aligner.text.vocabulary import Vocabulary

#: About how many sentence pairs a thread decodes at a time.
PAIRS_PER_CHUNK = 1 << 13


@dataclass(frozen=True)
class ReadReport:
    """What became of the lines of a text: lines == trainable + empty + too_long + bad.

    empty: pairs with an empty side, blank lines included; too_long: pairs with a side of more words than the
    limit; bad: lines that could not be split into two sides and were made empty; tokens: words on each side.
    """

    lines: int
    trainable: int
    empty: int
    too_long: int
    bad: int
    source_tokens: int
    target_tokens: int

    def to_dict(self) -> dict[str, int]:
        """Return the numbers by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Bitext:
    """n sentence pairs: sentence k of the source and sentence k of the target are translations of each other.

    max_length: the length limit under which the vocabularies were counted, 0 for the greatest; bad_lines: how
    many of the pairs are empty because their line was bad; lowercase: whether words were lowercased before
    look-up; *_unknown: the words that are not in the vocabularies, if there are any and they were kept.
    """

    source: Sentences
    target: Sentences
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    max_length: int = 0
    bad_lines: int = 0
    lowercase: bool = True
    source_unknown: OovWords | None = None
    target_unknown: OovWords | None = None

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise DataError(
                f"found {len(self.source)} source and {len(self.target)} target sentences; expected as many "
                f"of each; pair them before encoding"
            )

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def from_text(
        cls,
        pairs: Iterable[tuple[str, str]],
        *,
        vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
        lowercase: bool = True,
        max_length: int = 100,
    ) -> Bitext:
        """Encode pairs of texts in given vocabularies, or else in those of their own trainable pairs.

        Raises DataError if a text has more than one line.
        """
        if vocabularies is None:
            bitext = _learn(_chunks_of(pairs), lowercase, max_length)
            for vocabulary in (bitext.source_vocabulary, bitext.target_vocabulary):
                vocabulary.to_bytes()  # what no model file can hold is refused before training, not after
            return bitext
        bitext = encode(_chunk_of(list(pairs)), *vocabularies, lowercase=lowercase)
        return replace(bitext, max_length=max_length)

    @property
    def report(self) -> ReadReport:
        """What the text holds, and how much of it is trainable under `max_length`."""
        source, target = self.source.lengths, self.target.lengths
        empty = int(np.count_nonzero((source == 0) | (target == 0)))
        trainable = int(np.count_nonzero(self.trainable(self.max_length)))
        return ReadReport(
            lines=len(self),
            trainable=trainable,
            empty=empty - self.bad_lines,
            too_long=len(self) - trainable - empty,
            bad=self.bad_lines,
            source_tokens=len(self.source.tokens),
            target_tokens=len(self.target.tokens),
        )

    @property
    def sizes(self) -> NDArray[np.int64]:
        """DirectionalCells of each pair, the product of its lengths, int64 [n]."""
        return self.source.lengths * self.target.lengths

    @cached_property
    def token_ids_with_oov(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Both sides' tokens, among which unknown words, too, are the same only if they are the same word."""
        return (
            token_ids_with_oov(self.source.tokens, self.source_unknown, len(self.source_vocabulary)),
            token_ids_with_oov(self.target.tokens, self.target_unknown, len(self.target_vocabulary)),
        )

    def reversed(self) -> Bitext:
        """Return the same pairs with source and target exchanged; nothing is copied."""
        return replace(
            self,
            source=self.target,
            target=self.source,
            source_vocabulary=self.target_vocabulary,
            target_vocabulary=self.source_vocabulary,
            source_unknown=self.target_unknown,
            target_unknown=self.source_unknown,
        )

    def encoded_in(self, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary) -> Bitext:
        """Return the same text in other vocabularies, or this one if they are its own.

        Raises DataError if it has unknown words whose spelling was not kept.
        """
        if self.source_vocabulary is source_vocabulary and self.target_vocabulary is target_vocabulary:
            return self
        source, source_unknown = recoded(
            self.source, self.source_unknown, self.source_vocabulary, source_vocabulary
        )
        target, target_unknown = recoded(
            self.target, self.target_unknown, self.target_vocabulary, target_vocabulary
        )
        return replace(
            self,
            source=source,
            target=target,
            source_vocabulary=source_vocabulary,
            target_vocabulary=target_vocabulary,
            source_unknown=source_unknown,
            target_unknown=target_unknown,
        )

    def slice(self, first: int, stop: int) -> Bitext:
        """Return pairs first to stop - 1, whose tokens are views; its report counts bad lines as empty."""
        return self._map(lambda sentences: sentences.slice(first, stop))

    def chunks(self, pairs: int) -> Iterator[Bitext]:
        """Cut the text into slices of at most so many pairs."""
        return (self.slice(n, min(n + pairs, len(self))) for n in range(0, len(self), pairs))

    def select(self, indices: Indices, threads: int = 1) -> Bitext:
        """Return the pairs with these numbers, in this order, or where a mask is true.

        Its report counts bad lines as empty ones.
        """
        chosen = np.arange(len(self))[indices]
        return self._map(lambda sentences: sentences.select(chosen, threads))

    def _map(self, part: Callable[[Sentences], Sentences]) -> Bitext:
        """The same part of everything that there is for each sentence."""

        def unknown(words: OovWords | None) -> OovWords | None:
            return words and OovWords(words.words, part(words.sentences))

        return replace(
            self,
            source=part(self.source),
            target=part(self.target),
            source_unknown=unknown(self.source_unknown),
            target_unknown=unknown(self.target_unknown),
            bad_lines=0,
        )

    def trainable(self, max_length: int) -> NDArray[np.bool_]:
        """Tell for each pair whether both sides have 1 to max_length words (0: 65,535), bool [n]."""
        return trainable(self.source.lengths, self.target.lengths, max_length)


def read_bitext(
    source: PathLike | Sequence[PathLike],
    target: PathLike | Sequence[PathLike] | None = None,
    *,
    lowercase: bool = True,
    max_length: int = 100,
    format: str = "auto",
    skip_bad: bool = False,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    report: Callable[[str], object] | None = None,
) -> Bitext:
    """Read and encode sentence pairs, in vocabularies made from those of them that are trainable.

    Files are as for `read_pairs`; of several, file k of the source goes with file k of the target, and they
    are read one after another as one text. A pair with a side of more than max_length words is not trainable
    (0: of more than 65,535). A word that occurs in no trainable pair is encoded as unknown, as a model
    trained on the others will encode it. The result is the same for any number of threads. progress is
    called with the number of lines of each chunk, report with a message for every line that is skipped.

    Raises DataError for text that cannot be read, and ConfigError for arguments that do not go together.
    """
    sources = _paths(source)
    targets = [None] * len(sources) if target is None else _paths(target)
    if len(sources) != len(targets):
        raise ConfigError(
            f"found {len(sources)} source and {len(targets)} target files; expected as many of each, since "
            f"file k of the source goes with file k of the target; name the missing files"
        )
    bad_lines = 0

    def count_bad(message: str) -> None:
        nonlocal bad_lines
        bad_lines += 1
        if report is not None:
            report(message)

    readers = [
        read_pairs(s, t, format=format, skip_bad=skip_bad, report=count_bad)
        for s, t in zip(sources, targets, strict=True)
    ]
    bitext = _learn(chain.from_iterable(readers), lowercase, max_length, threads, progress)
    return replace(bitext, bad_lines=bad_lines)


def encode(
    chunk: Chunk, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary, *, lowercase: bool
) -> Bitext:
    """Encode lines in given vocabularies; DataError if they are not UTF-8."""
    vocabularies = source_vocabulary, target_vocabulary
    (source, source_unknown), (target, target_unknown) = (
        OovWords.split(*look_up(text, vocabulary.table, lowercase), text.lengths, len(vocabulary))
        for text, vocabulary in zip(encode_chunk(chunk, lowercase), vocabularies, strict=True)
    )
    return Bitext(
        source,
        target,
        *vocabularies,
        lowercase=lowercase,
        source_unknown=source_unknown,
        target_unknown=target_unknown,
    )


def _paths(paths: PathLike | Sequence[PathLike]) -> list[PathLike]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _chunks_of(pairs: Iterable[tuple[str, str]]) -> Iterator[Chunk]:
    """Cut pairs of texts into chunks."""
    iterator = iter(pairs)
    while batch := list(islice(iterator, PAIRS_PER_CHUNK)):
        yield _chunk_of(batch)


def _chunk_of(pairs: list[tuple[str, str]]) -> Chunk:
    """Pairs of texts as bytes; DataError if a text has more than one line."""
    return Chunk(_joined([s for s, _ in pairs]), _joined([t for _, t in pairs]), len(pairs))


def _joined(lines: list[str]) -> bytes:
    text = "\n".join((*lines, ""))
    if text.count("\n") != len(lines):
        line = next(line for line in lines if "\n" in line)
        raise DataError(
            f"found a newline inside the text {excerpt(line)}; expected a text of one line; replace the "
            f"newline by a space, or split the text"
        )
    return text.encode("utf-8", "surrogatepass")


def _learn(
    chunks: Iterable[Chunk],
    lowercase: bool,
    max_length: int,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Bitext:
    """Encode all chunks in the vocabularies of their trainable pairs."""
    sides = learn(chunks, lowercase=lowercase, max_length=max_length, threads=threads, progress=progress)
    (source, source_unknown), (target, target_unknown) = (
        OovWords.split(side.tokens, side.others, side.lengths, len(side.words)) for side in sides
    )
    return Bitext(
        source,
        target,
        Vocabulary(sides[0].words, sides[0].counts),
        Vocabulary(sides[1].words, sides[1].counts),
        max_length,
        lowercase=lowercase,
        source_unknown=source_unknown,
        target_unknown=target_unknown,
    )
