"""Decoding of files: text in, links out, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing

from aligner.decoding.batch import even_chunks, make_aligner
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned_decoder import AnyDecoder, decoder_of
from aligner.decoding.methods import LINK_METHODS, has_probabilities
from aligner.decoding.read_ahead import read_ahead
from aligner.decoding.scores import format_scores
from aligner.decoding.summary import DecodeSummary, score_histograms
from aligner.errors import ConfigError
from aligner.files.lines import PAIRS_PER_CHUNK, Chunk
from aligner.files.opening import STANDARD_STREAM, PathLike, check_conflicts, is_special, open_output
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS, Format, check_holds_ids
from aligner.links.known_links import KnownLinks
from aligner.links.linked_pairs import LinkedLines
from aligner.models.trained import TrainedModel
from aligner.system.threads import run_all, run_in_order
from aligner.text.bitext import Bitext, OtherLinks
from aligner.text.line_ids import LineIds
from aligner.text.pairs import BadLines, read_pairs
from aligner.text.pairs_like import PairsLike


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
        Number of threads.
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
    formats = {output: link_format.write}
    if on_one_line and "scores" not in link_format.may_hold:
        formats = {output: _with_scores(links_format)}
    elif scores is not None and not on_one_line:
        formats[scores] = lambda parts: (format_scores(part.links) for part in parts)

    lines = read_pairs(source, target, format=format, skip_bad=skip_bad, report=bad_lines)
    with ExitStack() as stack:
        aligned = align_chunks(
            model, decoder, lines, known, others, scores=scores is not None, threads=threads
        )
        stack.enter_context(closing(aligned))
        files = {path: stack.enter_context(open_output(path)) for path in formats}
        for chunk, bitext, alignments in aligned:
            first_line = summary.pairs + 1
            line_ids = () if ids is None else ids.of_lines(first_line, len(alignments))
            part = link_format.lines(alignments, first_line, chunk.pairs(), line_ids)
            for path, write in formats.items():
                files[path].writelines(map(str.encode, write([part])))
                if is_special(path):  # the reader of a pipe may wait for links before it sends more
                    files[path].flush()
            summary.add(bitext, alignments)
            if progress is not None:
                progress(len(alignments))
        if ids is not None:
            ids.check_end(summary.pairs)
    summary.bad = bad_lines.count
    summary.known = "" if known is None else known.describe(summary.pairs)
    return summary


def align_chunks(
    model: TrainedModel,
    decoder: AnyDecoder,
    lines: Iterator[Chunk],
    known: KnownLinks | None = None,
    others: OtherLinks | None = None,
    *,
    scores: bool,
    threads: int,
) -> Generator[tuple[Chunk, Bitext, Alignments], None, None]:
    """Yield chunks, encoded and aligned, several at the same time, as soon as their lines are there."""
    align = make_aligner(model, [decoder], known, others, scores=scores, threads=threads)

    def work(numbered: tuple[int, Chunk]) -> tuple[Chunk, Bitext, Alignments]:
        first, chunk = numbered
        bitext = Bitext.from_chunk(chunk, *model.vocabularies, model.lookup)
        return chunk, bitext, align((first, bitext))[0]

    with closing(read_ahead(lines, PAIRS_PER_CHUNK)) as chunks:
        next(chunks)  # begins to read
        _compute_ahead(model, threads)
        yield from run_in_order(_numbered(chunks), work, threads)


def _compute_ahead(model: TrainedModel, threads: int) -> None:
    """Compute the tables that chunks share, several at a time: else all threads would wait for the first."""
    tables: list[Callable[[], object]] = [
        lambda: model.source_vocabulary.table,
        lambda: model.target_vocabulary.table,
    ]
    if threads > 1:
        tables.append(lambda: model.knows_word_forms and model.class_counts)
        if pieces := model.pieces:
            tables += [lambda: pieces.source.cut_words, lambda: pieces.target.cut_words]
            tables.append(lambda: pieces.model.knows_word_forms and pieces.model.class_counts)
    run_all(tables, lambda compute: compute(), threads)


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
