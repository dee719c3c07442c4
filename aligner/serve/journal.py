"""The journal: every edit of a line, on disk before it is answered.

A journal is a file of JSON lines. The first line names the text. Each further line is an act: it says what
the edit of a line of the text was and is now. The edit of a line is text in the format of known links, such
as ``= 0-0 1-2``, and empty for a line without an edit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from threading import Lock
from typing import Any, BinaryIO

from aligner.errors import DataError
from aligner.messages import display_name, excerpt
from aligner.text.files import PathLike, lock

EDIT, UNDO, REDO, TAKE = "edit", "undo", "redo", "take"


@dataclass(frozen=True)
class Act:
    """A change of the edit of a line.

    Attributes
    ----------
    id
        An id that no other act has. An act that is sent again has the same.
    kind
        "edit", "undo", "redo", or "take" for the edit of a file or of another journal.
    line
        The line of the text, from 1.
    before, after
        The edit of the line before and after the act.
    time
        The time in UTC, in ISO format.
    """

    id: str
    kind: str
    line: int
    before: str
    after: str
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat())


class ConflictError(DataError):
    """An act on an edit that has changed meanwhile.

    Attributes
    ----------
    line
        The line.
    text
        The present edit of the line.
    """

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line} was edited elsewhere meanwhile; look at it, and edit it again")
        self.line, self.text = line, text


class Edits:
    """The edits of all lines, with their history: the result of acts.

    Attributes
    ----------
    texts
        Line -> edit, for the lines that have one.
    latest
        Line -> the last act on it.
    ids
        The ids of all acts.
    """

    def __init__(self, acts: Iterable[Act] = ()) -> None:
        self.texts: dict[int, str] = {}
        self.latest: dict[int, Act] = {}
        self.ids: set[str] = set()
        self._done: list[Act] = []
        self._undone: list[Act] = []
        for act in acts:
            self.apply(act)

    def apply(self, act: Act) -> None:
        """Take over an act. An act that was taken over before has no effect."""
        if act.id in self.ids:
            return
        self.ids.add(act.id)
        self.latest[act.line] = act
        if act.after:
            self.texts[act.line] = act.after
        else:
            self.texts.pop(act.line, None)
        if act.kind == EDIT:
            self._done.append(act)
            self._undone.clear()
        elif act.kind == UNDO:
            self._undone += [self._done.pop()] if self._done else []
        elif act.kind == REDO:
            self._done += [self._undone.pop()] if self._undone else []
        else:  # earlier acts on the line cannot be undone
            self._done, self._undone = (
                [other for other in acts if other.line != act.line] for acts in (self._done, self._undone)
            )

    def last(self, kind: str) -> Act | None:
        """Return the act that an undo or a redo would be about, or None."""
        acts = {UNDO: self._done, REDO: self._undone}[kind]
        return acts[-1] if acts else None

    @property
    def complete(self) -> list[int]:
        """The lines that are complete, in the order in which they were last edited."""
        lines = (line for line, text in self.texts.items() if is_complete(text))
        return sorted(lines, key=lambda line: (self.latest[line].time, line))

    def known_links(self) -> str:
        """Return the edits as a file of known links, a line for each edited line of the text."""
        return "".join(f"{line}\t{_saved(text)}\n" for line, text in sorted(self.texts.items()))


def is_complete(text: str) -> bool:
    """Return True if an edit says that its line is complete."""
    return text.split(" ")[0] == "="


def _saved(text: str) -> str:
    """Return an edit for a file. In a complete line, all cells but the links are forbidden anyway."""
    tokens = text.split(" ")
    return " ".join(token for token in tokens if not (tokens[0] == "=" and "!" in token))


class Journal:
    """A journal that is open for writing, by one process.

    Parameters
    ----------
    path
        The file. It is created if it does not exist.
    text
        The key of the text.

    Attributes
    ----------
    edits
        The edits that the journal leads to.

    Raises
    ------
    DataError
        If the file is no journal, or of another text, or in use, or cannot be written.
    """

    def __init__(self, path: PathLike, text: str) -> None:
        self.path, self.text = path, text
        self._lock = Lock()
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
            if len(whole) < len(data):
                self._file.truncate(len(whole))
            if whole:
                self.edits = Edits(_parse(path, whole, text))
            else:
                self._write({"journal": 1, "text": text})
                self.edits = Edits()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def edit(self, id: str, line: int, before: str, after: str) -> Act:
        """Change the edit of a line, and return the act.

        Raises ConflictError if the edit is no longer ``before``. If the journal has the act, nothing changes.
        """
        return self._add(Act(id, EDIT, line, before, after))

    def travel(self, id: str, kind: str) -> Act | None:
        """Undo or redo an act, and return the new act, or None if there is nothing to undo or redo."""
        with self._lock:
            last = self.edits.last(kind)
            if id in self.edits.ids or last is None:
                return None
            before, after = (last.after, last.before) if kind == UNDO else (last.before, last.after)
            return self._append(Act(id, kind, last.line, before, after))

    def take(self, acts: Iterable[Act]) -> None:
        """Take over acts of another journal or of a file without checks or changes."""
        acts = list(acts)
        with self._lock:
            self._write(*map(asdict, acts))
            for act in acts:
                self.edits.apply(act)

    def _add(self, act: Act) -> Act:
        """Write an act unless the journal has it; ConflictError if the line has changed since."""
        with self._lock:
            if act.id not in self.edits.ids:
                text = self.edits.texts.get(act.line, "")
                if text != act.before:
                    raise ConflictError(act.line, text)
                self._append(act)
        return act

    def _append(self, act: Act) -> Act:
        """Write an act to the disk, then apply it."""
        self._write(asdict(act))
        self.edits.apply(act)
        return act

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


def read_journal(path: PathLike, text: str) -> Edits:
    """Read the journal of another person, up to its last complete line; raise DataError if it is none."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    return Edits(_parse(path, data[: data.rfind(b"\n") + 1], text))


def _parse(path: PathLike, data: bytes, text: str) -> Iterator[Act]:
    """Yield the acts of complete lines; raise DataError for another text or a line that is no act."""
    known: set[str] = set()
    for number, line in enumerate(data.splitlines() or [b""], 1):
        try:
            record = json.loads(line)
            if number == 1:
                found, version = record["text"], record["journal"]
                is_own = version == 1
            else:
                act = Act(**record)
                is_own = _is_act(act, known)
        except (ValueError, TypeError, KeyError, RecursionError):
            is_own = False
        if not is_own:
            raise DataError(
                f"{display_name(path)}:{number}: found {excerpt(line.decode('utf-8', 'replace'))}; expected"
                f" {'the first line' if number == 1 else 'an act'} of a journal of align serve"
            )
        if number == 1 and found != text:
            raise DataError(
                f"{display_name(path)}: found the journal of another text; expected one of this text; name"
                f" another --folder, or serve the text that the journal is of"
            )
        if number > 1:
            known.add(act.id)
            yield act


def _is_act(act: Act, known: set[str]) -> bool:
    """Return True if the fields of an act have their types, and its id is new."""
    texts = (act.id, act.kind, act.before, act.after, act.time)
    return (
        all(isinstance(value, str) for value in texts)
        and isinstance(act.line, int)
        and act.line > 0
        and act.kind in (EDIT, UNDO, REDO, TAKE)
        and act.id not in known
    )


@dataclass(frozen=True)
class Merge:
    """The edits of another person, merged with one's own by line and time.

    Attributes
    ----------
    acts
        The acts to take over.
    conflicts
        For each line with two different edits: the last acts of both journals, first the act that counts.
    """

    acts: list[Act]
    conflicts: list[tuple[Act, Act]]


def merge(own: Edits, other: Edits) -> Merge:
    """Merge the edits of two journals: each line has its later edit, whichever journal is the own one."""
    acts, conflicts = [], []
    for line, theirs in sorted(other.latest.items()):
        ours = own.latest.get(line)
        if theirs.id in own.ids:
            continue
        if ours is None or ours.id in other.ids:  # only the other person has edited the line since
            acts.append(_taken(theirs, own))
        elif ours.after != theirs.after:
            later = max(ours, theirs, key=lambda act: (act.time, act.id))
            conflicts.append((later, theirs if later is ours else ours))
            if later is theirs:
                acts.append(_taken(theirs, own))
    return Merge(acts, conflicts)


def _taken(act: Act, own: Edits) -> Act:
    """Return an act of another journal, with the id and the time that it has there, to be taken over."""
    return replace(act, kind=TAKE, before=own.texts.get(act.line, ""))
