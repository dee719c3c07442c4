"""A draft: the files of two texts that were dropped on the page, until they become a text to align."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from threading import Lock
from typing import Any

from aligner.errors import ConfigError, DataError
from aligner.files.lines import read_file_lines
from aligner.files.opening import open_input
from aligner.messages import counted, excerpt
from aligner.registry import check_known
from aligner.serve.training import command_of
from aligner.text.misalignment import find_shift
from aligner.text.pairs import read_bitext
from aligner.text.word_boundaries import describe_tokens
from aligner.view.content import MOST_LINES

SIDES = "source", "target"
LARGEST_FILE = 200 << 20  # bytes

_MOST_FILES = 2000
_SETTINGS = "Settings.xml", "custom.vrs", "versification.vrs"
_BOOK = re.compile(rb"(\xef\xbb\xbf)?\s*(\\id\b|(<\?xml[^>]*>\s*)?<usx\b)")
_SAID_OF_SIDE = re.compile(r"(source|target)\b[^:]*: (.*)")
_PLACE = re.compile(r"\b(?:source|target)[/\\](?:below[/\\])*(?:[0-9]{4}-)?")


class Draft:
    """Two texts in a folder, one for each side, and what was found in them.

    No name of the page becomes a path: files get numbers, and at most 40 harmless characters of their names.

    Attributes
    ----------
    text
        The folder of source, target and, of Scripture, ids, as the command line has them.
    found
        What was found in both texts; empty until they were looked at.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        self._folder, self._threads = folder, threads
        self.text = folder / "text"
        self._lock = Lock()
        self.clear()

    def clear(self) -> None:
        """Forget all files."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._titles = dict.fromkeys(SIDES, "")
        self._lines: dict[Path, int] = {}
        self.found: dict[str, Any] = {}

    def begin(self, side: str, title: str) -> None:
        """Forget the files of a side, which gets a new text."""
        check_known(side, SIDES, "side")
        shutil.rmtree(self._folder / side, ignore_errors=True)
        self._titles[side], self.found = title[:80], {}

    def place(self, side: str, name: str, depth: int) -> Path:
        """Return the path for a file of a side; depth: the number of folders in the dropped one around it."""
        check_known(side, SIDES, "side")
        count = len(self._files(side))
        if count >= _MOST_FILES:
            raise ConfigError(f"found more than {_MOST_FILES:,} files; expected the books of one text")
        folder = self._folder.joinpath(side, *["below"] * min(max(depth, 0), 5))
        folder.mkdir(parents=True, exist_ok=True)
        harmless = re.sub(r"[^\w. -]", "_", name)[-40:].rstrip(" .")
        return folder / (name if name in _SETTINGS else f"{count:04}-{harmless}")

    def check(self, path: Path, name: str) -> None:
        """Count the lines of a file; an error, in words for the page, if it is no text. name: its own."""
        try:
            is_text = not _is_book(path) and name not in _SETTINGS
            self._lines[path] = 0
            for read, ends in read_file_lines(path, of_text=is_text):
                read.check()
                self._lines[path] += len(ends)
        except DataError as error:
            path.unlink()
            line, found = re.findall(r":(\d+): (found [^;]*)?|$", str(error))[0]
            raise ConfigError(
                f"{name}: {found or 'found no text in UTF-8'}, in line {line or 1}; expected USFM, or plain"
                " text with a sentence on each line; if it is a document, save it as plain text (UTF-8)"
            ) from None

    def look(self) -> dict[str, Any]:
        """Make the text, and return what was found, with messages by side; those on both by ""."""
        with self._lock:
            return self._look()

    def _look(self) -> dict[str, Any]:
        paths = [self._path(side) for side in SIDES]
        kinds = [*map(_is_scripture, paths)]
        titles = [*self._titles.values()]
        shutil.rmtree(self.text, ignore_errors=True)
        if kinds[0] != kinds[1]:
            book, other = map(excerpt, titles if kinds[0] else titles[::-1])
            raise ConfigError(
                f"found verses in {book}, and none in {other}; expected them in both, or in none"
            )
        messages: list[str] = []
        if all(kinds):
            messages = self._take_verses(*paths)
        else:
            self._take_lines(*paths)
        text = read_bitext(*(self.text / side for side in SIDES), threads=self._threads)
        shift = find_shift(text.source.lengths, text.target.lengths)
        said: dict[str, list[str]] = {side: [] for side in ("", *SIDES)}
        for message in (*messages, *describe_tokens(text), *([shift.describe()] if shift else [])):
            side, _, rest = message.partition(": ")
            said[side if side in SIDES else ""].append(rest if side in SIDES else message)
        report = text.report
        left_out = {"empty on one side": report.empty, "over 100 words long": report.too_long}
        said[""] += [f"{count:,} {why}, not learned from" for why, count in left_out.items() if count]
        words = [report.source_tokens, report.target_tokens]
        self.found = {"titles": titles, "lines": report.lines, "verses": all(kinds), "words": words}
        return self.found | {"said": said}

    def _files(self, side: str) -> list[Path]:
        return [path for path in (self._folder / side).rglob("*") if path.is_file()]

    def _path(self, side: str) -> Path:
        """Return the only file of a side, or the folder of its files."""
        files = self._files(side)
        if not files:
            raise ConfigError("found one text alone; expected a text and its translation")
        return files[0] if len(files) == 1 else self._folder / side

    def _take_verses(self, *paths: Path) -> list[str]:
        """Take the verses that both texts have, as ``align verses`` does; return its messages about them.

        It is a process of its own: it runs others beside it, its memory is free once it ends, and it ends
        by Ctrl-C.
        """
        names = [str(path.relative_to(self._folder)) for path in paths]
        command = command_of("verses", *names, "-o", "text", "--skip-bad")
        done = subprocess.run(
            command, cwd=self._folder, capture_output=True, encoding="utf-8", errors="replace"
        )
        lines = done.stderr.splitlines() or [""]
        if done.returncode:
            raise ConfigError(_PLACE.sub("", lines[-1].removeprefix("align: ")))
        said = (_SAID_OF_SIDE.fullmatch(line) for line in lines)
        return [_PLACE.sub("", f"{match[1]}: {match[2]}") for match in said if match]

    def _take_lines(self, *paths: Path) -> None:
        """Copy two files of as many lines."""
        lines = [self._lines.get(path, 0) for path in paths]  # a folder has no line, but perhaps files
        if lines[0] != lines[1] or not 0 < lines[0] <= MOST_LINES:
            counts = zip(lines, self._titles.values(), strict=True)
            found = " and ".join(f"{counted(count, 'line')} in {excerpt(title)}" for count, title in counts)
            raise ConfigError(
                f"found {found}; expected USFM, or two files with as many lines, up to {MOST_LINES:,}: each"
                " line of one is the translation of the same line of the other"
            )
        self.text.mkdir()
        for side, path in zip(SIDES, paths, strict=True):
            shutil.copyfile(path, self.text / side)


def _is_book(path: Path) -> bool:
    """Return True for a file of USFM or USX."""
    with open_input(path) as file:
        return bool(_BOOK.match(file.read(1 << 12)))


def _is_scripture(path: Path) -> bool:
    """Return True for a book, or a folder with one."""
    files = path.rglob("*") if path.is_dir() else [path]
    return any(_is_book(file) for file in files if file.is_file())
