"""The concentration of Dirichlet priors, learned from counts by their leave-one-out likelihood.

Row e of a table has the pseudo-counts k_e m(f | e), whose sum is k_e s(e). Without one occurrence of a pair,
its probability is estimated as (max(c(e, f) - 1, 0) + k_e m(f | e)) / (max(n(e) - 1, 0) + k_e s(e)), where
n(e) sums c(e, f) over the words with a prior mean. The concentration k of all rows maximises

    sum_ef c(e, f) log( (max(c(e, f) - 1, 0) + k_e m(f | e)) / (max(n(e) - 1, 0) + k_e s(e)) ).

If the prior means are themselves estimates, from N(e) occurrences of e, k_e = k N(e) / (k + N(e)): the
variance of the means, about 1 / N(e), adds to the variance of the rows around them, about 1 / k. Otherwise
k_e = k.

A pair whose count is at most 1 adds c log k_e and a constant, whatever its prior mean. The likelihood of the
counts themselves (Minka 2000) cannot be used: k grows without bound where most words are rare.

References
----------
H. Ney, U. Essen, R. Kneser (1995). On the estimation of "small" probabilities by leaving-one-out. IEEE
Transactions on Pattern Analysis and Machine Intelligence 17.

T. Minka (2000). Estimating a Dirichlet distribution. Technical report, MIT.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST, GREATEST = 2.0**-6, 2.0**5
"""The range of concentrations. In a tiny text, the likelihood may be flat or grow without bound."""

_HALVINGS = 16
"""Halvings of the range, on a log scale. From 2**-6 to 2**5, they leave a factor of 1.0001."""


class Rows(NamedTuple):
    """The rows of a table, float64 [rows] each.

    Attributes
    ----------
    totals
        n(e).
    shares
        s(e), the sum of the prior means of a row.
    variances
        1 / N(e), or 0 if the prior means are no estimates.
    """

    totals: NDArray[np.float64]
    shares: NDArray[np.float64]
    variances: NDArray[np.float64]


def concentration(
    counts: NDArray[np.float64],
    means: NDArray[np.float64],
    rows: NDArray[np.integer],
    of_rows: Rows,
    greatest: float = GREATEST,
) -> float:
    """Return the concentration at which the slope of the likelihood becomes negative.

    counts, means: float64 [n], of the pairs with a count above 1 and a prior mean; rows: int [n], their rows;
    greatest: the greatest concentration to be returned.
    """
    totals, shares, variances = of_rows
    rest = totals - np.bincount(rows, counts, len(totals))  # of the pairs with a count of at most 1
    others = np.maximum(totals - 1, 0)

    def slope(k: float) -> float:
        """Return the derivative by log k."""
        damping = 1 / (1 + k * variances)  # k_e / k, and the derivative of log k_e by log k
        by_prior = k * damping[rows] * means
        explained = (counts * damping[rows] * by_prior / (counts - 1 + by_prior)).sum()
        explained += (rest * damping).sum()
        row = k * damping * shares
        expected = np.divide(totals * damping * row, others + row, out=np.zeros(len(row)), where=totals > 0)
        return float(explained - expected.sum())

    low, high = np.log2(LEAST), np.log2(greatest)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if slope(2.0**middle) > 0:
            low = middle
        else:
            high = middle
    return float(2.0**low)
