"""Decoding of files: text in, links out, in constant memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import TypeAlias, TypeVar

from aligner import kernels
from aligner.decoding.batch import decode, even_chunks, make_aligner
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned_decoder import AnyDecoder, decoder_of
from aligner.decoding.methods import LINK_METHODS, has_probabilities
from aligner.decoding.read_ahead import read_ahead
from aligner.decoding.scores import format_scores
from aligner.decoding.summary import ChunkCounts, DecodeSummary, score_histograms
from aligner.errors import ConfigError
from aligner.files.lines import PAIRS_PER_CHUNK, Chunk
from aligner.files.opening import STANDARD_STREAM, PathLike, check_conflicts, is_special, open_output
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS, Format, check_holds_ids
from aligner.links.known_links import KnownLinks
from aligner.links.linked_pairs import LinkedLines
from aligner.models.trained import TrainedModel
from aligner.system.resources import processors
from aligner.system.threads import TEAM, run_all, run_in_order
from aligner.text.bitext import Bitext, OtherLinks
from aligner.text.line_ids import LineIds
from aligner.text.pairs import BadLines, read_pairs
from aligner.text.pairs_like import PairsLike

_Result = TypeVar("_Result")

_Written: TypeAlias = tuple[list[bytes], ChunkCounts]

_LEAST_FORKED = 1 << 22
"""The bytes of a source file that repay the start of processes."""


def decode_file(
    model: TrainedModel,
    source: PathLike,
    target: PathLike | None = None,
    output: str = "-",
    *,
    decoder: AnyDecoder | None = None,
    links_format: str = "pharaoh",
    known: KnownLinks | None = None,
    others: OtherLinks | None = None,
    ids: LineIds | None = None,
    scores: str | None = None,
    threads: int = 1,
    format: str = "auto",
    skip_bad: bool = False,
    progress: Callable[[int], None] | None = None,
    report: Callable[[str], None] | None = None,
) -> DecodeSummary:
    """Align text files and write the links, in constant memory.

    Files are read and written a chunk at a time, so a pipe gets the links of the lines that it has sent. A
    named output file appears when it is complete.

    Parameters
    ----------
    model
        A trained model.
    source, target
        Files with one sentence per line. Without ``target``, ``source`` holds both sides. "-" is stdin.
    output
        The file for the links. "-" is standard output.
    decoder
        Settings for choosing links. By default, the settings of the model's recipe.
    links_format
        The name of a link format (see ``aligner.links.formats.LINK_FORMATS``).
    known
        Known and forbidden links of the text, which are imposed: known links have the probability 1.
    others
        Links of other aligners of the text, which are evidence (see ``join_other_links``).
    ids
        The ids of the lines, for a link format with ids.
    scores
        A file for sentence scores, one line per pair (see ``aligner.decoding.scores``). None writes none. If
        ``output`` and ``scores`` are both "-", a line has the links, a TAB and the scores. Objects of
        "jsonl" have the scores, too.
    threads
        Number of threads. On Linux, as many processes forked from this one align a long file instead, so that
        none waits for the interpreter's lock. Threads do it if this process has other threads.
    format
        The separator of the sides in a file that holds both: "auto", "tsv" or "bars".
    skip_bad
        True to treat a bad line as an empty pair (see ``read_bitext``).
    progress
        Receives the number of sentence pairs done since its last call.
    report
        Receives a message for each line that is skipped.

    Returns
    -------
    DecodeSummary
        Counts of pairs, links, and out-of-vocabulary tokens.

    Raises
    ------
    ConfigError
        If arguments do not go together.
    DataError
        If a file cannot be read or written.
    """
    on_one_line = output == scores == STANDARD_STREAM
    check_conflicts(
        {"source": source, "target": target}, {"output": output, "scores": None if on_one_line else scores}
    )
    decoder = decoder or decoder_of(model)
    summary = DecodeSummary(decoder, scores=None if scores is None else score_histograms())
    bad_lines = BadLines(report)
    link_format = _find_format(links_format, decoder)
    if ids is not None:
        check_holds_ids(links_format)
    writers = {output: link_format.write}
    if on_one_line and "scores" not in link_format.may_hold:
        writers = {output: _with_scores(links_format)}
    elif scores is not None and not on_one_line:
        writers[scores] = lambda parts: (format_scores(part.links) for part in parts)

    def finish(first: int, chunk: Chunk, bitext: Bitext, alignments: Alignments) -> _Written:
        """Return the text of a chunk for each file, and its counts; first: its first line, from 0."""
        line_ids = () if ids is None else ids.of_lines(first + 1, chunk.lines)
        part = link_format.lines(alignments, first + 1, chunk.pairs(), line_ids)
        texts = ["".join(write([part])).encode() for write in writers.values()]
        return texts, ChunkCounts.of(bitext, alignments)

    lines = read_pairs(source, target, format=format, skip_bad=skip_bad, report=bad_lines)
    with ExitStack() as stack:
        aligned = align_chunks(
            model,
            decoder,
            lines,
            finish,
            known,
            others,
            scores=scores is not None,
            threads=threads,
            forked=can_fork(source, target, threads),
        )
        stack.enter_context(closing(aligned))
        files = {path: stack.enter_context(open_output(path)) for path in writers}
        for texts, counts in aligned:
            for (path, file), text in zip(files.items(), texts, strict=True):
                file.write(text)
                if is_special(path):  # the reader of a pipe may wait for links before it sends more
                    file.flush()
            summary.add(counts)
            if progress is not None:
                progress(len(counts.lengths[0]))
        if ids is not None:
            ids.check_end(summary.pairs)
    summary.bad = bad_lines.count
    summary.known = "" if known is None else known.describe(summary.pairs)
    return summary


def align_chunks(
    model: TrainedModel,
    decoder: AnyDecoder,
    lines: Iterator[Chunk],
    finish: Callable[[int, Chunk, Bitext, Alignments], _Result],
    known: KnownLinks | None = None,
    others: OtherLinks | None = None,
    *,
    scores: bool,
    threads: int,
    forked: bool = False,
) -> Generator[_Result, None, None]:
    """Encode and align chunks, several at the same time, and yield the result of each in order.

    finish: makes the result from the number of the first line, from 0, the chunk, its encoded text and its
    links, where the chunk is aligned; forked: True for forked processes in place of threads.
    """
    align = make_aligner(model, [decoder], known, others, scores=scores, threads=threads)

    def work(numbered: tuple[int, Chunk]) -> _Result:
        first, chunk = numbered
        bitext = Bitext.from_chunk(chunk, *model.vocabularies, model.lookup)
        return finish(first, chunk, bitext, align((first, bitext))[0])

    with ExitStack() as stack:
        run: Callable[..., Iterator[_Result]] = partial(run_in_order, work=work, threads=threads)
        if forked:
            from aligner.system.processes import forks

            for compute in _shared_tables(model, threads):
                compute()
            decode(model, [("a", "a"), ("\uffff", "\uffff")], decoder, scores=scores)  # loads most kernels
            with suppress(OSError):  # where processes are refused, threads work
                run = stack.enter_context(forks(work, min(threads, processors())))
        chunks = stack.enter_context(closing(read_ahead(lines, PAIRS_PER_CHUNK)))
        next(chunks)  # begins to read
        if not forked:
            run_all(_shared_tables(model, threads), lambda compute: compute(), threads)
        yield from run(_numbered(chunks))


def can_fork(source: PathLike, target: PathLike | None, threads: int) -> bool:
    """Return True if forked processes may align these files, and the source is long enough to save time."""
    # On macOS, libraries of the system may fail in a forked process.
    if threads == 1 or sys.platform != "linux" or is_special(source) or is_special(target or source):
        return False
    with suppress(OSError):
        if os.path.getsize(source) >= _LEAST_FORKED and not kernels.policy.is_cache_empty():
            return TEAM.may_fork()
    return False


def _shared_tables(model: TrainedModel, threads: int) -> list[Callable[[], object]]:
    """Return functions that compute what chunks share: else all threads would wait for the first."""
    tables: list[Callable[[], object]] = [
        lambda: model.source_vocabulary.table,
        lambda: model.target_vocabulary.table,
    ]
    if threads > 1:
        tables.append(lambda: model.knows_word_forms and model.class_counts)
        if pieces := model.pieces:
            tables += [lambda: pieces.source.cut_words, lambda: pieces.target.cut_words]
            tables.append(lambda: pieces.model.knows_word_forms and pieces.model.class_counts)
    return tables


def _numbered(chunks: Iterable[Chunk | None]) -> Iterator[tuple[int, Chunk] | None]:
    """Yield each chunk with the number of its first line, from 0; None stays."""
    first = 0
    for chunk in chunks:
        yield chunk and (first, chunk)
        first += chunk.lines if chunk else 0


def decode_bitext(
    model: TrainedModel,
    bitext: Bitext | PairsLike,
    output: str,
    *,
    decoder: AnyDecoder | None = None,
    links_format: str = "pharaoh",
    known: KnownLinks | None = None,
    threads: int = 1,
) -> None:
    """Align a bitext in memory and write the links.

    Parameters
    ----------
    model
        A trained model.
    bitext
        The text, as for ``decode``.
    output
        The file for the links, which appears when it is complete. "-" is standard output.
    decoder
        Settings for choosing links. By default, the settings of the model's recipe.
    links_format
        The name of a link format (see ``aligner.links.formats.LINK_FORMATS``).
    known
        Known and forbidden links of the text, which are imposed.
    threads
        Number of threads.

    Raises
    ------
    ConfigError
        If arguments do not go together, or as for ``decode``.
    DataError
        If the file cannot be written, or as for ``decode``.
    """
    if "words" in LINK_FORMATS.find(links_format).needs:
        raise ConfigError(
            f"link format {links_format!r} holds words, but a bitext in memory has word ids; choose another"
            f" format, or align the files of the text (decode_file, align decode)"
        )
    decoder = decoder or decoder_of(model)
    write = _find_format(links_format, decoder).write
    align = make_aligner(model, [decoder], known, scores=False, threads=threads)
    first = 0
    with open_output(output) as file:
        for (alignments,) in run_in_order(even_chunks(model.encode(bitext), threads), align, threads):
            file.writelines(map(str.encode, write([LinkedLines(alignments, first + 1)])))
            first += len(alignments)


def _find_format(name: str, decoder: AnyDecoder) -> Format:
    """Return a link format; raise ConfigError if it needs probabilities, and the links have none."""
    link_format = LINK_FORMATS.find(name)
    if "probabilities" not in link_format.needs:
        return link_format
    if isinstance(decoder, Decoder) and not decoder.has_probabilities:
        having = [name for name in LINK_METHODS if has_probabilities(name)]
        raise ConfigError(
            f"link format {name!r} with method {decoder.method!r}, whose links have no probabilities;"
            f" choose another format, or a method that has them ({', '.join(having)})"
        )
    return link_format


def _with_scores(name: str) -> Callable[..., Iterator[str]]:
    """Return a function that writes links and scores on one line; ConfigError for a format without lines."""
    link_format = LINK_FORMATS[name]
    if link_format.lines_per_pair != 1:
        raise ConfigError(
            f"found link format {name!r} and scores on standard output; expected a format with one"
            f" line for each pair; choose another format, or name a file for the scores"
        )

    def write_both(parts: Iterable[LinkedLines]) -> Iterator[str]:
        for part in parts:
            texts = "".join(link_format.write([part])), format_scores(part.links)
            # Not splitlines, which also splits at characters that words may have, such as U+2028.
            lines = zip(*(text.split("\n")[:-1] for text in texts), strict=True)
            yield "".join([f"{links}\t{scores}\n" for links, scores in lines])

    return write_both
