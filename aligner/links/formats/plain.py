"""The formats of links alone: Pharaoh, Moses, TALP and NAACL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from aligner.arrays import Int64s, Integers
from aligner.errors import DataError
from aligner.files.lines import located, read_file_lines
from aligner.files.opening import PathLike, write_texts
from aligner.links.alignments import Alignments
from aligner.links.formats.base import FORMATS, Format, by_lines, by_pairs
from aligner.links.link_arrays import parse_plain
from aligner.links.link_tokens import LINKS, MIXED, ONE_BASED_GOLD, LinkTokens
from aligner.links.linked_pairs import LinkedLines, LinkedPair, alignments_of
from aligner.messages import excerpt

_NAACL_LINE = re.compile(r"(\d{1,9})\s+(\d{1,7})\s+(\d{1,7})(?:\s+([SP]))?(?:\s+[\d.eE+-]+)?", re.ASCII)

# Text is formatted by this many pairs at a time, to bound its memory.
_PAIRS_AT_ONCE = 1 << 16


def format_pharaoh(pair: LinkedPair) -> str:
    """Return the line of a pair."""
    return " ".join([f"{i}-{j}" for i, j in pair.links]) + "\n"


def _write_pharaoh(parts: Iterable[LinkedLines], probabilities: bool = False, **_: Any) -> Iterator[str]:
    return (format_links(part.links, probabilities=probabilities) for part in parts)


FORMATS.register(
    "pharaoh",
    "`i-j`, from 0, one line for each pair; in gold, `i-j`, `i-jS` are sure, `i?j`, `ipj`, `i-jP` possible",
)(Format(by_lines(), _write_pharaoh))
FORMATS.register("pharaoh-probabilities", "`i-j:p`, from 0, one line for each pair, p with 4 decimals")(
    Format(by_lines(), partial(_write_pharaoh, probabilities=True), needs=("probabilities",))
)


def _format_moses(pair: LinkedPair) -> str:
    return " ".join([f"{i}-{j}" for j, i in sorted(pair.reversed().links)]) + "\n"


FORMATS.register("moses", "`i-j`, from 0, one line for each pair, in target order")(
    Format(by_lines(), by_pairs(_format_moses))
)


def _parse_talp(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
    return map(ONE_BASED_GOLD.parse, lines)


def _format_talp(pair: LinkedPair) -> str:
    return " ".join([f"{i + 1}-{j + 1}" for i, j in pair.links]) + "\n"


FORMATS.register("talp", "`i-j`, from 1, one line for each pair; `ipj` is read, too")(
    Format(by_lines(_parse_talp), by_pairs(_format_talp), base=1)
)


def _parse_naacl(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
    """Yield the pair of each line `sentence i j [S|P] [confidence]`, sure unless marked P; 0 is NULL."""
    for line in filter(None, map(str.strip, lines)):
        match = _NAACL_LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"found {excerpt(line)}, expected: sentence i j [S|P] [confidence]")
        sentence, i, j = map(int, match.group(1, 2, 3))
        if not sentence:
            raise ValueError("found sentence 0, expected sentence numbers from 1; add 1 to each")
        links = [(i - 1, j - 1)] if i and j else []
        sure = [] if match[4] == "P" else links
        yield LinkedPair(links, sure, number=sentence, null_links=1 - len(links))


def _format_naacl(pair: LinkedPair) -> str:
    return "".join([f"{pair.number} {i + 1} {j + 1}\n" for i, j in pair.links])


_NAACL = Format(by_lines(_parse_naacl), by_pairs(_format_naacl), base=1, lines_per_pair=0)
FORMATS.register("naacl", "`sentence i j`, from 1, one line for each link")(_NAACL)
FORMATS.register("wa", "`sentence i j [S|P]`, from 1, one line for each link (NAACL 2003)")(_NAACL)


def _parse_named(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
    for line in filter(str.strip, lines):
        id, tab, links = line.partition("\t")
        if not tab:
            raise ValueError(f"found {excerpt(line)}; expected a line or an id, a TAB, and its links")
        yield tokens.parse(links)._replace(id=id)


def format_named(pair: LinkedPair) -> str:
    """Return `ID TAB i-j ...`, by default with the number of the pair."""
    return f"{pair.id or pair.number}\t{format_pharaoh(pair)}"


FORMATS.register(
    "named", "ID TAB `i-j ...`, one line for each pair in order; without ids, ID is the number of the line"
)(Format(by_lines(_parse_named), by_pairs(format_named), may_hold=("ids",)))


def _parse_lines(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
    for pair in _parse_named(lines, tokens):
        if not re.fullmatch("[0-9]{1,9}", pair.id) or not int(pair.id):
            found = f"found {excerpt(pair.id)} before the TAB"
            raise ValueError(f"{found}; expected the number of a line, from 1")
        yield pair._replace(number=int(pair.id))


def _format_lines(pair: LinkedPair) -> str:
    return f"{pair.number}\t{format_pharaoh(pair)}" if pair.links else ""


FORMATS.register("lines", "LINE TAB `i-j ...`, LINE from 1, `i-j` from 0, one line for each pair with links")(
    Format(by_lines(_parse_lines), by_pairs(_format_lines), lines_per_pair=0)
)


def read_links(path: PathLike) -> Alignments:
    """Read links in the Pharaoh format, `i-j` or `i-j:p`, one line for each sentence pair.

    Parameters
    ----------
    path
        The file, plain or compressed. "-" is standard input.

    Returns
    -------
    Alignments
        The links of all lines, with probabilities if the links of the file have them.

    Raises
    ------
    DataError
        If a line holds anything else, with the file and the line, or if the file cannot be read.
    """
    return Alignments.concatenate([*read_chunks(path)])


def read_chunks(path: PathLike) -> Iterator[Alignments]:
    """Yield the links of a Pharaoh file, many lines at a time.

    Raises DataError as ``read_links`` does.
    """
    links = probabilities = 0
    for read, _ in read_file_lines(path):
        plain = None if probabilities else parse_plain(read.data)
        if plain is None:
            lines = enumerate(read.lines(), read.lines_before + 1)
            found = alignments_of(_consistent(path, lines, links, probabilities))
        else:
            found = plain.separated_by("-")
        yield found
        links += len(found.source)
        probabilities += 0 if found.probabilities is None else len(found.probabilities)


def _consistent(
    path: PathLike, lines: Iterable[tuple[int, str]], links: int, probabilities: int
) -> Iterator[LinkedPair]:
    """Yield the pairs of numbered lines; DataError if some links, but not all, have a probability.

    links, probabilities: how many the lines before them have.
    """
    for number, line in lines:
        with located(path, number):
            pair = LINKS.parse(line)
            links += len(pair.links)
            probabilities += len(pair.probabilities)
            if probabilities not in (0, links):
                raise ValueError(MIXED)
        yield pair


def write_links(path: PathLike, alignments: Alignments, *, probabilities: bool = False) -> None:
    """Write links to a file, one line `i-j i-j ...` for each pair, sorted by (i, j).

    Parameters
    ----------
    path
        The file. "-" is standard output; the ending .gz, .bz2, .xz or .zst compresses.
    alignments
        The links to write. A pair without links becomes an empty line.
    probabilities
        Write `i-j:p`, each link with its probability, with 4 decimals.

    Raises
    ------
    DataError
        If ``probabilities`` is set and there are none, or if the file cannot be written.
    """
    starts = range(0, len(alignments), _PAIRS_AT_ONCE)
    parts = (alignments[start : start + _PAIRS_AT_ONCE] for start in starts)
    write_texts(path, (format_links(part, probabilities=probabilities) for part in parts))


def format_links(alignments: Alignments, *, probabilities: bool = False) -> str:
    """Return links as Pharaoh text: one line `i-j i-j ...` for each pair, sorted by (i, j).

    With ``probabilities``, links are written as `i-j:p`, with 4 decimals. DataError if there are none.
    """
    positions = alignments.source, alignments.target
    digits = len(str(max(int(side.max(initial=0)) for side in positions)))
    source, target = (_digits(side, digits) for side in positions)
    columns: list[Any] = [*source, ord("-"), *target]
    if probabilities:
        units = _ten_thousandths(alignments)
        columns += [ord(":"), ord("0") + units // 10_000, ord("."), *_digits(units % 10_000 + 10_000, 4)]
    ends, empty = alignments.offsets[1:], np.diff(alignments.offsets) == 0
    # One row for each link: its characters, padded by NUL, then a space, or a newline at the end of a line.
    text = np.empty((len(alignments.source), len(columns) + 1), np.uint8)
    for column, characters in zip(text.T, [*columns, ord(" ")], strict=True):
        column[:] = characters
    text[ends[~empty] - 1, -1] = ord("\n")
    if empty.any():
        blank = np.zeros(text.shape[1], np.uint8)
        blank[-1] = ord("\n")
        text = np.insert(text, ends[empty], blank, axis=0)
    return text.tobytes().translate(None, b"\0").decode("ascii")


def _ten_thousandths(alignments: Alignments) -> Int64s:
    """Return the probabilities as integers in units of 1 / 10,000, int64 [L]."""
    if alignments.probabilities is None:
        if len(alignments.source):
            raise DataError(
                "found links without probabilities; expected i-j:p, a probability for each link; decode"
                " with --probabilities, or write no probabilities"
            )
        return np.empty(0, np.int64)
    return np.rint(10_000 * np.minimum(alignments.probabilities.astype(np.float64), 1)).astype(np.int64)


def _digits(numbers: Integers, count: int) -> list[Integers]:
    """Return the ``count`` lowest decimal digits as ASCII codes, the highest first; NUL for leading zeros."""
    digits: list[Integers] = []
    for _ in range(count):
        tens = numbers // 10
        digit = ord("0") + numbers - 10 * tens
        digits.append(np.where(numbers > 0, digit, 0) if digits else digit)
        numbers = tens
    return digits[::-1]
