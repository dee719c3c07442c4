"""The oracle: every quantity of the toolkit by enumeration of the (I+1)^J alignments of a tiny sentence pair.

It is pure Python without shortcuts, to be read beside the papers and compared with the kernels. Everything is
*directional*: an emitted side of length J given a conditioning side of length I. An alignment is a tuple
a = (a_1 .. a_J) with a_j in 0..I and 0 = NULL. In formulas j and i count from 1; in lists they count from 0:

    emit[j-1][i-1]   J x I, potential of emitted word j at conditioning word i, any nonnegative number
    null[j-1]        J, its potential at NULL

    joint(a) = prod_j (emit or null potential of j at a_j)  *  distortion(a)

where distortion(a) holds all other factors: the NULL probability p0, the (1 - p0) of each real link, and the
position or jump probabilities. Functions of the joint take two exponents, power_lex for the potentials and
power_dist for the distortion (p0 included); both are 1 by default.

Offsets fall into eleven buckets, <= -5, -4 .. 4, >= 5. An outer bucket's mass is shared equally by the
positions of this sentence that fall into it.
"""

# ruff: noqa: F401 (the names of the oracle)

from tests.naive.attaching import attached_links
from tests.naive.buckets import (
    BUCKETS,
    LEFTS,
    REACH,
    RIGHTS,
    Alignment,
    Matrix,
    Posterior,
    Vector,
    alignments,
    bucket,
    centre,
    default_p0,
    last_weights,
    normaliser,
    position_weights,
    reach_class,
    reachable,
)
from tests.naive.chain import hmm_chain
from tests.naive.competitive import competitive_links
from tests.naive.constraints import Agreement, Projection, kl_divergence, substochastic, symmetric
from tests.naive.directional import (
    Directional,
    hmm,
    hmm_by_position,
    joint,
    link_posteriors,
    marginals,
    model1,
    model2,
    model2_table,
    posterior,
    size,
    tilted,
    total,
    viterbi,
)
from tests.naive.jump_counts import (
    JumpCounts,
    hmm_statistics,
    hmm_statistics_by_position,
    model2_statistics,
    mstep,
    mstep_objective,
    mstep_round,
    no_jumps,
)
from tests.naive.product import product_exact, reverse_alignment
from tests.naive.scores import Links, aer, mre_objective
from tests.naive.spelling import common_subsequence, likeness
