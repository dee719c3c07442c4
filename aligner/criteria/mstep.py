"""M-steps of the lexical tables: maximum likelihood, MAP, and variational Bayes.

All three turn the expected counts c of a row into its probabilities t. A row is a multinomial over the n
words that the index pairs with its conditioning word: they occur together in some sentence pair, and pruning
has not dropped the word pair. The row of NULL is over all words. Distortions are always updated by maximum
likelihood, since their few parameters are estimated from the whole text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.registry import Registry, set_name


@dataclass(frozen=True)
class MStep(ABC):
    """The M-step of both lexical tables and NULL rows; its fields are the options of a stage.

    Attributes
    ----------
    name
        The name in recipes, under which the class is registered.
    """

    name: ClassVar[str]

    @abstractmethod
    def lexicon(
        self,
        before: Lexicon,
        links: NDArray[np.int64],
        null_forward: NDArray[np.int64],
        null_reverse: NDArray[np.int64],
        threads: int = 1,
    ) -> Lexicon:
        """Compute the new lexicon. The counts are not changed.

        Parameters
        ----------
        before
            The current lexicon, over the same index. Its table may be empty if each word has some count.
        links
            int64 fixed point [pair_ids + 1, 1 or 2]. One column serves both directions.
        null_forward, null_reverse
            int64 fixed point [target types + 1] and [source types + 1].
        threads
            Number of threads.
        """


MSTEPS: Registry[type[MStep]] = Registry("update", set_name)
"""Every M-step of the lexical tables, by the name that recipes use."""


@MSTEPS.register("ml", "maximum likelihood")
@dataclass(frozen=True)
class MaximumLikelihood(MStep):
    """Maximum likelihood, t = c / sum c. A row without any count does not change."""

    def lexicon(
        self,
        before: Lexicon,
        links: NDArray[np.int64],
        null_forward: NDArray[np.int64],
        null_reverse: NDArray[np.int64],
        threads: int = 1,
    ) -> Lexicon:
        return before.mstep(links, null_forward, null_reverse, threads)


@MSTEPS.register("map", "the mode under a Dirichlet prior of parameter 1 + alpha")
@dataclass(frozen=True)
class MAP(MStep):
    """The mode under a symmetric Dirichlet prior of parameter 1 + alpha, t = (c + alpha) / (sum c + alpha n).

    A row without any count becomes uniform.

    Parameters
    ----------
    alpha
        Pseudo-count of every entry of a row.

    Notes
    -----
    With independent EM, the log-likelihood plus log prior never decreases (Dempster, Laird & Rubin 1977;
    "MAP instead of MLE", Smith, lecture 19). The log prior of a direction is alpha times the sum of the logs
    of its lexical probabilities.
    """

    alpha: float

    def lexicon(
        self,
        before: Lexicon,
        links: NDArray[np.int64],
        null_forward: NDArray[np.int64],
        null_reverse: NDArray[np.int64],
        threads: int = 1,
    ) -> Lexicon:
        pseudo_count = round(self.alpha * COUNT_SCALE)
        rows = [row.copy() for row in (null_forward, null_reverse)]
        for row in rows:
            row[:-1] += pseudo_count  # the last entry is the out-of-vocabulary word's
        return before.mstep(links + pseudo_count, rows[0], rows[1], threads)


@MSTEPS.register("vb", "variational Bayes with a Dirichlet prior of parameter alpha")
@dataclass(frozen=True)
class VariationalBayes(MStep):
    """Variational Bayes, t = exp(psi(c + alpha)) / exp(psi(sum c + alpha n)), psi the digamma function.

    These weights are exp E[log t] under q(t) = Dirichlet(c + alpha), which is the variational posterior for a
    symmetric prior of parameter alpha (Beal 2003, section 3.4; for word alignment, Riley & Gildea 2012).

    Parameters
    ----------
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

    alpha: float

    def lexicon(
        self,
        before: Lexicon,
        links: NDArray[np.int64],
        null_forward: NDArray[np.int64],
        null_reverse: NDArray[np.int64],
        threads: int = 1,
    ) -> Lexicon:
        index = before.index
        forward, reverse = before.totals(links, threads)
        column_sizes = index.column_sizes
        table = np.empty((len(links), 2), np.float32)
        table[0] = FLOOR
        kernels.tables.expected_table(
            links,
            index.row_offsets,
            index.columns,
            forward,
            reverse,
            column_sizes,
            self.alpha,
            FLOOR,
            table,
        )
        forward_row, reverse_row = (_expected_row(row, self.alpha) for row in (null_forward, null_reverse))
        return before.with_tables(table, forward_row, reverse_row)


def _expected_row(counts: NDArray[np.int64], alpha: float) -> NDArray[np.float32]:
    """Return the variational Bayes weights of a NULL row, float32 like counts, FLOOR for the last entry."""
    row = np.full(len(counts), FLOOR, np.float32)
    total = (counts / COUNT_SCALE).sum()
    entries = len(counts) - 1
    kernels.tables.expected_row(counts[:-1], total, alpha, entries, FLOOR, row[:-1])
    return row
