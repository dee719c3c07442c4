"""Lines of UTF-8 text files, read strictly."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.text.files import PathLike, display_name, open_input

#: How much is read at a time, at most; the speed is much the same from 64 KiB to 4 MiB.
BLOCK_BYTES = 1 << 19


class Piece(NamedTuple):
    """Whole lines of a file, a newline behind each, which may not be UTF-8 before they are checked."""

    data: bytes
    name: str
    lines_before: int

    def check(self) -> None:
        """Raise DataError, with the line (from 1) and the byte in it (from 0), for invalid UTF-8 and NUL."""
        data = self.data
        nul = data.find(b"\0")
        if nul >= 0:
            raise DataError(
                f"{self._place(nul)} is NUL; expected UTF-8 text; convert the file if it is UTF-16 "
                f"(iconv -f utf-16 -t utf-8), else remove the byte"
            )
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self._place(error.start)} is 0x{data[error.start]:02x}, not UTF-8 ({error.reason}); "
                f"expected UTF-8 text; convert the file (for example, iconv -f latin1 -t utf-8) or repair "
                f"the line"
            ) from error

    def _place(self, position: int) -> str:
        line = self.lines_before + self.data.count(b"\n", 0, position) + 1
        byte = position - self.data.rfind(b"\n", 0, position) - 1
        return f"{self.name}:{line}: byte {byte} of the line"


def read_lines(path: PathLike) -> Iterator[list[str]]:
    r"""Yield the lines of a UTF-8 file without their ends, in non-empty lists of any length.

    A line ends with "\n" or "\r\n" and with nothing else: U+2028, U+0085, form feed and a lone "\r" are text.
    A byte order mark at the start is dropped. The last line may lack its end, or the second half of "\r\n".

    Raises DataError, with the line (from 1) and the byte in the line (from 0), for invalid UTF-8 and for NUL;
    also if the file cannot be opened or decompressed.
    """
    for block, _ in _blocks(path):
        block.check()
        yield _strings(block.data)


def side_by_side(files: Sequence[tuple[PathLike, Iterator[Any]]], expected: str) -> Iterator[tuple[Any, ...]]:
    """Yield what there is of each line of several files, which is never None, line by line.

    Raises DataError, with the line and what was expected, if one ends before another.
    """
    for number, row in enumerate(zip_longest(*(lines for _, lines in files)), 1):
        if any(part is None for part in row):
            names = [(display_name(path), part) for (path, _), part in zip(files, row, strict=True)]
            longer = next(name for name, part in names if part is not None)
            shorter = next(name for name, part in names if part is None)
            raise DataError(
                f"{longer}:{number}: found a line, but {shorter} ends before it; expected {expected}"
            )
        yield row


def _strings(data: bytes) -> list[str]:
    """The lines of a text, without their ends."""
    return data.decode("utf-8").split("\n")[:-1]


def _blocks(path: PathLike) -> Iterator[tuple[Piece, NDArray[np.int64]]]:
    """Yield the lines of a file, and where the newlines in each block are; all newlines alike, no BOM."""
    name = display_name(path)
    lines_before = 0
    for data in _whole_lines(path):
        block = Piece(data, name, lines_before)
        if lines_before == 0 and data.startswith(codecs.BOM_UTF8):
            block.check()  # its first line is about to lose three bytes
            data = data.removeprefix(codecs.BOM_UTF8)
            if not data:
                return
        if not data.endswith(b"\n"):
            block.check()  # what ends with the file is not what a newline cuts off
            data = data.removesuffix(b"\r") + b"\n"
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        yield Piece(data, name, lines_before), ends
        lines_before += len(ends)


def _whole_lines(path: PathLike) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks, each of which but perhaps the last ends with a newline."""
    unfinished: list[bytes] = []  # pieces of a line, joined once, so that a huge line costs linear time
    with open_input(path) as stream:
        # read1 returns what a pipe holds instead of waiting for a whole block: a program that sends one line
        # and waits for its answer gets it.
        while block := stream.read1(BLOCK_BYTES):
            end = block.rfind(b"\n") + 1
            if end == 0:
                unfinished.append(block)
                continue
            yield b"".join((*unfinished, memoryview(block)[:end]))
            unfinished = [block[end:]] if end < len(block) else []
    if unfinished:
        yield b"".join(unfinished)


def words_of(line: str) -> list[str]:
    """The words of a line: what ASCII spaces and TABs separate."""
    return [word for word in line.replace("\t", " ").split(" ") if word]


def excerpt(line: str) -> str:
    """Return the beginning of a line, quoted, as messages show it."""
    return repr(line if len(line) <= 60 else line[:60] + "...")
