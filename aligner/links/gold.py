"""Hand-made links, sure and possible, and their text formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments, occurs_in, union
from aligner.links.pharaoh import numbered_lines, parse_link, quoted
from aligner.text.files import PathLike, display_name


class Reading(NamedTuple):
    """How a gold file was read: its format, base and direction, and how many links to NULL were dropped."""

    format: str = "pharaoh"
    one_based: bool = False
    reversed: bool = False
    null_links: int = 0


@dataclass(frozen=True)
class Gold:
    """Hand-made links: `sure`, and `possible`, which always includes the sure ones (Och & Ney 2003)."""

    sure: Alignments
    possible: Alignments
    reading: Reading = field(default=Reading(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", union(self.sure, self.possible))

    def __len__(self) -> int:
        return len(self.sure)


def read_gold(
    path: PathLike,
    *,
    format: str = "auto",
    one_based: bool = False,
    reversed: bool = False,
    sentences: int | None = None,
) -> Gold:
    """Gold links; DataError names the file and line.

    `pharaoh`: a line per sentence pair of `i-j` (sure) and `i?j` or `ipj` (possible), counted from 0, or from
    1 with `one_based`. `wa` (NAACL 2003): a line per link, `sentence i j [S|P] [confidence]`, sure unless it
    says P; positions count from 1 by definition of the format, so `one_based` changes nothing, and a link to
    position 0, NULL, is dropped and counted. The sentence is the number of a line of the text, from 1, in any
    order and with any zeros in front; one that is not named has no links, and there are `sentences` of them
    or, without it, as many as the highest number says, be it of a link to NULL. `auto` tells the two formats
    apart by the first line that is not empty. `reversed`: the file says target before source.
    """
    lines = list(numbered_lines(path))
    if format == "auto":
        first = next((line for _, line in lines if line.strip()), "")
        format = "wa" if re.match(r"\s*\d+\s+\d+\s+\d", first, re.ASCII) else "pharaoh"
    if format not in GOLD_FORMATS:
        raise ConfigError(f"unknown gold format {format!r} (known: {', '.join(GOLD_FORMATS)})")
    parse = GOLD_FORMATS[format]
    one_based = one_based or format == "wa"
    rows: list[tuple[int, int, int, bool]] = []
    for number, line in lines:
        try:
            rows.extend(parse(line, number, one_based))
            if format == "wa" and sentences is not None and rows and rows[-1][0] >= sentences:
                raise ValueError(f"found sentence {rows[-1][0] + 1}, but there are only {sentences}")
        except ValueError as error:
            raise DataError(f"{display_name(path)}:{number}: {error}") from None
    table = np.array(rows, np.int64).reshape(-1, 4)
    if format == "pharaoh":
        sentences = len(lines)
    elif sentences is None:
        sentences = int(table[:, 0].max(initial=-1)) + 1
    is_null = (table[:, 1:3] < 0).any(axis=1)
    pair, i, j, is_sure = table[~is_null].T
    source, target = (j, i) if reversed else (i, j)
    sure = is_sure == 1
    return Gold(
        Alignments.from_links(sentences, pair[sure], source[sure], target[sure]),
        Alignments.from_links(sentences, pair, source, target),
        Reading(format, one_based, reversed, int(is_null.sum())),
    )


def format_gold(gold: Gold) -> str:
    """Gold text: `i-j` sure and `i?j` only possible, sorted by (i, j), counted from 0, one line per pair."""
    marks = np.where(occurs_in(gold.possible, gold.sure), "-", "?").tolist()
    links = zip(gold.possible.source.tolist(), marks, gold.possible.target.tolist(), strict=True)
    texts = [f"{i}{mark}{j}" for i, mark, j in links]
    return "".join([" ".join(texts[a:b]) + "\n" for a, b in pairwise(gold.possible.offsets.tolist())])


def _parse_pharaoh_gold(line: str, number: int, one_based: bool) -> Iterator[tuple[int, int, int, bool]]:
    """(pair, i, j, sure) of every link of a line of `i-j`, `i?j` and `ipj`."""
    for token in line.split():
        i, mark, j = parse_link(token, "-?p")
        if one_based and min(i, j) == 0:
            raise ValueError(
                f"found {quoted(token)}, but one-based positions count from 1; "
                "this gold seems to be zero-based: leave out one_based (--one-based)"
            )
        yield number - 1, i - one_based, j - one_based, mark == "-"


_WA_LINE = re.compile(r"(\d{1,9})\s+(\d{1,7})\s+(\d{1,7})(?:\s+([SP]))?(?:\s+[\d.eE+-]+)?", re.ASCII)


def _parse_wa(line: str, number: int, one_based: bool) -> Iterator[tuple[int, int, int, bool]]:
    """(pair, i, j, sure) of the link of a line `sentence i j [S|P] [confidence]`; NULL has position -1."""
    match = _WA_LINE.fullmatch(line.strip())
    if match is None and line.strip():
        raise ValueError(f"found {quoted(line.strip())}, expected: sentence i j [S|P] [confidence]")
    if match is not None:
        pair, i, j = (int(text) - 1 for text in match.group(1, 2, 3))
        if pair < 0:
            raise ValueError("found sentence 0, but the sentences of this format count from 1")
        yield pair, i, j, match[4] != "P"


#: What one line of a gold file says, by format: a parser of (line, its number, one_based).
GOLD_FORMATS = {"pharaoh": _parse_pharaoh_gold, "wa": _parse_wa}
