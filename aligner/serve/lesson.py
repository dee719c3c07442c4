"""Lessons: a new model from corrected lines, by learning, by training anew with known links, or by both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aligner.decoding.batch import decode_stream
from aligner.learning.gold import read_corrections
from aligner.learning.learn import Learning, learn
from aligner.learning.lines import with_links
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.links.link_sets import select
from aligner.messages import counted
from aligner.models.trained import TrainedModel
from aligner.serve.changes import Changes
from aligner.serve.text import Text
from aligner.training.retraining import iterations_of, retrain

LEARN, RETRAIN, BOTH = "learn", "retrain", "both"
WAYS = (LEARN, RETRAIN, BOTH)
"""The ways to a new model."""

LEAST_LINES = 2
"""The least number of complete lines with links that a model can learn from."""

_LEAST_CHUNK, _CHUNKS = 512, 50

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
        The links that differ from those of the model before, on lines that are not complete.
    said
        What was learned, in words.
    record
        The same as plain data: "how", "lines", and "before" and "after", the AER with its interval.
    """

    model: TrainedModel
    links: Alignments
    changes: Changes
    said: list[str]
    record: dict[str, Any]


def teach(
    model: TrainedModel,
    links: Alignments,
    text: Text,
    known_path: Path,
    way: str,
    report: Report,
    threads: int = 1,
) -> Lesson:
    """Return the model that follows from known links of a text.

    Parameters
    ----------
    model
        The model in use.
    links
        The links of the text by it, as ``align_text`` returns them.
    text
        The text.
    known_path
        A file of known links.
    way
        A member of ``WAYS``.
    report
        Receives progress.
    threads
        Number of threads.

    Raises
    ------
    ConfigError
        If training anew would lose what the model was trained with.
    DataError
        If there is too little to learn from.
    """
    known = read_known_links(known_path).of_text(len(text))
    record: dict[str, Any] = {"how": way, "lines": int(known.complete.sum()), "before": None, "after": None}
    said = []
    new = model
    if way != LEARN:
        new = _retrained(model, text, known, report, threads)
        said.append(f"trained anew: {known.describe(len(text))}")
    if way != RETRAIN:
        report("learning", 0)
        learning = learn_from(new, text, read_corrections(known_path, len(text)), threads)
        new = learning.model
        said += learning.describe()
        record |= {"lines": learning.lines, "before": learning.before, "after": learning.after}
    new_links = align_text(new, text, report, threads)
    changes = Changes.between(known.impose(links), known.impose(new_links))
    return Lesson(new, new_links, changes, said, record)


def learn_from(model: TrainedModel, text: Text, gold: Gold, threads: int) -> Learning:
    """Return what a model learns from corrected lines of a text."""
    return learn(model, text.bitext, gold, threads=threads)


def first_lines(gold: Gold, lines: list[int]) -> Gold:
    """Return gold of these lines alone, from 1."""
    chosen = np.zeros(len(gold), np.bool_)
    chosen[np.array(lines, np.int64) - 1] = True
    sure, possible = (select(links, chosen[links.pair]) for links in (gold.sure, gold.possible))
    return Gold(sure, possible)


def lines_with_links(gold: Gold) -> int:
    """Return the number of lines that can be learned from."""
    return len(with_links(gold))


def _retrained(
    model: TrainedModel, text: Text, known: KnownLinks, report: Report, threads: int
) -> TrainedModel:
    """Train a model anew on the text, with known links."""
    rounds = iterations_of(model)
    report("training", 0)
    for step in retrain(model, text.bitext, known, threads=threads):
        model = step.model
        report("training", min(len(model.history) / rounds, 1))
    return model


def align_text(model: TrainedModel, text: Text, report: Report, threads: int = 1) -> Alignments:
    """Return the links of a text, the same as ``decode`` returns."""
    encoded = model.encode(text.bitext)
    chunk = max(_LEAST_CHUNK, -(-len(encoded) // _CHUNKS))
    parts = []
    for part in decode_stream(model, encoded.chunks(chunk), threads=threads):
        parts.append(part)
        report("aligning", sum(map(len, parts)) / len(encoded))
    return Alignments.concatenate(parts) if parts else Alignments.from_lists([])


def describe_changes(changes: Changes) -> str:
    """Return how much changes, for messages."""
    return f"{counted(changes.links, 'link')} changed in {counted(len(changes.order), 'line')}"
