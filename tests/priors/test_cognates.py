"""Cognates: which word pairs they are, and their weight in training."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner.criteria import Agreement, Independent
from aligner.decoding.batch import decode
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models import MODELS
from aligner.priors.cognates import Cognates
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import PRUNING_ITERATION, Stage
from aligner.recipe.load import recipe_from_dict
from aligner.training.estep import BlockEStep
from tests import naive
from tests.priors.cases import assert_each_em_step_raises_the_posterior
from tests.support import bitext_of, facts_of, index_pairs, last_model, pair_ids_by_words, random_pair

WORD = st.text("abcdé", min_size=1, max_size=9) | st.text("ab", min_size=60, max_size=70)
SENTENCE = st.lists(WORD, min_size=1, max_size=4).map(" ".join)


def alike(one, other):
    """Return True if two words are cognates by the oracle."""
    return naive.likeness(one.replace("é", "e"), other.replace("é", "e")) > 0


def found(bitext, index, threads=1):
    """Return the cognates of a text as pairs of strings."""
    pair_ids = Cognates(facts_of(bitext), Knowledge(), threads).pair_ids(index)
    return words_of(bitext, index, pair_ids)


def words_of(bitext, index, pair_ids):
    """Return the words of pair_ids as pairs of strings."""
    source, target = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    return {
        (source[s], target[t]) for s, t in zip(index.rows()[pair_ids], index.columns[pair_ids], strict=True)
    }


@given(text=st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=4))
@example(text=[("a" * 64, "a" * 70), ("a" * 64, "a" * 110 + " " + "a" * 111), ("ab" * 33, "ab" * 33)])
def test_cognates_match_the_oracle(text):
    bitext = bitext_of(text)
    index = CooccurrenceIndex.of(bitext)
    source, target = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    expected = {(source[s], target[t]) for s, t in pair_ids_by_words(index) if alike(source[s], target[t])}
    assert found(bitext, index) == expected
    assert found(bitext, index, threads=3) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("économie", "economy", True),  # a common subsequence of 6 letters in 8
        ("Straße", "STRASSE", True),  # equal but for case
        ("1990", "１９９０", True),  # full-width digits
        ("1990", "١٩٩٠", True),  # Arabic digits
        ("Chekhov", "Чехов", True),  # 5 of 7: another script
        ("מרים", "مريم", True),
        (",", ",", True),
        (",", ".", False),
        ("on", "no", False),  # 1 of 2
        ("abcdefgxyz", "abcdef", True),  # 6 of 10
        ("abcdefxxxxx", "abcdef", False),  # 6 of 11
        ("αγάπη", "love", False),
        ("\u0301", "\u0301", False),  # a diacritic alone has no letters
    ],
)
def test_cognates_share_58_percent_of_the_longer_word(one, other, expected):
    bitext = bitext_of([(one, other)], lowercase=False)
    assert bool(found(bitext, CooccurrenceIndex.of(bitext))) is expected


def test_d2_likeness_of_long_words_is_symmetric():
    """A word of 40 letters is 40 / 66 of the other, which has more than 64 letters."""
    for pair in ("a" * 40, "a" * 40 + "b" * 26), ("a" * 40 + "b" * 26, "a" * 40):
        bitext = bitext_of([pair])
        assert not found(bitext, CooccurrenceIndex.of(bitext))


def test_new_index_has_new_pair_ids(sample_bitext):
    cognates = Cognates(facts_of(sample_bitext), Knowledge())
    index, _ = index_pairs(sample_bitext)
    pair_ids = cognates.pair_ids(index)
    assert cognates.pair_ids(index) is pair_ids
    keep = np.arange(len(index) + 1) % 2 == 0
    smaller, kept = index.select(keep)
    expected = np.flatnonzero(np.isin(kept, pair_ids)).tolist()
    assert 0 < len(expected) < len(pair_ids)
    assert cognates.pair_ids(smaller).tolist() == expected


@pytest.mark.parametrize("criterion", [Independent(), Agreement()], ids=lambda c: c.name)
def test_pseudo_counts_are_added_to_both_directions(criterion, sample_bitext):
    index, source = index_pairs(sample_bitext)
    pair = random_pair("hmm", sample_bitext)
    counts = BlockEStep(source)(criterion, pair)
    before = counts.links.copy()
    cognates = Cognates(facts_of(sample_bitext), Knowledge())
    counts += cognates.pseudo_counts(pair, counts, Stage("hmm", 2, cognates=0.0))
    np.testing.assert_array_equal(counts.links, before)
    counts += cognates.pseudo_counts(pair, counts, Stage("hmm", 2, cognates=1.5))
    expected = np.zeros_like(before)
    expected[cognates.pair_ids(index)] = round(1.5 * COUNT_SCALE)
    np.testing.assert_array_equal(counts.links - before, expected)


def test_rare_word_is_linked_to_its_cognate():
    text = [("le chat dort", "the cat sleeps"), ("le chien dort", "the dog sleeps")] * 3
    text.append(("zanzibar voit monsieur xavier", "mister xavier zanzibari sees"))
    bitext = bitext_of(text)

    def links(cognates):
        stages = [
            {"model": "ibm1", "iterations": 3, "cognates": cognates},
            {"model": "hmm", "criterion": "agreement", "iterations": 3, "cognates": cognates},
        ]
        model = last_model(bitext, recipe_from_dict({"stage": stages}))
        return set(decode(model, bitext)[len(text) - 1])

    alike = {(0, 2), (2, 0), (3, 1)}
    assert alike <= links(2.0)
    assert not alike <= links(0.0)


def test_cognates_keep_their_pseudo_counts_after_pruning(sample_bitext):
    stage = {"model": "hmm", "criterion": "agreement", "iterations": PRUNING_ITERATION + 1, "cognates": 50.0}
    plain, pruned = (
        last_model(sample_bitext, recipe_from_dict({"stage": [stage | {"prune": prune}]}))
        for prune in (0.0, 1e-9)
    )
    whole, kept = (model.pair.lexicon for model in (plain, pruned))
    assert len(kept.index) < len(whole.index)
    alike = found(sample_bitext, kept.index)
    assert alike
    for lexicon in (whole, kept):
        pair_ids = Cognates(facts_of(sample_bitext), Knowledge()).pair_ids(lexicon.index)
        words = words_of(sample_bitext, lexicon.index, pair_ids)
        assert alike <= words
        assert np.median(lexicon.table[pair_ids, 0]) > 0.1


@pytest.mark.parametrize("kind", MODELS)
def test_each_em_step_raises_the_likelihood_with_its_prior(kind, sample_bitext):
    """Pseudo-counts are MAP with a Dirichlet prior: log-likelihood plus log prior, in each direction."""
    prior, stage = Cognates(facts_of(sample_bitext), Knowledge()), Stage(kind, 1, cognates=2.0)
    assert_each_em_step_raises_the_posterior(
        kind, sample_bitext, lambda model, counts: prior.pseudo_counts(model, counts, stage)
    )
