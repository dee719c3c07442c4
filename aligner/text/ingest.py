"""Ingestion: lines of text become word ids, several chunks at the same time.

Each chunk is numbered by a word table of its own. Only its different words are then added, one chunk after
another, to the table of the whole text. In the end, words are counted and ranked, and every token gets the id
of its word.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from aligner import kernels
from aligner.arrays import Bools, Int64s
from aligner.errors import ConfigError, DataError
from aligner.files.lines import Chunk
from aligner.system.threads import check_threads, run_all, run_in_order
from aligner.text.lookup import Lookup
from aligner.text.rows import Rows
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
    lookup: Lookup,
    max_length: int,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Sequence[TextSide]:
    """Encode both sides of a text in the vocabularies of its trainable pairs.

    The result does not depend on the number of threads. Peak memory is the result, a few per cent more, and a
    few chunks.

    Parameters
    ----------
    chunks
        The text.
    lookup
        How words are compared.
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
    source, target = sides = _GrowingSide(), _GrowingSide()
    errors: list[DataError] = []
    joined = _join_small(_until_error(chunks, errors))
    for texts in run_in_order(joined, lambda chunk: encode_chunk(chunk, lookup), threads):
        for side, text in zip(sides, texts, strict=True):
            side.append(text)
        if progress is not None:
            progress(len(texts[0].lengths))
    if errors:
        raise errors[0]
    chosen = is_trainable(source.lengths, target.lengths, max_length)
    return run_all(sides, lambda side: side.encoded(chosen, lookup), threads)


def encode_chunk(chunk: Chunk, lookup: Lookup) -> tuple[NumberedText, NumberedText]:
    """Assign numbers to the words of each side of a chunk; raise DataError if they are not UTF-8."""
    source, target = (
        WordTable.of_text(_without_ranges(side), chunk.lines, lowercase=lookup.lowercase)
        for side in (chunk.source, chunk.target)
    )
    # Words are cut at ASCII characters, so a text is valid UTF-8 if its words are.
    if not (source.table.is_text() and target.table.is_text()):
        chunk.check()
    return source.without_ignored(lookup), target.without_ignored(lookup)


def _without_ranges(side: bytes) -> bytes:
    """Return lines where verses that belong to the verse before, lines `<range>`, are empty."""
    return re.sub(rb"(?m)^<range>$", b"", side) if b"<range>\n" in side else side


def is_trainable(source: Int64s, target: Int64s, max_length: int) -> Bools:
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


class _GrowingSide:
    """One side of a text while it is read."""

    def __init__(self) -> None:
        # Each token's number in the table, with spare capacity at the end.
        self._tokens = np.empty(_INITIAL_TOKENS, np.int32)
        self._filled = 0
        self._lengths = array("q")
        self._table = WordTable()
        self._word_sizes = [Rows(np.empty(0, np.int32), np.zeros(1, np.int64))]

    @property
    def lengths(self) -> Int64s:
        """The number of words of each sentence, int64 [n]. No text can be appended while it is in use."""
        return np.asarray(self._lengths)

    def append(self, text: NumberedText) -> None:
        """Append the next part of the text."""
        numbers = self._table.add(text.table)
        start, self._filled = self._filled, self._filled + len(text.tokens)
        if self._filled > len(self._tokens):
            self._tokens.resize(self._filled + self._filled // 4, refcheck=False)
        kernels.words.renumber(text.tokens, numbers, self._tokens[start : self._filled])
        self._lengths.frombytes(text.lengths.data.cast("B"))
        if text.word_sizes is not None:
            self._word_sizes.append(text.word_sizes)

    def encoded(self, chosen: Bools, lookup: Lookup) -> TextSide:
        """Return the side with ids for tokens, after the last part; chosen: bool [n], trainable sentences.

        Words are ordered by decreasing count in these sentences, then by first appearance there.
        """
        self._tokens.resize(self._filled, refcheck=False)
        types = len(self._table)
        counts, trained = np.zeros(types, np.int64), np.empty(types, np.int32)
        trained = trained[: kernels.words.count(self._tokens, self.lengths, chosen, counts, trained)]
        table, numbers = self._table.keys(lookup)
        counts = np.bincount(numbers, counts, len(table)).astype(np.int64)
        appearance = np.full(len(table), types)
        appearance[numbers[trained[::-1]]] = np.arange(len(trained))[::-1]  # the first appearance is set last
        order = np.lexsort((appearance, -counts))
        ids = np.empty(len(table), np.int32)
        ids[order] = np.arange(len(order), dtype=np.int32)
        kernels.words.renumber(self._tokens, ids[numbers], self._tokens)
        keys, spellings = table.words(), _first_spellings(self._table, lookup)
        words = [keys[k] for k in order.tolist()]
        types = int(np.count_nonzero(counts))
        spellings = {word: spellings[word] for word in words[:types] if word in spellings}
        vocabulary = Vocabulary(words[:types], counts[order[:types]], spellings=spellings)
        sizes = Rows.concatenate(self._word_sizes) if lookup.ignored else None
        return replace(TextSide.of(self._tokens, self.lengths, vocabulary, words[types:]), word_sizes=sizes)


def _first_spellings(table: WordTable, lookup: Lookup) -> dict[str, str]:
    """Return the first spelling in a table, but for case, of each word whose marks the lookup folds."""
    text = table.text().decode("utf-8", "surrogatepass")
    spellings, words = lookup._replace(fold="none").key(text), lookup.key(text)
    if spellings == words:
        return {}
    first = dict(zip(reversed(words.split("\n")), reversed(spellings.split("\n")), strict=True))
    return {word: spelling for word, spelling in first.items() if word != spelling}
