"""The HMM alignment model: posteriors, expected jumps and best alignments, linear in the cells.

The model generates an emitted sentence of length J from a conditioning sentence of length I (Vogel, Ney &
Tillmann 1996; Liang, Taskar & Klein 2006). The state of the chain is the last non-NULL position. NULL emits
without a change of state, and the state is "none" before the first link. The probability of a transition
depends on the jump, through eleven buckets, and on a normaliser of the position left. The sum over the I
predecessors is therefore a 9-tap convolution plus a prefix sum and a suffix sum: O(I) per emitted word.

    S_j[i] = e_j[i] ( none_{j-1} first[i] + sum_k S_{j-1}[k] d(i|k) )  +  p0 null_j S_{j-1}[i],
    none_j = none_{j-1} p0 null_j,        S_0 = 0,  none_0 = 1

e_j[i] is t(emitted_j | conditioning_i), null_j is t(emitted_j | NULL), d(i|k) is the probability of the jump
from k to i, and first[i] is the probability that the first link is at i.

Slow twins: ``hmm`` and ``hmm_by_position`` of ``tests.naive.directional``, by enumeration, and
``tests.naive.chain.hmm_chain``, for longer sentences.
"""

from aligner.kernels.hmm.best_alignment import viterbi
from aligner.kernels.hmm.inference import posteriors
from aligner.kernels.intrinsics import ALONE, SIDE_BY_SIDE
from aligner.kernels.order import members

__all__ = ["ALONE", "SIDE_BY_SIDE", "members", "posteriors", "viterbi"]
