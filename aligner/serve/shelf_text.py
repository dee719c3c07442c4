"""A text of the shelf: its folder, the training of its model, and its workbench once it is open."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from aligner import load
from aligner.errors import ConfigError, DataError
from aligner.files.json_text import parse_json
from aligner.files.opening import write_texts
from aligner.serve.draft import SIDES, Draft
from aligner.serve.journal import read_journal
from aligner.serve.served_text import ServedText
from aligner.serve.training import Training
from aligner.serve.workbench import Event, Workbench
from aligner.text.line_ids import LineIds

_FACTS = "text.json"


def is_text(folder: Path) -> bool:
    """Return True for the folder of a text."""
    return (folder / _FACTS).is_file()


class ShelfText:
    """A text in its folder, which has the files of the command line: source, target, ids, model, journal.

    Raises DataError if the file of facts is damaged.
    """

    def __init__(self, folder: Path, threads: int, me: str) -> None:
        self.folder, self._threads, self._me = folder, threads, me
        self._facts = _read_facts(folder / _FACTS)
        self.training = Training(folder, "verses" if self._facts["verses"] else "default", threads)
        self._lock = Lock()
        self._workbench: Workbench | None = None
        self._share: float | None = None

    @classmethod
    def make(cls, draft: Draft, folder: Path, threads: int, me: str) -> ShelfText:
        """Make a text of a draft in a new folder."""
        if not draft.found:
            raise ConfigError("found no two texts; drop them again")
        made = datetime.now().astimezone().isoformat(timespec="seconds")
        write_texts(draft.text / _FACTS, [json.dumps(draft.found | {"made": made})])
        draft.text.rename(folder)
        return cls(folder, threads, me)

    def state(self) -> Event:
        """Return what the page shows of the text."""
        journal = self._place / "journal"
        corrected = _corrected(journal, journal.stat().st_mtime) if journal.exists() else 0
        shown: Event = {"name": self.folder.name, "corrected": corrected}
        shown |= self._facts | self.training.state()
        if self._share is not None:
            shown |= {"state": "opening", "share": self._share}
        return shown | {"command": self._command(shown["state"])}

    def open(self) -> Workbench:
        """Return the workbench, opened if need be; DataError while another program has it open."""
        with self._lock:
            if self._workbench is None:
                if self.training.state()["state"] != "ready":
                    raise ConfigError("found no model yet; wait until it is trained")
                try:
                    self._share = 0.0
                    self._workbench = self._opened()
                finally:
                    self._share = None
            return self._workbench

    def _opened(self) -> Workbench:
        source, target, ids, model = (self.folder / name for name in (*SIDES, "ids", "model"))
        read = LineIds.read(ids) if ids.exists() else None
        text = ServedText.read(source, target, load(str(model)), self._threads, ids=read)
        names = dict(zip((*SIDES, "links"), [*self._facts["titles"], self._facts["titles"][0]], strict=True))
        text = replace(text, names=names)
        workbench = Workbench(text, str(model), self._place, self._threads, me=self._me)
        try:
            workbench.prepare(self._report)
        except BaseException:
            workbench.close()
            raise
        return workbench

    def publish(self, event: Event | None) -> None:
        """Send an event to the windows of the workbench, if it is open."""
        if self._workbench is not None:
            self._workbench.publish(event)

    def close(self) -> None:
        """Stop training, and close the workbench."""
        self.training.stop()
        with self._lock:
            if self._workbench is not None:
                self._workbench.close()

    @property
    def _place(self) -> Path:
        """The folder of the workbench."""
        return self.folder / "model.workbench"

    def _report(self, doing: str, share: float) -> None:
        self._share = share

    def _command(self, state: str) -> str:
        """Return the command line that does what the page does next."""
        files = [str(self.folder / name) for name in ("model", *SIDES)]
        ids = ["--ids", str(self.folder / "ids")] if self._facts["verses"] else []
        arguments = ["serve", *files, *ids] if state in ("ready", "opening") else self.training.arguments
        return subprocess.list2cmdline(["align", *arguments])


def _read_facts(path: Path) -> dict[str, Any]:
    """Return the facts of a text; DataError for another file."""
    with suppress(OSError, ValueError):
        facts = parse_json(path.read_bytes())
        if isinstance(facts, dict) and facts.keys() >= {"titles", "lines", "verses", "words", "made"}:
            return facts
    raise DataError(
        f"{path}: found a damaged file, so that the page does not show this text; its files and your edits"
        f" are in the same folder: open them by align serve MODEL SOURCE TARGET"
    )


@lru_cache
def _corrected(journal: Path, changed: float) -> int:
    """Return how many lines a journal marks as right. changed: when it was, so that it is read anew."""
    with suppress(DataError, OSError, ValueError, KeyError), open(journal, "rb") as file:
        key = parse_json(file.readline())["text"]
        return len(read_journal(journal, key, lambda line, edit: edit).complete)
    return 0
