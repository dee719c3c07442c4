"""The word-form prior against a slow twin, and what it may not change."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.models.storage import load, save
from aligner.recipe.config import Stage
from aligner.recipe.load import recipe_from_dict
from aligner.training.loop import train
from aligner.training.word_forms import PREFIXES, WordForms
from tests.support import assert_same_parameters, bitext_of

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
    """Return a text, a lexicon over its index and random expected counts."""
    bitext = bitext_of(text)
    index = CooccurrenceIndex.of(bitext)
    counts = np.random.default_rng(seed).exponential(1.0, (len(index) + 1, columns))
    return bitext, Lexicon.uniform(index), (counts * COUNT_SCALE).astype(np.int64)


def naive_scores(bitext, index, links, weight):
    """Compute the pseudo-counts from the definition, pair by pair."""
    source, target = bitext.source_vocabulary, bitext.target_vocabulary
    pairs = list(zip(index.rows()[1:].tolist(), index.columns[1:].tolist(), strict=True))
    forward, reverse = (links[1:, column] / COUNT_SCALE for column in (0, -1))
    scores = np.zeros(len(pairs) + 1)
    for length in PREFIXES:
        joint, other, by_source, by_target = Counter(), Counter(), Counter(), Counter()
        uses = [Counter(), Counter()]
        for words, use in zip((source, target), uses, strict=True):
            for word, count in zip(words.words, words.counts.tolist(), strict=True):
                use[word[:length]] += count
        for (s, t), c, r in zip(pairs, forward, reverse, strict=True):
            a, b = source.words[s][:length], target.words[t][:length]
            joint[a, b] += c
            other[a, b] += r
            by_source[a] += c
            by_target[b] += r
        for k, ((s, t), c, r) in enumerate(zip(pairs, forward, reverse, strict=True), start=1):
            a, b = source.words[s][:length], target.words[t][:length]
            if joint[a, b] - c < 1e-9:
                continue
            score = (joint[a, b] - c) / (by_source[a] - c) * (other[a, b] - r) / (by_target[b] - r)
            shares = source.counts[s] / uses[0][a] * target.counts[t] / uses[1][b]
            scores[k] += weight / len(PREFIXES) * math.sqrt(score * shares)
    return scores


@given(text=TEXTS, columns=st.sampled_from([1, 2]), seed=st.integers(0, 99))
def test_pseudo_counts_match_the_definition(text, columns, seed):
    bitext, lexicon, links = case(text, columns, seed)
    pseudo = WordForms(bitext).pseudo_counts(lexicon, links, 3.0)
    expected = naive_scores(bitext, lexicon.index, links, 3.0)
    np.testing.assert_allclose(pseudo.everywhere, expected, rtol=1e-5, atol=1e-8)


def test_words_without_other_forms_get_no_pseudo_counts():
    bitext, lexicon, links = case([("one two", "uno dos"), ("two three", "dos tres")], 1, 0)
    assert not WordForms(bitext).pseudo_counts(lexicon, links, 3.0).everywhere.any()


def test_other_forms_that_translate_alike_raise_a_pair():
    text = [("walked home", "marchaient maison"), ("walkers", "marcheurs"), ("home", "maison")]
    bitext, lexicon, links = case(text, 1, 0)
    links[:] = 0
    index = lexicon.index
    words = bitext.source_vocabulary.index, bitext.target_vocabulary.index
    pair_ids = {
        (int(s), int(t)): k
        for k, (s, t) in enumerate(zip(index.rows()[1:], index.columns[1:], strict=True), start=1)
    }
    own, other, wrong = (
        pair_ids[words[0][source], words[1][target]]
        for source, target in (("walked", "marchaient"), ("walkers", "marcheurs"), ("home", "marchaient"))
    )
    links[other] = round(COUNT_SCALE)
    scores = WordForms(bitext).pseudo_counts(lexicon, links, 1.0).everywhere
    assert scores[own] > 0.1
    assert scores[wrong] == 0.0
    assert scores[other] == 0.0  # its only evidence is its own count


def test_no_weight_gives_no_pseudo_counts():
    bitext, lexicon, links = case([("a b", "c d")], 1, 0)
    pseudo = WordForms(bitext).pseudo_counts(lexicon, links, 0.0)
    assert pseudo.everywhere is None
    assert len(pseudo.pair_ids) == 0


def test_the_prior_is_the_same_for_any_number_of_threads(sample_bitext):
    index = CooccurrenceIndex.of(sample_bitext)
    links = np.random.default_rng(1).integers(0, 1 << 34, (len(index) + 1, 1))
    lexicon = Lexicon.uniform(index)
    one, many = (
        WordForms(sample_bitext, threads).pseudo_counts(lexicon, links, 3.0).everywhere for threads in (1, 5)
    )
    assert one.any()
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("prune", [0.0, 1e-7])
def test_training_with_the_prior_is_the_same_for_any_number_of_threads(sample_bitext, tmp_path, prune):
    def trained(weight, threads):
        stages = [
            {"model": "ibm1", "iterations": 1},
            {"model": "hmm", "criterion": "agreement", "iterations": 3, "prune": prune, "word_forms": weight},
        ]
        return list(train(sample_bitext, recipe_from_dict({"stage": stages}), threads=threads))[-1].model

    one, many, plain = trained(3.0, 1), trained(3.0, 3), trained(0.0, 1)
    assert_same_parameters(one.parameters, many.parameters)
    assert not np.array_equal(one.parameters.lexicon.table, plain.parameters.lexicon.table)
    save(one, tmp_path / "model")
    assert np.isfinite(load(tmp_path / "model").parameters.lexicon.table).all()


@pytest.mark.parametrize("weight", [-1.0, 101.0])
def test_a_weight_out_of_range_is_refused(weight):
    with pytest.raises(ConfigError, match="word_forms"):
        Stage("hmm", 5, word_forms=weight)


def test_reconstruction_refuses_the_prior():
    with pytest.raises(ConfigError, match="word_forms does not go with criterion 'mre'"):
        recipe_from_dict(
            {"stage": [{"model": "ibm1", "criterion": "mre", "iterations": 2, "word_forms": 3.0}]}
        )
