"""Aligning files: text in, link lines out, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, Queue
from threading import Event, Thread
from typing import TypeVar

import numpy as np

from aligner.decoding.batch import MAX_CELLS, aligner_of, oversized, shared_out
from aligner.decoding.decoder import Decoder
from aligner.decoding.scores import ScoreCounts, format_scores
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments
from aligner.links.pharaoh import format_links
from aligner.models.trained import Model
from aligner.system.threads import check_threads, in_order
from aligner.text.bitext import PAIRS_PER_CHUNK, Bitext, encode
from aligner.text.files import check_files, open_output
from aligner.text.misalignment import ShiftFinder
from aligner.text.oov_words import OovWords
from aligner.text.pairs import Chunk, read_pairs
from aligner.text.vocabulary import Vocabulary

_CHUNKS_AHEAD = 8
"""How many chunks are read ahead: together about 8 MB of text."""

_CHUNK_BYTES = 1 << 21
"""Of both sides: what is aligned at a time, of texts with long lines."""

_Ahead = Queue[Chunk | Exception | None]
_Chunk = TypeVar("_Chunk", Chunk, Bitext)

_STRANGE_WORDS = 1000
"""Of text that is mostly unknown, so many words are looked up in the other language's vocabulary."""


@dataclass
class DecodeSummary:
    """What a decoding run did, counted in sentence pairs, links and tokens; decoder: how it chose links.

    first_oversized: the number, from 1, of the first line that is too long, 0 if there is none. strange:
    different unknown words of the first text that is mostly unknown; exchanged: how many of them the
    other language has.
    """

    decoder: Decoder
    pairs: int = 0
    links: int = 0
    empty: int = 0
    bad: int = 0
    oversized: int = 0
    first_oversized: int = 0
    tokens: int = 0
    unknown: int = 0
    strange: int = 0
    exchanged: int = 0
    shifts: ShiftFinder = field(default_factory=ShiftFinder)
    scores: ScoreCounts = field(default_factory=ScoreCounts)

    def count(self, bitext: Bitext, alignments: Alignments) -> None:
        """Add a chunk and its links."""
        source, target = bitext.source, bitext.target
        large = np.flatnonzero(oversized(bitext))
        if len(large) and not self.oversized:
            self.first_oversized = self.pairs + int(large[0]) + 1
        self.oversized += len(large)
        self.shifts.add(source.lengths, target.lengths)
        self.pairs += len(bitext)
        self.links += len(alignments.source)
        if alignments.scores is not None:
            self.scores.add(alignments)
        self.empty += int(np.count_nonzero((source.lengths == 0) | (target.lengths == 0)))
        self.tokens += len(source.tokens) + len(target.tokens)
        unknown = int(np.count_nonzero(source.tokens == len(bitext.source_vocabulary)))
        unknown += int(np.count_nonzero(target.tokens == len(bitext.target_vocabulary)))
        self.unknown += unknown
        if 2 * unknown > len(source.tokens) + len(target.tokens) and self.strange < _STRANGE_WORDS:
            self._look_for(bitext.source_unknown, bitext.target_vocabulary)
            self._look_for(bitext.target_unknown, bitext.source_vocabulary)

    def _look_for(self, unknown: OovWords | None, other: Vocabulary) -> None:
        """Count how many of one side's unknown words the other language's vocabulary has."""
        words = unknown.words[:_STRANGE_WORDS] if unknown else []
        self.strange += len(words)
        self.exchanged += sum(word in other.index for word in words)

    def describe(self) -> str:
        """One line for people."""
        parts = [f"{self.pairs:,} pairs, {self.links:,} links ({self.decoder.describe()})"]
        if self.unknown:
            parts.append(f"{self.unknown:,} of {self.tokens:,} tokens unknown to the model")
        if 2 * self.unknown > self.tokens and 2 * self.exchanged > self.strange:
            parts.append("source and target seem exchanged")
        if self.empty:
            parts.append(f"{self.empty:,} pairs with an empty side got an empty line")
        if self.bad:
            parts.append(f"{self.bad:,} of them were lines without exactly one separator")
        if self.oversized:
            parts.append(
                f"{self.oversized:,} pairs of more than {MAX_CELLS:,} cells, the first in line"
                f" {self.first_oversized}, got an empty line"
            )
        shift = self.shifts.found()
        if shift is not None:
            parts.append(shift.describe())
        return "; ".join(parts)


def decode_file(
    model: Model,
    source: str,
    target: str | None = None,
    output: str = "-",
    *,
    decoder: Decoder | None = None,
    probabilities: bool = False,
    scores: str | None = None,
    threads: int = 1,
    format: str = "auto",
    skip_bad: bool = False,
    progress: Callable[[int], None] | None = None,
    report: Callable[[str], None] | None = None,
) -> DecodeSummary:
    """Align text files (or ``-``) to ``output``: one line of links per input line, whatever the line.

    ``scores``: a file that gets each line's scores, see ``format_scores``. Reads and writes a chunk at a
    time, aligning one on each thread; a named output appears when it is complete. ``report`` is called with
    a message for every line that is skipped.
    """
    check_threads(threads)
    check_files({"source": source, "target": target}, {"output": output, "scores": scores})
    decoder = decoder or Decoder.of(model)
    summary = DecodeSummary(decoder)

    def count_bad(message: str) -> None:
        summary.bad += 1
        if report is not None:
            report(message)

    vocabularies = model.source_vocabulary, model.target_vocabulary
    _ = [vocabulary.table for vocabulary in vocabularies]  # made once, and not by every thread

    def encoded(chunk: Chunk) -> Bitext:
        return encode(chunk, *vocabularies, lowercase=model.lowercase)

    lines = read_pairs(source, target, format=format, skip_bad=skip_bad, report=count_bad)
    with closing(_what_is_there(lines, PAIRS_PER_CHUNK)) as chunks:
        written = _write(model, chunks, encoded, output, decoder, probabilities, scores, threads)
        with closing(written) as aligned:
            for bitext, alignments in aligned:
                summary.count(bitext, alignments)
                if progress is not None:
                    progress(len(alignments))
    return summary


def decode_bitext(
    model: Model,
    bitext: Bitext,
    output: str,
    *,
    decoder: Decoder | None = None,
    probabilities: bool = False,
    threads: int = 1,
) -> None:
    """Align a text that is in memory to ``output``: see ``decode_file``."""
    chunks, decoder = shared_out(model.encode(bitext), threads), decoder or Decoder.of(model)
    written = _write(model, chunks, lambda chunk: chunk, output, decoder, probabilities, None, threads)
    with closing(written) as aligned:
        for _ in aligned:
            pass


def _write(
    model: Model,
    chunks: Iterable[_Chunk | None],
    encoded: Callable[[_Chunk], Bitext],
    output: str,
    decoder: Decoder,
    probabilities: bool,
    scores: str | None,
    threads: int,
) -> Generator[tuple[Bitext, Alignments], None, None]:
    """Encode and align chunks, several at the same time; what is yielded is written."""
    if probabilities and decoder.method == "viterbi":
        raise ConfigError(
            "links have probabilities by methods 'posterior' and 'competitive', not by 'viterbi'"
        )
    texts: list[tuple[str, Callable[[Alignments], str]]] = [
        (output, partial(format_links, probabilities=probabilities))
    ]
    if scores is not None:
        texts.append((scores, format_scores))
    align = aligner_of(model, decoder, scores is not None, threads)

    def work(chunk: _Chunk) -> tuple[Bitext, Alignments, list[bytes]]:
        bitext = encoded(chunk)
        alignments = align(bitext)
        return bitext, alignments, [text(alignments).encode() for _, text in texts]

    with ExitStack() as files:
        outputs = [(path, files.enter_context(open_output(path))) for path, _ in texts]
        for bitext, alignments, lines in in_order(chunks, work, threads):
            for (path, file), of_chunk in zip(outputs, lines, strict=True):
                file.write(of_chunk)
                if path == "-":
                    file.flush()
            yield bitext, alignments


def _what_is_there(chunks: Iterator[Chunk], pairs: int) -> Generator[Chunk | None, None, None]:
    """Chunks, read ahead by a thread of its own and put together, up to about so many pairs.

    None when nothing is there, before waiting: whoever waits for an answer may have to send more. The thread
    ends when the generator does, or when what it is just reading has come.
    """
    there: _Ahead = Queue(_CHUNKS_AHEAD)
    enough = Event()
    Thread(target=_read_ahead, args=(chunks, there, enough), daemon=True).start()
    try:
        yield from _put_together(there, pairs)
    finally:
        enough.set()
        with suppress(Empty):  # room for whatever the thread waits to put there
            while True:
                there.get_nowait()


def _read_ahead(chunks: Iterator[Chunk], there: _Ahead, enough: Event) -> None:
    """Put chunks, checked, where they are waited for, and None or an error behind the last."""
    try:
        for chunk in chunks:
            chunk.check()
            there.put(chunk)
            if enough.is_set():
                return
        there.put(None)
    except Exception as error:
        there.put(error)


def _put_together(there: _Ahead, pairs: int) -> Iterator[Chunk | None]:
    """What is there each time, see ``_what_is_there``."""
    while True:
        if there.empty():
            yield None
        taken: list[Chunk] = []
        lines, size = 0, 0
        last: Chunk | Exception | None = there.get()
        while isinstance(last, Chunk):
            taken.append(last)
            lines += last.lines
            size += len(last.source) + len(last.target)
            if there.empty() or lines >= pairs or size >= _CHUNK_BYTES:
                break
            last = there.get()
        if taken:
            yield Chunk.join(taken)
        if isinstance(last, Exception):
            raise last
        if last is None:
            return
