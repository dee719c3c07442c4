"""Lines of link files: the links `i-j` or `i-j:p` of one sentence pair, as lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from aligner.errors import DataError
from aligner.messages import display_name, excerpt
from aligner.text.files import PathLike
from aligner.text.lines import read_lines

# As many decimal digits as ``alignments.MAX_POSITION`` has.
_POSITION_DIGITS = 7

LinkLine: TypeAlias = list[tuple[int, int, float | None]]
"""The links (i, j, probability or None) of a line, in the order of the file."""

Words: TypeAlias = tuple[list[str], list[str]]
"""The source words and the target words of a sentence pair."""


class LinkedPair(NamedTuple):
    """A sentence pair of a link file: its links and, if the format has them, its words."""

    links: LinkLine
    words: Words | None = None


def read_link_lines(path: PathLike) -> Iterator[LinkLine]:
    """Yield the links of each line; DataError, with the file and the line, for anything else."""
    for number, line in numbered_lines(path):
        with located(path, number):
            links = parse_links(line)
        yield links


def numbered_lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """Return an iterator over (number from 1, line) of a file."""
    return enumerate(chain.from_iterable(read_lines(path)), 1)


@contextmanager
def located(path: PathLike, number: int) -> Iterator[None]:
    """Turn a ValueError into a DataError that names the file and the line."""
    try:
        yield
    except ValueError as error:
        raise DataError(f"{display_name(path)}:{number}: {error}") from None


def parse_links(line: str) -> LinkLine:
    """Parse the links of a line; ValueError for anything else."""
    codes, values = parse_line(line)
    check_probabilities(values, codes)
    probabilities: list[float] | list[None] = values or [None] * len(codes)
    pairs = zip(codes, probabilities, strict=True)
    return [(code >> 32, code & 0xFFFFFFFF, probability) for code, probability in pairs]


def parse_line(line: str) -> tuple[list[int], list[float]]:
    """Parse a line into the codes i << 32 | j of its links, and the probabilities of links that have one."""
    tokens = line.split()
    values: list[float] = []
    try:
        if ":" in line:
            tokens, values = _split_probabilities(tokens)
        return list(map(_CODES.__getitem__, tokens)), values
    except ValueError as error:
        raise ValueError(f"{error}{_hint(line)}") from None


_OTHER_FORMATS = {
    "jsonl": re.compile(r"\{"),
    "giza": re.compile(r"# Sentence pair"),
    "naacl": re.compile(r"[0-9]+ [0-9]+ [0-9]+"),
    "tsv": re.compile(r"[^\t]*\t[^\t]*\t"),
}
_GOLD = re.compile(r"(.* )?[0-9]+[?p][0-9]+( |$)")


def _hint(line: str) -> str:
    """Return what to do with a line that looks like another format, for the end of a message."""
    for name, pattern in _OTHER_FORMATS.items():
        if pattern.match(line):
            return f"; convert the file: align symmetrize FILE --input-format {name}"
    gold = "; this looks like gold, not links; align eval takes GOLD before LINKS"
    return gold if _GOLD.match(line) else ""


def check_probabilities(probabilities: Sequence[float], links: Sequence[int]) -> None:
    """Raise ValueError if some links, but not all, have a probability."""
    if probabilities and len(probabilities) != len(links):
        raise ValueError(
            "some links have a probability and some have none; expected `i-j:p` for all links of the file or"
            " `i-j` for all"
        )


def check_positions(links: LinkLine, source_length: int | None, target_length: int | None) -> None:
    """Raise ValueError if a link has a position outside its sentence pair. A length may be unknown, None."""
    for i, j, _ in links:
        for position, length in ((i, source_length), (j, target_length)):
            if length is not None and position >= length:
                found = describe_outside(i, j, source_length, target_length)
                raise ValueError(f"{found}; are these the links of this text?")


def describe_outside(i: int, j: int, source_length: int | None, target_length: int | None) -> str:
    """Return the first part of a message about a link with a position outside its sentence pair."""
    lengths = ("?" if length is None else str(length) for length in (source_length, target_length))
    return f"found {i}-{j} in a pair of {' and '.join(lengths)} words; positions count from 0"


def parse_link(token: str, marks: str) -> tuple[int, str, int]:
    """Parse a token into position, mark and position; ValueError if it is no link with one of the marks."""
    match = _link_pattern(marks).fullmatch(token)
    if match is None:
        shapes = " or ".join(f"i{mark}j" for mark in marks)
        largest = "9" * _POSITION_DIGITS
        raise ValueError(f"found {excerpt(token)}, expected {shapes} with positions from 0 to {largest}")
    return int(match[1]), match[2], int(match[3])


@cache
def _link_pattern(marks: str) -> re.Pattern[str]:
    """Return the pattern of a position, one of the marks and a position."""
    position = rf"(\d{{1,{_POSITION_DIGITS}}})"
    return re.compile(f"{position}([{marks}]){position}", re.ASCII)


def _split_probabilities(tokens: list[str]) -> tuple[list[str], list[float]]:
    """Split tokens `i-j:p` into links and probabilities. A token without `:p` adds no probability."""
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
                raise ValueError(f"found {excerpt(token)}, expected i-j:p with a probability p in 0..1")
    return links, values


# A text repeats the same few thousand links, so each is parsed once. Larger positions are rare: they are not
# cached, because one damaged file could fill the memory.
_CACHED_POSITIONS = 512


class _Codes(dict[str, int]):
    """A cache from `i-j` to i << 32 | j."""

    def __missing__(self, token: str) -> int:
        i, _, j = parse_link(token, "-")
        code = i << 32 | j
        if max(i, j) < _CACHED_POSITIONS:
            self[token] = code
        return code


_CODES = _Codes()
