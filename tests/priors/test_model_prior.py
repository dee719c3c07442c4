"""The prior of an existing model against a slow twin, and what training with it keeps."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import Independent
from aligner.kernels.constants import BUCKETS, COUNT_SCALE, JUMP_SCALE
from aligner.lexicon.table import FLOOR
from aligner.models.jumps import JUMP_COUNTS
from aligner.models.trained import TrainedModel
from aligner.priors.concentration import LEAST
from aligner.priors.existing_models import Prior
from aligner.priors.knowledge import Knowledge
from aligner.priors.model_prior import GREATEST_WEIGHT, ModelPrior
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from tests.priors.cases import REACHES, assert_each_em_step_raises_the_posterior, counted, naive_likelihood
from tests.support import TEXTS, bitext_of, facts_of, index_pairs, random_pair, recipe

WEIGHTS = [0.0, 2.5, math.inf]


def model_of(text, kind="hmm", seed=5):
    """Return a random model of a text."""
    bitext = bitext_of(text)
    vocabularies = bitext.vocabularies
    return TrainedModel(*vocabularies, random_pair(kind, bitext, seed), {"data": {"lowercase": True}})


def case(text, kind="hmm", seed=1):
    """Return a text, a random model of it, and random expected counts."""
    bitext, rng = bitext_of(text), np.random.default_rng(seed)
    pair = random_pair(kind, bitext, seed)
    counts = BlockEStep(index_pairs(bitext)[1])(Independent(), pair)
    links = (rng.exponential(2.0, counts.links.shape) * COUNT_SCALE).astype(np.int64)
    return bitext, pair, replace(counts, links=links)


def pseudo_counts_of(prior, bitext, pair, counts):
    """Return the pseudo-counts of an existing model."""
    stage = load_recipe().stages[0]
    return ModelPrior(prior, facts_of(bitext)).pseudo_counts(pair, counts, stage)


def table_of(vocabularies, lexicon, direction):
    """Return the probabilities above the least one, by (conditioning word, emitted word)."""
    source, target = (vocabulary.words for vocabulary in vocabularies)
    rows = zip(lexicon.index.rows()[1:], lexicon.index.columns[1:], lexicon.table[1:], strict=True)
    words = ((source[s], target[t], float(values[direction])) for s, t, values in rows)
    return {(e, f) if direction == 0 else (f, e): value for e, f, value in words if value > FLOOR}


def counts_of(bitext, index, links, direction):
    """Return link counts by (conditioning word, emitted word)."""
    source, target = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    rows = zip(index.rows()[1:], index.columns[1:], links[1:, direction % links.shape[1]], strict=True)
    words = ((source[s], target[t], count / COUNT_SCALE) for s, t, count in rows)
    return {(e, f) if direction == 0 else (f, e): count for e, f, count in words}


def frequencies(vocabulary):
    """Return the frequency of each word."""
    return dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True))


@pytest.mark.plain_python
@given(known=TEXTS, text=TEXTS, weight=st.sampled_from(WEIGHTS), seed=st.integers(0, 99))
def test_pseudo_counts_of_words_match_the_definition(known, text, weight, seed):
    model = model_of([*known, ("a", "a")], seed=seed + 1)
    bitext, pair, counts = case([*text, ("a", "a")], seed=seed)
    found = pseudo_counts_of(Prior(model, weight), bitext, pair, counts)
    index = pair.lexicon.index
    others = model.source_vocabulary, model.target_vocabulary
    for direction in (0, 1):
        table = table_of(others, model.pair.lexicon, direction)
        sizes = frequencies(others[direction])
        keys = counts_of(bitext, index, counts.links, direction)
        expected = [counted(sizes[e], weight) * table[e, f] if (e, f) in table else 0.0 for e, f in keys]
        np.testing.assert_allclose(found.everywhere[1:, direction], expected, rtol=1e-5)


@given(known=TEXTS, text=TEXTS, seed=st.integers(0, 99))
def test_d1_a_word_of_a_model_to_go_on_from_counts_for_its_expected_links(known, text, seed):
    model, rng = model_of([*known, ("a", "a")], seed=seed + 1), np.random.default_rng(seed)
    others = model.source_vocabulary, model.target_vocabulary
    links = tuple(rng.exponential(2.0, len(vocabulary)).astype(np.float32) for vocabulary in others)
    bitext, pair, counts = case([*text, ("a", "a")], seed=seed)
    prior = ModelPrior.of_init(facts_of(bitext), Knowledge(init=replace(model, links=links)))
    found = prior.pseudo_counts(pair, counts, load_recipe().stages[0])
    for direction in (0, 1):
        table = table_of(others, model.pair.lexicon, direction)
        sizes = dict(zip(others[direction].words, links[direction].tolist(), strict=True))
        keys = counts_of(bitext, pair.lexicon.index, counts.links, direction)
        expected = [sizes[e] * table[e, f] if (e, f) in table else 0.0 for e, f in keys]
        np.testing.assert_allclose(found.everywhere[1:, direction], expected, rtol=1e-5)


def test_d1_links_of_words_are_those_of_the_last_mstep(sample_bitext):
    """With counts that both directions share, a word pair has the same count by its source and its target."""
    stage = {"model": "hmm", "criterion": "agreement", "iterations": 2, "cognates": 3.0, "word_forms": True}
    *_, last = train(sample_bitext, recipe_from_dict({"stage": [stage]}))
    lexicon, (source, target) = last.model.pair.lexicon, last.model.links
    counts = source[lexicon.index.rows()[1:]] * lexicon.table[1:, 0]
    np.testing.assert_allclose(
        counts, target[lexicon.index.columns[1:]] * lexicon.table[1:, 1], rtol=1e-4, atol=1e-6
    )
    assert source.sum() > 1.01 * last.model.history[-1]["agreed_links"]


def test_d1_a_model_knows_the_expected_links_of_its_text_and_of_the_model_before(tiny_model, sample_bitext):
    agreed = tiny_model.history[-1]["agreed_links"]
    assert [own.sum() for own in tiny_model.links] == pytest.approx([agreed, agreed])
    occurrences = tiny_model.source_vocabulary.counts, tiny_model.target_vocabulary.counts
    assert all((own <= most + 1e-3).all() for own, most in zip(tiny_model.links, occurrences, strict=True))
    two_stages = recipe(("ibm1", "independent", 1), ("hmm", "agreement", 1))
    *_, last = train(sample_bitext, two_stages, init=tiny_model)
    both = agreed + last.model.history[-1]["agreed_links"]
    assert [own.sum() for own in last.model.links] == pytest.approx([both, both])


@pytest.mark.parametrize("weight", WEIGHTS)
def test_pseudo_counts_of_null_match_the_definition(weight):
    model = model_of([("a b c", "x y"), ("b", "y z")])
    bitext, pair, counts = case([("a b", "y x x"), ("d", "w")])
    found = pseudo_counts_of(Prior(model, weight), bitext, pair, counts).others[:2]
    sides = [
        (counts.null_forward, len(bitext.target.tokens), model.target_vocabulary, bitext.target.vocabulary),
        (counts.null_reverse, len(bitext.source.tokens), model.source_vocabulary, bitext.source.vocabulary),
    ]
    rows = model.pair.lexicon.null_forward, model.pair.lexicon.null_reverse
    for pseudo, (null, tokens, known, own), row in zip(found, sides, rows, strict=True):
        size = known.counts.sum() * null.sum() / COUNT_SCALE / tokens
        means = [row[known.index[word]] if word in known.index else 0.0 for word in own.words]
        expected = [counted(size, weight) * mean for mean in means]
        np.testing.assert_allclose(pseudo[:-1] / COUNT_SCALE, expected, rtol=1e-5)
        assert pseudo[-1] == 0


@pytest.mark.plain_python
@pytest.mark.parametrize("kind", ["hmm", "ibm2"])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_pseudo_counts_of_jumps_match_the_definition(kind, weight):
    """The jumps of the model from the same origins: a bucket's share of the mass within each reach."""
    model = model_of([("a b c", "x y"), ("b", "y z")], kind)
    bitext, pair, counts = case([("a b d e f g", "y x x x y w"), ("d", "w")], kind)
    found = pseudo_counts_of(Prior(model, weight), bitext, pair, counts).others[2:]
    tokens = model.target_vocabulary.counts.sum(), model.source_vocabulary.counts.sum()
    known = model.pair.forward.jumps, model.pair.reverse.jumps
    for pseudo, own, size, jumps in zip(found, counts.distortion, tokens, known, strict=True):
        own = own.reshape(-1, JUMP_COUNTS) / JUMP_SCALE
        expected = np.concatenate([np.zeros((len(own), BUCKETS)), own[:, BUCKETS:]], axis=1)
        for n, buckets in enumerate(jumps.reshape(-1, BUCKETS)):
            for (left, right), uses in zip(REACHES, own[n, BUCKETS:], strict=True):
                reached = range(6 - left, 6 + right)
                mass = sum(buckets[d] for d in reached)
                for d in reached if uses else ():
                    expected[n, d] += uses * buckets[d] / mass
        expected *= counted(float(size), weight) / own[:, :BUCKETS].sum()
        np.testing.assert_allclose(pseudo.reshape(-1, JUMP_COUNTS) / JUMP_SCALE, expected, atol=1e-5)
        assert pseudo.any() == (weight > 0)


def test_other_kinds_of_distortion_get_no_jumps():
    model = model_of([("a b c", "x y")], "ibm2")
    for kind in ("hmm", "ibm1", "ibm2-full"):
        bitext, pair, counts = case([("a b", "y x")], kind)
        others = pseudo_counts_of(Prior(model), bitext, pair, counts).others
        assert not any(jumps.any() for jumps in others[2:])
        assert [jumps.shape for jumps in others[2:]] == [jumps.shape for jumps in counts.distortion]


@given(known=TEXTS, text=TEXTS, seed=st.integers(0, 99))
def test_learned_weights_are_maxima_of_the_leave_one_out_likelihood(known, text, seed):
    model = model_of([*known, ("a", "a")], seed=seed + 1)
    bitext, pair, counts = case([*text, ("a", "a")], seed=seed)
    weights = pseudo_counts_of(Prior(model), bitext, pair, counts).notes["prior_weights"]
    others = model.source_vocabulary, model.target_vocabulary
    for direction, name in enumerate(("forward", "reverse")):
        own = counts_of(bitext, pair.lexicon.index, counts.links, direction)
        table, sizes = table_of(others, model.pair.lexicon, direction), frequencies(others[direction])
        means = {pair: table.get(pair, 0.0) for pair in own}
        k = weights[name]
        at_k = naive_likelihood(own, means, k, sizes)
        for other in (max(0.8 * k, LEAST), min(k / 0.8, GREATEST_WEIGHT)):
            assert at_k >= naive_likelihood(own, means, other, sizes) - 1e-3


def test_each_em_step_raises_the_likelihood_with_its_prior(sample_bitext, tiny_model):
    prior = Prior(tiny_model)
    assert_each_em_step_raises_the_posterior(
        "hmm", sample_bitext, lambda model, counts: pseudo_counts_of(prior, sample_bitext, model, counts)
    )
