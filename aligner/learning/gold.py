"""Links of corrected lines: gold of a whole text, or of the lines that a file names."""

from __future__ import annotations

import re

from aligner.errors import DataError
from aligner.links.gold import Gold, Reading, read_gold
from aligner.links.known_links import COMPLETE
from aligner.links.link_tokens import CORRECTIONS, LinkTokens
from aligner.links.linked_pairs import LinkedPair, alignments_of
from aligner.messages import counted, display_name
from aligner.text.files import PathLike
from aligner.text.lines import located, numbered_lines

_NAMED_LINE = re.compile(r"([0-9]{1,15})\t(.*)")


def read_corrections(
    path: PathLike, lines: int, *, format: str = "auto", one_based: bool = False, reversed: bool = False
) -> Gold:
    """Read the links of corrected lines.

    Parameters
    ----------
    path
        A file in a gold format, or with a line ``LINE TAB i-j i?j ...`` for each corrected line, counted from
        1. If some lines have the mark ``=`` of a complete line, as in known links, only these are read.
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
    pairs: dict[int, LinkedPair] = {}
    complete: set[int] = set()
    tokens = LinkTokens(CORRECTIONS.marks, CORRECTIONS.shapes, base=int(one_based))
    for number, line in found:
        if not line.strip():
            continue
        with located(path, number):
            match = _NAMED_LINE.fullmatch(line)
            if match is None:
                raise ValueError("expected LINE TAB links, as in the first line")
            named, links = int(match[1]), match[2].split()
            if not 1 <= named <= lines or named in pairs:
                raise ValueError(
                    f"found line {named}; expected each line once, from 1 to {lines:,}, the lines of the text"
                )
            pair = tokens.parse(" ".join(link for link in links if link != COMPLETE))
            pairs[named] = (pair.reversed() if reversed else pair)._replace(id=named)
            if COMPLETE in links:
                complete.add(named)
    taught = [pair for named, pair in pairs.items() if not complete or named in complete]
    if not any(pair.links for pair in taught):
        raise DataError(
            f"{display_name(path)}: found {counted(len(taught), 'line')} without links; expected some"
        )
    sure, links_of_lines = (alignments_of(taught, field, lines) for field in ("sure", "links"))
    return Gold(sure, links_of_lines, Reading("pharaoh", one_based, reversed))
