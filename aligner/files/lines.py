"""Lines of text files: those of one file, and chunks of a bitext, many pairs at a time."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice, zip_longest
from typing import Any, NamedTuple

import numpy as np

from aligner.arrays import Int64s
from aligner.errors import DataError
from aligner.files.byte_ranges import ByteRange, can_be_cut
from aligner.files.foreign import check_kind
from aligner.files.opening import PathLike, open_input
from aligner.messages import display_name, excerpt

READ_BYTES = 1 << 19
"""Greatest number of bytes read at a time. The speed is much the same from 64 KiB to 4 MiB."""

PAIRS_PER_CHUNK = 1 << 13
"""About how many sentence pairs a thread decodes at a time."""

CR_ALONE = "; lines end in LF or CRLF, not in CR alone"
"""The advice for text that has CR inside its lines, or a single line."""

SKIP_ADVICE = ", or, if the verb has it, use --skip-bad to treat such lines as empty"
"""The advice for a bad line of a text."""


class FileLines(NamedTuple):
    """Whole lines of a file, each ending in a newline. They are UTF-8 only if ``check`` passes.

    advice: the end of the message of ``check``; bad: what was found in lines that were emptied, by their
    number in the file, from 1.
    """

    data: bytes
    name: str
    lines_before: int
    advice: str = ""
    bad: Mapping[int, str] = {}

    def without_bad_lines(self) -> FileLines:
        """Return the lines, empty where ``check`` finds a fault."""
        with suppress(DataError):
            self.check()
            return self
        bad = {}
        lines = self.data.removesuffix(b"\n").split(b"\n")
        for number, line in enumerate(lines, self.lines_before + 1):
            try:
                FileLines(line, self.name, number - 1).check()
            except DataError as error:
                bad[number] = str(error)
        return self._replace(bad=bad).without_lines(bad)

    def without_lines(self, numbers: Iterable[int]) -> FileLines:
        """Return the lines, of which those with these numbers are empty."""
        lines = self.data.removesuffix(b"\n").split(b"\n")
        for number in numbers:
            lines[number - self.lines_before - 1] = b""
        return self._replace(data=b"\n".join([*lines, b""]))

    def lines(self) -> list[str]:
        """Return the lines, without their newlines; DataError as of ``check``."""
        self.check()
        return split_lines(self.data)

    def check(self) -> None:
        """Raise DataError, with line (from 1) and byte in the line (from 0), for invalid UTF-8 and NUL."""
        data = self.data
        nul = data.find(b"\0")
        if nul >= 0:
            raise DataError(
                f"{self._describe(nul)} is NUL; expected UTF-8 text; convert the file if it is UTF-16 "
                f"(iconv -f utf-16 -t utf-8), else remove the byte{self.advice}"
            )
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self._describe(error.start)} is 0x{data[error.start]:02x}, not UTF-8 ({error.reason}); "
                f"expected UTF-8 text; convert the file (for example, iconv -f latin1 -t utf-8) or repair "
                f"the line{self.advice}"
            ) from error

    def _describe(self, position: int) -> str:
        """Return the file, the line and the byte in the line of a position in ``data``."""
        line = self.lines_before + self.data.count(b"\n", 0, position) + 1
        byte = position - self.data.rfind(b"\n", 0, position) - 1
        return f"{self.name}:{line}: byte {byte} of the line"


def read_lines(
    path: PathLike, skip_bad: bool = False, report: Callable[[str], object] | None = None
) -> Iterator[list[str]]:
    r"""Yield the lines of a UTF-8 file without line ends, in non-empty lists of any length.

    Only "\n" and "\r\n" end a line: U+2028, U+0085, form feed and a lone "\r" are text. A byte order mark at
    the start is dropped. The last line may lack its end, or the second half of "\r\n".

    skip_bad: True to empty a line that is not UTF-8 or contains NUL; report: receives a message for each.

    Raises
    ------
    DataError
        If the file cannot be opened or decompressed, is not valid UTF-8 or contains NUL.
    """
    for read, _ in read_file_lines(path, skip_bad):
        lines = read.lines()
        report_lines(read.bad, report)
        yield lines


def report_lines(bad: Mapping[int, str], report: Callable[[str], object] | None) -> None:
    """Report what was found in bad lines, in their order."""
    for number in sorted(bad):
        if report is not None:
            report(bad[number])


def lines_of(path: PathLike, **skipping: Any) -> Iterator[str]:
    """Return an iterator over the lines of a file (see ``read_lines``)."""
    return chain.from_iterable(read_lines(path, **skipping))


def numbered_lines(path: PathLike, **skipping: Any) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line of a file."""
    return enumerate(lines_of(path, **skipping), start=1)


@contextmanager
def located(path: PathLike, number: int) -> Iterator[None]:
    """Turn a ValueError into a DataError that names the file and the line."""
    try:
        yield
    except ValueError as error:
        raise DataError(f"{display_name(path)}:{number}: {error}") from None


def side_by_side(files: Sequence[tuple[PathLike, Iterator[Any]]], expected: str) -> Iterator[tuple[Any, ...]]:
    """Yield the records of each line of several files together. A record is never None.

    Raises DataError, with the line and ``expected`` in its message, if one file ends before another.
    """
    for number, row in enumerate(zip_longest(*(lines for _, lines in files)), 1):
        check_ends(files, [record is None for record in row], number, expected)
        yield row


def in_step(files: Sequence[tuple[PathLike, Iterator[Any]]], expected: str) -> Iterator[list[Any]]:
    """Yield the records of the same lines of several files together, from chunks of any sizes.

    Raises DataError, with the line and ``expected`` in its message, if one file ends before another.
    """
    lines, rest = 0, list[Any]([()] * len(files))
    while True:
        rest = [records or next(chunks, ()) for records, (_, chunks) in zip(rest, files, strict=True)]
        size = min(map(len, rest))
        if not size:
            break
        yield [records[:size] for records in rest]
        rest, lines = [records[size:] for records in rest], lines + size
    if any(rest):
        check_ends(files, [not records for records in rest], lines + 1, expected)


def check_ends(
    files: Sequence[tuple[PathLike, Any]], is_missing: Sequence[bool], number: int, expected: str
) -> None:
    """Raise DataError, with ``expected`` in its message, if some of the files have no line of this number."""
    if any(is_missing):
        longer, shorter = (display_name(files[is_missing.index(known)][0]) for known in (False, True))
        raise DataError(f"{longer}:{number}: found a line, but {shorter} ends before it; expected {expected}")


def count_lines(path: PathLike) -> int | None:
    """Return the number of lines of a plain file; None for any other, or if it cannot be read."""
    with suppress(OSError, DataError):
        if can_be_cut(path):
            return sum(len(ends) for _, ends in read_file_lines(path))
    return None


def split_lines(data: bytes) -> list[str]:
    """Return the lines of UTF-8 text, each of which ends in a newline, without their newlines."""
    return data.decode("utf-8").split("\n")[:-1]


def read_file_lines(
    path: PathLike, skip_bad: bool = False, *, of_text: bool = False
) -> Iterator[tuple[FileLines, Int64s]]:
    """Yield the lines of a file, many at a time, with the positions of its newlines, int64 [lines].

    Line ends are unified, and a byte order mark is dropped. path: a file, or a ``ByteRange`` of a plain one;
    skip_bad: True to empty lines that are not UTF-8 or contain NUL; of_text: True to refuse a file of another
    kind (see ``check_kind``).
    """
    name = display_name(path)
    lines = ByteRange.of(path)
    lines_before = lines.lines_before
    for data in _whole_lines(lines):
        read = FileLines(data, name, lines_before, SKIP_ADVICE if of_text else "")
        if of_text and lines_before == 0:
            check_kind(name, data)
        has_mark = lines_before == 0 and data.startswith(codecs.BOM_UTF8)
        # Bytes of a line are numbered, and its last character is named, as they are in the file.
        if skip_bad:
            read = read.without_bad_lines()
        elif has_mark or not data.endswith(b"\n"):
            read.check()
        data = read.data
        if has_mark:
            data = data.removeprefix(codecs.BOM_UTF8)
            if not data:
                return
        if not data.endswith(b"\n"):
            data += b"\n"
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        yield read._replace(data=data), ends
        lines_before += len(ends)


def _whole_lines(lines: ByteRange) -> Iterator[bytes]:
    """Yield the bytes of a range, whole lines at a time. The end of the last line may be missing.

    read1 returns the bytes that a pipe holds, without waiting for READ_BYTES: a program that sends one line
    and waits for the answer gets it.
    """
    unfinished: list[bytes] = []  # parts of one line, joined once: a long line takes linear time
    position, end = lines.begin, lines.end
    with open_input(lines.path) as stream:
        if position:
            stream.seek(position)
        while data := stream.read1(READ_BYTES if end is None else min(READ_BYTES, end - position)):
            position += len(data)
            whole = data.rfind(b"\n") + 1
            if whole == 0:
                unfinished.append(data)
                continue
            yield b"".join((*unfinished, memoryview(data)[:whole]))
            unfinished = [data[whole:]] if whole < len(data) else []
    if end is not None and position < end:
        raise DataError(
            f"{display_name(lines)}: found {position:,} bytes; expected {end:,}, as when its lines were"
            f" counted; train again, and leave the file as it is while it is read"
        )
    if unfinished:
        yield b"".join(unfinished)


def words_of(line: str) -> list[str]:
    """Return the words of a line, which ASCII spaces and TABs separate."""
    words = line.replace("\t", " ").split(" ")
    return [word for word in words if word] if "" in words else words


class Chunk(NamedTuple):
    """Lines of the source text and the same lines of the target text, each ending in a newline.

    origin: the lines of files that these come from, for ``check``; empty if they come from memory.
    """

    source: bytes
    target: bytes
    lines: int
    origin: tuple[FileLines, ...] = ()

    @classmethod
    def join(cls, chunks: Sequence[Chunk]) -> Chunk:
        """Concatenate chunks."""
        source, target, lines, origin = zip(*chunks, strict=True)
        return cls(b"".join(source), b"".join(target), sum(lines), tuple(chain.from_iterable(origin)))

    @classmethod
    def of_strings(cls, pairs: Sequence[tuple[str, str]]) -> Chunk:
        """Encode pairs of strings as UTF-8; raise DataError for strings of more than one line."""
        return cls(join_lines([s for s, _ in pairs]), join_lines([t for _, t in pairs]), len(pairs))

    def check(self) -> None:
        """Raise DataError, with file and line, if the text is not UTF-8 or contains NUL."""
        for read in self.origin:
            read.check()

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Check the text, and yield its lines as pairs of strings without newlines."""
        self.check()
        yield from zip(split_lines(self.source), split_lines(self.target), strict=True)


def chunks_of_strings(pairs: Iterable[tuple[str, str]]) -> Iterator[Chunk]:
    """Yield pairs of strings in chunks of at most ``PAIRS_PER_CHUNK`` pairs."""
    iterator = iter(pairs)
    while batch := list(islice(iterator, PAIRS_PER_CHUNK)):
        yield Chunk.of_strings(batch)


def join_lines(lines: list[str]) -> bytes:
    """Return the lines as UTF-8, each with a newline. Lone surrogates are encoded, too."""
    text = "\n".join((*lines, ""))
    if text.count("\n") != len(lines):
        line = next(line for line in lines if "\n" in line)
        raise DataError(
            f"found a newline inside the text {excerpt(line)}; expected a text of one line; replace the "
            f"newline by a space, or split the text"
        )
    return text.encode("utf-8", "surrogatepass")
