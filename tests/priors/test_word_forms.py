"""The word-form prior against a slow twin, and what it may not change."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import CRITERIA
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.prefix_classes import BACK_OFF, prefix_lengths
from aligner.priors.concentration import GREATEST, LEAST, candidates_to, crossing, slopes_of
from aligner.priors.knowledge import Knowledge
from aligner.priors.word_forms import WordForms
from aligner.recipe.config import Recipe, Stage
from tests.priors.cases import assert_each_em_step_raises_the_posterior, naive_likelihood
from tests.support import assert_same_parameters, bitext_of, facts_of, last_model

FORMS = [
    "walked",
    "walkers",
    "walks",
    "talked",
    "talks",
    "a",
    "b",
    "\u05db\u05ea\u05d1",
    "\u732b",
    "e\u0301te\u0301s",
]
SIDE = st.lists(st.sampled_from(FORMS), min_size=1, max_size=5).map(" ".join)
TEXTS = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=6)


def case(text, columns, seed):
    """Return a text, its index and random expected counts."""
    bitext = bitext_of(text)
    index = CooccurrenceIndex.of(bitext)
    counts = np.random.default_rng(seed).exponential(1.0, (len(index) + 1, columns))
    return bitext, index, (counts * COUNT_SCALE).astype(np.int64)


def words_of(bitext, index):
    """Return the source and the target word of every pair_id from 1."""
    source, target = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    rows = index.rows()[1:].tolist(), index.columns[1:].tolist()
    return [(source[s], target[t]) for s, t in zip(*rows, strict=True)]


def naive_means(counts, lengths, uses):
    """Return the prior means m(f | e) from the definition.

    counts: c(e, f) by word pair; lengths: the lengths of prefixes of e and of f, from coarse to fine; uses:
    the occurrences of each word f.
    """
    means = dict.fromkeys(counts, 0.0)
    for of_e, of_f in lengths:
        joint, total, occurrences = Counter(), Counter(), Counter()
        for (e, f), count in counts.items():
            joint[e[:of_e], f[:of_f]] += count
            total[e[:of_e]] += count
        for f, count in uses.items():
            occurrences[f[:of_f]] += count
        for (e, f), count in counts.items():
            others = joint[e[:of_e], f[:of_f]] - count
            share = uses[f] / occurrences[f[:of_f]]
            means[e, f] = (others * share + BACK_OFF * means[e, f]) / (total[e[:of_e]] - count + BACK_OFF)
    sums = Counter()
    for (e, _), mean in means.items():
        sums[e] += mean
    return {(e, f): mean / sums[e] if mean else 0.0 for (e, f), mean in means.items()}


def both_directions(bitext, index, links):
    """Return the counts and the naive means of both directions, each by (e, f)."""
    vocabularies = bitext.vocabularies
    uses = [dict(zip(v.words, v.counts.tolist(), strict=True)) for v in vocabularies]
    source, target = map(prefix_lengths, vocabularies)
    pairs = words_of(bitext, index)
    forward = dict(zip(pairs, (links[1:, 0] / COUNT_SCALE).tolist(), strict=True))
    swapped = [(f, e) for e, f in pairs]
    reverse = dict(zip(swapped, (links[1:, -1] / COUNT_SCALE).tolist(), strict=True))
    return [
        (forward, naive_means(forward, list(zip(source, target, strict=True)), uses[1])),
        (reverse, naive_means(reverse, list(zip(target, source, strict=True)), uses[0])),
    ]


def learned(counts, means):
    """Return the concentration that is learned from counts and prior means by word pair."""
    totals = Counter()
    for (e, f), count in counts.items():
        totals[e] += count * (means[e, f] > 0)
    pairs = [(count, means[pair]) for pair, count in counts.items() if means[pair] > 0]
    return maximum([(total, 1.0) for total in totals.values()], pairs)


def maximum(rows, pairs):
    """Return the concentration at which the likelihood is greatest.

    rows: (n, s) for each row; pairs: (c, m) for each word pair.
    """
    candidates = candidates_to(GREATEST)
    of_rows, of_pairs = (
        slopes_of(*np.array(entries, float).reshape(-1, 2).T, np.zeros(len(entries)), candidates)
        for entries in (rows, pairs)
    )
    return crossing(of_rows - of_pairs, candidates)


def scores_of(bitext, index, links, threads=1):
    """Return the pseudo-counts of all word pairs."""
    return WordForms(facts_of(bitext), Knowledge(), threads).scores(index, links)


def naive_pseudo_counts(bitext, index, links):
    """Return the pseudo-counts of pair_ids from 1, and the product of both concentrations."""
    (counts, means), (reverse_counts, reverse_means) = both_directions(bitext, index, links)
    strength = learned(counts, means) * learned(reverse_counts, reverse_means)
    products = [means[e, f] * reverse_means[f, e] for e, f in words_of(bitext, index)]
    return np.sqrt(strength * np.array(products)), strength


@given(text=TEXTS, columns=st.sampled_from([1, 2]), seed=st.integers(0, 99))
def test_pseudo_counts_match_the_definition(text, columns, seed):
    """The likelihood of a tiny text may be flat: its concentrations depend on rounding."""
    bitext, index, links = case(text, columns, seed)
    expected, _ = naive_pseudo_counts(bitext, index, links)
    found = scores_of(bitext, index, links)[1:]
    scale = found.sum() / (expected.sum() or 1.0)
    np.testing.assert_allclose(found, scale * expected, rtol=1e-4, atol=1e-6)
    assert (found.sum() > 0) == (expected.sum() > 0)


@pytest.mark.parametrize("columns", [1, 2])
def test_pseudo_counts_have_the_learned_concentrations(columns, sample_bitext):
    index = CooccurrenceIndex.of(sample_bitext)
    counts = np.random.default_rng(1).exponential(1.0, (len(index) + 1, columns)) ** 5 / 10
    links = (counts * COUNT_SCALE).astype(np.int64)
    expected, strength = naive_pseudo_counts(sample_bitext, index, links)
    found = scores_of(sample_bitext, index, links)
    assert 0.01 < strength < 100
    np.testing.assert_allclose(found[1:], expected, rtol=1e-2, atol=1e-6)


@given(text=TEXTS, seed=st.integers(0, 99))
def test_concentration_is_a_maximum_of_the_leave_one_out_likelihood(text, seed):
    bitext, index, links = case(text, 1, seed)
    for counts, means in both_directions(bitext, index, links):
        k = learned(counts, means)
        at_k = naive_likelihood(counts, means, k)
        for other in (max(0.8 * k, LEAST), min(k / 0.8, GREATEST)):
            assert at_k >= naive_likelihood(counts, means, other) - 1e-3


@pytest.mark.parametrize(("agreeing", "bounds"), [(True, (10.0, 40.0)), (False, (0.1, 2.0))])
def test_concentration_is_large_if_the_prior_predicts_the_counts(agreeing, bounds):
    """Each of 50 words has translations with counts of 6 and 2, and prior means of 3 to 1, or of 1 to 99."""
    means = [0.75, 0.25] if agreeing else [0.01, 0.99]
    least, greatest = bounds
    assert least < maximum([(8.0, 1.0)] * 50, list(zip([6.0, 2.0], means, strict=True)) * 50) < greatest


def test_words_without_other_forms_get_no_pseudo_counts():
    bitext, index, links = case([("one two", "uno dos"), ("two six", "dos ves")], 1, 0)
    assert not scores_of(bitext, index, links).any()


def test_other_forms_that_translate_alike_raise_a_pair():
    text = [("walked home", "marchaient maison"), ("walkers", "marcheurs"), ("home", "maison")]
    bitext, index, links = case(text, 1, 0)
    links[:] = 0
    pairs = [("walked", "marchaient"), ("walkers", "marcheurs"), ("home", "marchaient")]
    own, other, wrong = (1 + words_of(bitext, index).index(pair) for pair in pairs)
    links[other] = round(COUNT_SCALE)
    scores = scores_of(bitext, index, links)
    assert scores[own] > 0
    assert scores[wrong] == 0.0
    assert scores[other] == 0.0  # its only evidence is its own count


def test_prefixes_follow_the_length_of_words():
    text = [("deklaration kurz", "\u4eba\u53e3 \u6211")]
    bitext = bitext_of(text)
    assert prefix_lengths(bitext.source.vocabulary) == [3, 4, 5, 6]
    assert prefix_lengths(bitext.target.vocabulary) == [1, 1, 1, 1]


def test_the_prior_is_the_same_for_any_number_of_threads(sample_bitext):
    index = CooccurrenceIndex.of(sample_bitext)
    links = np.random.default_rng(1).integers(0, 1 << 34, (len(index) + 1, 1))
    one, many = (scores_of(sample_bitext, index, links, threads) for threads in (1, 5))
    assert one.any()
    np.testing.assert_array_equal(one, many)


def test_each_em_step_raises_the_likelihood_with_its_prior(sample_bitext):
    prior, stage = WordForms(facts_of(sample_bitext), Knowledge()), Stage("ibm1", 1, word_forms=True)
    assert_each_em_step_raises_the_posterior(
        "ibm1", sample_bitext, lambda model, counts: prior.pseudo_counts(model, counts, stage)
    )


@pytest.mark.parametrize("prune", [0.0, 1e-7])
def test_training_with_the_prior_is_the_same_for_any_number_of_threads(sample_bitext, prune):
    def trained(prior, threads):
        stages = (
            Stage("ibm1", 1),
            Stage("hmm", 3, CRITERIA["agreement"](), prune=prune, word_forms=prior),
        )
        return last_model(sample_bitext, Recipe(stages), threads=threads).pair

    one = trained(True, 1)
    assert_same_parameters(one, trained(True, 3))
    assert not np.array_equal(one.lexicon.table, trained(False, 1).lexicon.table)
