"""Learning: a model that has learned from corrected lines, and what cross-validation says of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from aligner.decoding.attachment import joining_words
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.errors import DataError
from aligner.learning.boosting import has_lightgbm
from aligner.learning.choice import Weights, average, cross_validate, folds_of
from aligner.learning.corrected_lines import CorrectedLines, LineCandidates, select_gold, with_links
from aligner.learning.joining import AttachedLines, with_edges
from aligner.links.gold import Gold
from aligner.links.gold_check import check_positions, check_reading
from aligner.links.link_counts import LinkCounts, count_links
from aligner.links.link_sets import check_lengths
from aligner.links.significance import aer, aer_terms, bootstrap_aer, bootstrap_reduction, randomisation_test
from aligner.messages import counted, missing_extra
from aligner.models.learned_links import LearnedLinks, describe_joining
from aligner.models.start import DEFAULT_START, NO_START, STARTS, links_by_start, starts_to_try, with_start
from aligner.models.trained import TrainedModel
from aligner.models.trees import Trees
from aligner.registry import check_known
from aligner.text.bitext import Bitext
from aligner.text.pairs_like import PairsLike

LEAST_LINES = 2
"""The least number of corrected lines: cross-validation holds one out."""

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
    shares
        The weight of what the trees were added to, by the name of the start; "none" is the recipe alone.
    trees
        The number of trees from the corrected lines.
    threshold
        The least probability of a link.
    before, after
        AER of the corrected lines by the links of the recipe, and by what other corrected lines teach, each
        with the ends of its 95 % bootstrap interval.
    fewer
        The share of AER that learning removes, with the ends of its 95 % bootstrap interval.
    p
        The p-value of the difference.
    """

    model: TrainedModel
    learned: bool
    lines: int
    shares: Mapping[str, float]
    trees: int
    threshold: float
    before: tuple[float, float, float]
    after: tuple[float, float, float]
    fewer: tuple[float, float, float]
    p: float

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain data."""
        return {name: value for name, value in vars(self).items() if name != "model"}

    def describe(self) -> list[str]:
        """Return lines for messages."""
        said = [
            f"{counted(self.lines, 'corrected line')}, cross-validated: AER"
            f" {_percent(self.before)} -> {_percent(self.after)}, p = {self.p:.3f}"
        ]
        if has_lightgbm():
            said.append(
                f"your lines fit {describe_shares(self.shares)}; they added {counted(self.trees, 'tree')};"
                f" threshold {self.threshold:.2f}"
            )
        if self.model.learned is not None:
            said += describe_joining(self.model.learned.joining) or ["no word joins another in your lines"]
            said += ["links form groups of words, as in your lines"] if self.model.learned.groups else []
        return said + self.advice()

    def advice(self) -> list[str]:
        """Return what to do if something was not learned, or has not lowered AER, for messages."""
        said = []
        if not has_lightgbm():
            said.append(f"learned only which words join others; {missing_extra('learning trees', 'learn')}")
        if self.model.edges is None:
            said.append(
                "which words join others was not learned: the model is of an earlier version; train it anew"
            )
        if not self.learned:
            return [*said, "learning does harm: the model decodes as before; correct more lines"]
        if self.after[0] < self.before[0]:
            return said
        rises = self.after[0] > self.before[0]
        found = "the rise may be chance: the model has learned" if rises else "AER stays the same"
        return [*said, f"{found}; more corrected lines would tell"]


def describe_shares(shares: Mapping[str, float]) -> str:
    """Return the weights of starts in words, the greatest first."""
    about = {name: f"the start {name}" for name in STARTS} | {NO_START: "the model alone"}
    by_weight = sorted(shares, key=shares.__getitem__, reverse=True)
    return " and ".join(f"{about[name]} ({shares[name]:.0%})" for name in by_weight)


def _percent(interval: tuple[float, float, float]) -> str:
    """Return an AER and its interval in percent."""
    return "{:.1f} % ({:.1f} - {:.1f})".format(*(100 * value for value in interval))


def learn(
    model: TrainedModel, lines: Bitext | PairsLike, gold: Gold, *, start: str | None = None, threads: int = 1
) -> Learning:
    """Teach a model by corrected lines which cells are links.

    Boosted trees over features of cells are added to starts: trees that ship with the program, trained on
    openly licensed gold of other texts. Cross-validation over the corrected lines weighs the starts, the
    numbers of trees and the thresholds. Then it is learned which frequent words without links join the next
    linked word (see ``aligner.learning.joining``). Cross-validation tells the AER before and after. If it
    is significantly higher after, the model stays as it is.

    If the links of the lines form groups, so do those that the model chooses (see ``aligner.links.groups``).

    Trees need LightGBM, the extra ``learn``. Without it, words join the links of the recipe, or of the start
    if one is named. Decoding needs no extra.

    Parameters
    ----------
    model
        A trained model.
    lines
        The text of the gold, or its sentence pairs as for ``Bitext.from_text``.
    gold
        Links of corrected lines. Lines without links have not been corrected. Possible links that are not
        sure teach nothing.
    start
        The start that is preferred, one of ``STARTS``, or "none" to add trees to the model alone. By default,
        the start of the model's recipe, else "general".
    threads
        Number of threads. The result is the same for any number.

    Returns
    -------
    Learning
        The model, and what cross-validation found.

    Raises
    ------
    DataError
        If gold and lines do not fit, if the gold was probably misread, or if fewer than 2 lines have gold
        links.
    ConfigError
        If the start is unknown.
    """
    start = start or model.config.get("start")
    check_known(start or DEFAULT_START, [*STARTS, NO_START], "start")
    model = replace(model.compact(), learned=None)
    lines = model.encode(lines)
    part, own_gold = _check(lines, gold)
    links = decode(model, part, Decoder.of(model), threads=threads)
    check_reading(links, own_gold, "the links of the model", "train a model of this text")
    model = with_edges(model, lines)
    shares: Mapping[str, float] = {NO_START: 1.0}
    learned, linked, trees = LearnedLinks(Trees.none(), 0.0, Decoder.of(model).threshold, {}), links, 0
    if has_lightgbm():
        examples = CorrectedLines(LineCandidates.of(model, part), own_gold)
        weights, linked = cross_validate(examples, starts_to_try(start or DEFAULT_START))
        learned = LearnedLinks(*average(examples, weights), {}, examples.groups)
        shares, trees = _shares(weights), max(choice.trees for choice in weights)
    elif start not in (None, NO_START):
        learned, shares = links_by_start(start), {start: 1.0}
        linked = decode(with_start(model, start), part, threads=threads)
    if model.edges is not None:
        attached = AttachedLines.of(model, part, links, own_gold)
        learned = replace(learned, joining=joining_words(model, attached.joining()))
        linked = attached.cross_validated(linked, folds_of(len(part)))
    links_before, links_after = count_links(links, own_gold), count_links(linked, own_gold)
    before, after = _interval(links_before), _interval(links_after)
    p = float(randomisation_test(links_before, links_after))
    record = {"lines": len(part), "start": describe_shares(shares)}
    record |= {"aer_before": before, "aer_after": after, "p": p, "others": lines.others is not None}
    does_harm = after[0] > before[0] and p < HARM
    return Learning(
        replace(model, learned=None if does_harm else replace(learned, record=record)),
        not does_harm,
        len(part),
        shares,
        trees,
        learned.threshold,
        before,
        after,
        bootstrap_reduction(links_before, links_after),
        p,
    )


def _shares(weights: Weights) -> dict[str, float]:
    """Return the sum of the weights of each start, by its name."""
    shares: dict[str, float] = defaultdict(float)
    for choice, weight in weights.items():
        shares[choice.start.name] += weight
    return shares


def without_joining(model: TrainedModel, words: Collection[str]) -> TrainedModel:
    """Return a model by which words, in any spelling of the same key, no longer join others.

    Raises ConfigError for a word that has not joined others by the model.
    """
    known = [word for side in model.joining for word in side]
    keys = [model.lookup.key(word) for word in words]
    for key in keys:
        check_known(key, known, "word that joins others")
    return model.apart({(side, key) for side in (0, 1) for key in keys})


def _check(lines: Bitext, gold: Gold) -> tuple[Bitext, Gold]:
    """Return the lines that have gold links, and their gold; raise DataError if they do not fit."""
    advice = f"; if the gold is of the first lines, name a text of these: head -n {len(gold)}"
    check_lengths(gold.sure, lines, "the gold and the text", advice)
    check_positions(gold.possible, lines, "the gold")
    numbers = with_links(gold)
    if len(numbers) < LEAST_LINES:
        raise DataError(
            f"found {counted(len(numbers), 'line')} with gold links; expected at least {LEAST_LINES}; correct"
            f" more lines, or learn without gold"
        )
    return lines.select(numbers), select_gold(gold, numbers)


def _interval(counts: LinkCounts) -> tuple[float, float, float]:
    """Return the AER of counts, and the ends of its 95 % bootstrap interval."""
    return float(aer(aer_terms(counts).sum(axis=0))), *bootstrap_aer(counts)
