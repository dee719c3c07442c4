"""Links as text: Pharaoh's `i-j`, as most tools read and write it, and `i-j:p` with probabilities."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.links.alignments import MAX_POSITION, Alignments
from aligner.text.files import PathLike, display_name, open_output
from aligner.text.lines import read_lines

LinkLine: TypeAlias = list[tuple[int, int, float | None]]
"""A line's links, each with its probability or None, in the order of the file."""


def read_links(path: PathLike) -> Alignments:
    """Pharaoh links, `i-j` or `i-j:p`, one line per sentence pair; DataError names the file and line."""
    codes, probabilities, lengths = array("q"), array("f"), array("q")
    for number, line in numbered_lines(path):
        with _in_line(path, number):
            links, numbers = _parse_line(line)
            codes.extend(links)
            probabilities.extend(numbers)
            _all_or_none(probabilities, codes)
        lengths.append(len(links))
    code = np.array(codes, np.int64)
    pair = np.repeat(np.arange(len(lengths)), lengths)
    values = np.array(probabilities, np.float32) if probabilities else None
    return Alignments.from_links(len(lengths), pair, code >> 32, code & 0xFFFFFFFF, values)


def read_link_lines(path: PathLike) -> Iterator[LinkLine]:
    """The same line by line."""
    for number, line in numbered_lines(path):
        with _in_line(path, number):
            links, values = _parse_line(line)
            _all_or_none(values, links)
        every: list[float] | list[None] = values or [None] * len(links)
        yield [(code >> 32, code & 0xFFFFFFFF, value) for code, value in zip(links, every, strict=True)]


@contextmanager
def _in_line(path: PathLike, number: int) -> Iterator[None]:
    """Say of a ValueError in which line of a file it is."""
    try:
        yield
    except ValueError as error:
        raise DataError(f"{display_name(path)}:{number}: {error}") from None


def _all_or_none(probabilities: Sequence[float], links: Sequence[int]) -> None:
    """Raise ValueError if there are probabilities of some links."""
    if probabilities and len(probabilities) != len(links):
        raise ValueError("some links have a probability and some have none; give all of them or none")


def _parse_line(line: str) -> tuple[list[int], list[float]]:
    """The codes of a line's links, and the probabilities of those that have one."""
    tokens = line.split()
    values: list[float] = []
    if ":" in line:
        tokens, values = _split_probabilities(tokens)
    return list(map(_CODES.__getitem__, tokens)), values


def format_links(alignments: Alignments, *, probabilities: bool = False) -> str:
    """Pharaoh text: `i-j` sorted by (i, j), single spaces, one line per pair, empty if it has no link.

    With `probabilities`, `i-j:p` with four decimals, never scientific; DataError if there are none.
    """
    positions = alignments.source, alignments.target
    digits = len(str(max(int(side.max(initial=0)) for side in positions)))
    source, target = (_digits(side, digits) for side in positions)
    marks: list[Any] = [*source, ord("-"), *target]
    if probabilities:
        steps = _steps(alignments)
        marks += [ord(":"), ord("0") + steps // 10_000, ord("."), *_digits(steps % 10_000 + 10_000, 4)]
    ends, empty = alignments.offsets[1:], np.diff(alignments.offsets) == 0
    # A row a link, one character or none in each column; behind it a space or, at its line's end, a newline.
    text = np.empty((len(alignments.source), len(marks) + 1), np.uint8)
    for column, mark in zip(text.T, [*marks, ord(" ")], strict=True):
        column[:] = mark
    text[ends[~empty] - 1, -1] = ord("\n")
    if empty.any():
        blank = np.zeros(text.shape[1], np.uint8)
        blank[-1] = ord("\n")
        text = np.insert(text, ends[empty], blank, axis=0)
    return text.tobytes().translate(None, b"\0").decode("ascii")


def _steps(alignments: Alignments) -> NDArray[np.int64]:
    """Probabilities in units of 1 / 10,000: four decimals resolve what a posterior is good for."""
    if alignments.probabilities is None:
        if len(alignments.source):
            raise DataError("these links have no probabilities to write")
        return np.empty(0, np.int64)
    return np.rint(10_000 * np.minimum(alignments.probabilities.astype(np.float64), 1)).astype(np.int64)


def _digits(numbers: NDArray[np.integer], count: int) -> list[NDArray[np.integer]]:
    """The ``count`` lowest decimal digits as characters, the highest first; NUL for zeros before a number."""
    digits: list[NDArray[np.integer]] = []
    for _ in range(count):
        rest = numbers // 10
        digit = ord("0") + numbers - 10 * rest
        digits.append(np.where(numbers > 0, digit, 0) if digits else digit)
        numbers = rest
    return digits[::-1]


def write_links(path: PathLike, alignments: Alignments, *, probabilities: bool = False) -> None:
    """Write `format_links` to a path."""
    with open_output(path) as file:
        for start in range(0, len(alignments), 1 << 16):  # a bounded amount of text at a time
            part = alignments[start : start + (1 << 16)]
            file.write(format_links(part, probabilities=probabilities).encode("ascii"))


# A text repeats the same few thousand links, so each is parsed once. Beyond this position links are rare, and
# remembering them would let one broken file fill the memory.
_REMEMBERED = 512


class _Codes(dict[str, int]):
    """`i-j` -> i << 32 | j."""

    def __missing__(self, token: str) -> int:
        i, _, j = parse_link(token, "-")
        code = i << 32 | j
        if max(i, j) < _REMEMBERED:
            self[token] = code
        return code


_CODES = _Codes()


def parse_link(token: str, marks: str) -> tuple[int, str, int]:
    """Position, mark and position of one link; ValueError says what was found and expected."""
    match = re.fullmatch(rf"(\d{{1,7}})([{marks}])(\d{{1,7}})", token, re.ASCII)
    if match is None:
        shapes = " or ".join(f"i{mark}j" for mark in marks)
        raise ValueError(f"found {quoted(token)}, expected {shapes} with positions 0 to {MAX_POSITION}")
    return int(match[1]), match[2], int(match[3])


def _split_probabilities(tokens: list[str]) -> tuple[list[str], list[float]]:
    """`i-j:p` tokens as links and probabilities, which are fewer if some tokens have none."""
    links, values = [], []
    for token in tokens:
        link, colon, text = token.partition(":")
        links.append(link)
        if colon:
            try:
                values.append(float(text))
            except ValueError:
                values.append(-1.0)
            if not 0 <= values[-1] <= 1:
                raise ValueError(f"found {quoted(token)}, expected i-j:p with a probability p in 0..1")
    return links, values


def quoted(found: str) -> str:
    """What a message shows of the text it found."""
    return repr(found if len(found) <= 80 else found[:77] + "...")


def numbered_lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """The lines of a file and their numbers, from 1."""
    return enumerate(chain.from_iterable(read_lines(path)), 1)
