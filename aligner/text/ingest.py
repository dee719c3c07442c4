"""Text to word ids in the order of their counts, several chunks at the same time.

Each chunk is encoded by a table of its own. Only its different words go, one chunk after the other, into the
table of all; what that makes of each token is looked up at the end, when the ids are known.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.errors import ConfigError, DataError
from aligner.system.threads import check_threads, in_order, over
from aligner.text.pairs import Chunk
from aligner.text.word_table import EncodedText, WordTable, enlarged

MAX_TOKENS = (1 << 16) - 1
"""The longest sentence that can be trained on: positions of cells are stored in 16 bits (``blocks.KeptCells``)."""

_CHUNK_BYTES = 1 << 21
"""Of both sides, at least, but for the last: the larger, the fewer words are looked up again for each."""

_FIRST_ROOM = 10 << 20
"""Tokens: for 40 MB and more a C library has memory of its own, which grows without being copied."""


class Learnt(NamedTuple):
    """One side of n pairs: V words, the counts of each, int64 [V]; word ids, int32 [N]; lengths, int64 [n].

    The words are those of trainable pairs, by falling count there and then by first appearance there. Their
    numbers are the ids; others[k] has the id V + k.
    """

    words: list[str]
    counts: NDArray[np.int64]
    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    others: list[str]


def learn(
    chunks: Iterable[Chunk],
    *,
    lowercase: bool,
    max_length: int,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> tuple[Learnt, Learnt]:
    """Encode both sides of a text by their own words; the result is the same for any number of threads.

    max_length: of the sentences of trainable pairs, see ``longest``. Takes memory for the result, a few
    hundredths of that, and a few chunks.
    Raises DataError if the text is not UTF-8, ConfigError for numbers below what has a meaning.
    """
    check_threads(threads)
    if max_length < 0:
        raise ConfigError(f"max_length = {max_length}: expected a number of tokens, or 0 for no limit")

    def take(numbered: tuple[int, Chunk]) -> int:
        number, chunk = numbered
        first, second = None, None
        try:
            texts = encode_chunk(chunk, lowercase)
            chosen = trainable(texts[0].lengths, texts[1].lengths, max_length)
            first, second = (side.part(text, chosen) for side, text in zip(sides, texts, strict=True))
        finally:  # others wait for their turns, come what may
            try:
                sides[0].append(number, first)
            finally:
                sides[1].append(number, second)
        return chunk.lines

    sides = _Side(), _Side()
    errors: list[DataError] = []
    for lines in in_order(enumerate(_large(_until_error(chunks, errors))), take, threads):
        if progress is not None:
            progress(lines)
    if errors:
        raise errors[0]
    ranked = over(sides, lambda side: side.rank(lowercase), threads)
    for side, (_, ids) in zip(sides, ranked, strict=True):
        over(side.parts(ids), lambda part: kernels.word_table.renumber(*part, part[0]), threads)
    (source, _), (target, _) = ranked
    return source, target


def encode_chunk(chunk: Chunk, lowercase: bool) -> tuple[EncodedText, EncodedText]:
    """Both sides of a chunk, each by its own words in a new table; DataError if they are not UTF-8."""
    source = WordTable.of_text(chunk.source, chunk.lines, lowercase=lowercase)
    target = WordTable.of_text(chunk.target, chunk.lines, lowercase=lowercase)
    # Spaces and newlines are whole characters, so that a text is UTF-8 if its words are.
    if not (source.table.is_text() and target.table.is_text()):
        chunk.check()
    return source, target


def look_up(text: EncodedText, table: WordTable, lowercase: bool) -> tuple[NDArray[np.int32], list[str]]:
    """The tokens' numbers in another table, int32 [N], in place, and words that are not among its V words.

    The k-th of these has the number V + k.
    """
    words, numbers = text.table.lowered() if lowercase else (text.table, ...)
    found = table.find(words)
    others = np.flatnonzero(found == len(table))
    found[others] += np.arange(len(others), dtype=np.int32)
    kernels.word_table.renumber(text.tokens, found[numbers], text.tokens)
    names = words.words() if len(others) else []
    return text.tokens, [names[k] for k in others.tolist()]


def trainable(source: NDArray[np.int64], target: NDArray[np.int64], max_length: int) -> NDArray[np.bool_]:
    """Tell for pairs of these lengths [n] whether both are 1 to ``longest(max_length)``, bool [n]."""
    return (np.minimum(source, target) > 0) & (np.maximum(source, target) <= longest(max_length))


def longest(max_length: int) -> int:
    """The most words of a side that is trained on, by a limit of max_length, 0 for none."""
    return min(max_length or MAX_TOKENS, MAX_TOKENS)


def _until_error(chunks: Iterable[Chunk], errors: list[DataError]) -> Iterator[Chunk]:
    """The chunks before an error, which is put aside: if there is one in them, it is said first."""
    try:
        yield from chunks
    except DataError as error:
        errors.append(error)


def _large(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """The same lines in chunks that are not small."""
    taken: list[Chunk] = []
    size = 0
    for chunk in chunks:
        taken.append(chunk)
        size += len(chunk.source) + len(chunk.target)
        if size >= _CHUNK_BYTES:
            yield Chunk.join(taken)
            taken, size = [], 0
    if taken:
        yield Chunk.join(taken)


class _Part(NamedTuple):
    """A chunk's side: its words, and those of trainable pairs by first appearance, with their counts."""

    words: WordTable
    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    appearing: NDArray[np.int32]
    counts: NDArray[np.int64]


class _Turns:
    """Lets numbers from 0 on do something one after the other, whatever threads they are on."""

    def __init__(self) -> None:
        self._next = 0
        self._passed = Condition()

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        """Wait until it is the number's turn, which ends with the context."""
        with self._passed:
            self._passed.wait_for(lambda: self._next == number)
        try:
            yield
        finally:
            with self._passed:
                self._next += 1
                self._passed.notify_all()


class _Side:
    """One side of a text while it is read."""

    def __init__(self) -> None:
        # The numbers of all words in the tables of their parts, and room for more; then in that of all.
        self._tokens = np.empty(_FIRST_ROOM, np.int32)
        self._lengths = array("q")
        self._table = WordTable()
        # Of each word in the table: its count, and how many others had appeared in trainable pairs before it.
        self._counts = np.zeros(0, np.int64)
        self._before = np.zeros(0, np.int64)
        self._appeared = 0
        self._filled = 0
        # Where each part's tokens begin and end, and the number of each of its words in the table.
        self._parts: list[tuple[int, int, NDArray[np.int32]]] = []
        self._turns = _Turns()

    def part(self, text: EncodedText, chosen: NDArray[np.bool_]) -> _Part:
        """A part of the text, where the chosen sentences, bool [n], are trainable; in any order."""
        words = len(text.table)
        counts, appearing = np.zeros(words, np.int64), np.empty(words, np.int32)
        appearing = appearing[
            : kernels.word_table.count(text.tokens, text.lengths, chosen, counts, appearing)
        ]
        return _Part(text.table, text.tokens, text.lengths, appearing, counts[appearing])

    def append(self, number: int, part: _Part | None) -> None:
        """Take up a part of the text, if there is one, after those of all lower numbers, from 0."""
        with self._turns.of(number):
            if part is not None:
                self._append(part)

    def _append(self, part: _Part) -> None:
        numbers = self._table.add(part.words)
        self._counts = enlarged(self._counts, len(self._table))
        self._before = enlarged(self._before, len(self._table))
        appearing = numbers[part.appearing]
        new = appearing[self._counts[appearing] == 0]
        self._before[new] = np.arange(self._appeared, self._appeared + len(new))
        self._appeared += len(new)
        self._counts[appearing] += part.counts
        start, end = self._filled, self._filled + len(part.tokens)
        if end > len(self._tokens):
            self._tokens.resize(end + end // 4, refcheck=False)
        self._tokens[start:end] = part.tokens
        self._filled = end
        self._parts.append((start, end, numbers))
        self._lengths.frombytes(part.lengths.data.cast("B"))

    def rank(self, lowercase: bool) -> tuple[Learnt, NDArray[np.int32]]:
        """What was learnt after the last part, and each word's id.

        The tokens are still numbers in the tables of their parts.
        """
        words = len(self._table)
        table, numbers = self._table.lowered() if lowercase else (self._table, np.arange(words))
        counts, before = np.zeros(len(table), np.int64), np.full(len(table), words)
        np.add.at(counts, numbers, self._counts[:words])
        appeared = self._counts[:words] > 0
        np.minimum.at(before, numbers[appeared], self._before[:words][appeared])
        ranked = np.lexsort((before, -counts))
        ids = np.empty(len(table), np.int32)
        ids[ranked] = np.arange(len(ranked), dtype=np.int32)
        every = table.words()
        names = [every[k] for k in ranked.tolist()]
        known = np.count_nonzero(counts)
        self._tokens.resize(self._filled, refcheck=False)
        lengths = np.asarray(self._lengths).view(np.int64)
        learnt = Learnt(names[:known], counts[ranked[:known]], self._tokens, lengths, names[known:])
        return learnt, ids[numbers]

    def parts(self, ids: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Each part's tokens, and the ids of its words, of those of all."""
        return ((self._tokens[start:end], ids[numbers]) for start, end, numbers in self._parts)
