"""Starts: trees trained on the gold of other texts, which corrected lines are added to.

The starts that ship, of models of words and of words and pieces, are written by ``scripts/learn_start``. They
hold thresholds of numbers, no word and no link of the texts that they were trained on; ``provenance`` names
these texts and their licences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DamagedError
from aligner.models.learned import FEATURES
from aligner.models.trees import Trees
from aligner.text.files import PathLike

WEIGHT = 0.7
"""The weight of the start in the logit of a cell, without corrected lines; the rest is that of logit(A)."""


@dataclass(frozen=True, eq=False)
class Start:
    """Trees whose sum is the logit of a cell.

    Attributes
    ----------
    trees
        The trees.
    provenance
        What they were trained on, as plain data.
    """

    trees: Trees
    provenance: Mapping[str, Any]

    @classmethod
    def load(cls, path: PathLike) -> Start:
        """Read a start; raise DamagedError if the file holds none."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays: dict[str, NDArray] = dict(file)
            provenance = json.loads(arrays.pop("provenance").tobytes())
        except (OSError, ValueError, KeyError) as error:
            raise DamagedError(f"it is no start: {error}", path) from None
        return cls(Trees.take(arrays, len(FEATURES)), provenance)


@cache
def shipped_start(of_pieces: bool = False) -> Start:
    """Return the start that ships for models of words, or for models of words and their pieces."""
    return Start.load(Path(__file__).with_name("start_of_pieces.npz" if of_pieces else "start.npz"))
