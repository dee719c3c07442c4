"""Agreement-based learning: the two tractable approximations of product EM (Liang, Klein & Jordan 2008).

Product EM maximises log sum_z p_fwd(x, z) p_rev(x, z) over the alignments z that both directions can express
(eq. 2 and section 2.1). For word alignment, this sum is intractable (section 5.2). Either approximation
replaces it by one inference in each direction, over that direction's own alignments and at the usual cost.

The M-step is the same for both: each lexical table is normalised from (F + R) / 2, where F and R are the link
posteriors of the forward and the reverse inference. NULL and distortion learn from their own direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner import kernels
from aligner.arrays import Float64s
from aligner.criteria.base import CRITERIA, BlockPosteriors, Criterion
from aligner.criteria.counts import DistortionCounts
from aligner.errors import ConfigError
from aligner.lexicon.blocks import Block
from aligner.models import DirectionalCells, ModelPair

GREATEST_NULL_WEIGHT = 1e6
"""The greatest weight of NULL. Float32 potentials would overflow from about 1e38 on."""

_MEASURES = ("objective", "forward_objective", "reverse_objective")


@CRITERIA.register(
    "product-domain",
    "each E-step multiplies both directions' lexical probabilities (Liang, Klein & Jordan 2008)",
)
@dataclass(frozen=True)
class ProductDomain(Criterion):
    """Domain-approximate product EM (Liang, Klein & Jordan 2008, sections 4.1 and 5.2).

    Each direction infers with the lexical probabilities of both, over its own alignments a:

        Z_fwd = sum_a prod_j { p_d(a_j) t_fwd(t_j | s_i) t_rev(s_i | t_j)    for a link a_j = i
                               p_d(NULL) t_fwd(t_j | NULL) null_weight       for NULL }

    Z_rev is the same with source and target exchanged. The distortion p_d and NULL are each direction's own.
    The E-step gives the posteriors F and R. The lexical probabilities of a link occur in Z_fwd and in Z_rev,
    so both tables learn from (F + R) / 2. NULL and distortion occur in one of the two and learn from it.

    Parameters
    ----------
    null_weight
        Factor of every NULL potential, above 0 and at most 1e6. The paper has 1: a link then has two lexical
        factors and NULL has one. In the exact product space, two words without a link are two NULLs, and a
        weight below 1 stands for the missing one. The default, 0.3, was chosen on the development set.

    Notes
    -----
    The objective, (log Z_fwd + log Z_rev) / 2 summed over the text, never decreases: the E-step and the
    M-step are coordinate ascent of eq. (12), with the features that each direction can score in its own
    space. ``forward_objective`` and ``reverse_objective`` are log Z_fwd and log Z_rev.

    References
    ----------
    P. Liang, D. Klein, M. I. Jordan (2008). Agreement-based learning. NIPS 20.
    """

    measures = _MEASURES
    objective = "objective"

    null_weight: float = 0.3

    def __post_init__(self) -> None:
        if not 0.0 < self.null_weight <= GREATEST_NULL_WEIGHT:
            raise ConfigError(
                f"null_weight = {self.null_weight}: expected a number above 0 and at most"
                f" {GREATEST_NULL_WEIGHT:,.0f}"
            )

    def estep(
        self, pair: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = cells = pair.potentials(block)
        links, sums = (forward.links, reverse.links), np.empty(len(block))
        kernels.cells.multiply(*links, *block.lengths, reverse.links, sums)
        kernels.cells.transpose(reverse.links, *block.lengths[::-1], forward.links)
        for of_direction in cells:
            np.multiply(of_direction.null, np.float32(self.null_weight), out=of_direction.null)
        return _average(block, forward, reverse, pair.infer(cells, distortion))


@CRITERIA.register(
    "product-parameter",
    "each E-step squares its direction's lexical probabilities (Liang, Klein & Jordan 2008)",
)
@dataclass(frozen=True)
class ProductParameter(Criterion):
    """Parameter-approximate product EM (Liang, Klein & Jordan 2008, section 4.2).

    Eq. (13) replaces the sum of the log parameters of all M = 2 models by M times the log parameters of one
    model, so each direction squares its own probabilities. F and R are the posteriors of

        prod_j t(t_j | s_{a_j})^2 p_d(a_j | ...)^distortion_power,    NULL like any other source word,

    each over its own alignments, as in section 4.1. The paper states the approximation for models of one
    space of hidden states, and does not apply it to word alignment.

    Parameters
    ----------
    distortion_power
        Exponent of the distortion, from 1 to 2; 2 is eq. (13) to the letter. But jumps are features of one
        model alone, so the sum of all models' log parameters has them once, and section 5.2, too, multiplies
        translation probabilities only. Squared jumps cost links off the diagonal, so the default is 1.
        Development AER in per cent, Hansards, 5 Model 1 and 5 HMM iterations, best threshold:

        =======  ===========  =======  =======  ==============
          pairs  independent  power 2  power 1  product-domain
        =======  ===========  =======  =======  ==============
         10,000        10.23     8.93     8.94            7.85
         20,000         9.57     8.39     8.28            7.08
         50,000         8.08     7.29     7.17            6.63
        100,000         6.79     7.15     6.18            6.23
        =======  ===========  =======  =======  ==============

    Notes
    -----
    The reported ``objective`` is the mean of the logs of both directions' sums over alignments; with power 2,
    it is eq. (13) after its E-step. It may fall, although the paper calls the algorithm an ascent. In eq.
    (13), the parameters of a direction meet the posteriors of that direction only, so its ascent would keep
    the counts of the directions apart. The average (F + R) / 2, which makes the directions agree, is a step
    of another function. What holds is that the M-step maximises sum (F + R) / 2 log t over either table.

    References
    ----------
    P. Liang, D. Klein, M. I. Jordan (2008). Agreement-based learning. NIPS 20.
    """

    measures = _MEASURES

    distortion_power: float = 1.0

    def __post_init__(self) -> None:
        if not 1.0 <= self.distortion_power <= 2.0:
            raise ConfigError(f"distortion_power = {self.distortion_power}: expected a number from 1 to 2")

    def estep(
        self, pair: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = cells = [cells.to_power(2.0) for cells in pair.potentials(block)]
        return _average(block, forward, reverse, pair.infer(cells, distortion, self.distortion_power))


def _average(
    block: Block, forward: DirectionalCells, reverse: DirectionalCells, log_mass: Float64s
) -> BlockPosteriors:
    """Return the link posteriors (F + R) / 2 for both directions, and the measures of a block.

    log_mass: float64 [2, pairs], log Z_fwd and log Z_rev of each sentence pair.
    """
    links = block.average(forward.links, reverse.links)
    measures = np.stack([0.5 * log_mass.sum(axis=0), *log_mass])
    return BlockPosteriors(links[:, None], forward.null, reverse.null, measures)
