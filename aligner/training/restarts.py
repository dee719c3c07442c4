"""Random restarts: several random starts of a stage, of which the best goes on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from aligner.lexicon.table import FLOOR, Lexicon

SPREAD = 0.5
"""A uniform probability is multiplied by something between 1 - this and 1 + this."""


def perturbed(lexicon: Lexicon, seed: int) -> Lexicon:
    """Both tables and the NULL rows with every entry multiplied by a random factor, rows of sum one again.

    The factors depend on the seed and on the order of the word pairs alone.
    """
    rng = np.random.default_rng(seed)

    def shaken(values: NDArray[np.float32], rows: NDArray[np.int32]) -> NDArray[np.float32]:
        weights = values * rng.uniform(1.0 - SPREAD, 1.0 + SPREAD, len(values))
        return np.asarray(weights / np.bincount(rows, weights)[rows], np.float32)

    table = np.full_like(lexicon.table, FLOOR)
    for direction in (0, 1):
        table[1:, direction] = shaken(lexicon.table[1:, direction], lexicon.rows(direction))
    null = []
    for row in (lexicon.null_forward, lexicon.null_reverse):
        null.append(np.append(shaken(row[:-1], np.zeros(len(row) - 1, np.int32)), np.float32(FLOOR)))
    return Lexicon(lexicon.index, table, null[0], null[1])


def best_start(uniform: Lexicon, restarts: int, train: Callable[[Lexicon], float]) -> Lexicon:
    """The start from which training got farthest, of ``restarts`` random ones with seeds from 1.

    One start is the uniform one, and nothing is tried. train: the final objective of training from a start.
    Of equals the first stays. Only the start is kept, and training from it done again: that takes one run
    more, not the memory of another model for every iteration.
    """
    if restarts == 1:
        return uniform
    values = [train(perturbed(uniform, seed)) for seed in range(1, restarts + 1)]
    return perturbed(uniform, 1 + int(np.argmax(values)))
