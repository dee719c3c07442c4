"""The Pharaoh format of links, `i-j`, and `i-j:p` with probabilities, between files and ``Alignments``."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.link_lines import check_probabilities, located, parse_line
from aligner.text.files import PathLike, open_output
from aligner.text.lines import read_lines

# Text is formatted by this many pairs at a time, to bound its memory.
_PAIRS_AT_ONCE = 1 << 16


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
    return parse_links(path, chain.from_iterable(read_lines(path)))


def parse_links(path: PathLike, lines: Iterable[str], lines_before: int = 0) -> Alignments:
    """Return the links of lines of a file, of which ``lines_before`` come before; see ``read_links``."""
    codes, probabilities, lengths = array("q"), array("f"), array("q")
    for number, line in enumerate(lines, lines_before + 1):
        with located(path, number):
            line_codes, line_probabilities = parse_line(line)
            codes.extend(line_codes)
            probabilities.extend(line_probabilities)
            check_probabilities(probabilities, codes)
        lengths.append(len(line_codes))
    code = np.array(codes, np.int64)
    pair = np.repeat(np.arange(len(lengths)), lengths)
    values = np.array(probabilities, np.float32) if probabilities else None
    return Alignments.from_links(len(lengths), pair, code >> 32, code & 0xFFFFFFFF, values)


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
    with open_output(path) as file:
        for start in range(0, len(alignments), _PAIRS_AT_ONCE):
            part = alignments[start : start + _PAIRS_AT_ONCE]
            file.write(format_links(part, probabilities=probabilities).encode("ascii"))


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


def _ten_thousandths(alignments: Alignments) -> NDArray[np.int64]:
    """Return the probabilities as integers in units of 1 / 10,000, int64 [L]."""
    if alignments.probabilities is None:
        if len(alignments.source):
            raise DataError(
                "found links without probabilities; expected i-j:p, a probability for each link; decode"
                " with --probabilities, or write no probabilities"
            )
        return np.empty(0, np.int64)
    return np.rint(10_000 * np.minimum(alignments.probabilities.astype(np.float64), 1)).astype(np.int64)


def _digits(numbers: NDArray[np.integer], count: int) -> list[NDArray[np.integer]]:
    """Return the ``count`` lowest decimal digits as ASCII codes, the highest first; NUL for leading zeros."""
    digits: list[NDArray[np.integer]] = []
    for _ in range(count):
        tens = numbers // 10
        digit = ord("0") + numbers - 10 * tens
        digits.append(np.where(numbers > 0, digit, 0) if digits else digit)
        numbers = tens
    return digits[::-1]
