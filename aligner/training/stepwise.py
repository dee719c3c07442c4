"""Batch and stepwise EM: after how many sentence pairs the model is updated, and from which counts."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts, DistortionCounts
from aligner.recipe.config import Stage


class Batch:
    """Batch EM: one E-step over all pairs, one M-step from its counts.

    running: what is remembered from update to update; nothing here.
    """

    running: tuple[int, Counts] | None = None

    def parts(self, pairs: int) -> list[tuple[int, int]]:
        """Return the spans of pairs, start <= n < stop, after each of which an iteration updates the model."""
        return [(0, pairs)]

    def take(self, counts: Counts, pairs: int) -> Counts:
        """Return the counts to update from, given the counts of a part; pairs: those of the whole text.

        The caller may change their link counts.
        """
        return counts


class Stepwise(Batch):
    """Stepwise EM (Liang & Klein 2009, section 3): running counts mu, updated by mini-batches.

        mu <- (1 - eta_k) mu + eta_k s_k,      eta_k = (k + 2)^-decay

    s_k are the counts of mini-batch k, from 0, scaled to the size of the whole text. mu has then the size of
    the whole text's counts, against which priors and a dictionary are weighed. It starts as the counts of the
    whole text: the first iteration of a stage is batch EM. (Started from the first mini-batch, words that do
    not occur in it could only be learned from each other.)

    Mini-batches are consecutive pairs in the order of the text, of equal size within one pair. k goes on from
    iteration to iteration. mu is rounded to fixed point, so it is the same for any number of threads.
    ``running`` is the next k, and mu.
    """

    def __init__(self, batch_pairs: int, decay: float) -> None:
        self.batch_pairs = batch_pairs
        self.decay = decay

    def parts(self, pairs: int) -> list[tuple[int, int]]:
        batches = math.ceil(pairs / self.batch_pairs) if self.running else 1
        return list(pairwise(pairs * n // batches for n in range(batches + 1)))

    def take(self, counts: Counts, pairs: int) -> Counts:
        if self.running is None:
            self.running = 0, counts
        else:
            k, before = self.running
            eta = (k + 2) ** -self.decay
            self.running = k + 1, _blend(before, counts, eta, pairs / counts.pairs)
        mu = self.running[1]
        return replace(mu, links=mu.links.copy())


def updates_of(stage: Stage) -> Batch:
    """Return how often a stage updates its model."""
    return Stepwise(stage.batch_pairs, stage.decay) if stage.batch_pairs else Batch()


def _blend(running: Counts, fresh: Counts, eta: float, scale: float) -> Counts:
    """Return (1 - eta) running + eta scale fresh, with the measures and the pairs of ``fresh``."""
    if eta == scale == 1.0:
        return fresh  # unchanged: a double holds 53 of its 64 bits

    def blend(before: NDArray[np.int64], now: NDArray[np.int64]) -> NDArray[np.int64]:
        mixed = now * (eta * scale)
        mixed += before * (1.0 - eta)
        return np.rint(mixed, out=mixed).astype(np.int64)

    return replace(
        fresh,
        links=blend(running.links, fresh.links),
        null_forward=blend(running.null_forward, fresh.null_forward),
        null_reverse=blend(running.null_reverse, fresh.null_reverse),
        distortion=DistortionCounts(*map(blend, running.distortion, fresh.distortion)),
    )
