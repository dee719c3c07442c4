"""Texts, the expected counts of the oracle, and comparisons of counts, for the tests of E-steps."""

import numpy as np

from aligner.criteria.counts import MEASURE_SCALE
from aligner.kernels.constants import COUNT_SCALE
from tests import naive
from tests.support import bitext_of, index_pairs, link_matrices, oracles, random_pair

TEXT = [
    ("a b c", "x y"),
    ("b", "y z y"),
    ("a a", "x"),
    ("c b a d", "z y x"),
    ("d", "w"),
    ("a b b", "x y y w"),
]
WIDE = [("a b c d a b c d", "x y"), ("d c b a d c b", "w z"), ("a b c d e f g h i", "x y")]
"""Pairs that are wide enough for jumps in the outer buckets."""


def case(text, kind, seed=1):
    """Return a bitext, its index, its blocks, and a random model of it."""
    bitext = bitext_of(text)
    index, source = index_pairs(bitext)
    return bitext, index, source, random_pair(kind, bitext, seed)


def pair_ids_of(source):
    """Return the pair_ids of all cells of a text, source-major."""
    (block,) = source.blocks([(0, len(source.bitext))])
    return block.pair_ids


def arrays_of(counts):
    """Return every array of counts by name."""
    return {
        "links": counts.links,
        "null_forward": counts.null_forward,
        "null_reverse": counts.null_reverse,
        "forward distortion": counts.distortion.forward,
        "reverse distortion": counts.distortion.reverse,
        "measures": counts.measures,
        "pairs": np.array(counts.pairs),
    }


def assert_same_counts(counts, expected):
    """Assert that counts are equal bit for bit."""
    for name, array in arrays_of(counts).items():
        np.testing.assert_array_equal(array, arrays_of(expected)[name], err_msg=name)


def naive_counts(source, model, criterion):
    """Return links, NULL counts and measures from enumerated posteriors, added up by word pair."""
    links = np.zeros((len(model.lexicon.index) + 1, criterion.columns))
    null_forward = np.zeros(len(model.lexicon.null_forward))
    null_reverse = np.zeros(len(model.lexicon.null_reverse))
    measures = np.zeros(len(criterion.measures))
    pair_ids = iter(pair_ids_of(source).tolist())
    for source_words, target_words in zip(source.bitext.source, source.bitext.target, strict=True):
        F, R, null_target, null_source = link_matrices(model, source_words, target_words)
        q = [F * R] if criterion.columns == 1 else [F, R]
        for i in range(len(source_words)):
            for j in range(len(target_words)):
                links[next(pair_ids)] += [column[i, j] for column in q]
        np.add.at(null_forward, target_words, null_target)
        np.add.at(null_reverse, source_words, null_source)
        likelihoods = [np.log(naive.total(oracle)) for oracle in oracles(model, source_words, target_words)]
        both = (F * R).sum()
        measures += [*likelihoods, np.log(both), both, (F + R).sum() / 2][: len(measures)]
    return links, null_forward, null_reverse, measures


def assert_counts(counts, expected):
    """Assert that counts equal the oracle's up to rounding."""
    links, null_forward, null_reverse, measures = expected
    np.testing.assert_allclose(counts.links / COUNT_SCALE, links, rtol=3e-5, atol=1e-6)
    np.testing.assert_allclose(counts.null_forward / COUNT_SCALE, null_forward, rtol=3e-5, atol=1e-6)
    np.testing.assert_allclose(counts.null_reverse / COUNT_SCALE, null_reverse, rtol=3e-5, atol=1e-6)
    np.testing.assert_allclose(counts.measures / MEASURE_SCALE, measures, rtol=1e-5, atol=1e-5)
