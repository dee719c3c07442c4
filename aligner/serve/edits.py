"""Edits and notes: the verdicts and the note of each line of a text, and the acts that made them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby, takewhile
from types import MappingProxyType
from typing import Any

from aligner.errors import DataError
from aligner.serve.acts import (
    EDIT,
    NOTE,
    REDO,
    TAKE,
    UNDO,
    Act,
    Check,
    checked_act,
    group_of,
    text_of,
    verdicts_of,
)
from aligner.serve.line_history import LineHistory


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
    """The edits and the notes of all lines, with their history: the result of acts.

    Parameters
    ----------
    acts
        The acts.
    check
        The check of their edits. Acts that do not pass, or that have the id of an act before them, are left
        out.

    Attributes
    ----------
    texts, rivals, notes
        Line -> edit, rivals and notes, one of each person, for the lines that have some.
    lines
        Line -> its history.
    acts
        Id -> act, in their order.
    refused
        The number of acts that were left out.
    """

    def __init__(self, acts: Iterable[Act], check: Check) -> None:
        self.texts: dict[int, str] = {}
        self.rivals: dict[int, str] = {}
        self.notes: dict[int, list[Act]] = {}
        self.lines: dict[int, LineHistory] = defaultdict(LineHistory)
        self.acts: dict[str, Act] = {}
        self.check = check
        self._steps: dict[str, dict[str, list[Act]]] = defaultdict(lambda: {UNDO: [], REDO: []})
        self.refused = 0
        for act in acts:
            try:
                self.apply(checked_act(act, check))
            except ValueError:
                self.refused += 1

    def new_acts(self, wish: Act) -> list[Act]:
        """Return the acts of a person who wishes one, not applied yet; several if it takes back several.

        Raises
        ------
        ConflictError
            If the edit, or the note of this person, is no longer ``wish.before``.
        ValueError
            If the line has no such edit, or the act is of another kind.
        """
        if wish.kind in (UNDO, REDO):
            return [self._new_step(wish, k, last) for k, last in enumerate(self.last(wish.kind, wish.by))]
        if wish.kind not in (EDIT, NOTE):
            raise ValueError("found another kind of act")
        act = checked_act(wish, self.check)
        now = self.texts.get(act.line, "")
        if act.kind == NOTE:
            now = "".join(note.after for note in self.notes.get(act.line, ()) if note.by == act.by)
        if now != act.before:
            raise ConflictError(act.line, now)
        return [replace(act, rivals="", parents=self.lines[act.line].heads)]

    def _new_step(self, wish: Act, number: int, last: Act) -> Act:
        """Return the act by which a person takes back an act, the one of this number of a group."""
        history = self.lines[last.line]
        before, after = (last.after, last.before) if wish.kind == UNDO else (last.before, last.after)
        _, rivals = history.until(last, wish.kind == REDO).edit()
        wish = replace(wish, line=last.line, before=before, after=after, rivals=rivals)
        id = f"{wish.id}.{number}" if number else wish.id
        return replace(wish, id=id, parents=history.heads, chosen=last.chosen)

    def apply(self, act: Act) -> None:
        """Take over an act; ValueError if one with its id was taken over before."""
        if act.id in self.acts:
            raise ValueError(f"found {act.id!r} twice; expected an id of its own")
        history = self.lines[act.line]
        act = act if act.parents is not None else replace(act, parents=history.heads)
        last = next(self._open_steps(act.kind, act.by), None) if act.kind in (UNDO, REDO) else None
        history.add(act)
        self.acts[act.id] = act
        if act.kind == NOTE:
            return _put(self.notes, act.line, history.notes())
        text, rivals = history.edit()
        _put(self.texts, act.line, text)
        _put(self.rivals, act.line, rivals)
        if act.kind == EDIT:
            self._steps[act.by][UNDO].append(act)
            self._steps[act.by][REDO].clear()
        elif last is not None:
            own, other = self._steps[act.by][act.kind], {UNDO: REDO, REDO: UNDO}[act.kind]
            while own.pop() is not last:
                pass
            self._steps[act.by][other].append(last)

    def edits_of(self, line: int) -> list[Act]:
        """Return the acts on the edit of a line."""
        return [act for act in self.lines[line].acts.values() if act.kind != NOTE]

    def last(self, kind: str, by: str) -> list[Act]:
        """Return the acts that an undo or a redo of a person would be about, in the order of it."""
        steps = groupby(self._open_steps(kind, by), group_of)
        return [*next(steps, ("", ()))[1]]

    def _open_steps(self, kind: str, by: str) -> Iterator[Act]:
        """Yield the acts that a person can still undo or redo, the last one first."""
        steps = ((act, act.after if kind == UNDO else act.before) for act in reversed(self._steps[by][kind]))
        return (act for act, text in steps if self._is_last(act, text))

    def _is_last(self, act: Act, text: str) -> bool:
        """Return True if no other person has edited the line of an act since, and it has this edit."""
        since = takewhile(lambda later: later is not act, reversed(self.edits_of(act.line)))
        is_own = all(later.by == act.by and later.kind != TAKE for later in since)
        return is_own and self.texts.get(act.line, "") == text

    def lacks(self, other: Edits) -> list[Act]:
        """Return the acts of other edits that these do not have."""
        return [act for id, act in other.acts.items() if id not in self.acts]

    def state(self) -> dict[str, Any]:
        """Return edits, conflicts, notes and history as plain data."""
        conflicts = {line: self._conflicts(line) for line in self.rivals}
        notes = {line: self._notes(line) for line in self.notes}
        return {"edits": self.texts, "conflicts": conflicts, "notes": notes, "history": self.history()}

    def now(self, line: int) -> dict[str, Any]:
        """Return the edit, the conflicts and the notes of a line as plain data."""
        text, conflicts = self.texts.get(line, ""), self._conflicts(line)
        return {"text": text, "conflicts": conflicts, "notes": self._notes(line)}

    def _conflicts(self, line: int) -> dict[str, dict[str, dict[str, str]]]:
        """Return the persons and times of both verdicts on each cell in conflict, by cell and verdict."""
        cells = [cell for cell in verdicts_of(self.rivals.get(line, "")) if cell]
        voices = {f"{i}-{j}": self.lines[line].voices((i, j)) for i, j in cells}
        verdicts = {"confirmed": "-", "forbidden": "!"}
        return {
            cell: {name: _said(own[mark]) for name, mark in verdicts.items() if mark in own}
            for cell, own in voices.items()
        }

    def _notes(self, line: int) -> list[dict[str, str]]:
        """Return the notes of a line as plain data, each with its person and time."""
        return [{"text": note.after} | _said(note) for note in self.notes.get(line, ())]

    def history(self) -> dict[str, list[bool]]:
        """Return, for each person, whether something can be undone and redone."""
        return {by: [bool(self.last(kind, by)) for kind in (UNDO, REDO)] for by in [*self._steps]}

    @property
    def complete(self) -> list[int]:
        """The lines that are complete, in the order in which they were last edited."""
        lines = (line for line, text in self.texts.items() if text.startswith("="))
        return sorted(lines, key=lambda line: (self.edits_of(line)[-1].time, line))

    def known_links(self, kept: Mapping[int, str] = MappingProxyType({})) -> str:
        """Return the edits as a file of known links, a line for each line with an edit or kept links."""
        lines = {line: _with_kept(self.texts.get(line, ""), text) for line, text in kept.items()}
        return known_links_of(self.texts | lines)


def known_links_of(texts: Mapping[int, str]) -> str:
    """Return edits as a file of known links. A complete line forbids all other cells without naming them."""
    saved = {line: re.sub(r" \d+!\d+", "", text) if text[:1] == "=" else text for line, text in texts.items()}
    return "".join(f"{line}\t{text}\n" for line, text in sorted(saved.items()))


def _with_kept(text: str, kept: str) -> str:
    """Return an edit with the kept links of its line on which it says nothing."""
    return text if text.startswith("=") else text_of(verdicts_of(kept) | verdicts_of(text))


def _said(act: Act) -> dict[str, str]:
    """Return the person and the time of an act."""
    return {"by": act.by, "time": act.time}


def _put(found: dict[int, Any], line: int, own: Any) -> None:
    """Set the value of a line, or delete the line if its value is empty."""
    found[line] = own
    if not own:
        del found[line]
