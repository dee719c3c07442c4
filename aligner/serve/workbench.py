"""The workbench: a text, its edits and its models, and the work that goes on in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from aligner.errors import AlignerError, DataError
from aligner.files.opening import PathLike, write_texts
from aligner.learning.suggest import unsure_cells
from aligner.links.alignments import Alignments, Link
from aligner.links.groups import in_groups
from aligner.links.known_links import KnownLinks
from aligner.links.link_sets import occurs_in, select
from aligner.messages import counted
from aligner.registry import check_known
from aligner.serve.acts import Act, act_of_file, checked_edit, known_edits
from aligner.serve.background import Background
from aligner.serve.edits import Edits
from aligner.serve.journal import Journal, read_journal
from aligner.serve.kept_links import KeptLinks
from aligner.serve.lesson import Lesson, align_text, corrections_of, points_of, teach
from aligner.serve.models import Models
from aligner.serve.picture import Picture
from aligner.serve.saved_file import SavedFile, edits_file, links_file
from aligner.serve.served_text import ServedText
from aligner.serve.suggestions import Suggestions
from aligner.view.records import text_key

GOAL = 50
"""The number of corrected lines that is aimed at. More teach little more."""

_MOST_CHANGES, _MOST_ROWS = 100, 1000
_KNOWN_LINKS = "known-links.tsv"

Event = dict[str, Any]


class Workbench:
    """A text with its edits, its models and its journal, in a folder.

    Parameters
    ----------
    text
        The text.
    model
        The path of the model to begin with.
    folder
        The folder of the journal and of new models. It is made if it does not exist.
    threads
        Number of threads of the work in the background.
    me
        The name of the person whose acts the pages send; by default, a person is a browser.

    Attributes
    ----------
    publish
        A function that receives each event: what has changed, as plain data. Any thread calls it. After
        None, there are no more.
    """

    def __init__(
        self, text: ServedText, model: str, folder: Path, threads: int = 1, start: str = "", me: str = ""
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / _KNOWN_LINKS).exists() and not (folder / "journal").exists():
            raise DataError(
                f"{folder / _KNOWN_LINKS}: found no journal beside it, so that it would be replaced; expected"
                f" the folder of a workbench, or none; move it and give it as --known-links, or name another"
                f" --folder"
            )
        self.text, self.folder, self.me = text, folder, me
        self.publish: Callable[[Event | None], None] = lambda event: None
        self.suggestions = Suggestions(text.bitext, folder / "passage")
        self.models = Models(folder, model, start, threads)
        self.kept = KeptLinks(folder / "kept-links.tsv", text)
        self.journal = Journal(folder / "journal", text_key(*text.words), partial(checked_edit, text.words))
        self._lock = Lock()
        self._background = Background()
        self._picture: Picture | None = None
        self._work: Event = {"state": "idle"}
        self._lesson: Lesson | None = None

    def prepare(self, report: Callable[[str, float], None]) -> None:
        """Align the text, make the page, and begin to look for lines to correct."""
        self._draw(self._align(report))
        self.page()
        self.suggest()

    def close(self) -> None:
        """End the work in the background, and write the known links."""
        self._background.close()
        if self.known_links():
            self.write_known_links()
        self.journal.close()

    def state(self) -> Event:
        """Return everything that the page shows besides its content."""
        shown = {"type": "state", "edition": self.picture.edition, "goal": GOAL, "work": self._work}
        shown["me"] = self.me
        formats = self.text.formats
        shown |= {"formats": {name: formats.summary(name) for name in formats}, "kept": self.kept.records()}
        shown |= self.journal.edits.state()
        return shown | self.models.state() | self.suggestions.state()

    # Edits

    def act(self, acts: Sequence[Event] = (), **wish: Any) -> Event:
        """Do the act that the page wishes, fields of ``Act``, or several or none of them.

        Return the first act with what its line has now, or nothing if nothing is taken back.
        """
        by = {"by": self.me} if self.me else {}
        done, edits = self.journal.act(*(Act(**own | by) for own in acts or [wish])), self.journal.edits
        now = {"type": "act", "number": len(edits.acts), "history": edits.history()}
        events = [now | asdict(act) | edits.now(act.line) for act in done]
        for event in events:
            self.publish(event)
        if self.suggestions.runs_out(edits.complete):
            self.suggest()
        return events[0] if events else {}

    def take_known_links(self, known: KnownLinks) -> list[str]:
        """Copy known links to the journal, for lines without an edit, and return messages."""
        known = known.of_text(len(self.text))
        known.check_positions(*self.text.bitext.lengths)
        edits, texts = self.journal.edits, known_edits(known)
        new = {line: text for line, text in texts.items() if not edits.edits_of(line)}
        others = [line for line in texts if line not in new and edits.texts.get(line, "") != texts[line]]
        self.journal.take([act_of_file(line, text) for line, text in new.items()])
        said = [f"took over {counted(len(new), 'line')} of {known.name}"] if new else []
        if others:
            said.append(f"kept the journal's edits of {self._listed(others)}, which differ from {known.name}")
        return said

    def merge(self, path: Path) -> list[str]:
        """Take over the acts of another journal, and return messages."""
        other = read_journal(path, self.journal.text, self.journal.edits.check)
        own = self.journal.edits
        acts = own.lacks(other)
        lines = {act.line for act in acts}
        before = {line: own.now(line) for line in lines}
        self.journal.take(acts)
        changed = [line for line in lines if own.now(line) != before[line]]
        said = [f"took over {counted(len(changed), 'line')} of {path}", *refused(path, other)]
        if rivals := sorted(own.rivals):
            said.append(
                f"both have judged links of {self._listed(rivals)} in different ways; the later verdict"
                " counts until you choose: filter by conflicts on the page"
            )
        return said

    def _listed(self, lines: list[int]) -> str:
        """Return the ids or the numbers of lines as words, at most 5 of them."""
        more = f" and {len(lines) - 5:,} more" if len(lines) > 5 else ""
        names = [self.text.ids.ids[line - 1] if self.text.ids else str(line) for line in lines[:5]]
        return f"{'line' if len(lines) == 1 else 'lines'} {', '.join(names)}{more}"

    # Files

    def known_links(self) -> str:
        """Return the edits and the kept links as a file of known links."""
        return self.journal.edits.known_links(self.kept.texts())

    def write_known_links(self) -> Path:
        """Write the known links into the folder, and return the path of the file."""
        path = self.folder / _KNOWN_LINKS
        write_texts(path, [self.known_links()], compress=False)
        return path

    def saved(self, what: str, format: str = "") -> SavedFile:
        """Return the file that the page saves.

        Parameters
        ----------
        what
            "links": all links; "right": the links of lines marked as right; "edits": the edits alone, as
            known links.
        format
            The name of a format, unless edits are saved.
        """
        check_known(what, ("links", "right", "edits"), "part of the text")
        known = self._known()
        if what == "edits":
            return edits_file(self.text, self.known_links(), len(known.known.source))
        needs = self.text.formats.find(format).needs
        if what == "links":
            links, lines, part = known.impose(self.picture.links), len(self.picture.links), ""
        elif "probabilities" in needs:
            raise ValueError("this format needs the probability of each link, which right lines lack")
        else:
            links, lines, part = corrections_of(known).sure, int(known.complete.sum()), "right"
        kept = in_groups(links) if "groups" in needs else links
        return links_file(self.text, links, kept, lines, format, part)

    def ungrouped(self, line: int = 0) -> dict[int, list[Link]]:
        """Return the links that formats with groups leave out, by line; of one line alone if it is given."""
        first = max(line - 1, 0)
        links = self._known().impose(self.picture.links[first : line or None], first)
        left_out = select(links, ~occurs_in(links, in_groups(links)))
        return {number: cells for number, cells in enumerate(left_out, first + 1) if cells}

    def _known(self) -> KnownLinks:
        """Return the edits and the kept links as known links of the text."""
        return self.text.known_links("edits", self.known_links())

    # Picture

    @property
    def picture(self) -> Picture:
        """The links of the text by the current model, with the kept links, and their page."""
        return self._picture or self._draw(self._align())

    def page(self) -> bytes:
        """Return the page of the current model."""
        with self._lock:
            return self.picture.page

    def unsure(self, line: int) -> list[tuple[int, int, float]]:
        """Return the cells of a line that the current model is unsure about, linked or not."""
        return unsure_cells(self.models.model, self.text.bitext.slice(line - 1, line))

    def _align(self, report: Callable[[str, float], None] = lambda doing, share: None) -> Alignments:
        """Return the links of the text by the current model."""
        return align_text(self.models.model, self.text.bitext, report, self.models.threads)

    def _draw(self, links: Alignments) -> Picture:
        """Make the picture of links of the current model, with the kept links, and return it."""
        self._picture = Picture(self.text, self.models.model, self.kept.impose(links))
        return self._picture

    # Suggestions

    def suggest(self, first: int = 0, last: int = 0) -> None:
        """Begin to look for lines to correct next, in a passage from now on."""
        if first:
            self.suggestions.choose(first, last)
        self._background.begin(self._suggest)

    def _suggest(self) -> None:
        self.suggestions.find(self.models, self.journal.edits.complete, self._background.check)
        self.publish({"type": "queue"} | self.suggestions.state())

    # Learning

    def learn(self) -> None:
        """Begin to learn; an error if that is not possible now."""
        with self._idle():
            self._report("waiting", 0)
        self._background.begin(self._learn)

    def _learn(self) -> None:
        try:
            if not self.journal.edits.texts:
                raise DataError("Mark at least 5 lines as right first (key r).")
            known = self.text.known_links(self.write_known_links())
            lesson = teach(self.models, self.picture, known, self._report)
        except (AlignerError, MemoryError) as error:
            return self._show("failed", said=[str(error) or "There is not enough memory."])
        except CancelledError:
            raise
        except Exception as error:
            self._show("failed", said=[f"The program has an error: {error!r}"])
            raise
        with self._lock:
            self._show("done", lesson, **lesson.shown)
        lines = self.journal.edits.complete
        for point in points_of(lesson, self.models, self.text.bitext, lines):
            self._background.check()
            self.models.add_point(point)
            self.publish({"type": "points", "points": [*self.models.points.values()]})

    def changes(self, first: int, count: int, **row: int) -> list[Event]:
        """Return at most 100 lines with changes of a row (see ``Changes``), from index ``first`` on."""
        return self._taught().changes.line_records(max(first, 0), min(count, _MOST_CHANGES), **row)

    def rows(self, first: int, count: int, **row: int) -> Event:
        """Return rows of changes below a row, from index ``first`` on, and how many there are."""
        return self._taught().changes.rows(max(first, 0), min(count, _MOST_ROWS), **row)

    def refuse(self, refused: int = 1, **row: int) -> None:
        """Mark the changes of a row as refused (1) or as allowed (0). Refused links do not change."""
        with self._lock:
            changes = self._taught().changes
            changes.refuse(bool(refused), **row)
            self._work["refused"] = int(changes.refused.sum())
            self.publish({"type": "refused", "refused": self._work["refused"]})

    def accept(self) -> None:
        """Make the new model current, and save it; ValueError if there is none."""
        with self._lock:
            lesson = self._taught()
            model, links, kept = lesson.judged(self.text.bitext, self.models.model)
            if kept:
                self.kept.add(kept)
            self.models.add(model, lesson.record | {"changed": lesson.changes.taken()})
            self._show_model(links)

    def discard(self) -> None:
        """Forget the new model."""
        with self._idle():
            self._show("idle")

    def use(self, name: str) -> None:
        """Make an earlier model current."""
        with self._idle():
            self.models.use(name)
            self._show_model(self._align())

    def release(self, side: int = 0, word: str = "") -> None:
        """Keep the links of a word of a side, or all, no longer: the current model decides on them."""
        with self._idle():
            self.kept.release((side, word) if word else None)
            self._show_model(self._align())

    @contextmanager
    def _idle(self) -> Iterator[None]:
        """Hold the lock; ValueError during work on a new model."""
        with self._lock:
            if self._work["state"] == "working":
                raise ValueError("found work that goes on; wait until it is done")
            yield

    def _taught(self) -> Lesson:
        """Return the lesson with the new model; ValueError if there is none."""
        if self._lesson is None:
            raise ValueError("found no new model to accept; learn first")
        return self._lesson

    def _show_model(self, links: Alignments) -> None:
        """Show the current model and its links of the text."""
        self._draw(links)
        self._work, self._lesson = {"state": "idle"}, None
        self.publish(self.state())
        self.suggest()

    def _report(self, doing: str, share: float) -> None:
        """Publish progress; raise CancelledError if the workbench ends."""
        self._background.check()
        self._show("working", doing=doing, share=round(share, 3))

    def _show(self, state: str, lesson: Lesson | None = None, **facts: Any) -> None:
        """Set and publish the state of the work on a new model, with the lesson that it led to."""
        self._work, self._lesson = {"state": state} | facts, lesson
        self.publish({"type": "work", "work": self._work})


def refused(path: PathLike, edits: Edits) -> list[str]:
    """Return a message about the acts of a journal that were left out, if there are any."""
    reason = "that repeat an id, or that no edit of this text can be"
    acts = f"{path}: left out {counted(edits.refused, 'act')} {reason}"
    return [acts] if edits.refused else []
