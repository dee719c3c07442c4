"""Independent EM: each direction learns from its own posteriors."""

from dataclasses import dataclass
from typing import Any

from aligner.criteria.base import CRITERIA, BlockPosteriors, Criterion
from aligner.criteria.counts import DistortionCounts
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair


@CRITERIA.register("independent", "maximum likelihood of each direction by itself")
@dataclass(frozen=True)
class Independent(Criterion):
    """Maximum likelihood of each direction by EM (Brown et al. 1993; Dempster, Laird & Rubin 1977).

    With the link posteriors F of the forward and R of the reverse model, the E-step is

        q_forward = F,    q_reverse = R.

    Notes
    -----
    Neither direction's log-likelihood ever decreases under the maximum-likelihood M-step.

    References
    ----------
    P. F. Brown, S. A. Della Pietra, V. J. Della Pietra, R. L. Mercer (1993). The mathematics of statistical
    machine translation: parameter estimation. Computational Linguistics 19(2).

    A. P. Dempster, N. M. Laird, D. B. Rubin (1977). Maximum likelihood from incomplete data via the EM
    algorithm. Journal of the Royal Statistical Society, series B, 39(1).
    """

    columns = 2

    def estep(
        self, pair: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = cells = pair.potentials(block)
        log_likelihoods = pair.infer(cells, distortion)
        links = block.side_by_side(forward.links, reverse.links)
        return BlockPosteriors(links, forward.null, reverse.null, log_likelihoods)
