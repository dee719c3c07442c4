"""The history of a line: its acts, and the edit, the rivals and the notes that they lead to.

Each act follows the acts that its person had. The acts on a cell that no other act on it follows give its
verdict. If they contradict each other, the latest counts, and the other verdict is a rival until a person
decides. So the state of a line depends on its acts alone: journals agree, in whatever order they have merged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from aligner.serve.acts import EDIT, NOTE, REDO, Act, Cell, text_of, verdicts_of

_UNNAMED = (-1, -1)
"""A cell for all cells that no act names."""


class _Decision:
    """The decision of an act on the cells of its line.

    A complete line forbids the cells that it does not name. An act that makes a line complete decides on all
    cells, and so does an act that changes nothing, which confirms the present verdicts of the line.
    """

    def __init__(self, act: Act) -> None:
        self.act, self.id, self.time = act, act.id, (act.time, act.id)
        before, self.after, chosen, self._rivals = map(
            verdicts_of, (act.before, act.after, act.chosen, act.rivals)
        )
        self._changed = {*chosen, *(cell for cell, _ in before.items() ^ self.after.items())}
        self._is_on_all = not self._changed or None in self._changed & self.after.keys()
        self.named = {*before, *self.after, *chosen, *self._rivals}

    def is_on(self, cell: Cell) -> bool:
        """Return True if the act decides on a cell."""
        is_opened = None in self._changed and cell not in self.after
        return self._is_on_all or is_opened or cell in self._changed or cell in self._rivals

    def verdict(self, cell: Cell) -> str | None:
        """Return the verdict on a cell, or None."""
        return self.after.get(cell, "!" if None in self.after and cell else None)

    def rival(self, cell: Cell) -> str | None:
        """Return the rival that the act brings back, or None."""
        return self._rivals.get(cell)


class LineHistory:
    """The history of a line.

    Parameters
    ----------
    acts
        The acts. An act comes after all acts that it follows.

    Attributes
    ----------
    acts
        Id -> act, in the order in which they were added.
    heads
        The ids of the acts that no other act follows.
    """

    def __init__(self, acts: Iterable[Act] = ()) -> None:
        self.acts: dict[str, Act] = {}
        self.heads: list[str] = []
        self._notes: list[Act] = []
        self._last: dict[Cell, list[_Decision]] = {None: [], _UNNAMED: []}
        for act in acts:
            self.add(act)

    def add(self, act: Act) -> None:
        """Add an act; all acts that it follows have been added before."""
        past = self.past(act)
        self.acts[act.id] = act
        self.heads = [*(head for head in self.heads if head not in past), act.id]
        if act.kind == NOTE:
            others = (note for note in self._notes if note.by != act.by or note.id not in past)
            self._notes = [*others, act]
            return
        decision = _Decision(act)
        for cell in decision.named:
            self._last.setdefault(cell, self._last[_UNNAMED])
        for cell in filter(decision.is_on, self._last):
            self._last[cell] = [*(last for last in self._last[cell] if last.id not in past), decision]

    def past(self, act: Act) -> Collection[str]:
        """Return the ids of the acts that an act follows, directly or not."""
        if act.id not in self.acts and {*self.heads} <= {*(act.parents or ())}:
            return {*self.acts}
        found: set[str] = set()
        new = [*(act.parents or ())]
        while new:
            if (id := new.pop()) in self.acts and id not in found:
                found.add(id)
                new += self.acts[id].parents or ()
        return found

    def until(self, act: Act, is_included: bool) -> LineHistory:
        """Return the history that the person of an act had, with the act or without it."""
        past = {*self.past(act), *[act.id] * is_included}
        return LineHistory(own for id, own in self.acts.items() if id in past)

    def edit(self) -> tuple[str, str]:
        """Return the edit and the rivals of the line."""
        verdicts: dict[Cell, str | None] = {}
        rivals: dict[Cell, str | None] = {}
        for cell, last in self._last.items():
            stated = [(own.time, verdict, own) for own in last if (verdict := own.verdict(cell))]
            if not stated or cell == _UNNAMED:
                continue
            verdict = max(stated)[1]
            others = [other for _, other, _ in stated if other != verdict]
            open_rivals = [own.rival(cell) for _, _, own in stated]
            rivals[cell] = others[0] if others else open_rivals[0] if all(open_rivals) else None
            if any(cell in own.after for _, other, own in stated if other == verdict):
                verdicts[cell] = verdict
        return text_of(verdicts), text_of(rivals)

    def voices(self, cell: Cell) -> dict[str, Act]:
        """Return the acts that last said each of the two verdicts on a cell that has a rival, by verdict.

        If an undo or a redo has brought the rival back, these are acts of the history that it leads back to.
        """
        history = self
        while True:
            last = history._last.get(cell, history._last[_UNNAMED])
            stated = sorted((own for own in last if own.verdict(cell)), key=lambda own: own.time)
            said = {str(own.verdict(cell)): own.act for own in stated}
            led_back = [own.act for own in stated if own.rival(cell)]
            if len(said) != 1 or not led_back:
                return said
            history = history._before(led_back[-1])

    def _before(self, step: Act) -> LineHistory:
        """Return the history that an undo or a redo leads back to."""
        past, texts = self.past(step), (step.before, step.after)
        texts = texts if step.kind == REDO else texts[::-1]
        own = (act for id, act in self.acts.items() if id in past and (act.kind, act.by) == (EDIT, step.by))
        found = [act for act in own if (act.before, act.after) == texts]
        return self.until(found[-1], step.kind == REDO) if found else LineHistory()

    def notes(self) -> list[Act]:
        """Return the last note of each person, unless it is gone, the earliest first."""
        notes = sorted((note for note in self._notes if note.after), key=lambda note: (note.time, note.id))
        last = {note.by: note for note in notes}
        return [note for note in notes if note is last[note.by]]
