"""Edits: what is known of each line of a text, and the acts that lead to it.

The edit of a line is text in the format of known links, such as ``= 0-0 1-2``, and empty for a line without
an edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType

from aligner.errors import DataError
from aligner.links.alignments import Link
from aligner.links.link_tokens import KNOWN_LINKS

EDIT, UNDO, REDO, TAKE = "edit", "undo", "redo", "take"

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
        "edit", "undo", "redo", or "take" for the edit of a file or of another journal.
    line
        The line of the text, from 1.
    before, after
        The edit of the line before and after the act.
    time
        The time in UTC, in ISO format.

    Raises
    ------
    ValueError
        If a field has another type or another value.
    """

    id: str
    kind: str
    line: int
    before: str
    after: str
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    def __post_init__(self) -> None:
        texts = (self.id, self.kind, self.before, self.after, self.time)
        if not all(isinstance(text, str) for text in texts) or self.kind not in (EDIT, UNDO, REDO, TAKE):
            raise ValueError("found no act; expected a kind and texts")
        if type(self.line) is not int or self.line < 1:
            raise ValueError(f"found line {self.line!r}; expected a number from 1 on")


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

    Parameters
    ----------
    acts
        The acts.
    check
        The check of their edits. Acts that do not pass are left out.

    Attributes
    ----------
    texts
        Line -> edit, for the lines that have one.
    latest
        Line -> the last act on it.
    ids
        The ids of all acts.
    refused
        The number of acts that were left out.
    """

    def __init__(self, acts: Iterable[Act], check: Check) -> None:
        self.texts: dict[int, str] = {}
        self.latest: dict[int, Act] = {}
        self.ids: set[str] = set()
        self._done: list[Act] = []
        self._undone: list[Act] = []
        self.refused = 0
        for act in acts:
            try:
                datetime.fromisoformat(act.time)
                self.apply(replace(act, after=check(act.line, act.after)))
            except ValueError:
                self.refused += 1

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
        lines = (line for line, text in self.texts.items() if text.startswith("="))
        return sorted(lines, key=lambda line: (self.latest[line].time, line))

    def known_links(self, kept: Mapping[int, str] = MappingProxyType({})) -> str:
        """Return the edits as a file of known links, a line for each line with an edit or kept links."""
        texts = self.texts | {line: _with_kept(self.texts.get(line, ""), text) for line, text in kept.items()}
        return "".join(f"{line}\t{_saved(text)}\n" for line, text in sorted(texts.items()))


def _with_kept(text: str, kept: str) -> str:
    """Return an edit with the kept links of its line on which it says nothing."""
    own, others = KNOWN_LINKS.parse(text), KNOWN_LINKS.parse(kept)
    if own.complete:
        return text
    said = {*own.links, *own.forbidden}
    links, forbidden = ({*cells} - said for cells in (others.links, others.forbidden))
    return edit_of(links | {*own.links}, forbidden | {*own.forbidden}, complete=False)


def _saved(text: str) -> str:
    """Return an edit for a file. In a complete line, all cells but the links are forbidden anyway."""
    return " ".join(token for token in text.split(" ") if not (text.startswith("=") and "!" in token))


def checked_edit(text: str, source_length: int, target_length: int) -> str:
    """Return the text of an edit in its usual order; ValueError if it is none of a line of these lengths."""
    pair = KNOWN_LINKS.parse(text)
    pair.check_positions(source_length, target_length)
    both = set(pair.links) & set(pair.forbidden)
    if both:
        i, j = min(both)
        raise ValueError(f"found {i}-{j} and {i}!{j}; expected at most one of them")
    return edit_of(set(pair.links), set(pair.forbidden), pair.complete)


def edit_of(links: Iterable[Link], forbidden: Iterable[Link], complete: bool) -> str:
    """Return the text of the edit with these confirmed and forbidden cells."""
    cells = sorted([(cell, "-") for cell in links] + [(cell, "!") for cell in forbidden])
    return " ".join(["="] * complete + [f"{i}{mark}{j}" for (i, j), mark in cells])


def merge(own: Edits, other: Edits) -> tuple[list[Act], list[tuple[Act, Act]]]:
    """Merge the edits of two journals: each line has its later edit, whichever journal is the own one.

    Returns
    -------
    acts
        The acts to take over from the other journal, with the ids and the times that they have there.
    conflicts
        For each line with two different edits: the last acts of both journals, first the act that counts.
    """
    acts, conflicts = [], []
    for line, theirs in sorted(other.latest.items()):
        ours, later = own.latest.get(line), theirs
        if theirs.id in own.ids:
            continue
        if ours is not None and ours.id not in other.ids:  # both have edited the line since
            if ours.after == theirs.after:
                continue
            later = max(ours, theirs, key=lambda act: (act.time, act.id))
            conflicts.append((later, theirs if later is ours else ours))
        if later is theirs:
            acts.append(replace(theirs, kind=TAKE, before=own.texts.get(line, "")))
    return acts, conflicts
