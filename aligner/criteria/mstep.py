"""M-steps of the lexical tables: maximum likelihood, MAP, and variational Bayes.

All three turn the expected counts c of a row into its probabilities t. A row is a multinomial over the n
words that the index pairs with its conditioning word: they occur together in some sentence pair, and pruning
has not dropped the word pair. The row of NULL is over all words. Distortions are always updated by maximum
likelihood, since their few parameters are estimated from the whole text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Int64s
from aligner.criteria.counts import Counts
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.registry import Registry

LexiconMStep: TypeAlias = Callable[..., Lexicon]
"""The M-step of both lexical tables and NULL rows.

It takes the index of the word pairs; their expected counts, which it does not change; the number of threads;
and ``alpha``, unless that is bound already (see ``Stage.mstep``).
"""

MSTEPS: Registry[LexiconMStep] = Registry("update")
"""Every M-step of the lexical tables, by the name that recipes use."""

DEFAULT = "ml"
"""The M-step without alpha."""


@MSTEPS.register(DEFAULT, "maximum likelihood")
def maximum_likelihood(
    index: CooccurrenceIndex, counts: Counts, threads: int = 1, alpha: float = 0.0
) -> Lexicon:
    """Return the lexicon of maximum likelihood, t = c / sum c."""
    return Lexicon.of_counts(index, counts.links, counts.null_forward, counts.null_reverse, threads)


def keep_uncounted(before: Lexicon, after: Lexicon, counts: Counts) -> Lexicon:
    """Return the lexicon after an M-step with the rows before it of words without any count.

    Hard EM has such words: those that no best alignment links. ``after`` is changed.
    """
    for direction, totals in enumerate(after.index.totals(counts.links)):
        uncounted = 1 + np.flatnonzero(totals[after.rows(direction)] == 0)
        after.table[uncounted, direction] = before.table[uncounted, direction]
    null_forward = (after if counts.null_forward.any() else before).null_forward
    null_reverse = (after if counts.null_reverse.any() else before).null_reverse
    return after.with_tables(after.table, null_forward, null_reverse)


@MSTEPS.register("map", "the mode under a Dirichlet prior of parameter 1 + alpha")
def maximum_a_posteriori(index: CooccurrenceIndex, counts: Counts, threads: int, alpha: float) -> Lexicon:
    """Return the mode under a Dirichlet prior of parameter 1 + alpha, t = (c + alpha) / (sum c + alpha n).

    A row without any count becomes uniform.

    Parameters
    ----------
    index, counts, threads
        See ``LexiconMStep``.
    alpha
        Pseudo-count of every entry of a row.

    Notes
    -----
    With independent EM, the log-likelihood plus log prior never decreases (Dempster, Laird & Rubin 1977;
    "MAP instead of MLE", Smith, lecture 19). The log prior of a direction is alpha times the sum of the logs
    of its lexical probabilities.
    """
    pseudo_count = round(alpha * COUNT_SCALE)
    forward, reverse = counts.null_forward + pseudo_count, counts.null_reverse + pseudo_count
    forward[-1], reverse[-1] = counts.null_forward[-1], counts.null_reverse[-1]  # out-of-vocabulary words
    return Lexicon.of_counts(index, counts.links + pseudo_count, forward, reverse, threads)


@MSTEPS.register("vb", "variational Bayes with a Dirichlet prior of parameter alpha")
def variational_bayes(index: CooccurrenceIndex, counts: Counts, threads: int, alpha: float) -> Lexicon:
    """Return t = exp(psi(c + alpha)) / exp(psi(sum c + alpha n)), with psi the digamma function.

    These weights are exp E[log t] under q(t) = Dirichlet(c + alpha), which is the variational posterior for a
    symmetric prior of parameter alpha (Beal 2003, section 3.4; for word alignment, Riley & Gildea 2012).

    Parameters
    ----------
    index, counts, threads
        See ``LexiconMStep``.
    alpha
        Parameter of the prior. A small alpha makes rows sparse, since psi takes more than its share from
        counts below 1.

    Notes
    -----
    The weights of a row sum to less than 1 by design. Each E-step reports the log-likelihoods under these
    weights, not the variational bound. They may decrease.

    References
    ----------
    M. J. Beal (2003). Variational algorithms for approximate Bayesian inference. PhD thesis, University
    College London.

    D. Riley, D. Gildea (2012). Improving the IBM alignment models using variational Bayes. ACL.
    """
    links = counts.links
    table = np.empty((len(links), 2), np.float32)
    table[0] = FLOOR
    rows, totals = (index.row_offsets, index.columns), index.totals(links, threads)
    kernels.tables.expected_table(links, *rows, *totals, index.column_sizes(threads), alpha, FLOOR, table)
    null_forward, null_reverse = (_expected_row(c, alpha) for c in (counts.null_forward, counts.null_reverse))
    return Lexicon(index, table, null_forward, null_reverse)


def _expected_row(counts: Int64s, alpha: float) -> Float32s:
    """Return the variational Bayes weights of a NULL row, float32 like counts, FLOOR for the last entry."""
    row = np.full(len(counts), FLOOR, np.float32)
    total = (counts / COUNT_SCALE).sum()
    entries = len(counts) - 1
    kernels.tables.expected_row(counts[:-1], total, alpha, entries, FLOOR, row[:-1])
    return row
