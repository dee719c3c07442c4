"""How expected counts become lexical probabilities: maximum likelihood, MAP, or variational Bayes.

All three concern the lexical rows, those of NULL among them; distortions are always updated by maximum
likelihood, since their few parameters see all of the text. A row is a multinomial over the n words that are
indexed with its conditioning word (for NULL, over all words): those that occur together with it and have not
been dropped by ``pruning``.
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
from aligner.registry import Registry


@dataclass(frozen=True)
class MStep(ABC):
    """The M-step of the lexical tables; subclasses say which."""

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
        """The new tables from fixed-point counts, shaped, and used up, as in ``Lexicon.maximise``."""

    def memory(self, pair_ids: int, columns: int) -> int:
        """About how many bytes it takes beside the counts, with what comes of them: tables of 8 a pair_id."""
        return 8 * pair_ids


@dataclass(frozen=True)
class MaximumLikelihood(MStep):
    """t = c / sum c. A row without any count stays as it is."""

    name = "ml"

    def lexicon(
        self,
        before: Lexicon,
        links: NDArray[np.int64],
        null_forward: NDArray[np.int64],
        null_reverse: NDArray[np.int64],
        threads: int = 1,
    ) -> Lexicon:
        return before.mstep(links, null_forward, null_reverse, threads)


@dataclass(frozen=True)
class MAP(MStep):
    """t = (c + alpha) / (sum c + alpha n): the mode under a symmetric Dirichlet prior of parameter 1 + alpha.

    alpha is the pseudo-count of every entry of a row. With independent EM, the log-likelihood plus alpha
    times the sum of a direction's log probabilities never decreases (Dempster, Laird & Rubin 1977; "MAP
    instead of MLE", Smith, lecture 19). A row without any count becomes uniform.
    """

    name = "map"

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
            row[:-1] += pseudo_count  # the last one is the unknown word's
        return before.mstep(links + pseudo_count, rows[0], rows[1], threads)

    def memory(self, pair_ids: int, columns: int) -> int:
        return 8 * columns * pair_ids + super().memory(pair_ids, columns)


@dataclass(frozen=True)
class VariationalBayes(MStep):
    """t = exp(psi(c + alpha)) / exp(psi(sum c + alpha n)), psi the digamma function.

    exp E[log t] under q(t) = Dirichlet(c + alpha), the variational posterior for a symmetric prior of
    parameter alpha (Beal 2003, section 3.4; for word alignment Riley & Gildea 2012). A row adds up to less
    than one, on purpose: below one count, psi takes away more than its share, so a small alpha makes rows
    sparse. The log-likelihoods reported are those of these weights, not the variational bound.
    """

    name = "vb"

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
        sizes = index.column_sizes
        table = before.table.copy()
        kernels.variational_bayes.expected_table(
            links, index.row_offsets, index.columns, forward, reverse, sizes, self.alpha, FLOOR, table
        )
        rows = []
        for counts in (null_forward, null_reverse):
            row = np.full(len(counts), FLOOR, np.float32)
            total = (counts / COUNT_SCALE).sum()
            kernels.variational_bayes.expected_row(
                counts[:-1], total, self.alpha, len(counts) - 1, FLOOR, row[:-1]
            )
            rows.append(row)
        return Lexicon(index, table, rows[0], rows[1])


MSTEPS: Registry[type[MStep]] = Registry("update")
"""Every M-step of the lexical tables, by the name that recipes use."""

for _kind in (MaximumLikelihood, MAP, VariationalBayes):
    MSTEPS.register(_kind.name, _kind)
