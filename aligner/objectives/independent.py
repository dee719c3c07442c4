"""Independent EM: each direction learns from its own posteriors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from aligner.blocks import Block
from aligner.models import ModelPair
from aligner.objectives.base import Expectation, Objective, Statistics


@dataclass(frozen=True)
class Independent(Objective):
    """q_fwd = F, q_rev = R (Brown et al. 1993; Dempster, Laird & Rubin 1977).

    Each direction's log-likelihood is non-decreasing.
    """

    name = "independent"
    summary = "maximum likelihood of each direction by itself"
    columns = 2

    def expect(self, model: ModelPair, block: Block, statistics: Statistics, state: Any) -> Expectation:
        forward, reverse = model.potentials(block)
        measures = np.array(
            [
                model.forward_posteriors(forward, statistics.forward),
                model.reverse_posteriors(reverse, statistics.reverse),
            ]
        )
        links = block.side_by_side(forward.links, reverse.links)
        return Expectation(links, forward.null, reverse.null, measures)
