"""The workbench: a text, its edits and its models, and the work that goes on in the background."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import asdict
from math import floor
from pathlib import Path
from threading import RLock
from typing import Any

from aligner.decoding.learned import decoder_of
from aligner.errors import AlignerError, DataError
from aligner.learning.learn import Learning
from aligner.learning.suggest import unsure_cells
from aligner.links.alignments import Alignments, Link
from aligner.links.formats import FORMATS, DocumentFormat
from aligner.links.groups import describe_left_out, in_groups
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.links.link_tokens import KNOWN_LINKS
from aligner.links.linked_pairs import pairs_of
from aligner.messages import counted
from aligner.serve.background import Background
from aligner.serve.edits import TAKE, Act, Edits, checked_edit, edit_of
from aligner.serve.journal import Journal, read_journal
from aligner.serve.kept_links import KeptLinks
from aligner.serve.layer import server_layer
from aligner.serve.lesson import WAYS, Lesson, align_text, corrections_of, figures_of, learn_from_fewer, teach
from aligner.serve.merge import merge
from aligner.serve.models import Models
from aligner.serve.pair_changes import PairChanges
from aligner.serve.served_text import ServedText
from aligner.serve.suggestions import Suggestions
from aligner.storage.codec import checksum
from aligner.text.files import PathLike, open_output
from aligner.training.retraining import reason_against_retraining
from aligner.view.content import Content
from aligner.view.page import page_texts
from aligner.view.records import text_key

GOAL = 50
"""The number of corrected lines that is aimed at. More teach little more."""

_MOST_PAIRS = 50
"""The number of word pairs whose changes are shown."""

_KNOWN_LINKS = "known-links.tsv"

Event = dict[str, Any]


class Workbench:
    """A text with its edits, its models and its journal, in a folder.

    Parameters
    ----------
    text
        The text.
    model_path
        The model to begin with.
    folder
        The folder of the journal and of new models. It is made if it does not exist.
    threads
        Number of threads of the work in the background.

    Attributes
    ----------
    publish
        A function that receives each event: what has changed, as plain data. Any thread calls it.
    """

    def __init__(
        self, text: ServedText, model_path: str, folder: Path, threads: int = 1, start: str = ""
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / _KNOWN_LINKS).exists() and not (folder / "journal").exists():
            raise DataError(
                f"{folder / _KNOWN_LINKS}: found no journal beside it, so that it would be replaced; expected"
                f" the folder of a workbench, or none; move it and give it as --known-links, or name another"
                f" --folder"
            )
        self.text, self.threads = text, threads
        self.publish: Callable[[Event], None] = lambda event: None
        self.folder = folder
        self._lock = RLock()
        self._background = Background()
        self.suggestions = Suggestions(text.bitext)
        self.models = Models(folder, model_path, start)
        self.edition = 0
        self._links: Alignments | None = None
        self._page: bytes | None = None
        self._lesson: Lesson | None = None
        self._formats = FORMATS.where(lambda how: isinstance(how, type) or bool(text.ids))
        self._pairs: PairChanges | None = None
        self._work: Event = {"state": "idle"}
        self._against_training = reason_against_retraining(self.models.original(), text.bitext)
        self.kept = KeptLinks(folder / "kept-links.tsv", text)
        self.journal = Journal(folder / "journal", text_key(*text.words), self._checked)

    def close(self) -> None:
        """End the work in the background, and write the known links."""
        self._background.close()
        if self.known_links():
            self.write_known_links()
        self.journal.close()

    # Edits

    def _checked(self, line: int, text: str) -> str:
        """Return an edit in its usual order; ValueError if it is none of the line."""
        if not 0 < line <= len(self.text):
            raise ValueError(f"found line {line}; expected 1 to {len(self.text)}")
        return checked_edit(text, *self.text.lengths(line))

    def act(
        self, id: str, kind: str, line: int = 0, before: str = "", after: str = "", by: str = ""
    ) -> Event:
        """Do an act of the page, and return what its line has now, or nothing if there is no act."""
        done = self.journal.act(id, kind, line, before, after, by)
        return {} if done is None else self._told(done)

    def _told(self, act: Act) -> Event:
        """Publish an act and what its line has now, and return that."""
        edits = self.journal.edits
        event: Event = {"type": "act"} | asdict(act) | {"number": len(edits.acts)}
        now = {"text": edits.texts, "rivals": edits.rivals, "note": edits.notes}
        event |= {name: texts.get(act.line, "") for name, texts in now.items()}
        event["history"] = edits.history()
        self.publish(event)
        if self.suggestions.runs_out(edits.complete):
            self.suggest()
        return event

    def take_known_links(self, known: KnownLinks) -> list[str]:
        """Copy known links to the journal, for lines without an edit, and return messages."""
        known = known.of_text(len(self.text))
        known.check_positions(*self.text.bitext.lengths)
        edits, acts, others = self.journal.edits, [], []
        for n in range(len(self.text)):
            text = edit_of(known.known[n], known.forbidden[n], bool(known.complete[n]))
            own = edits.texts.get(n + 1, "")
            if text and not edits.edits_of(n + 1):
                acts.append(Act(f"{n + 1} {text}", TAKE, n + 1, "", text))  # the same for everybody
            elif text and text != own:
                others.append(n + 1)
        self.journal.take(acts)
        said = [f"took over {counted(len(acts), 'line')} of {known.name}"] if acts else []
        if others:
            said.append(f"kept the journal's edits of {self._listed(others)}, which differ from {known.name}")
        return said

    def _listed(self, lines: list[int]) -> str:
        """Return the ids or the numbers of lines as words, at most 5 of them."""
        more = f" and {len(lines) - 5:,} more" if len(lines) > 5 else ""
        names = [self.text.ids[line - 1] if self.text.ids else str(line) for line in lines[:5]]
        return f"{'line' if len(lines) == 1 else 'lines'} {', '.join(names)}{more}"

    def merge(self, path: Path) -> list[str]:
        """Take over the acts of another journal, and return messages."""
        other = read_journal(path, self.journal.text, self._checked)
        acts = merge(self.journal.edits, other)
        self.journal.take(acts)
        changed = {act.line for act in acts if act.before != act.after}
        said = [f"took over {counted(len(changed), 'line')} of {path}", *refused(path, other)]
        if rivals := sorted(self.journal.edits.rivals):
            said.append(
                f"both have judged links of {self._listed(rivals)} in different ways; the later verdict"
                " counts until you choose: filter by conflicts on the page"
            )
        return said

    def known_links(self) -> str:
        """Return the edits and the kept links as a file of known links."""
        return self.journal.edits.known_links(self.kept.texts())

    def write_known_links(self) -> Path:
        """Write the known links into the folder, and return the path of the file."""
        path = self.folder / _KNOWN_LINKS
        with open_output(path, compress=False) as file:
            file.write(self.known_links().encode())
        return path

    def gold(self, format: str) -> str:
        """Return the links of complete lines as sure gold, in a format of the registry."""
        links: list[list[Link]] = [[] for _ in range(len(self.text))]
        for line in self.journal.edits.complete:
            links[line - 1] = KNOWN_LINKS.parse(self.journal.edits.texts[line]).links
        if "probabilities" in self._formats.find(format).holds:
            raise ValueError(f"found {format}; expected a format without probabilities, since gold has none")
        return self._written(Alignments.from_lists(links), format)

    def all_links(self, format: str) -> str:
        """Return the links of the page with the edits applied, in a format of the registry."""
        lines = self.known_links().splitlines() or ["1\t"]
        known = read_known_links("edits", lines=lines).of_text(len(self.text))
        return self._written(known.impose(self.links()), format)

    def _written(self, links: Alignments, format: str) -> str:
        """Return links in a format of the registry."""
        chosen = self._formats.find(format)
        is_document = isinstance(chosen, DocumentFormat)
        words = list(zip(*self.text.words, strict=True)) if is_document or "words" in chosen.holds else []
        names = self.text.ids if self.text.ids and "names" in chosen.holds else ()
        if not is_document:
            return str(chosen.write(links, 1, words, names))
        kept = in_groups(links) if "groups" in chosen.holds else links
        if left_out := len(links.source) - len(kept.source):
            self.publish({"type": "notice", "text": describe_left_out(left_out)})
        return "".join(chosen.write(pairs_of(kept, 1, words, names)))

    # Pictures

    def links(self, report: Callable[[str, float], None] = lambda doing, share: None) -> Alignments:
        """Return the links of the text by the current model, with the kept links."""
        with self._lock:
            if self._links is not None:
                return self._links
            return self._take(align_text(self.models.model, self.text.bitext, report, self.threads))

    def _take(self, links: Alignments) -> Alignments:
        """Set the links of the page from links of the current model, and return them with the kept links."""
        self._links = self.kept.impose(links)
        self.edition = checksum(self._links)
        return self._links

    def prepare(self, report: Callable[[str, float], None]) -> None:
        """Align the text, make the page, and begin to look for lines to correct."""
        self.links(report)
        self.page()
        self.suggest()

    def page(self) -> bytes:
        """Return the page of the current model."""
        with self._lock:
            if self._page is None:
                texts = page_texts(self.content(), server_layer(self.edition))
                self._page = b"".join(text.encode("utf-8", "replace") for text in texts)
            return self._page

    def content(self) -> Content:
        """Return the content of the page."""
        opening = floor(100 * decoder_of(self.models.model).threshold) / 100
        names = self.text.names | {"links": self.text.names["source"]}
        parts: dict[str, Any] = {
            "model": self.models.model,
            "names": names,
            "opening": opening,
            "ids": self.text.ids,
        }
        return Content(*self.text.words, self.links(), **parts)

    def state(self) -> Event:
        """Return everything that the page shows besides its content."""
        shown = {
            "type": "state",
            "edition": self.edition,
            "edits": self.journal.edits.texts,
            "rivals": self.journal.edits.rivals,
            "notes": self.journal.edits.notes,
            "history": self.journal.edits.history(),
            "goal": GOAL,
            "retraining": self._against_training,
            "work": self._work,
            "models": self.models.records,
            "current": self.models.current,
            "points": self.models.points,
            "formats": [*self._formats],
            "kept": self.kept.records(),
        }
        return shown | self._queue()

    def changes(self, first: int, count: int, pair: int | None = None) -> list[Event]:
        """Return changed lines from index ``first`` on, the heaviest first; pair: of this pair alone."""
        lesson = self._lesson
        if lesson is None or self._pairs is None:
            return []
        lines = lesson.changes.order.tolist() if pair is None else self._pairs.lines(pair)
        return lesson.changes.records(lines[first : first + count])

    def unsure(self, line: int) -> list[tuple[int, int, float]]:
        """Return the cells of a line that the current model is unsure about, linked or not."""
        return unsure_cells(self.models.model, self.text.bitext.slice(line - 1, line))

    # Work

    def suggest(self, first: int | None = None, last: int | None = None) -> None:
        """Begin to look for lines to correct next, in a passage from now on."""
        if first is not None:
            self.suggestions.choose(first, first if last is None else last)
        self._background.begin(self._suggest)

    def _suggest(self) -> None:
        complete, check = self.journal.edits.complete, self._background.check
        self.suggestions.find(self.models.model, complete, check, self.threads)
        self.publish({"type": "queue"} | self._queue())

    def _queue(self) -> Event:
        return {"queue": self.suggestions.queue, "passage": self.suggestions.passage}

    def learn(self, way: str) -> None:
        """Begin to learn in a way, a member of ``WAYS``; ValueError if that is not possible now."""
        with self._lock:
            if way not in WAYS:
                raise ValueError(f"found {way!r}; expected one of {', '.join(WAYS)}")
            self._check_idle()
            self._lesson = None
            self._report("waiting", 0)
        self._background.begin(lambda: self._learn(way))

    def _learn(self, way: str) -> None:
        bitext = self.text.bitext
        try:
            if not self.journal.edits.texts:
                raise DataError("Mark at least 5 lines as right first (key r).")
            known = read_known_links(self.write_known_links()).of_text(len(self.text))
            lesson = teach(self.models, self.links(), bitext, known, way, self._report, self.threads)
        except (AlignerError, MemoryError) as error:
            return self._show({"state": "failed", "said": [str(error) or "There is not enough memory."]})
        except CancelledError:
            raise
        except Exception as error:
            self._show({"state": "failed", "said": [f"The program has an error: {error!r}"]})
            raise
        changed = PairChanges(lesson.changes, self.text.words)
        pairs = [changed.record(pair) | {"refused": False} for pair in [*changed.before][:_MOST_PAIRS]]
        done: Event = {"state": "done", "said": lesson.said, "record": lesson.record}
        done |= {"changed": lesson.changes.describe(), "lines": len(lesson.changes.order)}
        with self._lock:
            self._lesson, self._pairs = lesson, changed
            self._show(done | {"pairs": pairs, "allPairs": len(changed.before)})
        if lesson.learning is None:
            return
        self._keep_point(lesson.learning)
        gold, lines = corrections_of(known), self.journal.edits.complete
        measured = {point["lines"] for point in self.models.points}
        for learning in learn_from_fewer(self.models, bitext, gold, lines, measured, self.threads):
            self._background.check()
            self._keep_point(learning)

    def refuse(self, source: str, target: str, refused: int = 1) -> None:
        """Mark the changes of a word pair as refused (1) or as allowed (0). Refused links do not change."""
        with self._lock:
            pairs = self._work.get("pairs", [])
            own = [pair for pair in pairs if (pair["source"], pair["target"]) == (source, target)]
            if not own:
                raise ValueError("found no change of this word pair; learn first")
            own[0]["refused"] = bool(refused)
            self.publish({"type": "pairs", "pairs": pairs})

    def release(self, source: str, target: str) -> None:
        """Keep the links of a word pair no longer, so that the current model decides on them."""
        with self._lock:
            self._check_idle()
            self.kept.release((source.lower(), target.lower()))
            self._show_model(None)

    def _keep_point(self, learning: Learning) -> None:
        """Keep and publish what cross-validation has found."""
        self.models.add_point(figures_of(learning))
        self.publish({"type": "points", "points": self.models.points})

    def accept(self) -> None:
        """Make the new model current, and save it; ValueError if there is none."""
        with self._lock:
            lesson = self._lesson
            if lesson is None:
                raise ValueError("found no new model to accept; learn first")
            for pair in self._work["pairs"]:
                if pair["refused"] and self._pairs:
                    self.kept.add(self._pairs.before[pair["source"].lower(), pair["target"].lower()])
            self.models.add(lesson.model, lesson.record | {"changed": lesson.changes.describe()})
            self._show_model(lesson.links)

    def _check_idle(self) -> None:
        """Raise ValueError during work on a new model."""
        if self._work["state"] == "working":
            raise ValueError("found work that goes on; wait until it is done")

    def discard(self) -> None:
        """Forget the new model."""
        with self._lock:
            self._check_idle()
            self._lesson = None
            self._show({"state": "idle"})

    def use(self, name: str) -> None:
        """Make an earlier model current."""
        with self._lock:
            self._check_idle()
            self.models.use(name)
            self._show_model(None)

    def _show_model(self, links: Alignments | None) -> None:
        """Show the current model, whose links of the text are known or not."""
        self._links, self._page, self._lesson = None, None, None
        if links is None:
            self.links()
        else:
            self._take(links)
        self._work = {"state": "idle"}
        self.publish(self.state())
        self.suggest()

    def _report(self, doing: str, share: float) -> None:
        """Publish progress; raise CancelledError if the workbench ends."""
        self._background.check()
        self._show({"state": "working", "doing": doing, "share": round(share, 3)})

    def _show(self, work: Event) -> None:
        self._work = work
        self.publish({"type": "work", "work": work})


def refused(path: PathLike, edits: Edits) -> list[str]:
    """Return a message about the acts of a journal that were left out, if there are any."""
    acts = f"{path}: left out {counted(edits.refused, 'act')} that no edit of this text can be"
    return [acts] if edits.refused else []
