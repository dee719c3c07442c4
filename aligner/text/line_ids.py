"""Line ids: names of the lines of a text, such as verses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aligner.errors import DataError
from aligner.files.lines import lines_of, located, numbered_lines
from aligner.files.opening import STANDARD_STREAM, PathLike
from aligner.messages import counted, display_name, excerpt
from aligner.scripture.token_table import TokenTable, read_tokens
from aligner.scripture.verses import Verse


@dataclass(frozen=True)
class LineIds:
    """The ids of the lines of a text. Each line has another one.

    Beside a file of ids, there may be tables of the text's tokens, `source.tokens.tsv` and
    `target.tokens.tsv`, as ``align verses`` writes them, or as Clear has them, and `target.frame.usfm`.

    Attributes
    ----------
    ids
        The id of each line.
    file
        The name of the file, for messages.
    folder
        The folder of the file, or None if it has none.
    """

    ids: Sequence[str]
    file: str = "ids"
    folder: Path | None = None

    @classmethod
    def read(cls, path: PathLike) -> LineIds:
        """Read the first column of a file, up to a TAB; DataError if an id is empty or occurs twice."""
        ids: dict[str, None] = {}
        for number, line in numbered_lines(path):
            line_id = line.partition("\t")[0].strip()
            with located(path, number):
                if not line_id or line_id in ids:
                    found = f"the id {excerpt(line_id)} again" if line_id else "no id"
                    raise ValueError(f"found {found}; expected another id for each line")
            ids[line_id] = None
        return cls([*ids], display_name(path), None if path == STANDARD_STREAM else Path(path).parent)

    @cached_property
    def tables(self) -> dict[str, TokenTable]:
        """The tables of source tokens and of target tokens by file; an empty one if it is not there."""
        paths = [Path(self.folder or "", f"{side}.tokens.tsv") for side in ("source", "target")]
        return {str(path): read_tokens(path) if self.folder and path.exists() else {} for path in paths}

    @cached_property
    def frame(self) -> str:
        """The frame of the target text (see ``aligner.scripture.frame``), or "" if it is not there."""
        path = Path(self.folder or "", "target.frame.usfm")
        return "".join(f"{line}\n" for line in lines_of(path)) if self.folder and path.exists() else ""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of the line of each id, from 1."""
        return {line_id: number for number, line_id in enumerate(self.ids, 1)}

    @cached_property
    def _first_verses(self) -> dict[str, int]:
        """The number of the line of the first verse of each range, such as `GAL 1:1-2`."""
        verses = {}
        for line_id, number in self.numbers.items():
            with suppress(ValueError):
                verses[str(Verse.parse(line_id)._replace(last=0, last_part=""))] = number
        return verses

    @property
    def are_verses(self) -> bool:
        """True if most of the ids are verses."""
        return 2 * len(self._first_verses) > len(self.ids)

    def number_of(self, line_id: str, *, is_first: bool = False) -> int | None:
        """Return the number of a line, from 1, or None. is_first: a range may be named by its first verse."""
        return self.numbers.get(line_id) or (self._first_verses.get(line_id) if is_first else None)

    def check(self, lines: int) -> None:
        """Raise DataError unless there is an id for each line of a text."""
        self.of_lines(1, lines)
        self.check_end(lines)

    def of_lines(self, first: int, count: int) -> Sequence[str]:
        """Return the ids of ``count`` lines from number ``first`` on; DataError if there are fewer."""
        if first - 1 + count > len(self.ids):
            raise DataError(
                f"{self.file}: found {counted(len(self.ids), 'id')}; expected one for each line of the text,"
                f" which has at least {first - 1 + count:,}"
            )
        return self.ids[first - 1 : first - 1 + count]

    def check_end(self, lines: int) -> None:
        """Raise DataError if there are ids of lines after the last one of the text."""
        if len(self.ids) > lines:
            raise DataError(
                f"{self.file}: found {counted(len(self.ids), 'id')}; expected {lines:,}, one for each line of"
                f" the text"
            )
