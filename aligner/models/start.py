"""Starts: trees trained on the gold of other texts, which corrected lines are added to.

The starts that ship are written by ``scripts/learn_start``. They hold thresholds of numbers, no word and no
link of the texts that they were trained on; ``provenance`` names these texts and their licences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import Float32s, Float64s
from aligner.errors import DamagedError
from aligner.files.opening import PathLike
from aligner.models.learned_links import FEATURES, LearnedLinks, prior_logits
from aligner.models.trained import TrainedModel
from aligner.models.trees import Trees
from aligner.registry import check_known

STARTS = {
    "general": "for any text",
    "verses": "for Bible translations and the like, whose gold links phrases",
}
"""The starts that ship, by name, and what they are for."""

DEFAULT_START = "general"

_THRESHOLD = 0.45
"""The threshold of a start without corrected lines."""

NO_START = "none"
"""The name of no start: the model alone."""


@dataclass(frozen=True, eq=False)
class Start:
    """A starting point of learning: the logit of a cell is ``weight`` times trees plus the rest of logit(A).

    Attributes
    ----------
    name
        Its name.
    trees
        The trees, whose sum is a logit.
    weight
        Their weight, from 0 to 1.
    groups
        True if its links form groups (see ``aligner.links.groups``).
    provenance
        What they were trained on, as plain data.
    """

    name: str = NO_START
    trees: Trees = field(default_factory=Trees.none)
    weight: float = 0.0
    groups: bool = False
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def logits(self, features: Float32s) -> Float64s:
        """Return the logit of each cell, float64 [cells]; features: float32 [cells, features]."""
        logits = (1 - self.weight) * prior_logits(features)
        self.trees.times(self.weight).add_to(logits, features)
        return logits

    @classmethod
    def load(cls, path: PathLike) -> Start:
        """Read a start; raise DamagedError if the file holds none."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays: dict[str, NDArray] = dict(file)
            provenance = json.loads(arrays.pop("provenance").tobytes())
            name, weight = str(provenance["name"]), float(provenance["weight"])
            groups = bool(provenance["groups"])
        except (OSError, ValueError, KeyError) as error:
            raise DamagedError(f"it is no start: {error}", path) from None
        return cls(name, Trees.take(arrays, len(FEATURES)), weight, groups, provenance)


@cache
def shipped_start(name: str = DEFAULT_START) -> Start:
    """Return a start that ships, one of ``STARTS``."""
    return Start.load(Path(__file__).with_name(f"{name}.npz"))


def starts_to_try(preferred: str) -> list[Start]:
    """Return the starts that learning tries, the preferred one first; none but the model for "none"."""
    if preferred == NO_START:
        return [Start()]
    return [*(shipped_start(name) for name in sorted(STARTS, key=lambda name: name != preferred)), Start()]


def links_by_start(name: str) -> LearnedLinks:
    """Return the learned links of a start that ships, without corrected lines."""
    start = shipped_start(name)
    record = {"lines": 0, "start": f"the start {name}"}
    trees = start.trees.times(start.weight)
    return LearnedLinks(trees, 1 - start.weight, _THRESHOLD, record, start.groups)


def with_start(model: TrainedModel, start: str = DEFAULT_START) -> TrainedModel:
    """Return a model whose links a start chooses, without corrected lines.

    Raises ConfigError if the start is unknown.
    """
    check_known(start, STARTS, "start")
    return replace(model, learned=links_by_start(start))
