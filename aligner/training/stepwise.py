"""Batch and stepwise EM: the sentence pairs between two updates of the model, and the counts of an update.

Stepwise EM (Liang & Klein 2009, section 3): running counts mu, updated by mini-batches.

    mu <- (1 - eta_k) mu + eta_k s_k,      eta_k = (k + 2)^-decay

s_k are the counts of mini-batch k, from 0, scaled to the size of the whole text. Therefore mu has the
size of the whole text's counts, and priors and a dictionary weigh as much as in batch EM.

mu starts as the counts of the whole text: the first iteration of a stage is batch EM. If it started from
the first mini-batch, words that are not in it could only be learned from each other.

Mini-batches are consecutive pairs in the order of the text, of equal size within one pair. k goes on from
iteration to iteration. mu is rounded to fixed point, so it is the same for any number of threads.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from aligner.arrays import Int64s
from aligner.criteria import Counts, DistortionCounts
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource, Span
from aligner.recipe.config import Stage
from aligner.storage.checks import require

Running: TypeAlias = tuple[int, Counts]
"""The state of stepwise EM: the next k, and mu."""


def parts_of(stage: Stage, running: Running | None, pairs: int) -> list[Span]:
    """Return the parts of the text, after each of which an iteration updates the model.

    pairs: number of pairs of the whole text.
    """
    batches = _batches(pairs, stage.batch_pairs) if running else 1
    return list(pairwise(pairs * n // batches for n in range(batches + 1)))


def blended(
    stage: Stage, running: Running | None, counts: Counts, pairs: int
) -> tuple[Running | None, Counts]:
    """Return the state of stepwise EM, and the counts to update from, given the counts of a part.

    The counts may be changed. pairs: number of pairs of the whole text.
    """
    if not stage.batch_pairs:
        return None, counts
    if running is None:
        running = 0, counts
    else:
        k, mu = running
        running = k + 1, _blend(mu, counts, (k + 2) ** -stage.decay, pairs / counts.pairs)
    return running, running[1].copy()


def require_running(running: Running, stage: Stage, iteration: int, blocks: BlockSource) -> None:
    """Require the state of stepwise EM after an iteration of a stage; blocks: the pairs that it trains on.

    running: the next k, and mu, whose arrays have the right types and shapes.
    """
    k, mu = running
    require(k == (iteration - 1) * _batches(len(blocks), stage.batch_pairs), f"the next k is {k}")
    # A word has one link or NULL. Twice as much leaves room for rounding.
    longest = sum(int(lengths.max()) for lengths in blocks.lengths)
    most = 2.0 * len(blocks) * longest * COUNT_SCALE
    posteriors = mu.links, mu.null_forward, mu.null_reverse
    least = min(counts.min() for counts in (*posteriors, *mu.distortion) if counts.size)
    total = max(counts.sum(dtype=np.float64) for counts in posteriors)
    require(least >= 0 and total <= most, "the running counts are not those of this text")


def _batches(pairs: int, batch_pairs: int) -> int:
    """Return the number of mini-batches of an iteration."""
    return -(-pairs // batch_pairs)


def _blend(mu: Counts, counts: Counts, eta: float, scale: float) -> Counts:
    """Return (1 - eta) mu + eta scale counts, with the measures and the pairs of ``counts``."""
    if eta == scale == 1.0:
        return counts  # exactly: a double holds only 53 of the 64 bits

    def blend(before: Int64s, now: Int64s) -> Int64s:
        mixed = now * (eta * scale)
        mixed += before * (1.0 - eta)
        return np.rint(mixed, out=mixed).astype(np.int64)

    return replace(
        counts,
        links=blend(mu.links, counts.links),
        null_forward=blend(mu.null_forward, counts.null_forward),
        null_reverse=blend(mu.null_reverse, counts.null_reverse),
        distortion=DistortionCounts(*map(blend, mu.distortion, counts.distortion)),
    )
