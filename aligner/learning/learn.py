"""Learning: a model that has learned from corrected lines, and what cross-validation says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.errors import DataError
from aligner.learning.choice import Choice, base_logits, cross_validate, train_own
from aligner.learning.lines import CorrectedLines, LineCandidates, select_gold, with_links
from aligner.learning.start import WEIGHT, Start, shipped_start
from aligner.learning.statistics import collect_statistics
from aligner.links.gold import Gold
from aligner.links.gold_check import check_positions
from aligner.links.link_counts import LinkCounts, count_links
from aligner.links.link_sets import check_lengths
from aligner.links.significance import aer, aer_terms, bootstrap_aer, randomisation_test
from aligner.messages import counted
from aligner.models.learned import LearnedLinks, TextStatistics
from aligner.models.trained import TrainedModel
from aligner.models.trees import Trees
from aligner.text.bitext import Bitext

_WITHOUT_LINES = {False: Choice(WEIGHT, 0, 0.5), True: Choice(WEIGHT, 0, 0.45)}
"""The choice without corrected lines, for models of words, and for models of words and pieces."""

LEAST_LINES = 2
"""The least number of corrected lines: cross-validation holds one out."""

LEAST_SHARE = 0.5
"""Statistics of a text with a smaller share of the training pairs are doubtful."""

HARM = 0.01
"""Learning does harm if cross-validation finds a higher AER with a smaller p-value.

A higher AER alone is no reason to give up: few lines are noisy, and cross-validation learns from fewer. In
275 trials with 5 to 50 lines of 14 texts, it found a higher AER in 72. The AER of other lines fell by 4.0 %
on the mean of these 72.
"""


@dataclass(frozen=True)
class Learning:
    """The result of learning.

    Attributes
    ----------
    model
        The model that has learned; if learning does harm, the model that decodes as before.
    learned
        True if the model has learned.
    lines
        The number of corrected lines.
    start
        What the trees were added to, in words.
    choice
        The chosen weight of the start, number of own trees, and threshold.
    before, after
        AER of the corrected lines by the links of the recipe, and by what other corrected lines teach, each
        with the ends of its 95 % bootstrap interval. None without corrected lines.
    p
        The p-value of the difference. None without corrected lines.
    text_share
        The number of pairs that statistics were collected of, as a share of the training pairs.
    """

    model: TrainedModel
    learned: bool
    lines: int
    start: str
    choice: Choice
    before: tuple[float, float, float] | None = None
    after: tuple[float, float, float] | None = None
    p: float | None = None
    text_share: float = 1.0

    def describe(self) -> list[str]:
        """Return lines for messages."""
        said = []
        if self.text_share < LEAST_SHARE:
            said.append(
                f"the text has {self.text_share:.0%} of the pairs that the model was trained on; statistics"
                f" of the whole training text are better: name it by --text-source and --text-target of align"
                f" learn"
            )
        if self.before is None or self.after is None:
            return [*said, f"learned without corrected lines, from {self.start}"]
        said += [
            f"{counted(self.lines, 'corrected line')}, cross-validated: AER"
            f" {_percent(self.before)} -> {_percent(self.after)}, p = {self.p:.3f}",
            f"start: {self.start}, weight {self.choice.start_weight:g};"
            f" {counted(self.choice.trees, 'own tree')}; threshold {self.choice.threshold:g}",
        ]
        if not self.learned:
            said.append("learning does harm: the model decodes as before; correct more lines")
        elif self.after[0] >= self.before[0]:
            said.append("the rise may be chance: the model has learned; more corrected lines would tell")
        return said


def _percent(interval: tuple[float, float, float]) -> str:
    """Return an AER and its interval in percent."""
    return "{:.1f} % ({:.1f} - {:.1f})".format(*(100 * value for value in interval))


def learn(
    model: TrainedModel,
    text: Bitext,
    gold: Gold | None = None,
    *,
    lines: Bitext | None = None,
    start: Start | str | None = "shipped",
    threads: int = 1,
) -> Learning:
    """Teach a model by corrected lines which cells are links.

    Boosted trees over features of cells are added to a start. Cross-validation over the corrected lines
    chooses the start, the number of trees and the threshold, and tells the AER before and after. If it is
    significantly higher after, the model stays as it is. Learning needs LightGBM (the extra ``learn``) unless
    ``gold`` is None; decoding does not.

    Parameters
    ----------
    model
        A trained model.
    text
        The text that the model was trained on, for statistics.
    gold
        Links of corrected lines. Lines without links have not been corrected. Possible links that are not
        sure teach nothing. None for the start alone.
    lines
        The text of the gold. By default, ``text``.
    start
        Trees to start from, or None for none. By default, those that ship with the program, which were
        trained on openly licensed gold of other texts.
    threads
        Number of threads. The result is the same for any number.

    Returns
    -------
    Learning
        The model, and what cross-validation found.

    Raises
    ------
    DataError
        If gold and lines do not fit, or if fewer than 2 lines have gold links.
    ConfigError
        If LightGBM is not installed.
    """
    model = replace(model.compact(), learned=None)
    if isinstance(start, str):
        start = shipped_start(model.pieces is not None)
    part, own_gold = (None, None) if gold is None else _check(text if lines is None else lines, gold)
    statistics = collect_statistics(model, text, threads=threads)
    choice, own = _WITHOUT_LINES[model.pieces is not None], Trees.none()
    figures: dict[str, Any] = {"lines": 0}
    does_harm = False
    if part is not None and own_gold is not None:
        part = model.encode(part)
        examples = CorrectedLines(LineCandidates.of(model, part, statistics), own_gold)
        links_before = count_links(decode(model, part, Decoder.of(model), threads=threads), own_gold)
        trees = None if start is None else start.trees
        choice, links_after = cross_validate(examples, trees)
        before, after = _interval(links_before), _interval(links_after)
        p = float(randomisation_test(links_before, links_after))
        figures = {"lines": len(examples), "aer_before": before, "aer_after": after, "p": p}
        does_harm = after[0] > before[0] and p < HARM
        base = base_logits(examples, trees, choice)
        own = train_own(examples, base, np.ones(len(examples), np.bool_)).first(choice.trees)
    learned = _learned(start, own, choice, statistics, figures)
    return Learning(
        replace(model, learned=None if does_harm else learned),
        not does_harm,
        figures["lines"],
        learned.record["start"],
        choice,
        figures.get("aer_before"),
        figures.get("aer_after"),
        figures.get("p"),
        text_share=text.report.trainable / max(model.corpus.get("trainable", 0), 1),
    )


def _check(lines: Bitext, gold: Gold) -> tuple[Bitext, Gold]:
    """Return the lines that have gold links, and their gold; raise DataError if they do not fit."""
    check_lengths(gold.sure, lines, "the gold and the text", "; name the text of the gold")
    check_positions(gold.possible, lines, "the gold")
    numbers = with_links(gold)
    if len(numbers) < LEAST_LINES:
        raise DataError(
            f"found {counted(len(numbers), 'line')} with gold links; expected at least {LEAST_LINES}; correct"
            f" more lines, or learn without gold"
        )
    return lines.select(numbers), select_gold(gold, numbers)


def _learned(
    start: Start | None, own: Trees, choice: Choice, statistics: TextStatistics, figures: dict[str, Any]
) -> LearnedLinks:
    """Return the learned links of a choice."""
    parts = [own]
    names = []
    if start is not None and choice.start_weight:
        parts = [start.trees.times(choice.start_weight), own]
        names.append(str(start.provenance["name"]))
    if choice.prior_weight:
        names.append("the posteriors of the model")
    record = {"lines": 0, "start": " and ".join(names), "start_weight": choice.start_weight}
    record |= {"trees": len(own)} | figures
    return LearnedLinks(Trees.joined(parts), choice.prior_weight, choice.threshold, statistics, record)


def _interval(counts: LinkCounts) -> tuple[float, float, float]:
    """Return the AER of counts, and the ends of its 95 % bootstrap interval."""
    return float(aer(aer_terms(counts).sum(axis=0))), *bootstrap_aer(counts)
