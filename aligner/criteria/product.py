"""Agreement-based learning: product EM by its two tractable approximations (Liang, Klein & Jordan 2008).

Product EM maximises log sum_z p_fwd(x, z) p_rev(x, z), over the alignments z that both directions can
express. That sum is intractable (section 5.2); either approximation replaces it by one inference of the usual
cost per direction. Both end in the same M-step: each direction's table is normalised from (F + R) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria.base import BlockPosteriors, Criterion
from aligner.criteria.counts import DistortionCounts
from aligner.errors import ConfigError
from aligner.lexicon.blocks import Block
from aligner.models import DirectionalCells, ModelPair

MEASURES = ("objective", "forward_objective", "reverse_objective")


@dataclass(frozen=True)
class ProductDomain(Criterion):
    """Both directions' lexical probabilities in each direction's own space of alignments (sections 4.1, 5.2).

    With the potential t_fwd(t_j | s_i) t_rev(s_i | t_j) for a link, and each direction's own distortion
    and NULL,

        Z_fwd = sum_a prod_j { p_d(a_j) t_fwd(t_j | s_i) t_rev(s_i | t_j)  for a link a_j = i
                               p_d(NULL) t_fwd(t_j | NULL) null_weight     for NULL }

    and Z_rev likewise. The objective is (log Z_fwd + log Z_rev) / 2, summed over the text: eq. (12) with the
    features that a direction can score in its own space. The E-step gives posteriors F and R. A link's
    features occur in both halves, so both tables learn from (F + R) / 2; NULL and distortion occur in one
    half and learn from it. This is coordinate ascent: the objective never falls.

    null_weight: a link is two factors and NULL is one (the paper's case, weight 1), while in the exact
    product space two words without a link are two NULLs; a weight below one stands for the other NULL.
    """

    name = "product-domain"
    summary = "each E-step multiplies both directions' lexical probabilities (Liang, Klein & Jordan 2008)"
    measures = MEASURES
    objective = "objective"

    null_weight: float = 0.3

    def __post_init__(self) -> None:
        if not 0.0 < self.null_weight < float("inf"):
            raise ConfigError(f"null_weight = {self.null_weight}: expected a number above 0")

    def estep(
        self, model: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = model.potentials(block)
        lengths = block.source_lengths, block.target_lengths
        kernels.cells.multiply(forward.links, reverse.links, *lengths, reverse.links, np.empty(len(block)))
        kernels.cells.transpose(reverse.links, *lengths[::-1], forward.links)
        for cells in (forward, reverse):
            np.multiply(cells.null, np.float32(self.null_weight), out=cells.null)
        return _averaged(
            forward,
            reverse,
            block,
            model.forward_posteriors(forward, distortion.forward),
            model.reverse_posteriors(reverse, distortion.reverse),
        )


@dataclass(frozen=True)
class ProductParameter(Criterion):
    """Each direction's own lexical probabilities squared, in its own space of alignments (section 4.2).

    Eq. (13) puts M b_m, M = 2, in the place of the sum of all b_m: as if the other model's parameters were
    this one's. The paper has it for models of one space of hidden states, and does not try it on alignments.
    Here F and R are the posteriors of

        prod_j t(t_j | s_{a_j})^2 p_d(a_j | ...)^distortion_power,    NULL like any other source word,

    each in its own space as in section 4.1. Both tables learn from (F + R) / 2, the distortions and NULL rows
    from their own direction. Reported as the objective is the mean of the logs of both sums over alignments,
    with power 2 eq. (13) after its E-step. It may fall, whatever the paper says: in (13) a direction's
    parameters meet only its own posteriors, so that its ascent would keep the counts apart, and averaging
    them, which is what makes the directions agree, is a step of another function. All that is certain is that
    the M-step maximises that function, sum (F + R) / 2 log t of either table.

    distortion_power: 2 is eq. (13) to the letter. But jumps from target word to target word are features of
    one model alone: the sum of all b_m has them once, and section 5.2, too, multiplies translation
    probabilities only. Squared, they cost the links off the diagonal. Dev AER, Hansards, 5 Model 1 and 5 HMM
    iterations, best threshold:

        pairs     independent  power 2  power 1  product-domain
        10,000          10.23     8.93     8.94            7.85
        20,000           9.57     8.39     8.28            7.08
        50,000           8.08     7.29     7.17            6.63
        100,000          6.79     7.15     6.18            6.23
    """

    name = "product-parameter"
    summary = "each E-step squares its direction's lexical probabilities (Liang, Klein & Jordan 2008)"
    measures = MEASURES

    distortion_power: float = 1.0

    def __post_init__(self) -> None:
        if not 1.0 <= self.distortion_power <= 2.0:
            raise ConfigError(f"distortion_power = {self.distortion_power}: expected a number from 1 to 2")

    def estep(
        self, model: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        forward, reverse = (cells.to_power(2.0) for cells in model.potentials(block))
        return _averaged(
            forward,
            reverse,
            block,
            model.forward_posteriors(forward, distortion.forward, self.distortion_power),
            model.reverse_posteriors(reverse, distortion.reverse, self.distortion_power),
        )


def _averaged(
    forward: DirectionalCells,
    reverse: DirectionalCells,
    block: Block,
    forward_mass: NDArray[np.float64],
    reverse_mass: NDArray[np.float64],
) -> BlockPosteriors:
    """Link counts (F + R) / 2 for both directions; the objective is the log masses' mean, float64 [pairs]."""
    links = block.average(forward.links, reverse.links)
    measures = np.stack([0.5 * (forward_mass + reverse_mass), forward_mass, reverse_mass])
    return BlockPosteriors(links[:, None], forward.null, reverse.null, measures)
