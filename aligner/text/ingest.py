"""Ingestion: lines of text become word ids, several chunks at the same time.

Each chunk is numbered by a word table of its own. Only its different words are then added, one chunk after
another, to the table of the whole text. When all words have been counted, they are ranked by count, and every
token gets the id of its word.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import enlarge
from aligner.errors import ConfigError, DataError
from aligner.system.threads import check_threads, run_all, run_in_order
from aligner.text.lines import Chunk
from aligner.text.side import TextSide
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import NumberedText, WordTable

MAX_TOKENS = (1 << 16) - 1
"""Greatest length of a trainable sentence: positions are stored in 16 bits (``lexicon.blocks.KeptCells``)."""

_CHUNK_BYTES = 1 << 21
"""Minimum size of a chunk, both sides together. Larger chunks repeat fewer words; the last may be smaller."""

_INITIAL_TOKENS = 10 << 20
"""Initial capacity in tokens, 40 MB. glibc gets 40 MB by mmap, so realloc grows it without copying."""


def encode_text(
    chunks: Iterable[Chunk],
    *,
    lowercase: bool,
    max_length: int,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> tuple[TextSide, TextSide]:
    """Encode both sides of a text in the vocabularies of its trainable pairs.

    The result does not depend on the number of threads. Peak memory is the result, a few per cent more, and a
    few chunks.

    Parameters
    ----------
    chunks
        The text.
    lowercase
        Lowercase words.
    max_length
        Greatest number of words of each side of a trainable pair; 0 stands for ``MAX_TOKENS``.
    threads
        Number of threads.
    progress
        Receives the number of lines of each chunk that was encoded.

    Raises
    ------
    DataError
        If the text is not UTF-8.
    ConfigError
        If ``max_length`` is no whole number from 0 on, or if ``threads`` is not from 1 to ``MOST_THREADS``.
    """
    check_threads(threads)
    length_limit(max_length)  # raises an error before the text is read

    def encode(chunk: Chunk) -> tuple[int, list[_SidePart]]:
        texts = encode_chunk(chunk, lowercase)
        chosen = is_trainable(texts[0].lengths, texts[1].lengths, max_length)
        return chunk.lines, [_part_of(text, chosen) for text in texts]

    sides = _GrowingSide(), _GrowingSide()
    errors: list[DataError] = []
    for lines, parts in run_in_order(_join_small(_until_error(chunks, errors)), encode, threads):
        for side, part in zip(sides, parts, strict=True):
            side.append(part)
        if progress is not None:
            progress(lines)
    if errors:
        raise errors[0]
    ranked = run_all(sides, lambda side: side.rank(lowercase), threads)
    source, target = (side.encoded(*words, threads) for side, words in zip(sides, ranked, strict=True))
    return source, target


def encode_chunk(chunk: Chunk, lowercase: bool) -> tuple[NumberedText, NumberedText]:
    """Assign numbers to the words of each side of a chunk; raise DataError if they are not UTF-8."""
    source = WordTable.of_text(chunk.source, chunk.lines, lowercase=lowercase)
    target = WordTable.of_text(chunk.target, chunk.lines, lowercase=lowercase)
    # Words are cut at ASCII characters, so a text is valid UTF-8 if its words are.
    if not (source.table.is_text() and target.table.is_text()):
        chunk.check()
    return source, target


def is_trainable(source: NDArray[np.int64], target: NDArray[np.int64], max_length: int) -> NDArray[np.bool_]:
    """Return True for pairs of lengths [n] from 1 to ``length_limit(max_length)``, bool [n]."""
    return (np.minimum(source, target) > 0) & (np.maximum(source, target) <= length_limit(max_length))


def length_limit(max_length: int) -> int:
    """Return the greatest length of a trainable sentence; ConfigError if ``max_length`` is out of range."""
    if not (isinstance(max_length, (int, np.integer)) and max_length >= 0):
        raise ConfigError(f"max_length = {max_length}: expected a number of tokens, or 0 for {MAX_TOKENS:,}")
    return min(max_length or MAX_TOKENS, MAX_TOKENS)


def _until_error(chunks: Iterable[Chunk], errors: list[DataError]) -> Iterator[Chunk]:
    """Yield chunks up to a DataError, and append that to ``errors``: errors in earlier lines come first."""
    try:
        yield from chunks
    except DataError as error:
        errors.append(error)


def _join_small(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Join consecutive chunks until each has at least ``_CHUNK_BYTES``."""
    small: list[Chunk] = []
    size = 0
    for chunk in chunks:
        small.append(chunk)
        size += len(chunk.source) + len(chunk.target)
        if size >= _CHUNK_BYTES:
            yield Chunk.join(small)
            small, size = [], 0
    if small:
        yield Chunk.join(small)


class _SidePart(NamedTuple):
    """One side of a chunk: its text, and the words of its trainable pairs.

    trained: the numbers of these words in the order of first appearance, int32 [words]; counts: their
    frequencies there, int64 [words].
    """

    text: NumberedText
    trained: NDArray[np.int32]
    counts: NDArray[np.int64]


def _part_of(text: NumberedText, chosen: NDArray[np.bool_]) -> _SidePart:
    """Count the words of the trainable sentences of a chunk's side. chosen: bool [n], True for these."""
    counts, trained = np.zeros(len(text.table), np.int64), np.empty(len(text.table), np.int32)
    types = kernels.words.count(text.tokens, text.lengths, chosen, counts, trained)
    trained = trained[:types]
    return _SidePart(text, trained, counts[trained])


class _GrowingSide:
    """One side of a text while it is read."""

    def __init__(self) -> None:
        # Each token's number in the table of its part, with spare capacity at the end.
        self._tokens = np.empty(_INITIAL_TOKENS, np.int32)
        self._filled = 0
        self._lengths = array("q")
        self._table = WordTable()
        # For each word of the table: its count in trainable pairs, and its rank by first appearance there.
        self._counts = np.zeros(0, np.int64)
        self._appearance = np.zeros(0, np.int64)
        self._trained_types = 0
        # For each part: begin and end of its tokens, and the number in the table of each of its words.
        self._parts: list[tuple[int, int, NDArray[np.int32]]] = []

    def append(self, part: _SidePart) -> None:
        """Append the next part of the text."""
        numbers = self._table.add(part.text.table)
        self._counts = enlarge(self._counts, len(self._table))
        self._appearance = enlarge(self._appearance, len(self._table))
        trained = numbers[part.trained]
        new = trained[self._counts[trained] == 0]
        self._appearance[new] = np.arange(self._trained_types, self._trained_types + len(new))
        self._trained_types += len(new)
        self._counts[trained] += part.counts
        start, end = self._filled, self._filled + len(part.text.tokens)
        if end > len(self._tokens):
            self._tokens.resize(end + end // 4, refcheck=False)
        self._tokens[start:end] = part.text.tokens
        self._filled = end
        self._parts.append((start, end, numbers))
        self._lengths.frombytes(part.text.lengths.data.cast("B"))

    def rank(self, lowercase: bool) -> tuple[Vocabulary, list[str], NDArray[np.int32]]:
        """Order the words by count, after the last part, and free the spare capacity for tokens.

        Returns the words of trainable pairs, ordered by decreasing count there, then by first appearance
        there; all other words; and the id of each word of the table, int32, where the other words come last.
        """
        types = len(self._table)
        table, numbers = self._table.lowered() if lowercase else (self._table, np.arange(types))
        counts, appearance = np.zeros(len(table), np.int64), np.full(len(table), types)
        np.add.at(counts, numbers, self._counts[:types])
        trained = self._counts[:types] > 0
        np.minimum.at(appearance, numbers[trained], self._appearance[:types][trained])
        order = np.lexsort((appearance, -counts))
        ids = np.empty(len(table), np.int32)
        ids[order] = np.arange(len(order), dtype=np.int32)
        spelling = table.words()
        words = [spelling[k] for k in order.tolist()]
        known = np.count_nonzero(counts)
        self._tokens.resize(self._filled, refcheck=False)
        return Vocabulary(words[:known], counts[order[:known]]), words[known:], ids[numbers]

    def encoded(
        self, vocabulary: Vocabulary, oov_words: list[str], ids: NDArray[np.int32], threads: int
    ) -> TextSide:
        """Return the side with ids for tokens, given what ``rank`` returns."""

        def renumber(part: tuple[int, int, NDArray[np.int32]]) -> None:
            start, end, numbers = part
            tokens = self._tokens[start:end]
            kernels.words.renumber(tokens, ids[numbers], tokens)

        run_all(self._parts, renumber, threads)
        lengths = np.asarray(self._lengths).view(np.int64)
        return TextSide.of(self._tokens, lengths, vocabulary, oov_words)
