"""Lessons: a new model from corrected lines, and what changes by it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
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
from aligner.links.known_links import KnownLinks
from aligner.links.link_sets import select
from aligner.models.learned_links import Joining
from aligner.models.trained import TrainedModel
from aligner.serve.changes import Changes
from aligner.serve.models import Models
from aligner.serve.picture import Picture
from aligner.serve.word_pairs import Cell
from aligner.text.bitext import Bitext

_LEAST_CHUNK, _CHUNKS = 512, 50
_LEAST_POINT = 5
_FIGURES = ("lines", "before", "after", "fewer")

_MOST_PAIRS = 50
"""The number of word pairs whose changes are shown."""

Report = Callable[[str, float], None]
"""A function that receives what is being done, and the share of it that is done."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A new model, and what changes by it.

    Attributes
    ----------
    model
        The model.
    links
        The links of the whole text by it.
    changes
        The links by which the new model differs from the one before, on lines that are not complete.
    record
        What to keep of it, as plain data: the figures of ``points_of``, and "changed", how much changes.
    shown
        What the page shows of it, as plain data, with the record. Its "pairs" are the word pairs with most
        changes, each with "refused", True if it stays as it was; its "joining" the words that join others.
    known
        The known links that it follows from.
    anew
        Returns the lesson anew, given the words that do not join others.
    """

    model: TrainedModel
    links: Alignments
    changes: Changes
    record: dict[str, Any]
    shown: dict[str, Any]
    known: KnownLinks
    anew: Callable[[frozenset[str]], Lesson]

    def with_word(self, word: str, refused: bool) -> Lesson:
        """Return the lesson in which a word joins no others, or may; ValueError if it never did."""
        words = self.shown["joining"]
        if word not in (own["word"] for own in words):
            raise ValueError("found no such word that joins others; learn first")
        apart = {own["word"] for own in words if (refused if own["word"] == word else own["refused"])}
        lesson = self.anew(frozenset(apart))
        kept = [(pair["source"], pair["target"]) for pair in self.shown["pairs"] if pair["refused"]]
        for pair in lesson.shown["pairs"]:
            pair["refused"] = (pair["source"], pair["target"]) in kept
        return lesson

    def refuse(self, source: str, target: str, refused: bool) -> None:
        """Refuse the changes of a word pair, or allow them; ValueError if it has none."""
        own = [pair for pair in self.shown["pairs"] if (pair["source"], pair["target"]) == (source, target)]
        if not own:
            raise ValueError("found no change of this word pair; learn first")
        own[0]["refused"] = refused

    def refused(self) -> dict[Cell, bool]:
        """Return the cells whose changes are refused: True for a link that would be gone."""
        found = zip(self.shown["pairs"], self.changes.pairs.values(), strict=False)
        return {cell: was_link for pair, own in found if pair["refused"] for cell, was_link in own.items()}


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
    joining: Joining = ({}, {}) if new.learned is None else new.learned.joining
    plain = align_text(without(new, {*joining[0], *joining[1]}), text, report, models.threads)
    before, encoded = known.impose(picture.links), new.encode(text)

    def anew(apart: frozenset[str]) -> Lesson:
        model = without(new, apart)
        links = plain
        if model.learned is not None:
            links = Attachment.of(model, model.learned.joining).add_to(plain, encoded)
        changes = Changes(before, known.impose(links), picture.text.words)
        summary = changes.describe()
        pairs = [changes.pair_record(pair) | {"refused": False} for pair in [*changes.pairs][:_MOST_PAIRS]]
        shown: dict[str, Any] = {"record": record, "said": said, "changed": summary, "pairs": pairs}
        shown |= {"lines": len(changes.lines), "allPairs": len(changes.pairs)}
        shown["joining"] = [
            {"word": word, "text": own.spellings.get(word, word), "step": step, "refused": word in apart}
            for own, side in zip(new.vocabularies, joining, strict=True)
            for word, step in side.items()
        ]
        return Lesson(model, links, changes, record | {"changed": summary}, shown, known, anew)

    return anew(frozenset())


def without(model: TrainedModel, words: Collection[str]) -> TrainedModel:
    """Return a model by which words do not join others."""
    return model if model.learned is None else replace(model, learned=model.learned.without(words))


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
