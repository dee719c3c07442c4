"""Links as arrays: many lines of plain tokens, such as `i-j`, are parsed at a time."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from aligner.arrays import Int32s, Int64s, Integers, UInt8s
from aligner.links.alignments import MAX_POSITION, Alignments

_MOST_DIGITS = len(str(MAX_POSITION))
_DIGIT, _SEPARATOR, _SPACE, _OTHER = range(4)


class LinkArrays(NamedTuple):
    """The links of lines, in the order of the text.

    Attributes
    ----------
    counts
        int64 [lines], the number of links of each.
    source, target
        int32 [links], positions from 0.
    separators
        uint8 [links], the character between both.
    """

    counts: Int64s
    source: Int32s
    target: Int32s
    separators: UInt8s

    def separated_by(self, separators: str) -> Alignments:
        """Return the links that have one of these separators."""
        line = np.repeat(np.arange(len(self.counts)), self.counts)
        links = line, self.source, self.target
        chosen = np.isin(self.separators, list(separators.encode()))
        return Alignments.from_links(
            len(self.counts), *(links if chosen.all() else (array[chosen] for array in links))
        )


def parse_plain(data: bytes, separators: str = "-", base: int = 0) -> LinkArrays | None:
    """Return the links of lines, or None if there is anything else than plain tokens, spaces and TABs.

    data: whole lines; separators: the characters between two positions; base: the first position.
    ``LinkTokens.parse`` parses other lines, and tells what is wrong with them.
    """
    text = np.frombuffer(data, np.uint8)
    kinds = _kinds(separators)[text]
    is_digit = kinds == _DIGIT
    steps: Integers = np.flatnonzero(is_digit[1:] != is_digit[:-1])
    if len(text) <= np.iinfo(np.uint32).max:
        steps = steps.astype(np.uint32)  # half of the memory
    steps += 1
    if len(text) and is_digit[0]:
        steps = np.insert(steps, 0, 0)
    first, first_end, second, second_end = (steps[k::4] for k in range(4))
    lengths = steps[1::2] - steps[::2] if len(steps) % 4 == 0 else np.array([_MOST_DIGITS + 1])
    if (
        lengths.max(initial=0) > _MOST_DIGITS
        or kinds.max(initial=0) == _OTHER
        or (first_end + 1 != second).any()
        or np.count_nonzero(kinds == _SEPARATOR) != len(first)
        or (kinds[first_end] != _SEPARATOR).any()
    ):
        return None
    ends = np.flatnonzero(text == ord("\n"))
    counts = np.diff(np.searchsorted(first, ends), prepend=0)
    source, target = _numbers(text, first, first_end), _numbers(text, second, second_end)
    if min(source.min(initial=base), target.min(initial=base)) < base:
        return None
    return LinkArrays(counts, source - base, target - base, text[first_end])


@cache
def _kinds(separators: str) -> UInt8s:
    """Return the kind of each byte, uint8 [256]."""
    kinds = np.full(256, _OTHER, np.uint8)
    for kind, characters in ((_DIGIT, "0123456789"), (_SEPARATOR, separators), (_SPACE, " \t\n")):
        kinds[list(characters.encode())] = kind
    return kinds


def _numbers(text: UInt8s, starts: Integers, ends: Integers) -> Int32s:
    """Return the numbers that stand at starts <= k < ends, int32."""
    numbers = np.zeros(len(starts), np.int32)
    lengths = ends - starts
    for k in range(int(lengths.max(initial=0))):
        digits = text[np.minimum(starts + k, ends - 1)].astype(np.int32) - ord("0")
        numbers = np.where(k < lengths, 10 * numbers + digits, numbers)
    return numbers
