"""Byte ranges of plain text files: whole lines, which another process can read without the lines before."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aligner.arrays import Int64s
from aligner.files.compression import compression, compression_of
from aligner.files.opening import PathLike, is_special, open_input

_BLOCK_BYTES = 1 << 20
"""Bytes of a block, for which newlines are counted: a cut is then found by reading one block again."""


@dataclass(frozen=True)
class ByteRange(os.PathLike[str]):
    """Whole lines of a file: a path whose lines are read from one byte to another.

    Attributes
    ----------
    path
        The file.
    begin, end
        The first byte, and the byte after the last; None for the end of the file.
    lines_before
        The number of lines before the first byte.
    """

    path: PathLike
    begin: int = 0
    end: int | None = None
    lines_before: int = 0

    @classmethod
    def of(cls, path: PathLike) -> ByteRange:
        """Return a path as a range: itself if it is one, or else the whole file."""
        return path if isinstance(path, cls) else cls(path)

    def __fspath__(self) -> str:
        return os.fspath(self.path)


def can_be_cut(path: PathLike) -> bool:
    """Return True for a regular file that is not compressed, under a name that all processes can open."""
    if is_special(path) or compression(os.fspath(path)):
        return False
    with open(path, "rb") as file:
        return not compression_of(file.read(16))


def cut_files(files: Sequence[PathLike], ranges: int) -> list[tuple[ByteRange, ...]]:
    """Cut plain files before the same lines, and return the ranges of all files that go together.

    The ranges have about the same number of lines. The last range goes to the end of its file, so that the
    reader of the last ranges raises the error if files have different numbers of lines.

    Parameters
    ----------
    files
        Files for which ``can_be_cut`` is true.
    ranges
        The number of ranges of each file. There are fewer if a file has fewer lines.

    Raises
    ------
    DataError
        If a file cannot be read.
    """
    newlines = [_count_newlines(path) for path in files]
    lines = min(int(counts.sum()) for counts in newlines)
    ranges = max(min(ranges, lines), 1)
    cuts = [lines * n // ranges for n in range(1, ranges)]
    sides = [_cut_file(path, counts, cuts) for path, counts in zip(files, newlines, strict=True)]
    return list(zip(*sides, strict=True))


def _count_newlines(path: PathLike) -> Int64s:
    """Return the number of newlines in each block of a file, int64 [blocks]."""
    counts = []
    with open_input(path) as file:
        while block := file.read(_BLOCK_BYTES):
            counts.append(block.count(b"\n"))
    return np.array(counts, np.int64)


def _cut_file(path: PathLike, newlines: Int64s, cuts: Sequence[int]) -> list[ByteRange]:
    """Return the ranges of a file that is cut after these numbers of lines, ascending and all above 0.

    newlines: the number of newlines in each block.
    """
    sums = np.cumsum(newlines)
    begin = lines_before = 0
    ranges = []
    with open_input(path) as file:
        for lines in cuts:
            number = int(np.searchsorted(sums, lines))
            start = number * _BLOCK_BYTES
            file.seek(start)
            ends = np.flatnonzero(np.frombuffer(file.read(_BLOCK_BYTES), np.uint8) == ord("\n"))
            end = start + int(ends[lines - sums[number] - 1]) + 1  # the last line of a block has the index -1
            ranges.append(ByteRange(path, begin, end, lines_before))
            begin, lines_before = end, lines
    return [*ranges, ByteRange(path, begin, None, lines_before)]
