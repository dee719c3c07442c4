"""Agreement-based learning: product EM by its two tractable approximations (Liang, Klein & Jordan 2008).

Product EM maximises log sum_z p_fwd(x, z) p_rev(x, z), the sum over the alignments that both directions can
express; that sum is intractable (section 5.2), and either approximation replaces it by one inference of ordinary
size per direction. Both end in the same M-step: each direction's table is normalised from (F + R) / 2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import ConfigError
from aligner.kernels import product as kernels
from aligner.models import Cells, ModelPair
from aligner.objectives.base import Expectation, Objective, Statistics
from aligner.pairs import Block

MEASURES = ("objective", "forward_objective", "reverse_objective")


@dataclass(frozen=True)
class ProductDomain(Objective):
    """Both directions' lexical probabilities in each direction's own space of alignments (section 4.1, 5.2).

    With the potential of a link t_fwd(t_j | s_i) t_rev(s_i | t_j) and each direction's own distortion and NULL,

        Z_fwd = sum over a of prod_j p_d(a_j) (t_fwd t_rev)(a_j, j), or null_weight p_d(NULL) t_fwd(t_j | NULL)

    and Z_rev likewise, the objective is (log Z_fwd + log Z_rev) / 2 summed over the text: eq. (12), of the
    features that each direction can score in its own space. Its E-step gives posteriors F and R; every link
    feature occurs in both halves, so both tables learn from (F + R) / 2, while NULL and distortion occur in one
    half and learn from that half. This is coordinate ascent: the objective is non-decreasing.

    null_weight: a link is two factors and NULL one, which the paper leaves alone (weight 1); in the exact product
    space an unlinked pair of words costs both NULLs. A weight below one makes up for the missing factor.
    """

    name = "product-domain"
    summary = "both directions' lexical probabilities multiplied in each E-step (Liang, Klein & Jordan 2008, 4.1)"
    measures = MEASURES
    objective = "objective"

    null_weight: float = 0.3

    def __post_init__(self) -> None:
        if not 0.0 < self.null_weight < float("inf"):
            raise ConfigError(f"null_weight = {self.null_weight}: expected a number above 0")

    def expect(self, model: ModelPair, block: Block, statistics: Statistics, state: Any) -> Expectation:
        forward, reverse = model.potentials(block)
        kernels.multiply(forward.links, reverse.links, block.source_lengths, block.target_lengths)
        for cells in (forward, reverse):
            np.multiply(cells.null, np.float32(self.null_weight), out=cells.null)
        return _averaged(
            forward,
            reverse,
            block,
            model.forward_posteriors(forward, statistics.forward),
            model.reverse_posteriors(reverse, statistics.reverse),
        )


@dataclass(frozen=True)
class ProductParameter(Objective):
    """Each direction's own parameters squared, in its own space of alignments (section 4.2).

    F and R are posteriors of p(x, z)^2, lexical, NULL and distortion factors alike; both tables learn from
    (F + R) / 2, distortions and NULL rows from their own direction. Reported is

        (log sum_a p_fwd(x, a)^2 + log sum_b p_rev(x, b)^2) / 2

    which is eq. (13) after its E-step, here in each direction's own space as in 4.1. It is no invariant: a
    direction's parameters meet only their own direction's posteriors in (13), whose ascent would keep the counts
    apart, and averaging them is what makes the directions agree. So (13) may fall, and on small texts does. What
    holds is that each M-step maximises the expected log-likelihood sum_links (F + R) / 2 log t of either table.
    """

    name = "product-parameter"
    summary = "each direction's squared probabilities in its E-step, averaged counts (Liang, Klein & Jordan 2008, 4.2)"
    measures = MEASURES

    def expect(self, model: ModelPair, block: Block, statistics: Statistics, state: Any) -> Expectation:
        forward, reverse = (cells.to_power(2.0) for cells in model.potentials(block))
        return _averaged(
            forward,
            reverse,
            block,
            model.forward_posteriors(forward, statistics.forward, power=2.0),
            model.reverse_posteriors(reverse, statistics.reverse, power=2.0),
        )


def _averaged(
    forward: Cells,
    reverse: Cells,
    block: Block,
    forward_mass: NDArray[np.float64],
    reverse_mass: NDArray[np.float64],
) -> Expectation:
    """Link counts (F + R) / 2 for both directions; their log masses, float64 [pairs], are the objective's parts."""
    links = np.empty_like(reverse.links)
    kernels.average(forward.links, reverse.links, block.source_lengths, block.target_lengths, links)
    measures = np.stack([0.5 * (forward_mass + reverse_mass), forward_mass, reverse_mass])
    return Expectation(links[:, None], forward.null, reverse.null, measures)
