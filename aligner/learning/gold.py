"""Links of corrected lines: gold of a whole text, or of the lines that a file names."""

from __future__ import annotations

import re

import numpy as np

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold, Reading, read_gold
from aligner.links.link_lines import located, numbered_lines, parse_link
from aligner.messages import counted, display_name
from aligner.text.files import PathLike

_NAMED_LINE = re.compile(r"([0-9]{1,15})\t(.*)")


def read_corrections(
    path: PathLike, lines: int, *, format: str = "auto", one_based: bool = False, reversed: bool = False
) -> Gold:
    """Read the links of corrected lines.

    Parameters
    ----------
    path
        A file in a gold format, or with a line ``LINE TAB i-j i?j ...`` for each corrected line, counted from
        1.
    lines
        The number of lines of the text.
    format, one_based, reversed
        As for ``read_gold``.

    Raises
    ------
    DataError
        If a line is of no format, or is named that the text does not have or that was named before.
    """
    found = list(numbered_lines(path))
    first = next((line for _, line in found if line.strip()), "")
    if format != "auto" or not _NAMED_LINE.fullmatch(first):
        return read_gold(path, format=format, one_based=one_based, reversed=reversed, sentences=lines)
    rows: dict[int, list[tuple[int, int, bool]]] = {}
    for number, line in found:
        with located(path, number):
            if not line.strip():
                continue
            match = _NAMED_LINE.fullmatch(line)
            if match is None:
                raise ValueError("expected LINE TAB links, as in the first line")
            named = int(match[1])
            if not 1 <= named <= lines or named in rows:
                raise ValueError(
                    f"found line {named}; expected each line once, from 1 to {lines:,}, the lines of the text"
                )
            parsed = (parse_link(token, "-?p") for token in match[2].split())
            rows[named] = [(i - one_based, j - one_based, mark == "-") for i, mark, j in parsed]
            if any(min(i, j) < 0 for i, j, _ in rows[named]):
                raise ValueError("found position 0; expected positions from 1; leave out --one-based")
    table = np.array([(n - 1, *link) for n, links in rows.items() for link in links], np.int64).reshape(-1, 4)
    if not len(table):
        raise DataError(
            f"{display_name(path)}: found {counted(len(rows), 'line')} without links; expected some"
        )
    pair, i, j, is_sure = table.T
    source, target = (j, i) if reversed else (i, j)
    sure = is_sure == 1
    return Gold(
        Alignments.from_links(lines, pair[sure], source[sure], target[sure]),
        Alignments.from_links(lines, pair, source, target),
        Reading("pharaoh", one_based, reversed),
    )
