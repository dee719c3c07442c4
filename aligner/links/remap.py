"""Remapping of links to another tokenisation of the same text, for example from words to subwords."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from aligner.arrays import Integers
from aligner.errors import DataError
from aligner.files.lines import in_step, read_lines
from aligner.files.opening import PathLike, open_output
from aligner.links.alignments import Alignments
from aligner.links.formats.plain import format_links, read_chunks
from aligner.links.link_sets import check_positions
from aligner.links.subword_marks import SUBWORD_MARKS
from aligner.links.token_matching import ANY_MARKS, LineMatches, match_lines
from aligner.messages import display_name

Tokenisations: TypeAlias = tuple[PathLike, PathLike]
"""Two files of one side of a text: in the tokens of the links, and in the tokens to remap the links to."""


def remap(
    links: PathLike,
    output: PathLike = "-",
    *,
    source: Tokenisations | None = None,
    target: Tokenisations | None = None,
    marks: str = ANY_MARKS,
    skip_bad: bool = False,
    report: Callable[[str], object] | None = None,
) -> tuple[int, int]:
    """Write links between the tokens of another tokenisation of one side or both.

    A link (i, j) becomes links between all new tokens that share characters with token i and all new tokens
    that share characters with token j (see ``token_matching``). If several old links become the same new
    link, the new link has the highest of their probabilities.

    Parameters
    ----------
    links
        A file of links, `i-j` or `i-j:p`.
    output
        Where to write, one line for each line of links, sorted. "-" is standard output.
    source, target
        The old and the new tokenisation of each side. A side that is None keeps its tokens.
    marks
        The name of the subword marks that tokens may have besides `▁` and `@@` (see
        ``aligner.links.subword_marks.SUBWORD_MARKS``), or "auto" for all of them.
    skip_bad
        If the tokenisations of a line differ in their text, link only the tokens that are equal in part,
        instead of raising DataError. A line that is not UTF-8 or contains NUL is read as empty.
    report
        Receives the message about each such line.

    Returns
    -------
    tuple of int
        The number of links written, and the number of such lines.

    Raises
    ------
    DataError
        If the files have different numbers of lines, if a link has a position outside its line, or if two
        tokenisations of a line differ in their text. The message names the file and the line.
    ConfigError
        If the marks are unknown.
    """
    if marks != ANY_MARKS:
        SUBWORD_MARKS.find(marks)
    sides = source, target
    paths = [path for side in sides for path in side or ()]
    files: list[tuple[PathLike, Iterator[Any]]] = [(links, read_chunks(links))]
    files += [(path, read_lines(path, skip_bad=skip_bad, report=report)) for path in paths]
    lines = count = 0
    bad = set[int]()

    def refuse(path: PathLike, line: int, error: ValueError) -> None:
        message = f"{display_name(path)}:{lines + line + 1}: {error}"
        if not skip_bad:
            raise DataError(message) from None
        if report is not None:
            report(message)
        bad.add(lines + line)

    with open_output(output) as file:
        for alignments, *chunks in in_step(files, "as many lines in each file"):
            texts = iter(chunks)
            matches = [
                side and match_lines(next(texts), next(texts), marks, partial(refuse, side[1]))
                for side in sides
            ]
            lengths = [own and np.diff(own.lines) for own in matches]
            advice = "expected links between the old tokens; check the order of OLD and NEW"
            check_positions(alignments, lengths, f"{display_name(links)}:", lines + 1, advice)
            remapped = _remap(alignments, matches)
            file.write(format_links(remapped, probabilities=remapped.probabilities is not None).encode())
            lines += len(remapped)
            count += len(remapped.source)
    return count, len(bad)


def _remap(links: Alignments, matches: Sequence[LineMatches | None]) -> Alignments:
    """Return the links between new tokens. A side without matches keeps its positions."""
    pair, probabilities = links.pair, links.probabilities
    positions: list[Integers] = [links.source, links.target]
    for side, own in enumerate(matches):
        if own is not None:
            link, moved = own.of_tokens(own.lines[pair] + positions[side])
            pair, positions = pair[link], [array[link] for array in positions]
            positions[side] = moved
            probabilities = None if probabilities is None else probabilities[link]
    return Alignments.from_links(len(links), pair, positions[0], positions[1], probabilities)
