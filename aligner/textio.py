"""Lines, and pairs of lines, of UTF-8 text in files: fast and strict."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator

from aligner.errors import ConfigError, DataError
from aligner.files import STANDARD_STREAM, PathLike, display_name, open_input

#: How much is read and encoded at a time; the speed is much the same from 16 KiB to 1 MiB.
BLOCK_BYTES = 1 << 18

#: Some lines of the source text and the same lines of the target text.
Chunk = tuple[list[str], list[str]]

#: The layouts of a file that holds both texts: decided by the first line, `s TAB t`, or `s ||| t`.
FORMATS = ("auto", "tsv", "bars")


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
