"""Random restarts: a stage is trained from several random starts, and the best one is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from aligner.arrays import Float32s, Int32s
from aligner.criteria import Criterion
from aligner.lexicon.table import FLOOR, Lexicon

SPREAD = 0.5
"""Probabilities are multiplied by a random factor from 1 - SPREAD to 1 + SPREAD."""


def perturbed(lexicon: Lexicon, seed: int) -> Lexicon:
    """Return a lexicon with every entry multiplied by a random factor, and every row normalised.

    The factors depend only on the seed and on the order of the word pairs.
    """
    rng = np.random.default_rng(seed)

    def perturb(values: Float32s, rows: Int32s) -> Float32s:
        weights = values * rng.uniform(1.0 - SPREAD, 1.0 + SPREAD, len(values))
        return np.asarray(weights / np.bincount(rows, weights)[rows], np.float32)

    def perturb_null(row: Float32s) -> Float32s:
        return np.append(perturb(row[:-1], np.zeros(len(row) - 1, np.int32)), np.float32(FLOOR))

    table = np.full_like(lexicon.table, FLOOR)
    for direction in (0, 1):
        table[1:, direction] = perturb(lexicon.table[1:, direction], lexicon.rows(direction))
    null_forward, null_reverse = map(perturb_null, (lexicon.null_forward, lexicon.null_reverse))
    return Lexicon(lexicon.index, table, null_forward, null_reverse)


def best_start(lexicon: Lexicon, restarts: int, train: Callable[[Lexicon], float]) -> Lexicon:
    """Return the best perturbation of a lexicon, the first of equal ones; the lexicon itself for one start.

    The seeds are 1 to ``restarts``. Only the start is kept, and the caller trains from it again: this costs
    one more run, but not the memory of another run's models.

    train: trains from a start and returns the figure to compare (see ``figure_of_merit``).
    """
    if restarts == 1:
        return lexicon
    figures = [train(perturbed(lexicon, seed)) for seed in range(1, restarts + 1)]
    return perturbed(lexicon, 1 + int(np.argmax(figures)))


def figure_of_merit(criterion: Criterion, measures: Mapping[str, float]) -> float:
    """Return the figure by which starts are compared.

    It is the criterion's objective if there is one. Otherwise it is the sum of both log-likelihoods, or the
    first measure if they are not measured.
    """
    if criterion.objective is None and set(Criterion.measures) <= set(measures):
        return sum(measures[name] for name in Criterion.measures)
    return measures[criterion.objective or criterion.measures[0]]
