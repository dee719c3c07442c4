"""Links of corrected lines: gold of a whole text, or of the lines that a file names."""

from __future__ import annotations

from aligner.errors import DataError
from aligner.files.lines import lines_of
from aligner.files.opening import PathLike
from aligner.links.formats import LINK_FORMATS
from aligner.links.gold import Gold, Reading, read_gold
from aligner.links.known_links import is_numbered
from aligner.links.link_tokens import CORRECTIONS, LinkTokens
from aligner.links.linked_pairs import by_number
from aligner.links.named_links import NamedText, is_named, read_named
from aligner.messages import counted, display_name


def read_corrections(
    path: PathLike,
    lines: int,
    *,
    format: str = "auto",
    one_based: bool = False,
    reversed: bool = False,
    text: NamedText | None = None,
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
    text
        The text, if its lines have ids. A file of the format "auto" then may have ``ID TAB i-j i?j ...``, or
        be aligned USFM or an alignment of Scripture Burrito.

    Raises
    ------
    DataError
        If a line is of no format, or is named that the text does not have or that was named before.
    """
    found = list(lines_of(path))
    if format != "auto" or not (is_numbered(found) if text is None else is_named(found)):
        return read_gold(path, format=format, one_based=one_based, reversed=reversed, sentences=lines)
    tokens = LinkTokens(CORRECTIONS.separators, CORRECTIONS.shapes, base=int(one_based))
    if text is None:
        named = by_number(path, LINK_FORMATS["lines"].read(path, tokens, lines=found, sentences=lines))
    else:
        named, unmatched = read_named(path, found, tokens, text)
        if unmatched:
            unnamed = counted(unmatched, "line")
            text.report(f"{display_name(path)}: {unnamed} left out, which the ids do not name")
    pairs = list(named.values())
    pairs = [pair for pair in pairs if pair.complete] or pairs
    if not any(pair.links for pair in pairs):
        raise DataError(
            f"{display_name(path)}: found {counted(len(pairs), 'line')} without links; expected some"
        )
    return Gold.of_pairs(pairs, Reading("lines", one_based, reversed), lines)
