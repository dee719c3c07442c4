"""Tuning of a decoder on a dev set: every method, combination and threshold, by alignment error rate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from aligner.analysis.curve import THRESHOLDS, CurvePoint
from aligner.decoding.batch import decode_by_each
from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import LINK_METHODS, combinations_of, has_probabilities
from aligner.links.alignments import Alignments
from aligner.links.evaluation import Score
from aligner.links.gold import Gold
from aligner.links.link_counts import LinkCounts, count_links
from aligner.links.significance import bootstrap_aer, randomisation_test
from aligner.messages import counted
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext

_SIGNIFICANT = 0.05
"""The largest p-value of a difference that counts as significant."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A decoder, and the counts of its links against the gold of the dev set."""

    decoder: Decoder
    counts: LinkCounts

    @cached_property
    def score(self) -> Score:
        """The score of the whole dev set."""
        return Score.from_counts(self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Return what was tried as "name", the settings as "decode", and the figures of the score."""
        tried = Decoder(self.decoder.method, self.decoder.combine, self.decoder.threshold)
        return {"name": tried.describe(), "decode": self.decoder.to_dict()} | self.score.figures()


@dataclass(frozen=True, eq=False)
class Tuning:
    """Decoders tried on a dev set.

    Attributes
    ----------
    trials
        The trials, by AER, the lowest first.
    current
        The trial of the settings of the model's recipe.
    interval
        The 95 % bootstrap interval of the AER of the best trial, in 0..1. It is too optimistic, because the
        best of many trials is partly the luckiest.
    p
        The p-value of the difference in AER between the best trial and the current settings, which is too
        optimistic for the same reason.
    """

    trials: tuple[Trial, ...]
    current: Trial
    interval: tuple[float, float]
    p: float

    @property
    def best(self) -> Trial:
        """The trial with the lowest AER; the current settings if no trial has a lower AER."""
        return self.trials[0]

    def best_of_each(self) -> list[Trial]:
        """Return the best trial of each pair of method and combination, best first."""
        best: dict[tuple[str, str], Trial] = {}
        for trial in self.trials:
            best.setdefault((trial.decoder.method, trial.decoder.combine), trial)
        return list(best.values())

    def curve(self) -> tuple[str, tuple[CurvePoint, ...]]:
        """Return the best method on posteriors and its combination by name, and their score by threshold."""
        trials = [trial for trial in self.trials if trial.decoder.has_probabilities]
        best = trials[0].decoder.method, trials[0].decoder.combine
        points = [
            CurvePoint(trial.decoder.threshold, trial.score)
            for trial in trials
            if (trial.decoder.method, trial.decoder.combine) == best
        ]
        return ", ".join(best), tuple(sorted(points, key=lambda point: point.threshold))

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain data, with ratios from 0 to 1."""
        name, points = self.curve()
        return {
            "best": self.best.to_dict(),
            "interval": self.interval,
            "current": self.current.to_dict(),
            "p": self.p,
            "curve": {"name": name, "points": [point.figures() for point in points]},
            "trials": [trial.to_dict() for trial in self.trials],
        }

    def recipe_lines(self) -> list[str]:
        """Return the best settings as a recipe's table ``[decode]``, in TOML, with their AER as comments."""
        best, (low, high) = self.best, self.interval
        lines = [
            "[decode]",
            f"# AER {best.score.aer:.2%} on {counted(best.score.sentences, 'pair')}, 95% interval"
            f" {low:.2%} to {high:.2%}",
        ]
        if best is not self.current:
            current = self.current
            lines.append(
                f"# current ({current.decoder.describe()}): AER {current.score.aer:.2%}, p = {self.p:.3f}"
            )
            if self.p > _SIGNIFICANT:
                lines.append("# not significantly better than the current settings")
        return lines + [f"{name} = {json.dumps(value)}" for name, value in best.decoder.to_dict().items()]


def tune(
    model: TrainedModel,
    text: Bitext,
    gold: Gold,
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    threads: int = 1,
) -> Tuning:
    """Try every method, combination and threshold on a dev set.

    Parameters
    ----------
    model
        A trained model. The lexical power and the constraint of its recipe are kept.
    text
        The sentence pairs of the dev set.
    gold
        Their sure and possible links.
    thresholds
        The thresholds to try for methods on posteriors, at least one.
    threads
        Number of threads.

    Returns
    -------
    Tuning
        The trials by AER. Of equal trials, the current settings come first.

    Raises
    ------
    DataError
        If text and gold have different numbers of sentence pairs, or none.
    """
    text = model.encode(text)
    tried = (
        Decoder.of(model, method=method, combine=combine, threshold=threshold)
        for method in LINK_METHODS
        for combine in combinations_of(method)
        for threshold in (thresholds if has_probabilities(method) else [None])
    )
    decoders = dict.fromkeys([Decoder.of(model), *tried])
    found: dict[Decoder, Alignments] = {}
    for kind in (True, False):
        alike = [decoder for decoder in decoders if decoder.has_probabilities == kind]
        found |= zip(alike, decode_by_each(model, text, alike, threads=threads), strict=True)
    trials = [Trial(decoder, count_links(found[decoder], gold)) for decoder in decoders]
    current = trials[0]
    trials.sort(key=lambda trial: trial.score.aer)
    return Tuning(
        trials=tuple(trials),
        current=current,
        interval=bootstrap_aer(trials[0].counts),
        p=randomisation_test(current.counts, trials[0].counts),
    )
