"""Remapping of links to another tokenisation of the same text, for example from words to subwords."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.formats.plain import format_links, read_consistent
from aligner.links.link_sets import check_positions, select
from aligner.links.linked_pairs import alignments_of
from aligner.links.subword_marks import SUBWORD_MARKS
from aligner.links.token_maps import Integers, TokenMaps, ranges
from aligner.links.token_matching import ANY_MARKS
from aligner.messages import display_name
from aligner.text.files import PathLike, open_output
from aligner.text.lines import lines_of, side_by_side

Tokenisations: TypeAlias = tuple[PathLike, PathLike]
"""Two files of one side of a text: in the tokens of the links, and in the tokens to remap the links to."""

_LINES_AT_ONCE = 1 << 11


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
        Write no links for a line whose tokenisations differ in their text, instead of raising DataError.
    report
        Receives the message about each skipped line.

    Returns
    -------
    tuple of int
        The number of links written, and the number of lines skipped.

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
    paths = [path for side in (source, target) for path in side or ()]
    files: list[tuple[PathLike, Iterator[Any]]] = [(links, read_consistent(links))]
    files += [(path, lines_of(path)) for path in paths]
    rows = side_by_side(files, "as many lines in each file")
    lines_before = count = skipped = 0
    with open_output(output) as file:
        while batch := list(islice(rows, _LINES_AT_ONCE)):
            columns = iter(zip(*batch, strict=True))
            alignments = alignments_of(next(columns))
            maps = [side and TokenMaps.of(next(columns), next(columns), marks) for side in (source, target)]
            errors = _errors(maps, (source, target), lines_before)
            for error in errors.values():
                if not skip_bad:
                    raise error
                if report is not None:
                    report(str(error))
            skipped += len(errors)
            alignments = select(alignments, ~np.isin(alignments.pair, [*errors]))
            check_positions(
                alignments,
                [None if side is None else np.diff(side.line_offsets) for side in maps],
                f"{display_name(links)}:",
                lines_before + 1,
                "expected links between the old tokens; check the order of OLD and NEW",
            )
            alignments = _remap(alignments, maps)
            count += len(alignments.source)
            has_probabilities = alignments.probabilities is not None
            file.write(format_links(alignments, probabilities=has_probabilities).encode())
            lines_before += len(batch)
    return count, skipped


def _errors(
    maps: Sequence[TokenMaps | None], sides: Sequence[Tokenisations | None], lines_before: int
) -> dict[int, DataError]:
    """Return an error for each line whose texts differ on one side or both, in the order of the lines."""
    errors: dict[int, DataError] = {}
    for side, token_maps in zip(sides, maps, strict=True):
        if side is not None and token_maps is not None:
            for n, message in token_maps.errors.items():
                location = f"{display_name(side[1])}:{lines_before + n + 1}"
                errors.setdefault(n, DataError(f"{location}: {message}"))
    return dict(sorted(errors.items()))


def _remap(alignments: Alignments, maps: Sequence[TokenMaps | None]) -> Alignments:
    """Return the links between new tokens. A side without a map keeps its positions."""
    pair = alignments.pair
    source, source_first, source_counts = _matches(pair, alignments.source, maps[0])
    target, target_first, target_counts = _matches(pair, alignments.target, maps[1])
    counts = source_counts * target_counts
    link = np.repeat(np.arange(len(pair)), counts)
    i, j = np.divmod(ranges(np.zeros_like(counts), counts), target_counts[link])
    return Alignments.from_links(
        len(alignments),
        pair[link],
        source[source_first[link] + i],
        target[target_first[link] + j],
        None if alignments.probabilities is None else alignments.probabilities[link],
    )


def _matches(
    pair: Integers, positions: NDArray[np.int32], maps: TokenMaps | None
) -> tuple[NDArray[np.integer], Integers, Integers]:
    """Return new positions, and for each link the index of its first new position and their number."""
    if maps is None:
        return positions, np.arange(len(pair)), np.ones_like(pair)
    token = maps.line_offsets[pair] + positions
    return maps.positions, maps.offsets[token], np.diff(maps.offsets)[token]
