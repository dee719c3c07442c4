"""Independent EM: each direction learns from its own posteriors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner.criteria.base import BlockPosteriors, Criterion
from aligner.criteria.counts import DistortionCounts
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair


@dataclass(frozen=True)
class Independent(Criterion):
    """q_fwd = F, q_rev = R (Brown et al. 1993; Dempster, Laird & Rubin 1977).

    Each direction's log-likelihood is non-decreasing.
    """

    name = "independent"
    summary = "maximum likelihood of each direction by itself"
    columns = 2
    uses_own_posteriors = True

    def estep(
        self, model: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = model.potentials(block)
        measures = np.array(
            [
                model.forward_posteriors(forward, distortion.forward),
                model.reverse_posteriors(reverse, distortion.reverse),
            ]
        )
        links = block.side_by_side(forward.links, reverse.links)
        return BlockPosteriors(links, forward.null, reverse.null, measures)
