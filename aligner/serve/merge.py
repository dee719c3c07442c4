"""Merging: the acts of another journal are taken over cell by cell.

A cell has the verdict of the last act that changed it. If one journal has both acts, its verdict is the
newer one. If both have changed the cell since, and contradict each other, the later act counts, and the other
verdict is a rival, until somebody decides. A complete line forbids all cells that it does not name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import NamedTuple

from aligner.serve.edits import NOTE, TAKE, Act, Cell, Edits, changed_cells, text_of, verdicts_of


class _Mark(NamedTuple):
    """The verdict of a cell, its rival, and the act that made the verdict. Or a note, and its act."""

    verdict: str | None
    rival: str | None
    act: Act | None

    def is_new_to(self, other: Container[str]) -> bool:
        """Return True if a journal, by the ids of its acts, does not know the verdict."""
        return self.act is not None and self.act.id not in other

    @property
    def order(self) -> tuple[str, ...]:
        """The order of marks by time."""
        return (self.act.time, self.act.id) if self.act else ()


class _Line:
    """A line in a journal: its verdicts, its rivals, its note, and the last act on each cell."""

    def __init__(self, edits: Edits, line: int, acts: Iterable[Act]) -> None:
        self.verdicts = verdicts_of(edits.texts.get(line, ""))
        self.rivals = verdicts_of(edits.rivals.get(line, ""))
        self.note = _Mark(None, None, None)
        self._acts: dict[Cell, tuple[int, Act]] = {}
        text = rivals = ""
        for number, act in enumerate(acts):
            if act.kind == NOTE:
                is_same = act.after == (self.note.verdict or "")
                self.note = self.note if is_same else _Mark(act.after or None, None, act)
                continue
            changed = changed_cells(text, act.after)
            if act.kind == TAKE:  # a cell is forbidden by name or by a complete line
                before, after = verdicts_of(text), verdicts_of(act.after)
                changed -= {
                    cell for cell in changed if cell and _verdict(before, cell) == _verdict(after, cell)
                }
            else:  # a person decides on rivals, and on each cell of a complete line
                changed |= changed_cells(rivals, act.rivals)
                changed |= {*verdicts_of(act.after), *verdicts_of(rivals)} if None in changed else set()
            text, rivals = act.after, act.rivals
            self._acts |= dict.fromkeys(changed, (number, act))

    def mark(self, cell: Cell) -> _Mark:
        """Return the mark of a cell. A cell that a complete line does not name is forbidden."""
        made = self._acts.get(cell)
        if cell not in self.verdicts and None in self.verdicts:
            whole = self._acts[None]
            made = max(made or whole, whole, key=lambda found: found[0])
        return _Mark(_verdict(self.verdicts, cell), self.rivals.get(cell), made and made[1])


def _verdict(verdicts: dict[Cell, str], cell: Cell) -> str | None:
    """Return the verdict of a cell, which may follow from a complete line."""
    return verdicts.get(cell, "!" if None in verdicts else None)


def merge(own: Edits, other: Edits) -> list[Act]:
    """Return the acts of another journal that the own one lacks, as it takes them over.

    They keep their ids, times and persons. After them, the own journal has the edits, rivals and notes that
    the other one has after a merge with the own one.
    """
    lines: list[dict[int, list[Act]]] = []
    for edits in (own, other):
        acts = defaultdict(list)
        for act in edits.acts.values():
            acts[act.line].append(act)
        lines.append(acts)
    return [
        act
        for line, theirs in sorted(lines[1].items())
        if any(act.id not in own.acts for act in theirs)
        for act in _taken(own, other, line, lines[0][line], theirs)
    ]


def _taken(own: Edits, other: Edits, line: int, ours: list[Act], theirs: list[Act]) -> Iterable[Act]:
    """Yield the acts on a line that the own journal lacks, each with the verdicts that it adds."""
    mine, yours = _Line(own, line, ours), _Line(other, line, theirs)
    unseen = [act for act in theirs if act.id not in own.acts]
    last = next((act for act in reversed(unseen) if act.kind != NOTE), None)
    merged: dict[Cell, _Mark] = {None: _merged(mine.mark(None), yours.mark(None), own, other)}
    is_complete = merged[None].verdict is not None
    added: dict[Act | None, dict[Cell, str | None]] = defaultdict(dict)
    for cell in {None, *mine.verdicts, *yours.verdicts, *mine.rivals, *yours.rivals}:
        marks = mine.mark(cell), yours.mark(cell)
        stated = (mine.verdicts.get(cell), yours.verdicts.get(cell)) if is_complete else None
        merged[cell] = _merged(*marks, own, other, stated)
        added[marks[1].act if marks[1].act in unseen else last][cell] = merged[cell].verdict
    verdicts: dict[Cell, str | None] = {**mine.verdicts}
    rivals = text_of({cell: mark.rival for cell, mark in merged.items()})
    note, text = mine.note.verdict or "", text_of(verdicts)
    for act in unseen:
        if act.kind == NOTE:
            before = note
            if act is yours.note.act:
                note = _merged(mine.note, yours.note, own, other).verdict or ""
            yield replace(act, before=before, after=note)
        else:
            before = text
            verdicts |= added[act]
            text = text_of(verdicts)
            yield replace(act, kind=TAKE, before=before, after=text, rivals=rivals)


def _merged(
    mine: _Mark, yours: _Mark, own: Edits, other: Edits, stated: tuple[str | None, str | None] | None = None
) -> _Mark:
    """Return the mark of both journals together.

    stated: the verdicts that a complete line needs, since it forbids other cells anyway; by default, all.
    """
    marks, new = (mine, yours), (mine.is_new_to(other.acts), yours.is_new_to(own.acts))
    stated = stated or (mine.verdict, yours.verdict)
    if new[0] != new[1]:
        return marks[new[1]]._replace(verdict=stated[new[1]])
    if mine.verdict == yours.verdict:
        is_open = mine.rival and yours.rival if new[0] else mine.rival or yours.rival
        return _Mark(stated[0] or stated[1], is_open, None)
    if mine.verdict is None or yours.verdict is None:
        found = mine.verdict is None
        return marks[found]._replace(verdict=stated[found])
    last = max((0, 1), key=lambda k: marks[k].order)
    return _Mark(stated[last], marks[1 - last].verdict, None)
