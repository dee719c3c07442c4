"""Models of pairs of languages, each of which serves both directions of its pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from aligner.errors import ConfigError
from aligner.models.trained import TrainedModel, agreed_share

LanguagePair = tuple[str, str]

_LEAST_AGREEMENT = 1e-3
"""The least agreement of a model: weights are above 0."""


@dataclass(frozen=True, eq=False)
class PairModels:
    """Trained models of pairs of languages.

    Attributes
    ----------
    models
        The model of each pair (source, target). The model of a pair, with its sides exchanged, is also that
        of the opposite pair.

    Raises
    ------
    ConfigError
        If a pair and the opposite pair both have a model.
    """

    models: Mapping[LanguagePair, TrainedModel]

    def __post_init__(self) -> None:
        for source, target in self.models:
            if source == target or (target, source) in self.models:
                raise ConfigError(
                    f"found models of {source}-{target} and {target}-{source}; expected one model for each"
                    f" two languages, which serves both directions; leave one out"
                )

    def __contains__(self, pair: LanguagePair) -> bool:
        return pair in self.models or pair[::-1] in self.models

    def find(self, pair: LanguagePair) -> tuple[TrainedModel, bool]:
        """Return the model of a pair, and True if it was trained on the opposite pair."""
        return (self.models[pair], False) if pair in self.models else (self.models[pair[::-1]], True)

    def members(self, pair: LanguagePair, languages: Iterable[str]) -> dict[str, float]:
        """Return the weight of each member of the mixture of a pair. The weights sum to 1.

        Returns
        -------
        dict
            The weight of each pivot language, and of the model of the pair by the name "". It is empty if
            the pair has no model.
        """
        if pair not in self:
            return {}
        found = [("", [pair]), *_paths(pair, languages)]
        steps = {name: path for name, path in found if all(step in self for step in path)}
        agreements = {step: self._agreement(step) for path in steps.values() for step in path}
        if None in agreements.values():
            return dict.fromkeys(steps, 1 / len(steps))
        weights = {name: prod(agreements[step] or 0.0 for step in path) for name, path in steps.items()}
        return {name: weight / sum(weights.values()) for name, weight in weights.items()}

    def _agreement(self, pair: LanguagePair) -> float | None:
        """Return the agreement of the model of a pair; None if it was not measured."""
        model, _ = self.find(pair)
        share = agreed_share(model.history[-1]) if model.history else None
        return None if share is None else max(share, _LEAST_AGREEMENT)


def pairs_needed(pairs: Iterable[LanguagePair], languages: Iterable[str]) -> list[LanguagePair]:
    """Return the pairs of languages whose models align some pairs through all other languages.

    They are in the order of the languages, and each has the source before the target in it.
    """
    order = list(languages)
    steps = {
        frozenset(step) for pair in pairs for _, path in [("", [pair]), *_paths(pair, order)] for step in path
    }
    return [(a, b) for n, a in enumerate(order) for b in order[n + 1 :] if {a, b} in steps]


def _paths(pair: LanguagePair, languages: Iterable[str]) -> Iterator[tuple[str, list[LanguagePair]]]:
    """Yield each pivot language of a pair, and the two steps of the path through it."""
    for pivot in languages:
        if pivot not in pair:
            yield pivot, list(pairwise((pair[0], pivot, pair[1])))
