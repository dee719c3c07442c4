"""The journal: every edit of a line, on disk before it is answered.

A journal is a file of JSON lines. The first line names the text. Each further line is an act (see ``edits``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from threading import RLock
from typing import Any, BinaryIO

from aligner.errors import DataError
from aligner.files.json_text import parse_json
from aligner.files.opening import PathLike, lock, open_input
from aligner.messages import display_name, excerpt
from aligner.serve.acts import Act, Check
from aligner.serve.edits import Edits


class Journal:
    """A journal that is open for writing, by one process.

    Parameters
    ----------
    path
        The file. It is created if it does not exist.
    text
        The key of the text.
    check
        The check of edits.

    Attributes
    ----------
    edits
        The edits that the journal leads to.

    Raises
    ------
    DataError
        If the file is no journal, or of another text, or in use, or cannot be written.
    """

    def __init__(self, path: PathLike, text: str, check: Check) -> None:
        self.path, self.text = path, text
        self._lock = RLock()
        try:
            self._file: BinaryIO = open(path, "a+b", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise DataError(f"{path}: cannot be opened ({error.strerror})") from None
        try:
            if not lock(self._file.fileno()):
                raise DataError(
                    f"{path}: found a journal that another align serve is writing; end that one first, or"
                    f" name another --folder"
                )
            self._file.seek(0)
            data = self._file.read()
            whole = data[: data.rfind(b"\n") + 1]  # what follows was never answered
            first = {"journal": 1, "text": text}
            is_new = not whole and json.dumps(first).encode().startswith(data.rstrip(b"\0"))
            self.edits = Edits(() if is_new else _parse(path, whole or data, text), check)
            self._file.truncate(len(whole))
            if is_new:
                self._write(first)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def act(self, *wishes: Act) -> list[Act]:
        """Do all acts that a person wishes (see ``Edits.new_acts``) or none, and return them.

        If the journal has an act, nothing changes.
        """
        with self._lock:
            acts = [self.edits.acts[wish.id] for wish in wishes if wish.id in self.edits.acts]
            if not acts:
                acts = [act for wish in wishes for act in self.edits.new_acts(wish)]
                self.take(acts)
            return acts

    def take(self, acts: Sequence[Act]) -> None:
        """Take over acts without checks, unless the journal has their ids: write them, then apply them."""
        with self._lock:
            new = {act.id: act for act in acts if act.id not in self.edits.acts}.values()
            self._write(*map(_record, new))
            for act in new:
                self.edits.apply(act)

    def _write(self, *records: dict[str, Any]) -> None:
        """Write lines, and wait until they are on the disk; on an error, no part of them stays."""
        lines = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
        data = lines.encode("utf-8", "replace")
        end = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(data) != len(data):
                raise OSError(0, "the disk is full")
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(end)
            raise DataError(f"{self.path}: cannot be written ({error.strerror})") from None


def _record(act: Act) -> dict[str, Any]:
    """Return the fields of an act; ``chosen``, which earlier releases do not know, only if it is needed."""
    return {name: value for name, value in asdict(act).items() if value or name != "chosen"}


def read_journal(path: PathLike, text: str, check: Check) -> Edits:
    """Read the journal of another person, up to its last complete line; raise DataError if it is none."""
    with open_input(path) as file:
        data = file.read()
    return Edits(_parse(path, data[: data.rfind(b"\n") + 1], text), check)


def _parse(path: PathLike, data: bytes, text: str) -> Iterator[Act]:
    """Yield the acts of complete lines; raise DataError for another text or a line that is no act."""
    for number, line in enumerate(data.splitlines() or [b""], 1):
        try:
            record = parse_json(line)
            if number == 1:
                key, is_own = record["text"], record["journal"] == 1
            else:
                act = Act(**record)
        except (ValueError, TypeError, KeyError):
            is_own = False
        if not is_own:
            raise DataError(
                f"{display_name(path)}:{number}: found {excerpt(line.decode('utf-8', 'replace'))}; expected"
                f" {'the first line' if number == 1 else 'an act'} of a journal of align serve"
            )
        if key != text:
            raise DataError(
                f"{display_name(path)}: found the journal of another text; expected one of this text; name"
                f" another --folder, or serve the text that the journal is of"
            )
        if number > 1:
            yield act
