"""The concentration of Dirichlet priors, learned from counts by their leave-one-out likelihood.

Row e of a table has the pseudo-counts k_e m(f | e), whose sum is k_e s(e). Without one occurrence of a pair,
its probability is estimated as (max(c(e, f) - 1, 0) + k_e m(f | e)) / (max(n(e) - 1, 0) + k_e s(e)), where
n(e) sums c(e, f) over the words with a prior mean. The concentration k of all rows maximises

    sum_ef c(e, f) log( (max(c(e, f) - 1, 0) + k_e m(f | e)) / (max(n(e) - 1, 0) + k_e s(e)) ).

If the prior means are themselves estimates, from N(e) occurrences of e, k_e = k N(e) / (k + N(e)): the
variance of the means, about 1 / N(e), adds to the variance of the rows around them, about 1 / k. Otherwise
k_e = k. With d(e) = k_e / k, the slope of the likelihood by log k is

    sum_e g(n(e), s(e)) - sum_ef g(c(e, f), m(f | e)),
    g(c, m) = d(e) c max(c - 1, 0) / (max(c - 1, 0) + k_e m).

A pair whose count is at most 1 takes nothing from the slope, whatever its prior mean. The likelihood of the
counts themselves (Minka 2000) cannot be used: k grows without bound where most words are rare.

The slope is computed at a series of candidates, in fixed point: its bytes do not depend on the order of the
rows.

References
----------
H. Ney, U. Essen, R. Kneser (1995). On the estimation of "small" probabilities by leaving-one-out. IEEE
Transactions on Pattern Analysis and Machine Intelligence 17.

T. Minka (2000). Estimating a Dirichlet distribution. Technical report, MIT.
"""

from __future__ import annotations

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.priors.prior_means import PriorRows

LEAST, GREATEST = 2.0**-6, 2.0**5
"""The range of concentrations. In a tiny text, the likelihood may be flat or grow without bound."""

_PER_OCTAVE = 2
"""Candidates in an octave. Between two of them, the slope is taken to be linear in log k."""


def concentrations(
    index: CooccurrenceIndex,
    links: Int64s,
    means: Float32s,
    rows: PriorRows,
    variances: tuple[Float64s, Float64s] | None = None,
    greatest: float = GREATEST,
    threads: int = 1,
) -> list[float]:
    """Return the concentration of the forward and of the reverse table.

    links: int64 fixed point [pair_ids + 1, 1 or 2]; means: float32 [pair_ids + 1, 2]; rows: their sums;
    variances: float64 [types + 1] of each table, 1 / N(e), or None if the prior means are no estimates;
    greatest: the greatest concentration to be returned.
    """
    candidates = candidates_to(greatest)
    if variances is None:
        variances = np.zeros(index.source_types + 1), np.zeros(index.target_types + 1)
    pairs, shape = (links, means, variances, candidates), (2, len(candidates))
    slopes = index.sum_rows(kernels.priors.subtract_pairs, *pairs, shape=shape, threads=threads)
    forward, reverse = (
        slopes_of(totals, shares, of_rows, candidates)
        for totals, shares, of_rows in zip(rows.totals, rows.shares, variances, strict=True)
    )
    return [crossing(own, candidates) for own in slopes + np.stack([forward, reverse])]


def candidates_to(greatest: float) -> Float64s:
    """Return the concentrations at which slopes are computed, ascending."""
    return 2.0 ** np.arange(np.log2(LEAST), np.log2(greatest) + 1 / _PER_OCTAVE, 1 / _PER_OCTAVE)


def slopes_of(counts: Float64s, means: Float64s, variances: Float64s, candidates: Float64s) -> Int64s:
    """Return the sum of g(c, m) at each candidate, in units of 1 / ``kernels.constants.SLOPE_SCALE``.

    counts, means, variances: float64 [n], the last ones 1 / N or 0.
    """
    slopes = np.zeros(len(candidates), np.int64)
    kernels.priors.add_slopes(counts, means, variances, candidates, slopes)
    return slopes


def crossing(slopes: Int64s, candidates: Float64s) -> float:
    """Return the first concentration at which the slope is no longer positive."""
    after = np.flatnonzero(slopes <= 0)
    if not len(after):
        return float(candidates[-1])
    n = int(after[0])
    if n == 0:
        return float(candidates[0])
    rise, fall = int(slopes[n - 1]), int(slopes[n])
    return float(candidates[n - 1] * (candidates[n] / candidates[n - 1]) ** (rise / (rise - fall)))
