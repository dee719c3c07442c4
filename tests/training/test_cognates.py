"""Words that are spelled alike: which they are, and what they are worth in training."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner.training.cognates import Cognates
from aligner.recipe.config import Recipe
from aligner.recipe.load import load_recipe
from aligner.decoding.batch import decode
from aligner.errors import ConfigError
from aligner.training.estep import accumulate
from aligner.kernels.fixed import SCALE
from aligner.models import DISTORTIONS
from aligner.criteria import Agreement, Independent
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.training.pruning import PRUNED_AFTER
from aligner.training.stepwise import Stepwise
from aligner.training.loop import train
from tests import naive
from tests.support import bitext_of, index_pairs, random_pair, pair_ids_by_words

WORD = st.text("abcdé", min_size=1, max_size=9) | st.text("ab", min_size=60, max_size=70)
SENTENCE = st.lists(WORD, min_size=1, max_size=4).map(" ".join)


def alike(one, other):
    return naive.likeness(one.replace("é", "e"), other.replace("é", "e")) > 0


def found(bitext, index, threads=1):
    """Word pairs, as strings."""
    pair_ids = Cognates(bitext, threads).pair_ids(index)
    return words_of(bitext, index, pair_ids)


def words_of(bitext, index, pair_ids):
    source, target = bitext.source_vocabulary.words, bitext.target_vocabulary.words
    return {(source[s], target[t]) for s, t in zip(index.rows()[pair_ids], index.columns[pair_ids], strict=True)}


@given(text=st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=4))
@example(text=[("a" * 64, "a" * 70), ("a" * 64, "a" * 110 + " " + "a" * 111), ("ab" * 33, "ab" * 33)])
def test_the_ratio_is_the_textbooks(text):
    bitext = bitext_of(text)
    index = CooccurrenceIndex.of(bitext)
    source, target = bitext.source_vocabulary.words, bitext.target_vocabulary.words
    expected = {(source[s], target[t]) for s, t in pair_ids_by_words(index) if alike(source[s], target[t])}
    assert found(bitext, index) == expected
    assert found(bitext, index, threads=3) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("économie", "economy", True),  # 6 of 8
        ("Straße", "STRASSE", True),  # equal without case
        ("1990", "１９９０", True),  # full-width digits
        (",", ",", True),
        (",", ".", False),
        ("on", "no", False),  # 1 of 2
        ("abcdefgxyz", "abcdef", True),  # 6 of 10
        ("abcdefxxxxx", "abcdef", False),  # 6 of 11
        ("αγάπη", "love", False),
        ("\u0301", "\u0301", False),  # nothing but a diacritic: no letters
    ],
)
def test_what_is_alike(one, other, expected):
    bitext = bitext_of([(one, other)], lowercase=False)
    assert bool(found(bitext, CooccurrenceIndex.of(bitext))) is expected


def test_another_index_has_other_slots(sample_bitext):
    cognates = Cognates(sample_bitext)
    index, _ = index_pairs(sample_bitext)
    pair_ids = cognates.pair_ids(index)
    assert cognates.pair_ids(index) is pair_ids
    keep = np.arange(len(index) + 1) % 2 == 0
    smaller, renumber = index.select(keep)
    expected = [k for k in renumber[pair_ids].tolist() if k]
    assert 0 < len(expected) < len(pair_ids)
    assert cognates.pair_ids(smaller).tolist() == expected


@pytest.mark.parametrize("objective", [Independent(), Agreement()], ids=lambda o: o.name)
def test_pseudo_counts_are_added_to_both_directions(objective, sample_bitext):
    index, cells = index_pairs(sample_bitext)
    counts = accumulate(objective, random_pair("hmm", sample_bitext), cells)
    before = counts.links.copy()
    cognates = Cognates(sample_bitext)
    cognates.observe(counts, index, 0.0)
    np.testing.assert_array_equal(counts.links, before)
    cognates.observe(counts, index, 1.5)
    expected = np.zeros_like(before)
    expected[cognates.pair_ids(index)] = round(1.5 * SCALE)
    np.testing.assert_array_equal(counts.links - before, expected)


def test_stepwise_em_remembers_none_of_them(sample_bitext):
    index, cells = index_pairs(sample_bitext)
    counts = accumulate(Agreement(), random_pair("hmm", sample_bitext), cells)
    before = counts.links.copy()
    stepping = Stepwise(10, 0.7)
    Cognates(sample_bitext).observe(stepping.take(counts, len(sample_bitext)), index, 2.0)
    _, remembered = stepping.running
    np.testing.assert_array_equal(remembered.links, before)


def test_a_word_seen_once_finds_the_one_that_looks_like_it():
    text = [("le chat dort", "the cat sleeps"), ("le chien dort", "the dog sleeps")] * 3
    text.append(("zanzibar voit monsieur xavier", "mister xavier zanzibari sees"))
    bitext = bitext_of(text)

    def links(cognates):
        stages = [
            {"model": "ibm1", "iterations": 3, "cognates": cognates},
            {"model": "hmm", "criterion": "agreement", "iterations": 3, "cognates": cognates},
        ]
        *_, last = train(bitext, recipe_from_dict({"stage": stages}))
        return set(decode(last.model, bitext)[len(text) - 1])

    alike = {(0, 2), (2, 0), (3, 1)}
    assert alike <= links(2.0)
    assert not alike <= links(0.0)


def test_pruning_changes_nothing_about_them(sample_bitext):
    """Those that are left still have their pseudo-counts."""
    stage = {"model": "hmm", "criterion": "agreement", "iterations": PRUNED_AFTER + 1, "cognates": 50.0}
    plain, pruned = (
        list(train(sample_bitext, recipe_from_dict({"stage": [stage | {"prune": prune}]})))[-1]
        for prune in (0.0, 1e-9)
    )
    everything, left = (step.model.parameters.lexicon for step in (plain, pruned))
    assert len(left.pairs) < len(everything.pairs)
    alike = found(sample_bitext, left.pairs)
    assert alike
    for lexicon in (everything, left):
        pair_ids = Cognates(sample_bitext).pair_ids(lexicon.index)
        words = words_of(sample_bitext, lexicon.index, pair_ids)
        assert alike <= words
        assert np.median(lexicon.table[pair_ids, 0]) > 0.1


@pytest.mark.parametrize("kind", DISTORTIONS)
def test_posterior_probability_never_falls(kind, sample_bitext):
    """The log-likelihood plus the log prior, each direction: MAP with a Dirichlet prior of these counts."""
    weight = 2.0
    config = recipe_from_dict({"stage": [{"model": kind, "iterations": 8, "cognates": weight}]})
    steps = list(train(sample_bitext, config))
    index = steps[0].model.parameters.lexicon.index
    pair_ids = Cognates(sample_bitext).pair_ids(index)
    assert len(pair_ids)
    for direction, name, tokens in [
        (0, "forward", steps[0].target_tokens),
        (1, "reverse", steps[0].source_tokens),
    ]:
        values = []
        for before, step in pairwise(steps):  # a step measures the model of the one before it
            entries = before.model.parameters.lexicon.table[pair_ids, direction].astype(float)
            values.append(step.measures[f"{name}_log_likelihood"] + weight * np.log(entries).sum())
        for before, after in pairwise(values):
            assert after >= before - 5e-7 * (tokens + weight * len(pair_ids))


def test_default_recipe_has_them_and_the_papers_do_not():
    assert {stage.cognates for stage in load_recipe("default").stages} == {3.0}
    assert {stage.cognates for stage in load_recipe("liang2006-joint").stages} == {0.0}


@pytest.mark.parametrize("weight", [-1.0, 1000.0, float("nan")])
def test_a_weight_out_of_range_is_refused(weight):
    with pytest.raises(ConfigError, match=r"cognates = .*: expected a (pseudo-count|finite)"):
        recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 1, "cognates": weight}]})
