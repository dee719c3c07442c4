"""Alignment by agreement: both directions learn from the product of their link posteriors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner import kernels
from aligner.criteria.base import CRITERIA, BlockPosteriors, Criterion
from aligner.criteria.counts import DistortionCounts
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair


@CRITERIA.register(
    "agreement", "both directions learn from the product of their posteriors (Liang, Taskar & Klein 2006)"
)
@dataclass(frozen=True)
class Agreement(Criterion):
    """Alignment by agreement (Liang, Taskar & Klein 2006, section 3).

    With the link posteriors F of the forward and R of the reverse model, the expected link counts of both
    tables are

        q_ij = F_ij R_ij,

    which are not renormalised.
    The exact E-step for their eq. (3), log-likelihoods plus log probability of agreement, sums over the
    alignments that both directions can express, which is intractable. The product of marginals is the paper's
    heuristic for it. NULL and jump counts are each direction's own posteriors.

    Notes
    -----
    No measure is monotone. Each E-step reports both log-likelihoods; ``agreement``, the sum over sentence
    pairs of log sum_ij F_ij R_ij; ``agreed_links``, the sum of F_ij R_ij; and ``links``, the sum of
    (F_ij + R_ij) / 2.

    References
    ----------
    P. Liang, B. Taskar, D. Klein (2006). Alignment by agreement. HLT-NAACL.
    """

    measures = (*Criterion.measures, "agreement", "agreed_links", "links")

    def estep(
        self, pair: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = cells = pair.potentials(block)
        log_likelihoods = pair.infer(cells, distortion)
        links, sums = block.multiply(forward.links, reverse.links)
        agreement = np.log(np.maximum(sums, np.finfo(np.float32).tiny))
        linked = np.zeros(len(block))
        for direction in cells:
            kernels.cells.add_linked(direction.null, direction.emitted, linked)
        measures = np.stack([*log_likelihoods, agreement, sums, linked])
        return BlockPosteriors(links[:, None], forward.null, reverse.null, measures)
