"""Decoding of files: text in, links out, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any, NamedTuple, TypeAlias, TypeVar

from aligner.decoding.batch import make_aligner, split_evenly
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned import decoder_of
from aligner.decoding.methods import LINK_METHODS, has_probabilities
from aligner.decoding.read_ahead import read_ahead
from aligner.decoding.scores import ScoreHistogram, format_scores
from aligner.decoding.summary import DecodeSummary
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS, check_holds_names
from aligner.links.known_links import KnownLinks
from aligner.links.linked_pairs import PairLines, PairWords
from aligner.models.trained import TrainedModel
from aligner.system.threads import check_threads, run_in_order
from aligner.text.bitext import Bitext
from aligner.text.files import STANDARD_STREAM, PathLike, check_conflicts, is_special, open_output
from aligner.text.line_ids import LineIds
from aligner.text.lines import PAIRS_PER_CHUNK, Chunk
from aligner.text.pairs import BadLines, read_pairs

_Chunk = TypeVar("_Chunk", Chunk, Bitext)

_Texts: TypeAlias = tuple[Sequence[PairWords], Sequence[PairLines]]
"""The words and the lines of the pairs of a chunk, each empty if the link format does not have them."""


class _Output(NamedTuple):
    """A file to write, and a function of (alignments, first line, words, ids, lines) of a chunk to text."""

    path: str
    format: Callable[[Alignments, int, Sequence[PairWords], Sequence[str], Sequence[PairLines]], str]


def decode_file(
    model: TrainedModel,
    source: PathLike,
    target: PathLike | None = None,
    output: str = "-",
    *,
    decoder: Decoder | None = None,
    links_format: str = "pharaoh",
    known: KnownLinks | None = None,
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
        True to treat a line without exactly one separator as an empty pair.
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
    check_threads(threads)
    separate = None if _on_one_line(output, scores) else scores
    check_conflicts({"source": source, "target": target}, {"output": output, "scores": separate})
    decoder = decoder or decoder_of(model)
    summary = DecodeSummary(decoder, scores=None if scores is None else ScoreHistogram())
    bad_lines = BadLines(report)
    texts_of = LINK_FORMATS.find(links_format).texts_of
    if ids is not None:
        check_holds_names(links_format)

    outputs = _outputs(decoder, output, links_format, scores)
    encode = chunk_encoder(model)
    lines = read_pairs(source, target, format=format, skip_bad=skip_bad, report=bad_lines)
    with closing(read_ahead(lines, PAIRS_PER_CHUNK)) as chunks:
        written = _align_and_write(
            model,
            decoder,
            chunks,
            encode,
            lambda chunk: texts_of(chunk.pairs()),
            outputs,
            threads,
            scores is not None,
            known,
            ids,
        )
        with closing(written) as aligned:
            for bitext, alignments in aligned:
                summary.add(bitext, alignments)
                if progress is not None:
                    progress(len(alignments))
    summary.bad = bad_lines.count
    summary.known = "" if known is None else known.describe(summary.pairs)
    return summary


def chunk_encoder(model: TrainedModel) -> Callable[[Chunk], Bitext]:
    """Return a function that encodes chunks for a model, and can run on several threads."""
    vocabularies = model.source_vocabulary, model.target_vocabulary
    for vocabulary in vocabularies:
        _ = vocabulary.table  # built once, before several threads need it
    return lambda chunk: Bitext.from_chunk(chunk, *vocabularies, lowercase=model.lowercase)


def decode_bitext(
    model: TrainedModel,
    bitext: Bitext,
    output: str,
    *,
    decoder: Decoder | None = None,
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
        The text. A text in other vocabularies is encoded first.
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
    if "words" in LINK_FORMATS.find(links_format).holds:
        raise ConfigError(
            f"link format {links_format!r} holds words, but a bitext in memory has word ids; choose another"
            f" format, or align the files of the text (decode_file, align decode)"
        )
    decoder = decoder or decoder_of(model)
    outputs = _outputs(decoder, output, links_format, None)
    chunks = split_evenly(model.encode(bitext), threads)
    written = _align_and_write(
        model,
        decoder,
        chunks,
        lambda chunk: chunk,
        lambda chunk: ([], []),
        outputs,
        threads,
        False,
        known,
        None,
    )
    with closing(written) as aligned:
        for _ in aligned:
            pass


def _outputs(decoder: Decoder, output: str, links_format: str, scores: str | None) -> list[_Output]:
    """Return the outputs of a run: the links and, if there is a file for them, the scores."""
    link_format = LINK_FORMATS.find(links_format)
    if "probabilities" in link_format.holds and not decoder.has_probabilities:
        having = [name for name in LINK_METHODS if has_probabilities(name)]
        raise ConfigError(
            f"link format {links_format!r} with method {decoder.method!r}, whose links have no probabilities;"
            f" choose another format, or a method that has them ({', '.join(having)})"
        )
    if scores is None:
        return [_Output(output, link_format.write)]
    if not _on_one_line(output, scores):
        write_scores = _Output(scores, lambda alignments, *texts: format_scores(alignments))
        return [_Output(output, link_format.write), write_scores]
    if "scores" in link_format.holds:
        return [_Output(output, link_format.write)]
    if link_format.lines_per_pair != 1:
        raise ConfigError(
            f"found link format {links_format!r} and scores on standard output; expected a format with one"
            f" line for each pair; choose another format, or name a file for the scores"
        )

    def write_both(alignments: Alignments, *texts_of_pairs: Any) -> str:
        texts = link_format.write(alignments, *texts_of_pairs), format_scores(alignments)
        # Not splitlines, which also splits at characters that words may have, such as U+2028.
        lines = zip(*(text.split("\n")[:-1] for text in texts), strict=True)
        return "".join([f"{links}\t{scores}\n" for links, scores in lines])

    return [_Output(output, write_both)]


def _on_one_line(output: str, scores: str | None) -> bool:
    """Return True if links and scores of a pair are written on one line, on standard output."""
    return output == scores == STANDARD_STREAM


def _align_and_write(
    model: TrainedModel,
    decoder: Decoder,
    chunks: Iterable[_Chunk | None],
    encode: Callable[[_Chunk], Bitext],
    texts_of: Callable[[_Chunk], _Texts],
    outputs: list[_Output],
    threads: int,
    scores: bool,
    known: KnownLinks | None,
    ids: LineIds | None,
) -> Generator[tuple[Bitext, Alignments], None, None]:
    """Encode and align chunks, several at the same time, write the outputs, and yield the chunks."""
    align = make_aligner(model, decoder, scores, threads)

    def work(numbered: tuple[int, _Chunk]) -> tuple[Bitext, Alignments, list[bytes]]:
        first_line, chunk = numbered
        bitext = encode(chunk)
        alignments = align(bitext)
        if known is not None:
            known.check_positions(bitext.source.lengths, bitext.target.lengths, first_line - 1)
            alignments = known.impose(alignments, first_line - 1)
        words, pair_lines = texts_of(chunk)
        names = () if ids is None else ids.of_lines(first_line, len(alignments))
        texts = [output.format(alignments, first_line, words, names, pair_lines) for output in outputs]
        return bitext, alignments, [text.encode() for text in texts]

    with ExitStack() as stack:
        files = [stack.enter_context(open_output(output.path)) for output in outputs]
        # The reader of a pipe may wait for the links of a line before it sends more.
        flushed = [is_special(output.path) for output in outputs]
        lines = 0
        for bitext, alignments, texts in run_in_order(_numbered(chunks), work, threads):
            lines += len(alignments)
            for file, text, flush in zip(files, texts, flushed, strict=True):
                file.write(text)
                if flush:
                    file.flush()
            yield bitext, alignments
        if ids is not None:
            ids.check_end(lines)


def _numbered(chunks: Iterable[_Chunk | None]) -> Iterator[tuple[int, _Chunk] | None]:
    """Yield each chunk with the number of its first line, from 1."""
    first_line = 1
    for chunk in chunks:
        if chunk is None:
            yield None
        else:
            yield first_line, chunk
            first_line += chunk.lines if isinstance(chunk, Chunk) else len(chunk)
