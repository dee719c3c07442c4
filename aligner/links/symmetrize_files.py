"""Symmetrisation of link files, of any aligner, in constant memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from aligner.errors import ConfigError, DataError
from aligner.files.lines import in_step, side_by_side
from aligner.files.opening import STANDARD_STREAM, PathLike, is_special, open_output, write_texts
from aligner.links.alignments import Alignments
from aligner.links.formats import FORMATS, Format, check_holds_ids
from aligner.links.formats.plain import format_named, read_chunks
from aligner.links.formats.usfm import books_of
from aligner.links.groups import describe_left_out, in_groups
from aligner.links.link_sets import check_lengths, check_positions, occurs_in, select
from aligner.links.linked_pairs import LinkedLines, LinkedPair, PairWords, alignments_of, in_order
from aligner.links.named_links import NamedText, in_lines
from aligner.links.symmetrize import SYMMETRIZATIONS, symmetrize
from aligner.messages import display_name
from aligner.registry import check_known
from aligner.text.line_ids import LineIds

_PAIRS_AT_ONCE = 1 << 12
"""The number of pairs that are combined at a time. Standard input is combined pair by pair."""


def symmetrize_files(
    first: PathLike,
    second: PathLike | None = None,
    output: PathLike = STANDARD_STREAM,
    *,
    method: str = "grow-diag-final-and",
    invert_first: bool = False,
    invert_second: bool = False,
    input_format: str = "pharaoh",
    links_format: str = "pharaoh",
    sentences: int | None = None,
    ids: LineIds | None = None,
    text: Sequence[PairWords] | None = None,
    left_out_output: PathLike | None = None,
    report: Callable[[str], object] = lambda _: None,
) -> tuple[int, int]:
    """Combine two files of links pair by pair, or convert one file to another format.

    A pair of standard input is written before the next is read.

    Parameters
    ----------
    first, second
        Files of forward and of reverse links. Without ``second``, the links of ``first`` are written, with
        their probabilities. "-" is standard input.
    output
        The file for the links. "-" is standard output. A folder gets a file for each book of USFM.
    method
        The name of a symmetrisation (see ``aligner.links.symmetrize.SYMMETRIZATIONS``).
    invert_first, invert_second
        True if links of the file join target and source, in this order: they are exchanged.
    input_format, links_format
        The names of the formats to read and to write (see
        ``aligner.links.formats``).
    sentences
        The number of sentence pairs, for an input format that has no line for a pair without links. By
        default, such a file ends with the last pair that has a link.
    ids
        The ids of the pairs, for a link format with ids. By default, the ids of the input. A document has no
        pairs without links: with ids, they are added, and all pairs are in the order of the ids.
    text
        The words of the text (see ``read_words``), for a format with words. Words of the input are replaced
        by them.
    left_out_output
        The file for links that a format with groups leaves out, as `ID TAB links`, or None.
    report
        Receives messages about left-out links.

    Returns
    -------
    tuple of int
        The number of sentence pairs, and the number of links written.

    Raises
    ------
    DataError
        If the files have different numbers of pairs, or more than ``sentences``, if a line is not of the
        format, or if a format needs words or probabilities that are not in the input.
    ConfigError
        If a name is unknown, if ids are given for a link format without ids, if links are combined for a
        format that needs probabilities, or if ``sentences`` is given for a format that has a line for each
        pair.
    """
    check_known(method, SYMMETRIZATIONS, "symmetrisation")
    source, target = FORMATS.find(input_format), FORMATS.find(links_format)
    if "words" in target.needs and "words" not in source.needs and text is None:
        raise ConfigError(
            f"link format {links_format!r} needs words, which {input_format!r} does not have; name the"
            f" text (--source, --target), or choose another format"
        )
    if "probabilities" in target.needs and second is not None:
        raise ConfigError(
            f"link format {links_format!r} needs probabilities, which combined links do not have; choose"
            f" another format"
        )
    if sentences is not None and source.lines_per_pair != 0:
        raise ConfigError(
            f"found sentences (--sentences) and link format {input_format!r}, which has every sentence pair,"
            f" or names them; leave it out"
        )
    if ids is not None and not source.is_document:
        check_holds_ids(links_format)
    paths = [path for path in (first, second) if path is not None]
    named = None if ids is None else NamedText(ids, None if text is None else lambda: text, report)
    are_plain = input_format == "pharaoh" and not any(map(is_special, paths))
    read: Callable[[PathLike], Iterator[Any]] = (
        read_chunks if are_plain else lambda path: _pairs_in_order(path, source, sentences, named, report)
    )
    reverse: Callable[[Any], Any] = Alignments.reversed if are_plain else LinkedPair.reversed
    files: list[tuple[PathLike, Iterator[Any]]] = []
    for path, invert in zip(paths, (invert_first, invert_second), strict=False):
        files.append((path, map(reverse, read(path)) if invert else read(path)))
    expected = "one sentence pair for each sentence pair of the other file"
    if are_plain:
        batches: _Batches = ((sides, ()) for sides in in_step(files, expected))
    else:
        size = 1 if any(map(is_special, paths)) else _PAIRS_AT_ONCE
        batches = _batches(side_by_side(files, expected), size)
    flush = is_special(output)  # the reader of a pipe may wait for the links of a line before it sends more
    pairs = links = left_out = 0
    lines_left_out: list[str] = []

    def parts() -> Iterator[LinkedLines]:
        nonlocal pairs, links, left_out
        for sides, rows in batches:
            combined = sides[0] if second is None else symmetrize(sides[0], sides[1], method)
            for number, row in enumerate(rows, pairs + 1):
                if row[0].words != row[-1].words:
                    raise DataError(
                        f"{display_name(paths[-1])}: found other words in sentence pair {number} than in"
                        f" {display_name(paths[0])}; expected links of the same text; is one file the other"
                        f" way round?"
                    )
            words, names = [row[0].words for row in rows], [row[0].id for row in rows]
            if text is not None:
                words = [*text[pairs : pairs + len(combined)]]
                lengths = [np.array([len(pair[k]) for pair in words]) for k in (0, 1)]
                check_lengths(combined, words, "links and text")
                check_positions(combined, lengths, f"{display_name(paths[0])}:", pairs + 1)
            if ids is not None:
                names = [*ids.of_lines(pairs + 1, len(combined))]
            if "groups" in target.needs:
                found, combined = combined, in_groups(combined)
                lost = select(found, ~occurs_in(found, combined))
                left_out += len(lost.source)
                rest = (pair for pair in LinkedLines(lost, pairs + 1, ids=names).pairs() if pair.links)
                lines_left_out.extend(map(format_named, rest))
            yield LinkedLines(combined, pairs + 1, words, names)
            pairs += len(combined)
            links += len(combined.source)
        if ids is not None:
            ids.check_end(pairs)
        if text is not None:
            check_lengths(range(pairs), text, "links and text")

    texts = target.write(parts(), ids=ids, report=report)
    if links_format == "usfm" and (os.path.isdir(output) or os.fspath(output).endswith("/")):
        os.makedirs(output, exist_ok=True)
        for name, book in books_of("".join(texts)).items():
            write_texts(os.path.join(output, name), [book])
    else:
        with open_output(output) as file:
            for part in texts:
                file.write(part.encode())
                if flush:
                    file.flush()
    if left_out:
        report(describe_left_out(left_out))
    if left_out_output is not None:
        write_texts(left_out_output, lines_left_out)
    return pairs, links


_Batches = Iterator[tuple[Sequence[Alignments], Sequence[tuple[LinkedPair, ...]]]]
"""The links of many pairs by file, and their records, or none."""


def _batches(rows: Iterator[tuple[LinkedPair, ...]], size: int) -> _Batches:
    """Yield the links and the records of ``size`` pairs at a time."""
    while batch := list(islice(rows, size)):
        records = ((pair._replace(number=None) for pair in side) for side in zip(*batch, strict=True))
        yield [*map(alignments_of, records)], batch


def _pairs_in_order(
    path: PathLike,
    source: Format,
    sentences: int | None,
    text: NamedText | None,
    report: Callable[[str], object],
) -> Iterator[LinkedPair]:
    """Return the pairs of a file; the pairs of a document in the order of the text, if that has ids."""
    if not source.is_document:
        return in_order(path, source.read(path, sentences=sentences), sentences)
    pairs = source.read(path, report=report)
    if text is not None:
        found, empty = in_lines(path, source, text), LinkedPair([], [])
        return (found.get(n, empty)._replace(number=None) for n in range(1, len(text.ids.ids) + 1))
    if "words" in source.needs:
        raise ConfigError("found words without positions; expected the ids of the text (--ids), and the text")
    return pairs
