"""How often an iteration updates the model: after the whole text, or after every mini-batch of it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aligner.objectives import Counts, Statistics


class WholeText:
    """Batch EM: one E-step over all pairs, one M-step from its counts.

    running: what is remembered from update to update, nothing here.
    """

    running: tuple[int, Counts] | None = None

    def parts(self, pairs: int) -> list[tuple[int, int]]:
        """The ranges of pairs, start <= n < stop, that an iteration updates after."""
        return [(0, pairs)]

    def take(self, counts: Counts, pairs: int) -> Counts:
        """The counts to update from, now that these are a part's; pairs: those of the whole text.

        Their links are the caller's to change.
        """
        return counts


class Stepwise(WholeText):
    """Stepwise EM (Liang & Klein 2009, section 3): running counts mu, updated by mini-batches.

        mu <- (1 - eta_k) mu + eta_k s_k,      eta_k = (k + 2)^-decay

    s_k are the counts of mini-batch k, from 0, times the text's pairs over its own, so that mu has the size
    of the whole text's counts, which priors and a dictionary are weighed against. mu starts as the counts of
    the whole text: a stage's first iteration is batch EM. (Started from the first mini-batch's counts, words
    that do not occur in it could only ever be learned from each other.) Mini-batches are consecutive pairs
    in the order of the text, of equal size within one pair; k goes on from iteration to iteration. mu is
    rounded to fixed point, so it is the same for any threads. ``running`` is the next k, and mu.
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


def _blend(running: Counts, fresh: Counts, eta: float, scale: float) -> Counts:
    """(1 - eta) running + eta scale fresh; measures and pairs are the fresh counts' own."""
    if eta == scale == 1.0:
        return fresh  # as it is: a double holds no more than 53 bits

    def blend(before: NDArray[np.int64], now: NDArray[np.int64]) -> NDArray[np.int64]:
        mixed = now * (eta * scale)
        mixed += before * (1.0 - eta)
        return np.rint(mixed, out=mixed).astype(np.int64)

    return replace(
        fresh,
        links=blend(running.links, fresh.links),
        null_forward=blend(running.null_forward, fresh.null_forward),
        null_reverse=blend(running.null_reverse, fresh.null_reverse),
        statistics=Statistics(*map(blend, running.statistics, fresh.statistics)),
    )
