"""Merging: the acts of another journal are taken over cell by cell.

A cell has the verdict of the last act that changed it. If one journal has both acts, its verdict is the
newer one. If both have changed the cell since, and contradict each other, the later act counts, and the other
verdict is a rival, until a person decides. A complete line forbids all cells that it does not name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from aligner.serve.edits import NOTE, TAKE, Act, Cell, Edits, text_of, verdicts_of


class _Mark(NamedTuple):
    """The verdict of a cell, its rival, and the act that made the verdict. Or a note, and its act.

    It is new if the other journal does not have the act.
    """

    verdict: str | None = None
    rival: str | None = None
    act: Act | None = None
    is_new: bool = False


class _Line:
    """The verdicts, the rivals and the note that acts on a line lead to, and the last act on each cell."""

    def __init__(self, acts: Iterable[Act], others: Edits) -> None:
        self._others = others
        self.verdicts: dict[Cell, str] = {}
        self.rivals: dict[Cell, str] = {}
        self.note = _Mark()
        self._acts: dict[Cell, tuple[int, Act]] = {}
        for number, act in enumerate(acts):
            if act.kind == NOTE:
                if act.after != (self.note.verdict or ""):
                    self.note = self._mark(act.after or None, None, act)
                continue
            before, after, rivals = self.verdicts, verdicts_of(act.after), verdicts_of(act.rivals)
            if act.kind == TAKE:  # decides on no other cell than it changes
                cells = {*before, *after}
                changed = {cell for cell in cells if _verdict(before, cell) != _verdict(after, cell)}
            else:  # a person decides on rivals, too, and on each cell of a complete line
                items = (before.items() ^ after.items()) | (self.rivals.items() ^ rivals.items())
                changed = {cell for cell, _ in items}
                changed |= {*after, *self.rivals} if None in changed else set()
            self.verdicts, self.rivals = after, rivals
            self._acts |= dict.fromkeys(changed, (number, act))

    def mark(self, cell: Cell) -> _Mark:
        """Return the mark of a cell."""
        made = self._acts.get(cell)
        if cell not in self.verdicts and None in self.verdicts:
            whole = self._acts[None]
            made = max(made or whole, whole, key=lambda found: found[0])
        return self._mark(_verdict(self.verdicts, cell), self.rivals.get(cell), made and made[1])

    def _mark(self, verdict: str | None, rival: str | None, act: Act | None) -> _Mark:
        return _Mark(verdict, rival, act, act is not None and act.id not in self._others.acts)


def _verdict(verdicts: dict[Cell, str], cell: Cell) -> str | None:
    """Return the verdict of a cell, which may follow from a complete line."""
    return verdicts.get(cell, "!" if None in verdicts else None)


def merge(own: Edits, other: Edits) -> list[Act]:
    """Return the acts of another journal that the own one lacks, as it takes them over.

    They keep their ids, times and persons. After them, the own journal has the edits, rivals and notes that
    the other one has after a merge with the own one.
    """
    return [act for line in sorted(other.lines) for act in _taken(own, other, line)]


def _taken(own: Edits, other: Edits, line: int) -> Iterator[Act]:
    """Yield the acts on a line that the own journal lacks, each with the verdicts that it adds."""
    unseen = {act.id: act for act in other.lines[line] if act.id not in own.acts}
    if not unseen:
        return
    mine, yours = _Line(own.lines.get(line, ()), other), _Line(other.lines[line], own)
    cells: dict[Cell, _Mark] = {None: _merged(mine.mark(None), yours.mark(None))}
    last = next((act.id for act in reversed(unseen.values()) if act.kind != NOTE), "")
    added: dict[str, dict[Cell, str | None]] = defaultdict(dict)
    for cell in {None, *mine.verdicts, *yours.verdicts, *mine.rivals, *yours.rivals}:
        marks = mine.mark(cell), yours.mark(cell)
        stated = marks[0].verdict, marks[1].verdict
        if cells[None].verdict is not None:  # a complete line forbids cells without naming them
            stated = mine.verdicts.get(cell), yours.verdicts.get(cell)
        cells[cell] = _merged(*marks, stated)
        made = marks[1].act.id if marks[1].act else ""
        added[made if made in unseen else last][cell] = cells[cell].verdict
    verdicts: dict[Cell, str | None] = {**mine.verdicts}
    rivals = text_of({cell: mark.rival for cell, mark in cells.items()})
    note, text = mine.note.verdict or "", text_of(verdicts)
    for act in unseen.values():
        if act.kind == NOTE:
            before = note
            if act is yours.note.act:
                note = _merged(mine.note, yours.note).verdict or ""
            yield replace(act, before=before, after=note)
        else:
            before = text
            verdicts |= added[act.id]
            text = text_of(verdicts)
            yield replace(act, kind=TAKE, before=before, after=text, rivals=rivals)


def _merged(mine: _Mark, yours: _Mark, stated: tuple[str | None, str | None] | None = None) -> _Mark:
    """Return the mark of both journals together. stated: the verdicts to choose from."""
    marks, verdicts = (mine, yours), stated or (mine.verdict, yours.verdict)
    if mine.is_new != yours.is_new:
        return marks[yours.is_new]._replace(verdict=verdicts[yours.is_new])
    if mine.verdict == yours.verdict:
        is_open = mine.rival and yours.rival if mine.is_new else mine.rival or yours.rival
        return _Mark(verdicts[0] or verdicts[1], is_open)
    if mine.verdict is None or yours.verdict is None:
        return marks[mine.verdict is None]._replace(verdict=verdicts[mine.verdict is None])
    times = [(mark.act.time, mark.act.id) if mark.act else () for mark in marks]
    later = times[0] < times[1]
    return _Mark(verdicts[later], marks[not later].verdict)
