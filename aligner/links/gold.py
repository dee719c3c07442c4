"""Gold: links made by hand, sure and possible, and the text formats in which they come.

To add a format, write a function that parses a line and register a ``GoldFormat`` in ``GOLD_FORMATS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from aligner.links.alignments import Alignments
from aligner.links.link_lines import located, numbered_lines, parse_link
from aligner.links.link_sets import occurs_in, union
from aligner.messages import counted, excerpt
from aligner.registry import Registry
from aligner.text.files import PathLike

GoldLink: TypeAlias = tuple[int, int, int, bool]
"""(pair, i, j, sure) with pair and positions from 0; position -1 stands for NULL."""


@dataclass(frozen=True)
class GoldFormat:
    """A text format of gold links.

    Attributes
    ----------
    parse
        Function of (line, number of the line from 1, one_based) that yields the links of a line.
        ``one_based`` is True if positions count from 1. It raises ValueError for anything else.
    always_one_based
        True if positions count from 1 by definition of the format.
    names_sentences
        True if each line names its sentence pair. Otherwise line n is sentence pair n.
    """

    parse: Callable[[str, int, bool], Iterator[GoldLink]]
    always_one_based: bool = False
    names_sentences: bool = False


GOLD_FORMATS: Registry[GoldFormat] = Registry("gold format")
"""Every gold format, by the name that the command line uses."""


class Reading(NamedTuple):
    """How a gold file was read.

    Attributes
    ----------
    format
        Name of the format.
    one_based
        True if positions were taken to count from 1.
    reversed
        True if target was taken to come before source.
    null_links
        Number of links to NULL that were dropped.
    """

    format: str = "pharaoh"
    one_based: bool = False
    reversed: bool = False
    null_links: int = 0


@dataclass(frozen=True)
class Gold:
    """Links made by hand, which alignments are scored against.

    Parameters
    ----------
    sure
        The sure links S.
    possible
        The possible links P. The sure links are added to them (Och & Ney 2003).
    reading
        How the links were read from a file. Equality does not compare it.
    """

    sure: Alignments
    possible: Alignments
    reading: Reading = field(default=Reading(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", union(self.sure, self.possible))

    def __len__(self) -> int:
        return len(self.sure)

    def __repr__(self) -> str:
        sure, possible = (f"{links.source.size:,}" for links in (self.sure, self.possible))
        return f"Gold({counted(len(self), 'pair')}, {sure} sure and {possible} possible links)"


def read_gold(
    path: PathLike,
    *,
    format: str = "auto",
    one_based: bool = False,
    reversed: bool = False,
    sentences: int | None = None,
) -> Gold:
    """Read gold links.

    Parameters
    ----------
    path
        The file, plain or compressed. "-" is standard input.
    format
        "pharaoh": one line for each sentence pair, of `i-j` (sure) and `i?j` or `ipj` (possible).
        "wa" (NAACL 2003): one line for each link, `sentence i j [S|P] [confidence]`, sure unless marked P.
        Sentences and positions count from 1, and sentences come in any order. A sentence without a line has
        no links. A link to position 0, NULL, is dropped and counted.
        "auto": the format of the first line that is not empty.
    one_based
        Positions in a "pharaoh" file count from 1, not from 0. No effect on "wa".
    reversed
        The file gives the target position before the source position.
    sentences
        The number of sentence pairs of a "wa" file. By default, the largest sentence number in the file.

    Returns
    -------
    Gold
        Sure and possible links, and how they were read.

    Raises
    ------
    DataError
        If a line is not of the format, with the file and the line, or if the file cannot be read.
    ConfigError
        If the format is unknown.
    """
    lines = list(numbered_lines(path))
    if format == "auto":
        format = _detect(next((line for _, line in lines if line.strip()), ""))
    how = GOLD_FORMATS.find(format)
    one_based = one_based or how.always_one_based
    rows: list[GoldLink] = []
    for number, line in lines:
        with located(path, number):
            rows.extend(how.parse(line, number, one_based))
            if how.names_sentences and sentences is not None and rows and rows[-1][0] >= sentences:
                raise ValueError(f"found sentence {rows[-1][0] + 1}, but there are only {sentences}")
    table = np.array(rows, np.int64).reshape(-1, 4)
    if not how.names_sentences:
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
    """Return gold as text: `i-j` sure, `i?j` possible, from 0, sorted by (i, j), one line for each pair."""
    marks = np.where(occurs_in(gold.possible, gold.sure), "-", "?").tolist()
    links = zip(gold.possible.source.tolist(), marks, gold.possible.target.tolist(), strict=True)
    texts = [f"{i}{mark}{j}" for i, mark, j in links]
    return "".join([" ".join(texts[a:b]) + "\n" for a, b in pairwise(gold.possible.offsets.tolist())])


def _detect(line: str) -> str:
    """Return the name of the format of a line: three numbers are "wa", anything else is "pharaoh"."""
    return "wa" if re.match(r"\s*\d+\s+\d+\s+\d", line, re.ASCII) else "pharaoh"


def _parse_pharaoh(line: str, number: int, one_based: bool) -> Iterator[GoldLink]:
    """Yield the links of a line of `i-j`, `i?j` and `ipj`."""
    for token in line.split():
        i, mark, j = parse_link(token, "-?p")
        if one_based and min(i, j) == 0:
            raise ValueError(
                f"found {excerpt(token)}, expected positions from 1; if this file counts from 0, leave out"
                f" one_based (--one-based), or read it in the format pharaoh instead of talp"
            )
        yield number - 1, i - one_based, j - one_based, mark == "-"


_WA_LINE = re.compile(r"(\d{1,9})\s+(\d{1,7})\s+(\d{1,7})(?:\s+([SP]))?(?:\s+[\d.eE+-]+)?", re.ASCII)


def _parse_wa(line: str, number: int, one_based: bool) -> Iterator[GoldLink]:
    """Yield the link of a line `sentence i j [S|P] [confidence]`."""
    match = _WA_LINE.fullmatch(line.strip())
    if match is None and line.strip():
        raise ValueError(f"found {excerpt(line.strip())}, expected: sentence i j [S|P] [confidence]")
    if match is not None:
        pair, i, j = (int(text) - 1 for text in match.group(1, 2, 3))
        if pair < 0:
            raise ValueError("found sentence 0, expected sentence numbers from 1; add 1 to each")
        yield pair, i, j, match[4] != "P"


GOLD_FORMATS.register("pharaoh", "`i-j` sure, `i?j` or `ipj` possible, one line for each pair")(
    GoldFormat(_parse_pharaoh)
)
GOLD_FORMATS.register("wa", "`sentence i j [S|P]`, from 1, one line for each link (NAACL 2003)")(
    GoldFormat(_parse_wa, always_one_based=True, names_sentences=True)
)
