"""Readers of pairs of lines: two files side by side, or one file with both sides on each line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from aligner.errors import ConfigError, DataError
from aligner.files.byte_ranges import ByteRange
from aligner.files.foreign import CSV_COMMAND, command_for
from aligner.files.lines import (
    CR_ALONE,
    SKIP_ADVICE,
    Chunk,
    FileLines,
    read_file_lines,
    report_lines,
    words_of,
)
from aligner.files.opening import STANDARD_STREAM, PathLike
from aligner.messages import display_name, excerpt
from aligner.text.bitext import Bitext
from aligner.text.lookup import Lookup

BITEXT_FORMATS = ("auto", "tsv", "bars")
"""Separators of a file that holds both sides: a TAB, or ``|||`` as a word; "auto" goes by the first line."""


class _Separator(NamedTuple):
    """A separator: its name in messages, its bytes, and a pattern that finds it."""

    name: str
    literal: bytes
    pattern: re.Pattern[bytes]


# The pattern begins with the bars, and checks their neighbours afterwards: the search for a literal is fast.
_BARS = _Separator("|||", b"|||", re.compile(rb"\|\|\|(?<![^ \t\n]\|\|\|)(?![^ \t\n])"))
_TAB = _Separator("TAB", b"\t", re.compile(rb"\t"))

# The end of a source side in a file that was pasted from two files with lines that end in "\r\n".
_CARRIAGE_RETURN = re.compile(rb"\r[ \t]*\n")

# "auto" stays undecided as long as no line has a separator. Any separator splits such lines alike.
_SEPARATORS = {"tsv": _TAB, "bars": _BARS, "auto": _TAB}


class BadLines:
    """A receiver of messages about skipped lines, which counts them and passes them on to ``report``."""

    def __init__(self, report: Callable[[str], object] | None = None) -> None:
        self.count = 0
        self._report = report

    def __call__(self, message: str) -> None:
        self.count += 1
        if self._report is not None:
            self._report(message)


def read_pairs(
    source: PathLike,
    target: PathLike | None = None,
    *,
    format: str = "auto",
    skip_bad: bool = False,
    report: Callable[[str], None] | None = None,
) -> Iterator[Chunk]:
    """Read two files line by line, or one file that holds both sides, and yield the pairs in chunks.

    Lines are as for ``read_lines``, but not validated: see ``Chunk.check``. A blank line is an empty pair. A
    carriage return before the separator is dropped, as at the end of a line: pasted files may have both.

    Parameters
    ----------
    source
        The source text, or a file with both sides on each line; ``-`` is standard input.
    target
        The target text, with as many lines as the source, or None.
    format
        Separator of the sides in a file that holds both: one of ``BITEXT_FORMATS``. "auto" goes by the first
        line that is not blank, or with ``skip_bad`` by the first line that has a separator. This line must
        not have both separators.
    skip_bad
        Treat a bad line of either side as an empty pair, and report it: a line that is not UTF-8, contains
        NUL, or does not have exactly one separator.
    report
        Receives a message for every line that is skipped.

    Yields
    ------
    Chunk
        One line or more.

    Raises
    ------
    DataError
        If a file cannot be read or is no text, if the files have different numbers of lines, or if a line
        does not have exactly one separator.
    ConfigError
        If arguments do not go together.
    """
    if format not in BITEXT_FORMATS:
        raise ConfigError(f"found format {format!r}; expected one of {', '.join(BITEXT_FORMATS)}")
    if target is None:
        return _read_one_file(source, format, skip_bad, report)
    if format != "auto":
        raise ConfigError(
            f"found format {format!r} and two files; expected a format only for one file; leave out the"
            f" format, or the second file"
        )
    if source == target == STANDARD_STREAM:
        raise ConfigError("found - for both texts; expected at most one text on standard input; name a file")
    return _read_two_files(source, target, skip_bad, report)


def read_words(
    source: PathLike, target: PathLike | None = None, **reading: Any
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of both sides of each pair of lines (see ``read_pairs``)."""
    for chunk in read_pairs(source, target, **reading):
        for pair in chunk.pairs():
            yield words_of(pair[0]), words_of(pair[1])


def read_bitext(
    source: PathLike | Sequence[PathLike],
    target: PathLike | Sequence[PathLike] | None = None,
    *,
    lowercase: bool = True,
    fold: str = "letters",
    max_length: int = 100,
    ignore: str = "",
    format: str = "auto",
    skip_bad: bool = False,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    report: Callable[[str], object] | None = None,
) -> Bitext:
    r"""Read sentence pairs, and encode them in the vocabularies of their trainable pairs.

    Lines end with ``\n`` or ``\r\n``. Words are separated by ASCII spaces and TABs. Files may be plain text,
    .gz, .bz2 or .xz (.zst with the ``zstd`` extra).

    Parameters
    ----------
    source
        A file, or several files that are read one after another as one text; ``-`` is standard input.
    target
        As many files as for the source, with the same numbers of lines. If it is None, each source file holds
        both sides on every line.
    lowercase
        Lowercase words.
    fold
        "letters" to look words up without the marks of their scripts (see ``aligner.text.lookup.Lookup``), or
        "none".
    max_length
        Greatest number of words of each side of a trainable pair; 0 stands for the greatest possible, 65,535.
        A word that occurs only in longer pairs is encoded as out-of-vocabulary.
    ignore
        Tokens to ignore, separated by spaces (see ``aligner.text.lookup.Lookup``).
    format
        Separator of the sides in a file that holds both: "tsv" for a TAB, "bars" for the word ``|||``, or
        "auto" for the separator of the first line that is not blank.
    skip_bad
        Treat a bad line of either side as an empty pair, instead of raising an error: a line that is not
        UTF-8, contains NUL, or does not have exactly one separator.
    threads
        Number of threads. The result does not depend on it.
    progress
        Receives the number of lines of each chunk that was encoded.
    report
        Receives a message for every line that is skipped.

    Returns
    -------
    Bitext
        Pair k is line k of the text, whether the pair is trainable or not.

    Raises
    ------
    DataError
        If text cannot be read, is not UTF-8, or if the sides have different numbers of lines.
    ConfigError
        If arguments do not go together.
    """
    sources = _paths(source)
    targets = [None] * len(sources) if target is None else _paths(target)
    if len(sources) != len(targets):
        raise ConfigError(
            f"found {len(sources)} source and {len(targets)} target files; expected as many of each, since "
            f"file k of the source goes with file k of the target; name the missing files"
        )
    bad_lines = BadLines(report)
    chunks = [
        read_pairs(s, t, format=format, skip_bad=skip_bad, report=bad_lines)
        for s, t in zip(sources, targets, strict=True)
    ]
    bitext = Bitext.from_chunks(
        chain.from_iterable(chunks),
        Lookup(lowercase, fold, ignore),
        max_length=max_length,
        threads=threads,
        progress=progress,
    )
    return replace(bitext, bad_lines=bad_lines.count)


def _paths(paths: PathLike | Sequence[PathLike]) -> list[PathLike]:
    """Return one path or several as a list."""
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def find_format(path: PathLike, skip_bad: bool) -> str:
    """Return the format by which ``read_pairs`` reads a file of both sides in the format "auto".

    Returns "auto" if no line has a separator, or if reading raises an error.
    """
    with suppress(DataError):
        for read, _ in read_file_lines(path, skip_bad):
            format = _detect_format(read, skip_bad)
            if format != "auto":
                return format
    return "auto"


class _LineReader:
    """A file whose lines are taken a few at a time, as many as the other side has."""

    def __init__(self, path: PathLike, skip_bad: bool) -> None:
        self._reads = read_file_lines(path, skip_bad, of_text=True)
        self._read = FileLines(b"", display_name(path), 0)
        self._ends = np.empty(0, np.int64)
        self._taken = 0

    def available(self) -> int:
        """Return how many lines can be taken; 0 only at the end of the file."""
        if self._taken == len(self._ends):
            self._read, self._ends = next(self._reads, (self._read, self._ends[:0]))
            self._taken = 0
        return len(self._ends) - self._taken

    def last_line(self) -> bytes:
        """Return the last line that was read, with its newline."""
        data = self._read.data
        return data[data.rfind(b"\n", 0, -1) + 1 :]

    def take(self, lines: int, lines_before: int) -> FileLines:
        """Return the next lines. lines_before: the number of lines of the file before them."""
        start = self._ends[self._taken - 1] + 1 if self._taken else 0
        self._taken += lines
        data = self._read.data[start : self._ends[self._taken - 1] + 1]
        bad = {n: found for n, found in self._read.bad.items() if 0 < n - lines_before <= lines}
        return self._read._replace(data=data, lines_before=lines_before, bad=bad)


def _read_two_files(
    source: PathLike, target: PathLike, skip_bad: bool, report: Callable[[str], None] | None
) -> Iterator[Chunk]:
    """Yield the lines of two files side by side, as soon as both have them."""
    sides = _LineReader(source, skip_bad), _LineReader(target, skip_bad)
    lines_before = ByteRange.of(source).lines_before
    while True:
        available = [side.available() for side in sides]
        lines = min(available)
        if lines == 0:
            break
        origin = tuple(side.take(lines, lines_before) for side in sides)
        bad = {**origin[1].bad, **origin[0].bad}
        if bad:
            report_lines(bad, report)
            origin = tuple(own.without_lines(bad) for own in origin)
        yield Chunk(origin[0].data, origin[1].data, lines, origin)
        lines_before += lines
    if any(available):
        names = display_name(source), display_name(target)
        longer, shorter = names if available[0] else reversed(names)
        cause = CR_ALONE if b"\r" in sides[available[0] > 0].last_line() else ""
        raise DataError(
            f"{longer}:{lines_before + 1}: found a line, but {shorter} ends after line {lines_before}; "
            f"expected as many lines in both files, since line k of one goes with line k of the other; look "
            f"for the first two lines that do not belong together{cause}"
        )


def _read_one_file(
    path: PathLike, format: str, skip_bad: bool, report: Callable[[str], None] | None
) -> Iterator[Chunk]:
    """Yield the two sides of each line of a file."""
    for read, _ in read_file_lines(path, skip_bad, of_text=True):
        if format == "auto":
            format = _detect_format(read, skip_bad)
        separator = _SEPARATORS[format]
        lines = read.data.split(b"\n")[:-1]
        counts = [len(separator.pattern.findall(line)) for line in lines]
        bad = [k for k, count in enumerate(counts) if count != 1]
        faulty = [k for k in bad if not _is_blank(lines[k])]
        if faulty:
            read.check()
        found = dict(read.bad)
        for k in faulty:
            number = read.lines_before + k + 1
            message = (
                f"{read.name}:{number}: found {separator.name} {counts[k]} times in"
                f" {excerpt(lines[k].decode())}; expected it once, between source and target"
            )
            if not skip_bad:
                cause = CR_ALONE if b"\r" in lines[k] else ""
                raise DataError(
                    f"{message}; repair the line, choose two columns of a table (cut -f){SKIP_ADVICE}{cause}"
                )
            found[number] = message
        report_lines(found, report)
        for k in bad:
            lines[k] = separator.literal
        # One split of all lines: a list for each would slow down the collection of garbage.
        sides = separator.pattern.sub(b"\n", b"\n".join(lines)).split(b"\n")
        source, target = (b"\n".join([*sides[n::2], b""]) for n in (0, 1))
        if b"\r" in source:
            source = _CARRIAGE_RETURN.sub(b"\n", source)
        yield Chunk(source, target, len(lines), (read,))


def _detect_format(read: FileLines, skip_bad: bool) -> str:
    """Return the format of the first line that is not blank or, with skip_bad, that has a separator.

    Returns "auto" if there is no such line. Raises DataError if it has both separators, or neither.
    """
    for k, line in enumerate(read.data.split(b"\n")):
        if _is_blank(line):
            continue
        has_tab, has_bars = b"\t" in line, _BARS.pattern.search(line) is not None
        if has_tab != has_bars:
            return "tsv" if has_tab else "bars"
        if skip_bad and not has_tab:
            continue
        read.check()
        position = f"{read.name}:{read.lines_before + k + 1}"
        if has_tab:
            raise DataError(
                f"{position}: found both TAB and ||| in {excerpt(line.decode())}; expected only one of them"
                f" in the first line; say which one separates the sides, --format tsv or --format bars"
            )
        is_table = b"," in line and b", " not in line
        table = f"; of CSV, make text by: {command_for(CSV_COMMAND, read.name)}" if is_table else ""
        raise DataError(
            f"{position}: found neither TAB nor ||| in {excerpt(line.decode())}; expected source and target"
            f" on each line; separate them by a TAB, or name a second file that holds the target{table}"
        )
    return "auto"


def _is_blank(line: bytes) -> bool:
    """Return True if a line has no words."""
    return not line.strip(b" \t")
