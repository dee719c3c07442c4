"""Pairs of lines: two files side by side, or one file with both sides on each line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from aligner.errors import ConfigError, DataError
from aligner.text.files import STANDARD_STREAM, PathLike, display_name
from aligner.text.lines import Piece, _blocks, _strings, excerpt

#: The layouts of a file that holds both texts: as the first line is, `s TAB t`, or `s ||| t`.
FORMATS = ("auto", "tsv", "bars")


class Chunk(NamedTuple):
    """Some lines of the source text and the same lines of the target text, a newline behind each.

    origin: what they were read from, for `check`; text that did not come from a file has none.
    """

    source: bytes
    target: bytes
    lines: int
    origin: tuple[Piece, ...] = ()

    @classmethod
    def join(cls, chunks: Sequence[Chunk]) -> Chunk:
        """The lines of several chunks."""
        source, target, lines, origin = zip(*chunks, strict=True)
        return cls(b"".join(source), b"".join(target), sum(lines), tuple(chain.from_iterable(origin)))

    def check(self) -> None:
        """Raise DataError, with file and line, if the text is not UTF-8 or holds NUL."""
        for block in self.origin:
            block.check()

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The lines as strings, checked, without their ends."""
        self.check()
        return zip(_strings(self.source), _strings(self.target), strict=True)


def read_pairs(
    source: PathLike,
    target: PathLike | None = None,
    *,
    format: str = "auto",
    skip_bad: bool = False,
    report: Callable[[str], None] | None = None,
) -> Iterator[Chunk]:
    """Read two files line by line, or one file with both texts, and yield them in non-empty chunks.

    Lines are those of `read_lines`, but bytes, and whether they are UTF-8 is left to the chunks' `check`.

    Two files must have the same number of lines. In one file every line has exactly one separator, a TAB
    ("tsv") or the word `|||` ("bars"); "auto" goes by the first line that is not blank, which must not have
    both. A blank line is an empty pair. With skip_bad any other line is one too, and what is wrong with it is
    passed to report; "auto" then goes by the first line that has either, still not both.

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
    if skip_bad:
        raise ConfigError(
            "found skip_bad (--skip-bad) and two files, where no line can be bad; expected it with one file;"
            " leave it out"
        )
    if source == target == STANDARD_STREAM:
        raise ConfigError("found - for both texts; expected one at most from standard input; name a file")
    return _read_two_files(source, target)


class _Lines:
    """The lines of a file, of which so many are taken as there are on the other side."""

    def __init__(self, path: PathLike) -> None:
        self._blocks = _blocks(path)
        self._block = Piece(b"", display_name(path), 0)
        self._ends = np.empty(0, np.int64)
        self._taken = 0

    def there(self) -> int:
        """How many lines can be taken; 0 at the end of the file only."""
        if self._taken == len(self._ends):
            self._block, self._ends = next(self._blocks, (self._block, self._ends[:0]))
            self._taken = 0
        return len(self._ends) - self._taken

    def take(self, lines: int, lines_before: int) -> Piece:
        """The next lines, before which there were so many others."""
        start = self._ends[self._taken - 1] + 1 if self._taken else 0
        self._taken += lines
        data = self._block.data[start : self._ends[self._taken - 1] + 1]
        return Piece(data, self._block.name, lines_before)


def _read_two_files(source: PathLike, target: PathLike) -> Iterator[Chunk]:
    """Yield the lines of two files side by side, as soon as both have them."""
    sides = _Lines(source), _Lines(target)
    lines_before = 0
    while True:
        there = [side.there() for side in sides]
        lines = min(there)
        if lines == 0:
            break
        blocks = tuple(side.take(lines, lines_before) for side in sides)
        yield Chunk(blocks[0].data, blocks[1].data, lines, blocks)
        lines_before += lines
    if any(there):
        names = display_name(source), display_name(target)
        longer, shorter = names if there[0] else reversed(names)
        raise DataError(
            f"{longer}:{lines_before + 1}: found a line, but {shorter} ends after line {lines_before}; "
            f"expected as many lines in both files, since line k of one goes with line k of the other; look "
            f"for the first two lines that do not belong together"
        )


def _read_one_file(
    path: PathLike, format: str, skip_bad: bool, report: Callable[[str], None] | None
) -> Iterator[Chunk]:
    """Yield the two sides of each line of a file."""
    for block, ends in _blocks(path):
        if format == "auto":
            format = _detect_format(block, skip_bad)
        separator, literal, mark = _SEPARATORS[format]
        places = np.fromiter((match.start() for match in mark.finditer(block.data)), np.int64)
        counts = np.diff(np.searchsorted(places, ends), prepend=0)
        data = block.data
        strange = np.flatnonzero(counts != 1).tolist()
        if strange:
            lines = data.split(b"\n")
            for k in strange:
                if not _is_blank(lines[k]):
                    block.check()
                    message = (
                        f"{block.name}:{block.lines_before + k + 1}: found {separator} {counts[k]} times in "
                        f"{excerpt(lines[k].decode())}; expected it once, between source and target"
                    )
                    if not skip_bad:
                        raise DataError(
                            f"{message}; repair the line, choose two columns of a table (cut -f), or use "
                            f"--skip-bad to treat such lines as empty"
                        )
                    if report is not None:
                        report(message)
                lines[k] = literal
            data = b"\n".join(lines)
        sides = mark.sub(b"\n", data).split(b"\n")
        yield Chunk(b"\n".join(sides[0::2]), b"\n".join((*sides[1::2], b"")), len(ends), (block,))


# The word |||. The bars come first, because the search for a literal is quick; their neighbours after that.
_BARS = re.compile(rb"\|\|\|(?<![^ \t\n]\|\|\|)(?![^ \t\n])")


#: The name of each separator in messages, the separator, and what finds it.
_SEPARATORS = {"tsv": ("TAB", b"\t", re.compile(rb"\t")), "bars": ("|||", b"|||", _BARS)}


_SEPARATORS["auto"] = _SEPARATORS["tsv"]  # still undecided: no line so far has either


def _detect_format(block: Piece, skip_bad: bool) -> str:
    """Return the format of the first line which is not blank or, with skip_bad, has a separator.

    "auto" if there is none: under no format is there a pair so far. DataError if it has both.
    """
    for k, line in enumerate(block.data.split(b"\n")):
        if _is_blank(line):
            continue
        tabs, bars = b"\t" in line, _BARS.search(line) is not None
        if tabs != bars:
            return "tsv" if tabs else "bars"
        if skip_bad and not tabs:
            continue
        block.check()
        found = f"{block.name}:{block.lines_before + k + 1}: found {'both' if tabs else 'neither'} TAB"
        if tabs:
            raise DataError(
                f"{found} and ||| in {excerpt(line.decode())}, by which the format is to be known; expected "
                f"one of them; say which separates the sides, --format tsv or --format bars"
            )
        raise DataError(
            f"{found} nor ||| in {excerpt(line.decode())}; expected source and target on each line; separate "
            f"them by a TAB, or name a second file that holds the target"
        )
    return "auto"


def _is_blank(line: bytes) -> bool:
    """Tell whether a line has no words."""
    return not line.strip(b" \t")
