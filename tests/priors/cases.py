"""What the tests of several priors share: the likelihoods that they raise and learn from."""

import math
from collections import Counter

import numpy as np

from aligner.criteria import Independent
from aligner.criteria.base import maximise
from aligner.criteria.counts import MEASURE_SCALE
from aligner.kernels.constants import BUCKETS, COUNT_SCALE, JUMP_SCALE
from aligner.training.estep import BlockEStep
from tests.support import index_pairs, random_pair

REACHES = [(left, right) for left in range(7) for right in range(6)]


def counted(size, weight):
    """Return k N / (k + N)."""
    return size if weight == math.inf else weight * size / (weight + size)


def naive_likelihood(counts, means, k, sizes=None):
    """Return the leave-one-out log-likelihood of the counts that have a prior mean, by word pair.

    sizes: the occurrences of each word from which its means are estimated; by default they are no estimates.
    """
    known = {pair: count for pair, count in counts.items() if means.get(pair, 0) > 0 and count > 0}
    totals, shares = Counter(), Counter()
    for (e, _), count in known.items():
        totals[e] += count
    for e, f in counts:
        shares[e] += means.get((e, f), 0)
    value = 0.0
    for (e, f), count in known.items():
        weight = k if sizes is None else counted(sizes[e], k)
        of_pair, of_row = max(count - 1, 0) + weight * means[e, f], max(totals[e] - 1, 0) + weight * shares[e]
        value += count * math.log(of_pair / of_row)
    return value


def assert_each_em_step_raises_the_posterior(kind, bitext, pseudo_counts_of):
    """Assert that no M-step lowers the log-likelihood plus the sum of pseudo-count log p.

    pseudo_counts_of: returns the pseudo-counts for a model and its expected counts.
    """
    _, source = index_pairs(bitext)
    estep, model = BlockEStep(source), random_pair(kind, bitext)
    model = maximise(model, estep(Independent(), model))
    counts = estep(Independent(), model)
    for _ in range(4):
        pseudo = pseudo_counts_of(model, counts)
        assert pseudo.amounts.sum() > 0 or pseudo.everywhere.sum() > 10
        after = maximise(model, counts + pseudo)
        next_counts = estep(Independent(), after)
        for direction in (0, 1):
            values = [
                c.measures[direction] / MEASURE_SCALE + log_prior(m, pseudo, direction)
                for c, m in ((counts, model), (next_counts, after))
            ]
            assert values[1] >= values[0] - 5e-7 * (len(bitext.source.tokens) + len(pseudo.pair_ids))
        counts, model = next_counts, after


def log_prior(model, pseudo, direction):
    """Return the sum of pseudo-count log p over the words, NULL and the jumps of a direction."""
    log_table = np.log(model.lexicon.table[:, direction].astype(float))
    value = pseudo.amounts / COUNT_SCALE @ log_table[pseudo.pair_ids]
    if pseudo.everywhere is not None:
        value += pseudo.everywhere[1:, direction % pseudo.everywhere.shape[1]] @ log_table[1:]
    if not pseudo.others:
        return value
    null = (model.lexicon.null_forward, model.lexicon.null_reverse)[direction][:-1]
    value += pseudo.others[direction][:-1] / COUNT_SCALE @ np.log(null)
    jumps, counts = model.directions[direction].jumps, pseudo.others[2 + direction] / JUMP_SCALE
    for buckets, own in zip(jumps, counts, strict=True):
        value += own[:BUCKETS] @ np.log(buckets)
        masses = [buckets[6 - left : 6 + right].sum() for left, right in REACHES]
        value -= sum(uses * math.log(mass) for uses, mass in zip(own[BUCKETS:], masses, strict=True) if uses)
    return value
