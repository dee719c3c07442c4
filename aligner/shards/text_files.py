"""The text of a run that the program itself divides into shards."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from aligner.errors import ConfigError
from aligner.files.byte_ranges import can_be_cut, cut_files
from aligner.files.compression import compression
from aligner.files.lines import Chunk
from aligner.files.opening import STANDARD_STREAM, PathLike, is_special, open_input
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.text.pairs import BadLines, find_format, read_bitext, read_pairs

_MOST_BYTES = 1 << 28
"""The largest shard of a divided text, in bytes of both sides together."""

_LEAST_BYTES = 1 << 16
"""The smallest shard of a divided text, in bytes of both sides together."""

_EXPANSION = 4
"""The assumed ratio of the sizes of a text and of its compressed file."""


@dataclass(frozen=True)
class TextFiles:
    """The files of a text: one or two of each shard, or one or two to divide.

    shards: the files of each shard, in the order of the text, or byte ranges of files; format, skip_bad: as
    for ``read_bitext``; found_format: the format of the lines of a divided text, if it was found by looking.
    """

    shards: tuple[tuple[PathLike, ...], ...]
    format: str = "auto"
    skip_bad: bool = False
    found_format: str | None = None

    @classmethod
    def of(cls, source: str, target: str | None, **reading: Any) -> TextFiles:
        """Return the text of two names, each a file or a pattern such as part.*.fr, whose files are sorted.

        Raises
        ------
        ConfigError
            If the sides have different numbers of files, or if one is standard input.
        DataError
            If a file cannot be read.
        """
        names = [name for name in (source, target) if name is not None]
        if STANDARD_STREAM in names:
            raise ConfigError("--cluster: found - for a text; expected files, which can be read again")
        sides = [_expand(name) for name in names]
        if len({len(files) for files in sides}) > 1:
            raise ConfigError(
                f"found {len(sides[0])} source and {len(sides[1])} target files; expected as many of each,"
                f" since file k of the source goes with file k of the target"
            )
        for path in chain(*sides):
            if not is_special(path):  # a pipe can be read only once
                with open_input(path):
                    pass
        return cls(tuple(zip(*sides, strict=True)), **reading)

    @property
    def is_undivided(self) -> bool:
        """True if the text is not divided into shards."""
        return len(self.shards) == 1

    @property
    def is_stream(self) -> bool:
        """True for a whole text that can only be read from its beginning: compressed files and pipes."""
        return self.is_undivided and not all(map(can_be_cut, self.shards[0]))

    def origin(self, shard: int, recipe: Recipe) -> Any:
        """Return plain data that changes when a shard has other files, or if they are read in another way."""
        files = self.shards[0 if self.is_undivided else shard - 1]
        reading = {"format": self.format, "skip_bad": self.skip_bad, **vars(recipe.data)}
        return [shard, reading, *map(stamp, files)]

    def divided(self, shards: int) -> TextFiles:
        """Return the text with byte ranges of its files as shards.

        It has fewer shards than asked for if they would be tiny, and more if they would be huge. Returns the
        text itself if it has shards, or if no line of one file has a separator that tells its format.

        Raises
        ------
        DataError
            If a file cannot be read.
        """
        if not self.is_undivided:
            return self
        (files,) = self.shards
        found = None
        if len(files) == 1 and self.format == "auto":
            found = find_format(files[0], self.skip_bad)
            if found == "auto":
                return self
        size = sum(map(os.path.getsize, files))
        shards = max(min(shards, size // _LEAST_BYTES), -(-size // _MOST_BYTES))
        return replace(self, shards=tuple(cut_files(files, shards)), found_format=found)

    def read(
        self, shard: int, recipe: Recipe, threads: int = 1, report: Callable[[str], object] | None = None
    ) -> Bitext:
        """Read the files of a shard."""
        source, *target = self.shards[shard - 1]
        return read_bitext(
            source,
            *target,
            **vars(recipe.data),
            format=self.found_format or self.format,
            skip_bad=self.skip_bad,
            threads=threads,
            report=report,
        )

    def cut(
        self,
        shards: int,
        recipe: Recipe,
        threads: int = 1,
        report: Callable[[str], object] | None = None,
    ) -> Iterator[Bitext]:
        """Read the text, and yield about as many shards of about the same size, or more if it is large.

        The size of a pipe is not known: its shards are as large as possible.
        """
        (files,) = self.shards
        size = size_of_text(files)
        limit = min(max(size // shards, _LEAST_BYTES), _MOST_BYTES) if size else _MOST_BYTES
        for chunks, bad_lines in self._blocks(files, limit, report):
            bitext = Bitext.from_chunks(
                chunks, recipe.data.lookup, max_length=recipe.data.max_length, threads=threads
            )
            yield replace(bitext, bad_lines=bad_lines)

    def _blocks(
        self, files: tuple[PathLike, ...], limit: int, report: Callable[[str], object] | None
    ) -> Iterator[tuple[list[Chunk], int]]:
        """Yield consecutive chunks of about ``limit`` bytes, and the number of bad lines in them."""
        block: list[Chunk] = []
        size, bad_lines = 0, BadLines(report)
        source, *target = files
        for chunk in read_pairs(
            source, *target, format=self.format, skip_bad=self.skip_bad, report=bad_lines
        ):
            block.append(chunk)
            size += len(chunk.source) + len(chunk.target)
            if size >= limit:
                yield block, bad_lines.count
                block, size, bad_lines.count = [], 0, 0
        yield block, bad_lines.count


def size_of_text(files: Iterable[PathLike]) -> int:
    """Return about how many bytes of text files have, compressed or not; 0 if one is a pipe."""
    files = list(files)
    if any(map(is_special, files)):
        return 0
    return sum(os.path.getsize(path) * (_EXPANSION if compression(os.fspath(path)) else 1) for path in files)


def stamp(path: PathLike) -> list[Any]:
    """Return the name, size and time of change of a file; for a stream, the name and the present time."""
    if not os.path.isfile(path):
        return [os.fspath(path), time.time_ns()]
    status = os.stat(path)
    return [os.path.abspath(path), status.st_size, status.st_mtime_ns]


def _expand(name: str) -> list[str]:
    """Return the file of a name, or the files of a pattern, sorted."""
    if os.path.exists(name) or not glob.has_magic(name):
        return [name]
    files = sorted(glob.glob(name))
    if not files:
        raise ConfigError(f"{name}: found no file of this pattern; expected one for each shard")
    return files
