"""Guesses by other forms of words against a slow twin, and what they may not change."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.decoding.batch import decode
from aligner.decoding.guesses import STRENGTH, FormGuesses, OovGuesses
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.prefix_classes import BACK_OFF, LEAST_COUNT, prefix_lengths
from aligner.recipe.load import load_recipe
from aligner.training.loop import fit
from tests.decoding.cases import assert_pairs_are_independent, model_of

KNOWN = ["walked", "walks", "walkers", "talks", "a", "\u05db\u05ea\u05d1", "\u732b", "x\u0301tx\u0301s"]
NEW = ["walking", "talked", "\u732b\u732b", "zoo"]
SIDE = st.lists(st.sampled_from(KNOWN), min_size=1, max_size=5).map(" ".join)
TEXTS = st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=6)
OTHER_SIDE = st.lists(st.sampled_from(KNOWN + NEW), min_size=1, max_size=4).map(" ".join)
OTHER_TEXTS = st.lists(st.tuples(OTHER_SIDE, OTHER_SIDE), min_size=1, max_size=3)


def model_with_forms(text, seed):
    """Return a model with random parameters that was trained with the word-form prior, by its recipe."""
    return replace(model_of("hmm", seed, text), config=load_recipe("fast").to_dict())


def naive_guesses(model):
    """Return a function of two words that returns their guess, from the definition."""
    vocabularies = model.source_vocabulary, model.target_vocabulary
    source, target = (dict(zip(v.words, v.counts.tolist(), strict=True)) for v in vocabularies)
    lexicon = model.pair.lexicon
    rows = lexicon.index.rows()[1:].tolist(), lexicon.index.columns[1:].tolist()
    counts = {}
    for s, t, (forward, reverse) in zip(*rows, lexicon.table[1:].astype(float), strict=True):
        e, f = vocabularies[0].words[s], vocabularies[1].words[t]
        counts[e, f] = math.sqrt(forward * source[e] * reverse * target[f])

    def means(e, f):
        forward = reverse = 0.0
        for x, y in zip(*map(prefix_lengths, vocabularies), strict=True):
            joint, of_e, of_f = Counter(), Counter(), Counter()
            for (e_, f_), count in counts.items():
                if count >= LEAST_COUNT:
                    joint[e_[:x], f_[:y]] += count
                    of_e[e_[:x]] += count
                    of_f[f_[:y]] += count
            both = joint[e[:x], f[:y]]
            share_e = source.get(e, 1) / (sum(n for w, n in source.items() if w[:x] == e[:x]) or 1)
            share_f = target.get(f, 1) / (sum(n for w, n in target.items() if w[:y] == f[:y]) or 1)
            forward = (both * share_f + BACK_OFF * forward) / (of_e[e[:x]] + BACK_OFF)
            reverse = (both * share_e + BACK_OFF * reverse) / (of_f[f[:y]] + BACK_OFF)
        return forward, reverse

    return lambda e, f: STRENGTH * math.sqrt(math.prod(means(e, f)))


def potentials(model, text, guesses):
    """Return the potentials of a text, forward and reverse, float32 [cells] each, with or without guesses."""
    bitext = model.encode(text)
    (block,) = BlockSource.of(bitext).searched(model.pair.lexicon.index, 1000).blocks([(0, len(text))])
    pair = OovGuesses.for_text(model.pair, bitext)
    forward, reverse = (FormGuesses.for_text(pair, model, bitext) if guesses else pair).potentials(block)
    return block.source_major(forward.links), reverse.links


@given(training=TEXTS, text=OTHER_TEXTS, seed=st.integers(0, 99))
def test_potentials_are_raised_to_the_definition(training, text, seed):
    model = model_with_forms(training, seed)
    guess = naive_guesses(model)
    known = [set(v.words) for v in (model.source_vocabulary, model.target_vocabulary)]
    expected = []
    for source, target in text:
        new = bool(set(source.split()) - known[0] or set(target.split()) - known[1])
        expected += [new * guess(e, f) for e, f in product(source.split(), target.split())]
    for found, plain in zip(potentials(model, text, True), potentials(model, text, False), strict=True):
        np.testing.assert_allclose(found, np.maximum(plain, expected), rtol=1e-5, atol=0)


@pytest.fixture(scope="module")
def model():
    """Return a model that has seen most forms of a few words, some in crossed order."""
    stems = {"bok": "libr", "hus": "mans", "dag": "jour"}
    pairs = [(f"{s}en {t}er", f"{stems[s]}o {stems[t]}es") for s, t in product(stems, repeat=2) if s != t]
    crossed = [(source, " ".join(reversed(target.split()))) for source, target in pairs]
    return fit(pairs * 2 + crossed, "fast")


def test_new_forms_find_the_translations_of_their_stems(model):
    text = [("boket husene", "mansos libra"), ("husene boket", "mansos libra")]
    assert list(decode(model, model.encode(text))) == [[(0, 1), (1, 0)], [(0, 0), (1, 1)]]


def test_links_depend_on_the_line_only(model, tmp_path):
    text = [("boket husene", "mansos libra"), ("boken dager", "libro joures"), ("dagen x", "y jouro")] * 9
    assert_pairs_are_independent(model, text, tmp_path / "model")


def test_models_without_the_prior_do_not_guess(model):
    bitext = model.encode([("boket husene", "mansos libra")])
    plain = replace(model, config=load_recipe("fast", ["stage.2.word_forms=false"]).to_dict())
    assert FormGuesses.for_text(model.pair, plain, bitext) is model.pair
    assert FormGuesses.for_text(model.pair, model, bitext) is not model.pair


def test_words_without_spelling_are_not_guessed(model):
    bitext = model.encode([("boket husene", "mansos libra")])
    source, target = (replace(side, oov=None) for side in bitext.sides)
    without_spelling = replace(bitext, source=source, target=target)
    assert np.isfinite(decode(model, without_spelling).probabilities).all()
