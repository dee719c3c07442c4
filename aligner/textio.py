"""Files, compressed or not, and the lines and pairs of lines of UTF-8 text in them: fast and strict."""

from __future__ import annotations

import errno
import gzip
import importlib
import io
import operator
import os
import re
import secrets
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import ModuleType
from typing import Any, BinaryIO, cast

from aligner.errors import ConfigError, DataError

PathLike = str | os.PathLike[str]

#: The name of standard input or standard output.
STANDARD_STREAM = "-"

#: How much is read and encoded at a time; the speed is much the same from 16 KiB to 1 MiB.
BLOCK_BYTES = 1 << 18

#: Some lines of the source text and the same lines of the target text.
Chunk = tuple[list[str], list[str]]

#: The layouts of a file that holds both texts: decided by the first line, `s TAB t`, or `s ||| t`.
FORMATS = ("auto", "tsv", "bars")

_CODECS = {
    ".gz": ("gzip",),
    ".bz2": ("bz2",),
    ".xz": ("lzma",),
    ".zst": ("compression.zstd", "backports.zstd"),  # in the standard library since Python 3.14
}


def display_name(path: PathLike) -> str:
    """Return the name of an input as messages show it."""
    return "<stdin>" if path == STANDARD_STREAM else os.fspath(path)


@contextmanager
def open_input(path: PathLike) -> Iterator[io.BufferedIOBase]:
    """Open a file to read bytes from, decompressed if its name ends in .gz, .bz2, .xz or .zst; `-` is stdin.

    The file is closed at the end of the context, stdin is not. Raises DataError if the file cannot be opened
    or its codec is not installed; reading from it raises DataError if its compression is damaged.
    """
    if path == STANDARD_STREAM:
        yield _standard_input()
        return
    codec = _codec(path)
    try:
        raw = open(path, "rb")  # noqa: SIM115 (only errors of opening are to be caught here)
    except OSError as error:
        raise DataError(
            f"{os.fspath(path)}: cannot be read ({error.strerror}); expected an existing, readable file; "
            f"check its name and permissions"
        ) from error
    with raw:
        if codec is None:
            yield raw
        else:
            with io.BufferedReader(_Decompressed(raw, codec, os.fspath(path)), BLOCK_BYTES) as stream:
                yield stream


def _standard_input() -> io.BufferedIOBase:
    """Stdin, by a buffer of its own if it is a file: a thread may still wait there when the program ends.

    Python's own would be locked then, and ending with it locked is a fatal error.
    """
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except OSError:
        return cast(io.BufferedIOBase, sys.stdin.buffer)


def open_output(path: PathLike, *, compress: bool = True) -> AbstractContextManager[BinaryIO]:
    """Open a file to write bytes to in a context, compressed if its name says so (.gz, ...); `-` is stdout.

    With compress=False a name says nothing.

    A regular file gets its final name when the context ends without an exception, and never otherwise:
    nothing half-written can be mistaken for a result. Devices and pipes are written directly. The same bytes
    give the same file on every system and at any time. Raises DataError if the file cannot be created or
    finished; an OSError of the writing itself, such as a closed pipe, passes through.
    """
    if path in (STANDARD_STREAM, "/dev/stdout"):  # opening the latter would truncate what is already written
        return _standard_output()
    codec = _codec(path) if compress else None
    return _direct_output(path, codec) if _is_special(path) else _atomic_output(path, codec)


def check_output(path: PathLike, *, compress: bool = True) -> None:
    """Raise DataError before a long computation where `open_output` would after it."""
    if path == STANDARD_STREAM:
        return
    if compress:
        _codec(path)
    with _creating(path):
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_special(path):
            temporary = _temporary(os.path.realpath(path))
            open(temporary, "xb").close()
            os.unlink(temporary)


def read_lines(path: PathLike) -> Iterator[list[str]]:
    r"""Yield the lines of a UTF-8 file without their ends, in non-empty lists of any length.

    A line ends with "\n" or "\r\n" and with nothing else: U+2028, U+0085, form feed and a lone "\r" are text.
    A byte order mark at the start is dropped. The last line may lack its end.

    Raises DataError, with the line (from 1) and the byte in the line (from 0), for invalid UTF-8 and for NUL;
    also if the file cannot be opened or decompressed.
    """
    lines_before = 0
    for data in _whole_lines(path):
        lines = _decode(data, display_name(path), lines_before)
        if lines:  # a file that is nothing but a byte order mark has none
            yield lines
            lines_before += len(lines)


def read_pairs(
    source: PathLike,
    target: PathLike | None = None,
    *,
    format: str = "auto",
    skip_bad: bool = False,
    report: Callable[[str], None] | None = None,
) -> Iterator[Chunk]:
    """Read two files line by line, or one file with both texts, and yield them in non-empty chunks.

    Two files must have the same number of lines. In one file every line has exactly one separator, a TAB
    ("tsv") or the word `|||` ("bars"); "auto" goes by the first line that is not blank, where a TAB decides
    before a `|||`. A blank line is an empty pair. With skip_bad any other line is one too, and its error
    message is passed to report.

    Raises DataError, with file and line, for all else, and ConfigError for arguments that do not go together.
    """
    if format not in FORMATS:
        raise ConfigError(f"found format {format!r}; expected one of {', '.join(FORMATS)}")
    if target is None:
        return _read_one_file(source, format, skip_bad, report)
    if format != "auto":
        raise ConfigError(
            f"found format {format!r} and two files; expected it with one file; leave out either"
        )
    if source == target == STANDARD_STREAM:
        raise ConfigError("found - for both texts; expected one at most from standard input; name a file")
    return _read_two_files(source, target)


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
            yield b"".join((*unfinished, block[:end]))
            unfinished = [block[end:]] if end < len(block) else []
    if unfinished:
        yield b"".join(unfinished)


def _decode(data: bytes, name: str, lines_before: int) -> list[str]:
    """Split a block of whole lines into strings."""

    def place(position: int) -> str:
        line = lines_before + data.count(b"\n", 0, position) + 1
        byte = position - data.rfind(b"\n", 0, position) - 1
        return f"{name}:{line}: byte {byte} of the line"

    nul = data.find(b"\0")
    if nul >= 0:
        raise DataError(
            f"{place(nul)} is NUL; expected UTF-8 text; convert the file if it is UTF-16 "
            f"(iconv -f utf-16 -t utf-8), else remove the byte"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{place(error.start)} is 0x{data[error.start]:02x}, not UTF-8 ({error.reason}); expected UTF-8 "
            f"text; convert the file (for example, iconv -f latin1 -t utf-8) or repair the line"
        ) from error
    if lines_before == 0:
        text = text.removeprefix("\ufeff")
        if not text:
            return []
    if "\r" in text:
        # The last line may have kept its "\r" and lost its "\n".
        text = text.replace("\r\n", "\n").removesuffix("\r")
    lines = text.split("\n")
    if data.endswith(b"\n"):
        lines.pop()  # what follows the last newline is not a line
    return lines


def _read_two_files(source: PathLike, target: PathLike) -> Iterator[Chunk]:
    """Yield the lines of two files side by side, as soon as both have them."""
    source_chunks, target_chunks = read_lines(source), read_lines(target)
    source_lines: list[str] = []
    target_lines: list[str] = []
    lines_before = 0
    while True:
        source_lines = source_lines or next(source_chunks, [])
        target_lines = target_lines or next(target_chunks, [])
        common = min(len(source_lines), len(target_lines))
        if common == 0:
            break
        yield source_lines[:common], target_lines[:common]
        source_lines, target_lines = source_lines[common:], target_lines[common:]
        lines_before += common
    if source_lines or target_lines:
        names = display_name(source), display_name(target)
        longer, shorter = names if source_lines else reversed(names)
        raise DataError(
            f"{longer}:{lines_before + 1}: found a line, but {shorter} ends after line {lines_before}; "
            f"expected as many lines in both files, since line k of one goes with line k of the other; look "
            f"for the first two lines that do not belong together"
        )


def _read_one_file(
    path: PathLike, format: str, skip_bad: bool, report: Callable[[str], None] | None
) -> Iterator[Chunk]:
    """Yield the two sides of each line of a file."""
    name = display_name(path)
    lines_before = 0
    for lines in read_lines(path):
        if format == "auto":
            format = _detect_format(lines, name, lines_before)
        separator, split = _SEPARATORS[format]
        sides = [split(line) for line in lines]
        for k, parts in enumerate(sides):
            if len(parts) == 2:
                continue
            sides[k] = ["", ""]
            if _is_blank(lines[k]):
                continue
            message = (
                f"{name}:{lines_before + k + 1}: found {separator} {len(parts) - 1} times in "
                f"{excerpt(lines[k])}; expected it once, between source and target; repair the line, or use "
                f"--skip-bad to treat such lines as empty"
            )
            if not skip_bad:
                raise DataError(message)
            if report is not None:
                report(message)
        yield [parts[0] for parts in sides], [parts[1] for parts in sides]
        lines_before += len(lines)


# The word |||. The bars come first, because the search for a literal is quick; their neighbours after that.
_BARS = re.compile(r"\|\|\|(?<![^ \t]\|\|\|)(?![^ \t])")

_SEPARATORS: dict[str, tuple[str, Callable[[str], list[str]]]] = {
    "tsv": ("TAB", operator.methodcaller("split", "\t")),
    "bars": ("|||", _BARS.split),
    "auto": ("separator", lambda line: [line]),  # still undecided: every line so far is blank
}


def _detect_format(lines: list[str], name: str, lines_before: int) -> str:
    """Return the format that the first line which is not blank is in, "auto" if there is none."""
    for k, line in enumerate(lines):
        if _is_blank(line):
            continue
        if "\t" in line:
            return "tsv"
        if _BARS.search(line):
            return "bars"
        raise DataError(
            f"{name}:{lines_before + k + 1}: found neither TAB nor ||| in {excerpt(line)}; expected source "
            f"and target on each line; separate them by a TAB, or name a second file that holds the target"
        )
    return "auto"


def _is_blank(line: str) -> bool:
    """Tell whether a line has no words."""
    return not line.strip(" \t")


def excerpt(line: str) -> str:
    """Return the beginning of a line, quoted, as messages show it."""
    return repr(line if len(line) <= 60 else line[:60] + "...")


def _codec(path: PathLike) -> ModuleType | None:
    """Return the module that reads and writes files of this name, None for a plain file."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    for module in _CODECS.get(suffix, ()):
        with suppress(ImportError):
            return importlib.import_module(module)
    if suffix not in _CODECS:
        return None
    remedy = "pip install accord-align[zstd]" if suffix == ".zst" else "install a Python that has it"
    raise DataError(
        f"{os.fspath(path)}: found a {suffix} file; expected the Python module {_CODECS[suffix][-1]} for it, "
        f"which is not installed; {remedy}, or use another compression"
    )


class _Decompressed(io.RawIOBase):
    """The decompressed bytes of an open file; whatever a codec says of damage is a DataError."""

    def __init__(self, raw: BinaryIO, codec: ModuleType, name: str) -> None:
        self._stream = codec.open(raw, "rb")
        self._name = name
        self._lines = 0
        own = ("LZMAError", "ZstdError")
        errors = (getattr(codec, error) for error in own if hasattr(codec, error))
        self._damage = (OSError, EOFError, zlib.error, *errors)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except self._damage as error:
            raise DataError(
                f"{self._name}:{self._lines + 1}: cannot be decompressed from about here ({error}); "
                f"expected a complete {os.path.splitext(self._name)[1]} file; copy or compress it again"
            ) from error
        buffer[: len(data)] = data
        self._lines += data.count(b"\n")
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _is_special(path: PathLike) -> bool:
    """Tell whether a path names something to write into, such as a device, and not a file to replace."""
    # /dev/stdout leads to a regular file when the shell has redirected it, and is not to be replaced then.
    parent = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    if parent in ("/dev", "/dev/fd") or parent.startswith("/proc/"):
        return True
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    """Lend the binary side of stdout."""
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def _direct_output(path: PathLike, codec: ModuleType | None) -> Iterator[BinaryIO]:
    """Write into a device or a pipe, which cannot be replaced by a finished file."""
    with _create(path, path, "wb") as raw, _compressed(raw, codec) as stream:
        yield stream


@contextmanager
def _atomic_output(path: PathLike, codec: ModuleType | None) -> Iterator[BinaryIO]:
    """Write under a temporary name in the same directory, and rename when all is well."""
    final = os.path.realpath(path)  # a symbolic link stays, and the file it leads to is replaced
    temporary = _temporary(final)
    raw = _create(path, temporary, "xb")
    try:
        with raw:
            with _compressed(raw, codec) as stream:
                yield stream
            with _creating(path):
                raw.flush()
                os.fsync(raw.fileno())  # a crash must not leave the final name on missing content
        with _creating(path):
            if os.path.exists(final):
                shutil.copymode(final, temporary)
            os.replace(temporary, final)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _temporary(final: str) -> str:
    """A name beside the final one that no other file has."""
    return f"{final}.{secrets.token_hex(4)}.tmp"


@contextmanager
def _compressed(raw: BinaryIO, codec: ModuleType | None) -> Iterator[BinaryIO]:
    """Compress what goes to an open file; the end of the context ends the compressed data, not the file."""
    if codec is None:
        yield raw
    elif codec is gzip:  # without the name and the time that its header holds by default
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    else:
        with codec.open(raw, "wb") as stream:
            yield stream


def _create(path: PathLike, name: PathLike, mode: str) -> BinaryIO:
    """Open a file under a name, which errors call by the path that the user gave."""
    with _creating(path):
        return cast(BinaryIO, open(name, mode))


@contextmanager
def _creating(path: PathLike) -> Iterator[None]:
    """Turn an OSError into a DataError that says which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{os.fspath(path)}: cannot be written ({error.strerror}); expected a writable place in an "
            f"existing directory; check the name, the permissions and the free space"
        ) from error
