"""Alignment by agreement: both directions learn from the product of their link posteriors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner.criteria.base import BlockPosteriors, Criterion
from aligner.criteria.counts import DistortionCounts
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair


@dataclass(frozen=True)
class Agreement(Criterion):
    """q_ij = F_ij R_ij for both directions (Liang, Taskar & Klein 2006, section 3, the E-step of eq. 3).

    NULL and jump counts stay each model's own posteriors. No monotone objective is claimed; the two
    log-likelihoods and sum log sum_ij F_ij R_ij are reported.
    """

    name = "agreement"
    summary = "both directions learn from the product of their posteriors (Liang, Taskar & Klein 2006)"
    measures = (*Criterion.measures, "agreement")

    def estep(
        self, model: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = model.potentials(block)
        forward_log_likelihood = model.forward_posteriors(forward, distortion.forward)
        reverse_log_likelihood = model.reverse_posteriors(reverse, distortion.reverse)
        links, sums = block.multiply(forward.links, reverse.links)
        agreed = np.log(np.maximum(sums, np.finfo(np.float32).tiny))
        measures = np.array([forward_log_likelihood, reverse_log_likelihood, agreed])
        return BlockPosteriors(links[:, None], forward.null, reverse.null, measures)
