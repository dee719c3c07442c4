"""Acts: the changes that people make to the edits and the notes of lines.

The edit of a line is text in the format of known links, such as ``= 0-0 1-2``, and empty for a line without
an edit. Its rivals are the cells on which two people contradict each other, with the verdicts that do not
count, such as ``1!2``. A note begins with ``?`` if it asks others to look at the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from unicodedata import category

from aligner.arguments import check_types
from aligner.links.alignments import Link
from aligner.links.known_links import KnownLinks
from aligner.links.link_tokens import KNOWN_LINKS
from aligner.view.records import Words

_KINDS = EDIT, UNDO, REDO, TAKE, NOTE = "edit", "undo", "redo", "take", "note"

LONGEST_NOTE = 500
"""The most characters of a note."""

_OF_FILE = "known "
"""The beginning of the ids of edits that files of known links have."""

Cell = Link | None
"""A cell of a line, or None for the line as a whole."""

Check = Callable[[int, str], str]
"""A function that returns the edit of a line in its usual order; ValueError if the text has no such edit."""


@dataclass(frozen=True)
class Act:
    """A change of the edit or of the note of a line.

    Attributes
    ----------
    id
        An id that no other act has. An act that is sent again has the same. Acts whose ids are equal up to a
        full stop are undone and redone as one.
    kind
        "edit", "undo", "redo", "take" for the edit of a file, or "note".
    line
        The line of the text, from 1; 0 if a person wishes to undo or redo.
    before, after
        The edit of the line, or the note, before and after the act, as its person saw it.
    time
        The time in UTC, in ISO format.
    by
        The person: a name, or the id of a browser; "" for a file, and in journals of earlier releases.
    rivals
        The rivals that an undo or a redo brings back.
    chosen
        The cells of a conflict on which it decides although their verdicts stay, with these verdicts.
    parents
        The ids of the acts on the line that this one follows: those that its person had and no other act
        followed. None in journals of earlier releases, for the act before it.

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
    parents: list[str] | None = None
    chosen: str = ""

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        if not all(isinstance(parent, str) for parent in self.parents or []):
            raise TypeError(f"found parents {self.parents!r}; expected ids")
        least = 0 if self.kind in (UNDO, REDO) else 1
        if self.kind not in _KINDS or self.line < least:
            raise ValueError(f"found {self.kind!r} of line {self.line}; expected an act on a line from 1 on")


def group_of(act: Act) -> str:
    """Return what the ids of acts that are done and undone as one begin with, such as x-7 of x-7.2."""
    return act.id.partition(".")[0]


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


def checked_note(text: str) -> str:
    """Return a note with single spaces; ValueError if it is too long or has control characters."""
    note = " ".join(text.split())
    if len(note) > LONGEST_NOTE:
        raise ValueError(f"found a note of {len(note)} characters; expected at most {LONGEST_NOTE}")
    if any(category(character) in ("Cc", "Cs") for character in note):
        raise ValueError("found a control character in a note; expected text")
    return note


def act_of_file(line: int, text: str) -> Act:
    """Return the act by which a line has the edit of a file of known links, the same in each journal."""
    return Act(f"{_OF_FILE}{line} {text}", TAKE, line, "", text, "1970-01-01T00:00:00+00:00", parents=[])


def checked_act(act: Act, check: Check) -> Act:
    """Return an act with its edits or notes in their usual order; ValueError if they are none."""
    datetime.fromisoformat(act.time)
    if act.id.startswith(_OF_FILE) and act != act_of_file(act.line, act.after):
        raise ValueError(f"found {act.id!r} as the id of another act; expected the edit of a file")
    rivals, chosen = (check(act.line, cells) for cells in (act.rivals, act.chosen))
    if None in verdicts_of(rivals) | verdicts_of(chosen):
        raise ValueError("found =; expected cells")
    texts = act.before, act.after
    before, after = map(checked_note, texts) if act.kind == NOTE else (check(act.line, own) for own in texts)
    return replace(act, before=before, after=after, rivals=rivals, chosen=chosen)
