"""Edits and notes: the verdicts and the note of each line of a text, and the acts that made them.

The edit of a line is text in the format of known links, such as ``= 0-0 1-2``, and empty for a line without
an edit. Its rivals are the cells on which two people contradict each other, with the verdicts that do not
count, such as ``1!2``. A note begins with ``?`` if it asks others to look at the line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import Any
from unicodedata import category

from aligner.arguments import check_types
from aligner.errors import DataError
from aligner.links.alignments import Link
from aligner.links.known_links import KnownLinks
from aligner.links.link_tokens import KNOWN_LINKS
from aligner.view.records import Words

_KINDS = EDIT, UNDO, REDO, TAKE, NOTE = "edit", "undo", "redo", "take", "note"

LONGEST_NOTE = 500
"""The most characters of a note."""

Cell = Link | None
"""A cell of a line, or None for the line as a whole."""

Check = Callable[[int, str], str]
"""A function that returns the edit of a line in its usual order; ValueError if the text has no such edit."""


@dataclass(frozen=True)
class Act:
    """A change of the edit of a line.

    Attributes
    ----------
    id
        An id that no other act has. An act that is sent again has the same.
    kind
        "edit", "undo", "redo", "take" for the edit of a file or of another journal, or "note".
    line
        The line of the text, from 1; 0 if a person wishes to undo or redo.
    before, after
        The edit of the line, or the note, before and after the act.
    time
        The time in UTC, in ISO format.
    by
        The person, or "" for a file, and in journals of earlier releases.
    rivals
        The rivals of the line after the act.

    Raises
    ------
    TypeError
        If a field has another type.
    ValueError
        If a field has another value.
    """

    id: str
    kind: str
    line: int = 0
    before: str = ""
    after: str = ""
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    by: str = ""
    rivals: str = ""

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        least = 0 if self.kind in (UNDO, REDO) else 1
        if self.kind not in _KINDS or self.line < least:
            raise ValueError(f"found {self.kind!r} of line {self.line}; expected an act on a line from 1 on")


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
        The check of their edits. Acts that do not pass are left out.

    Attributes
    ----------
    texts, rivals, notes
        Line -> edit, rivals and note, for the lines that have one.
    lines
        Line -> the acts on it, in their order.
    acts
        Id -> act, in their order.
    refused
        The number of acts that were left out.
    """

    def __init__(self, acts: Iterable[Act], check: Check) -> None:
        self.texts: dict[int, str] = {}
        self.rivals: dict[int, str] = {}
        self.notes: dict[int, str] = {}
        self.lines: dict[int, list[Act]] = {}
        self.acts: dict[str, Act] = {}
        self.check = check
        self._steps: dict[str, dict[str, list[Act]]] = defaultdict(lambda: {UNDO: [], REDO: []})
        self.refused = 0
        for act in acts:
            try:
                self.apply(checked_act(act, check))
            except ValueError:
                self.refused += 1

    def new_act(self, wish: Act) -> Act | None:
        """Return the act of a person who wishes one, not applied yet; None if there is nothing to take back.

        Raises
        ------
        ConflictError
            If the edit or the note is no longer ``wish.before``.
        ValueError
            If the line has no such edit, or the act is of another kind.
        """
        if wish.kind in (UNDO, REDO):
            return self._new_step(wish)
        if wish.kind not in (EDIT, NOTE):
            raise ValueError("found another kind of act")
        act = checked_act(wish, self.check)
        now = (self.notes if act.kind == NOTE else self.texts).get(act.line, "")
        if now != act.before:
            raise ConflictError(act.line, now)
        rivals = "" if act.kind == NOTE else self.rivals.get(act.line, "")
        return replace(act, rivals=rivals_left(rivals, act.before, act.after) if rivals else "")

    def _new_step(self, wish: Act) -> Act | None:
        """Return the act by which a person takes back the last one, or None if there is none."""
        last = self.last(wish.kind, wish.by)
        if last is None:
            return None
        if wish.kind == REDO:
            return replace(wish, line=last.line, before=last.before, after=last.after, rivals=last.rivals)
        acts = pairwise(self.edits_of(last.line))
        rivals = next((earlier.rivals for earlier, act in acts if act is last), "")
        return replace(wish, line=last.line, before=last.after, after=last.before, rivals=rivals)

    def apply(self, act: Act) -> None:
        """Take over an act. An act that was taken over before has no effect."""
        if act.id in self.acts:
            return
        self.acts[act.id] = act
        self.lines.setdefault(act.line, []).append(act)
        if act.kind == NOTE:
            return _put(self.notes, act.line, act.after)
        _put(self.texts, act.line, act.after)
        _put(self.rivals, act.line, act.rivals)
        if act.kind == EDIT:
            self._steps[act.by][UNDO].append(act)
            self._steps[act.by][REDO].clear()
        elif act.kind != TAKE and (last := self.last(act.kind, act.by)):
            own, other = self._steps[act.by][act.kind], {UNDO: REDO, REDO: UNDO}[act.kind]
            del own[own.index(last) :]
            self._steps[act.by][other].append(last)

    def edits_of(self, line: int) -> list[Act]:
        """Return the acts on the edit of a line."""
        return [act for act in self.lines.get(line, ()) if act.kind != NOTE]

    def last(self, kind: str, by: str) -> Act | None:
        """Return the act that an undo or a redo of a person would be about, or None."""
        return next(filter(self._is_last, reversed(self._steps[by][kind])), None)

    def _is_last(self, act: Act) -> bool:
        """Return True unless another person has edited the line of an act since."""
        since = takewhile(lambda later: later is not act, reversed(self.edits_of(act.line)))
        return all(later.by == act.by and later.kind != TAKE for later in since)

    def state(self) -> dict[str, Any]:
        """Return edits, rivals, notes and history as plain data."""
        return {"edits": self.texts, "rivals": self.rivals, "notes": self.notes, "history": self.history()}

    def now(self, line: int) -> dict[str, str]:
        """Return the edit, the rivals and the note of a line as plain data."""
        texts = {"text": self.texts, "rivals": self.rivals, "note": self.notes}
        return {name: own.get(line, "") for name, own in texts.items()}

    def history(self) -> dict[str, list[bool]]:
        """Return, for each person, whether something can be undone and redone."""
        return {by: [self.last(kind, by) is not None for kind in (UNDO, REDO)] for by in [*self._steps]}

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


def checked_edit(words: tuple[Words, Words], line: int, text: str) -> str:
    """Return an edit in its usual order; ValueError if a text of these words has no such edit of a line."""
    if not 0 < line <= len(words[0]):
        raise ValueError(f"found line {line}; expected 1 to {len(words[0])}")
    pair = KNOWN_LINKS.parse(text)
    pair.check_positions(len(words[0][line - 1]), len(words[1][line - 1]))
    return edit_of({*pair.links}, {*pair.forbidden}, pair.complete)


def edit_of(links: Iterable[Link], forbidden: Iterable[Link], complete: bool) -> str:
    """Return the text of the edit with these confirmed and forbidden cells."""
    cells = sorted([(cell, "-") for cell in links] + [(cell, "!") for cell in forbidden])
    return " ".join(["="] * complete + [f"{i}{mark}{j}" for (i, j), mark in cells])


def known_edits(known: KnownLinks) -> dict[int, str]:
    """Return the edits, by line from 1, that known links of all lines of a text say."""
    entries = zip(known.known, known.forbidden, known.complete.tolist(), strict=True)
    return {line: text for line, entry in enumerate(entries, 1) if (text := edit_of(*entry))}


def verdicts_of(text: str) -> dict[Cell, str]:
    """Return the verdicts of an edit: cell -> "-" or "!", and None -> "=" for a complete line."""
    pair = KNOWN_LINKS.parse(text)
    marked = ("-", pair.links), ("!", pair.forbidden), ("=", [None] * pair.complete)
    return {cell: mark for mark, cells in marked for cell in cells}


def text_of(verdicts: Mapping[Cell, str | None]) -> str:
    """Return the edit with these verdicts; None for a cell without one."""
    links, forbidden = ([cell for cell, own in verdicts.items() if cell and own == mark] for mark in "-!")
    return edit_of(links, forbidden, verdicts.get(None) is not None)


def rivals_left(rivals: str, before: str, after: str) -> str:
    """Return the rivals after an edit: it decides on the cells that it changes.

    It decides on all if it says that the line is right, or if it changes nothing.
    """
    changed = {cell for cell, _ in verdicts_of(before).items() ^ verdicts_of(after).items()}
    if not changed or (None in changed and after.startswith("=")):
        return ""
    return text_of({cell: own for cell, own in verdicts_of(rivals).items() if cell not in changed})


def checked_note(text: str) -> str:
    """Return a note with single spaces; ValueError if it is too long or has control characters."""
    note = " ".join(text.split())
    if len(note) > LONGEST_NOTE:
        raise ValueError(f"found a note of {len(note)} characters; expected at most {LONGEST_NOTE}")
    if any(category(character) in ("Cc", "Cs") for character in note):
        raise ValueError("found a control character in a note; expected text")
    return note


def checked_act(act: Act, check: Check) -> Act:
    """Return an act with its edits or notes in their usual order; ValueError if they are none."""
    datetime.fromisoformat(act.time)
    rivals = check(act.line, act.rivals)
    if None in verdicts_of(rivals):
        raise ValueError("found =; expected cells")
    texts = act.before, act.after
    before, after = map(checked_note, texts) if act.kind == NOTE else (check(act.line, own) for own in texts)
    return replace(act, before=before, after=after, rivals=rivals)


def _put(texts: dict[int, str], line: int, text: str) -> None:
    """Put the text of a line; an empty one is left out."""
    texts[line] = text
    if not text:
        del texts[line]
