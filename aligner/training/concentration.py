"""The concentration of Dirichlet priors, learned from counts by their leave-one-out likelihood.

Row e of a lexical table has the prior mean m(f | e) and the concentration k. Without one occurrence of the
pair, its probability is estimated as (max(c(e, f) - 1, 0) + k m(f | e)) / (max(n(e) - 1, 0) + k), where n(e)
sums c(e, f) over the words with a prior mean. The concentration of all rows maximises

    sum_ef c(e, f) log( (max(c(e, f) - 1, 0) + k m(f | e)) / (max(n(e) - 1, 0) + k) ).

A pair whose count is at most 1 adds c log k and a constant, whatever its prior mean. The likelihood of the
counts themselves (Minka 2000) is no guide: k grows without bound where most words are rare.

References
----------
H. Ney, U. Essen, R. Kneser (1995). On the estimation of "small" probabilities by leaving-one-out. IEEE
Transactions on Pattern Analysis and Machine Intelligence 17.

T. Minka (2000). Estimating a Dirichlet distribution. Technical report, MIT.
"""

import numpy as np
from numpy.typing import NDArray

LEAST, GREATEST = 2.0**-6, 2.0**5
"""The range of concentrations. In a tiny text, the likelihood may be flat or grow without bound."""

_HALVINGS = 16
"""Halvings of the range, on a log scale. They leave a factor of 1.0001."""


def concentration(
    counts: NDArray[np.float64], means: NDArray[np.float64], totals: NDArray[np.float64]
) -> float:
    """Return the concentration at which the slope of the likelihood becomes negative.

    counts, means: float64 [n], of the pairs with a count above 1 and a prior mean; totals: float64 [rows],
    n(e).
    """
    rest = totals.sum() - counts.sum()  # of the pairs with a count of at most 1
    others = np.maximum(totals - 1, 0)

    def slope(k: float) -> float:
        """Return the derivative by log k."""
        by_prior = k * means
        explained = rest + (counts * by_prior / (counts - 1 + by_prior)).sum()
        return float(explained - (totals * k / (others + k)).sum())

    least, greatest = np.log2(LEAST), np.log2(GREATEST)
    for _ in range(_HALVINGS):
        middle = (least + greatest) / 2
        if slope(2.0**middle) > 0:
            least = middle
        else:
            greatest = middle
    return float(2.0**least)
