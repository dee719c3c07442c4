"""Lessons: a new model from corrected lines, and what changes by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner.arrays import Bools
from aligner.decoding.attachment import Attachment
from aligner.decoding.batch import decode_stream
from aligner.errors import DataError
from aligner.learning.corrected_lines import with_links
from aligner.learning.learn import LEAST_LINES, Learning
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.groups import in_groups
from aligner.links.known_links import KnownLinks
from aligner.links.link_sets import select
from aligner.models.trained import TrainedModel
from aligner.serve.cell_words import Cell, Word
from aligner.serve.changes import Changes
from aligner.serve.models import Models
from aligner.serve.picture import Picture
from aligner.text.bitext import Bitext

_LEAST_CHUNK, _CHUNKS = 512, 50
_LEAST_POINT = 5
_FIGURES = ("lines", "before", "after", "fewer")

Report = Callable[[str, float], None]
"""A function that receives what is being done, and the share of it that is done."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A new model, and what changes by it.

    Attributes
    ----------
    model
        The model.
    plain
        The links of the whole text by it, but for words that join others.
    changes
        The links by which the new model differs from the one before, on lines that are not complete.
    record
        What to keep of it, as plain data: the figures of ``points_of``.
    shown
        What the page shows of it, as plain data, with the record.
    known
        The known links that it follows from.
    """

    model: TrainedModel
    plain: Alignments
    changes: Changes
    record: dict[str, Any]
    shown: dict[str, Any]
    known: KnownLinks

    def judged(self, text: Bitext, before: TrainedModel) -> tuple[TrainedModel, Alignments, dict[Cell, bool]]:
        """Return the model, the links and the kept links of a text, without what is refused.

        A word all of whose joining is refused joins no others by the model, if it joined none by the model
        before.
        """
        model = self.model.apart(self.changes.refused_words() - _joining(before))
        links = Attachment.of(model, model.joining).add_to(self.plain, model.encode(text))
        return model, links, self.changes.kept(self.known.impose(links))


def teach(models: Models, picture: Picture, known: KnownLinks, report: Report) -> Lesson:
    """Return the model that follows from known links of a text.

    Parameters
    ----------
    models
        The models of the workbench: the original one, and the current one.
    picture
        The text, and its links by the model in use.
    known
        The known links, an entry for each line of the text.
    report
        Receives progress.

    Raises
    ------
    DataError
        If there is too little to learn from.
    """
    gold = corrections_of(known)
    found = len(with_links(gold))
    if found < LEAST_LINES:
        raise DataError(
            f"Learning needs at least {LEAST_LINES} lines with links that are right as a whole; found"
            f" {found}. Correct more lines, and mark each as right."
        )
    text = picture.text.bitext
    report("learning", 0)
    learning = models.learn(text, gold)
    new, said, record = learning.model, learning.advice(), _figures(learning)
    plain = align_text(new.apart(_joining(new)), text, report, models.threads)
    attached = Attachment.of(new, new.joining).find(plain, new.encode(text))
    before, after = (known.impose(links) for links in (picture.links, attached.added_to(plain)))
    changes = Changes(before, after, picture.text.words, new, attached)
    shown = {"record": record, "said": said, "lines": changes.lines, "refused": 0}
    if picture.text.ids:  # translators save their links in groups of words
        shown["torn"] = [len(links.source) - len(in_groups(links).source) for links in (before, after)]
    return Lesson(new, plain, changes, record, shown | {"changed": changes.describe()}, known)


def corrections_of(known: KnownLinks, chosen: Bools | bool = True) -> Gold:
    """Return the links of the lines that are complete, and chosen, as sure gold; chosen: bool [lines]."""
    links = select(known.known, (known.complete & chosen)[known.known.pair])
    return Gold(links, links)


def points_of(lesson: Lesson, models: Models, text: Bitext, lines: list[int]) -> Iterator[dict[str, Any]]:
    """Yield figures of learning, then learn from half of the lines, from a quarter, and so on.

    Figures are plain data: "lines", AER "before" and "after", and "fewer", the share of it that is gone.

    Parameters
    ----------
    lesson
        The lesson.
    models, text
        The models of the workbench, and the text.
    lines
        The corrected lines, from 1, in the order in which they were corrected. The first ones count.
    """
    yield {name: lesson.record[name] for name in _FIGURES}
    count = len(lines) // 2
    while count >= _LEAST_POINT:
        gold = corrections_of(lesson.known, np.isin(np.arange(len(text)) + 1, lines[:count]))
        found = len(with_links(gold))
        if found >= LEAST_LINES and found not in models.points:
            yield _figures(models.learn(text, gold))
        count //= 2


def _joining(model: TrainedModel) -> set[Word]:
    """Return the words that join others by a model."""
    return {(side, word) for side, own in enumerate(model.joining) for word in own}


def _figures(learning: Learning) -> dict[str, Any]:
    """Return the figures of learning."""
    return {name: getattr(learning, name) for name in _FIGURES}


def align_text(model: TrainedModel, text: Bitext, report: Report, threads: int = 1) -> Alignments:
    """Return the links of a text, the same as ``decode`` returns."""
    encoded = model.encode(text)
    chunk = max(_LEAST_CHUNK, -(-len(encoded) // _CHUNKS))
    parts = []
    for part in decode_stream(model, encoded.chunks(chunk), threads=threads):
        parts.append(part)
        report("aligning", sum(map(len, parts)) / len(encoded))
    return Alignments.concatenate(parts)
