"""Symmetrisation of link files, of any aligner, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS
from aligner.links.link_lines import LinkedPair, LinkLine, Words
from aligner.links.symmetrize import SYMMETRIZATIONS, Symmetrizer
from aligner.messages import display_name
from aligner.text.files import STANDARD_STREAM, PathLike, is_special, open_output
from aligner.text.lines import side_by_side

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
) -> tuple[int, int]:
    """Combine two files of links pair by pair, or convert one file to another format.

    A pair of standard input is written before the next is read.

    Parameters
    ----------
    first, second
        Files of forward and of reverse links. Without ``second``, the links of ``first`` are written, with
        their probabilities. "-" is standard input.
    output
        The file for the links. "-" is standard output.
    method
        The name of a symmetrisation (see ``aligner.links.symmetrize.SYMMETRIZATIONS``).
    invert_first, invert_second
        True if links of the file join target and source, in this order: they are exchanged.
    input_format, links_format
        The names of the link formats to read and to write (see ``aligner.links.formats.LINK_FORMATS``).
    sentences
        The number of sentence pairs, for an input format that has no line for a pair without links. By
        default, such a file ends with the last pair that has a link.

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
        If a name is unknown, if links are combined for a format that needs probabilities, or if ``sentences``
        is given for a format that has a line for each pair.
    """
    combine = SYMMETRIZATIONS.find(method)
    source, target = LINK_FORMATS.find(input_format), LINK_FORMATS.find(links_format)
    if target.needs_words and not source.needs_words:
        raise ConfigError(
            f"link format {links_format!r} needs words, which {input_format!r} does not have; choose another"
            f" format, or read one with words"
        )
    if target.needs_probabilities and second is not None:
        raise ConfigError(
            f"link format {links_format!r} needs probabilities, which combined links do not have; choose"
            f" another format"
        )
    if sentences is not None and not source.names_sentences:
        raise ConfigError(
            f"found sentences (--sentences) and link format {input_format!r}, which has every sentence pair;"
            f" leave it out"
        )
    paths = [path for path in (first, second) if path is not None]
    files = []
    for path, invert in zip(paths, (invert_first, invert_second), strict=False):
        linked = source.read(path) if sentences is None else _filled(source.read(path), sentences, path)
        files.append((path, _inverted(linked) if invert else linked))
    rows = side_by_side(files, "one sentence pair for each sentence pair of the other file")
    size = 1 if any(map(is_special, paths)) else _PAIRS_AT_ONCE
    flush = is_special(output)  # the reader of a pipe may wait for the links of a line before it sends more
    pairs = links = 0
    with open_output(output) as file:
        while batch := list(islice(rows, size)):
            combined = (
                _alignments([row[0].links for row in batch]) if second is None else _combine(combine, batch)
            )
            words = [_words(paths, number, row) for number, row in enumerate(batch, pairs + 1)]
            file.write(target.write(combined, pairs + 1, [both for both in words if both]).encode())
            if flush:
                file.flush()
            pairs += len(batch)
            links += len(combined.source)
    return pairs, links


def _words(paths: list[PathLike], number: int, row: Sequence[LinkedPair]) -> Words | None:
    """Return the words of a pair, or None; DataError if the files have different words."""
    if row[0].words != row[-1].words:
        raise DataError(
            f"{display_name(paths[-1])}: found other words in sentence pair {number} than in"
            f" {display_name(paths[0])}; expected links of the same text; is one file the other way round?"
        )
    return row[0].words


def _filled(pairs: Iterator[LinkedPair], count: int, path: PathLike) -> Iterator[LinkedPair]:
    """Yield the pairs, then pairs without links up to ``count``; DataError if there are more pairs."""
    number = 0
    for number, pair in enumerate(pairs, 1):
        if number > count:
            raise DataError(
                f"{display_name(path)}: found links of sentence pair {number}; expected at most {count}, as"
                f" --sentences says; are these the links of this text?"
            )
        yield pair
    yield from (LinkedPair([]) for _ in range(number, count))


def _inverted(pairs: Iterator[LinkedPair]) -> Iterator[LinkedPair]:
    """Yield the pairs with source and target exchanged."""
    for links, words in pairs:
        yield LinkedPair([(j, i, p) for i, j, p in links], words and (words[1], words[0]))


def _combine(combine: Symmetrizer, rows: Sequence[Sequence[LinkedPair]]) -> Alignments:
    """Return the combined links of rows of a forward and a reverse pair."""
    sides = ([{(i, j) for i, j, _ in pair.links} for pair in row] for row in rows)
    return Alignments.from_lists(combine(forward, reverse) for forward, reverse in sides)


def _alignments(lines: Sequence[LinkLine]) -> Alignments:
    """Return the links of several pairs, with probabilities if all links have them."""
    rows = [(n, *link) for n, line in enumerate(lines) for link in line]
    pair, source, target, values = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Alignments.from_links(len(lines), pair, source, target, None if None in values else values)
