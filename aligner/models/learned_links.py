"""Learned links: what a model has learned from corrected lines."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from aligner.arrays import Float32s, Float64s
from aligner.errors import ModelError
from aligner.messages import counted
from aligner.models.trees import Trees
from aligner.storage.checks import require, take
from aligner.storage.codec import Arrays

_NEIGHBOURS = [f"{i:+d}{j:+d}" for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]

FEATURES = (
    "F", "R", "F0", "R0", "A", "FR", "F0R0", "mean of F0 and R0", "NULL for f", "NULL for e",
    *(f"A {at}" for at in _NEIGHBOURS), "A -2-2", "A +2+2", *(f"FR {at}" for at in _NEIGHBOURS),
    "best other A in the row", "in the column", "sum of the other A in the row", "in the column",
    "from the centroid of the row before", "of the row after", "of the column before", "of the column after",
    "i/I - j/J", "|i/I - j/J|", "I", "J", "I/J", "t(f|e)", "t(e|f)",
    "links an occurrence of e", "links an occurrence of f",
    "count of e", "count of f", "ratio of counts", "fertility of e", "fertility of f",
    "common subsequence", "common prefix", "kind of e", "kind of f", "length of e", "length of f",
    "repetitions of e", "repetitions of f", "link of the recipe",
)  # fmt: skip
"""The features of a cell of the words e and f, by column (see ``kernels.cell_features``)."""

_FEATURE_VERSION = 2
"""The version of the features. Trees of another version would look at other things."""

_A = FEATURES.index("A")
_CLIP = 1e-4


Joining: TypeAlias = tuple[dict[str, int], dict[str, int]]
"""Source words and target words that join the next linked word, the most frequent first, as keys of the
lookup: 1 for the word to the right, -1 for the one to the left (see ``decoding.attachment``)."""

_MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class LearnedLinks:
    """Learned links of a model: the logit of a cell is ``prior_weight`` logit(A), plus the sum of the trees.

    Attributes
    ----------
    trees
        The trees.
    prior_weight
        The weight of the logit of the average posterior A, from 0 to 1.
    threshold
        The least probability of a link, above 0 and at most 1.
    groups
        True if links form groups, as those that were learned from do (see ``aligner.links.groups``).
    record
        How the trees were learned, as plain data: "lines", the number of corrected lines; "start", what they
        are added to, in words; and what cross-validation found.
    joining
        The words that join others if they have no link by the trees.
    """

    trees: Trees
    prior_weight: float
    threshold: float
    record: dict[str, Any]
    groups: bool = False
    joining: Joining = field(default_factory=lambda: ({}, {}))

    @property
    def chooses(self) -> bool:
        """True if trees choose links; False if the recipe does, and only joining was learned."""
        return len(self.trees) > 0 or self.prior_weight > 0

    def logits(self, features: Float32s, least: float = -np.inf) -> Float64s:
        """Return the logit of each cell, float64 [cells]. Logits below ``least`` may be -inf.

        features: float32 [cells, features].
        """
        logits = self.prior_weight * prior_logits(features)
        self.trees.add_to(logits, features, least)
        return logits

    def without(self, words: Collection[tuple[int, str]]) -> LearnedLinks:
        """Return the same, but these words, each with its side, do not join others."""
        source, target = (
            {word: step for word, step in own.items() if (side, word) not in words}
            for side, own in enumerate(self.joining)
        )
        return replace(self, joining=(source, target))

    def describe(self) -> str:
        """Return where the trees come from, in a few words."""
        return describe_record(self.record)

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of the links in a file."""
        return {
            "features": _FEATURE_VERSION,
            "prior_weight": self.prior_weight,
            "threshold": self.threshold,
            "record": self.record,
            "groups": self.groups or None,
            "trees": Arrays(self.trees.arrays()),
            "joining": self.joining if any(self.joining) else None,
        }

    @classmethod
    def from_fields(
        cls,
        features: int,
        prior_weight: float,
        threshold: float,
        record: dict[str, Any],
        trees: Arrays,
        groups: bool | None = None,
        joining: Joining | None = None,
    ) -> LearnedLinks:
        """Return the links of ``to_fields``.

        Raises DamagedError if they are not learned links, ModelError if their features are of another
        version.
        """
        if features != _FEATURE_VERSION:
            raise ModelError(
                f"found learned links with features of version {features}; expected {_FEATURE_VERSION}; learn"
                f" anew with align learn"
            )
        require(0.0 <= prior_weight <= 1.0, f"'prior_weight' is {prior_weight}")
        require(0.0 < threshold <= 1.0, f"'threshold' is {threshold}")
        require(take(record, "lines", int) >= 0, "'lines' is negative")
        take(record, "start", str)
        joining = joining or ({}, {})
        steps = {step for side in joining for step in side.values()}
        require(steps <= {1, -1}, "'joining' has other numbers than 1 and -1")
        own = Trees.take(trees, len(FEATURES))
        return cls(own, prior_weight, threshold, record, groups is True, joining)


def describe_record(record: Mapping[str, Any]) -> str:
    """Return where learned links come from, in a few words, from their record."""
    if not record["lines"]:
        return f"links by {record['start']}, without corrected lines"
    lines = counted(record["lines"], "corrected line")
    return f"links learned from {lines}, starting from {record['start']}"


def describe_joining(joining: Joining) -> list[str]:
    """Return which words join which, a line for each side and direction."""
    said = []
    for side in joining:
        for step, where in (1, "next"), (-1, "previous"):
            words = [word for word, own in side.items() if own == step]
            more = f" and {counted(len(words) - _MOST_NAMED, 'other')}" if len(words) > _MOST_NAMED else ""
            if words:
                named = ", ".join(words[:_MOST_NAMED]) + more
                said.append(f"{named}: joined to the {where} word, as in your lines")
    return said


def prior_logits(features: Float32s) -> Float64s:
    """Return the logit of the average posterior A of each cell, float64 [cells]."""
    average = features[:, _A].astype(np.float64).clip(_CLIP, 1 - _CLIP)
    return np.log(average / (1 - average))
