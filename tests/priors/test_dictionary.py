"""Dictionaries: their files, their counts, and what they teach."""

import numpy as np
import pytest

from aligner.criteria import CRITERIA, Agreement, Independent
from aligner.kernels.constants import COUNT_SCALE
from aligner.priors.dictionary import Dictionary, read_dictionary
from aligner.priors.dictionary_prior import DictionaryPrior
from aligner.priors.evidence import Evidence
from aligner.priors.knowledge import Knowledge
from aligner.recipe.load import recipe_from_dict
from aligner.training.estep import BlockEStep
from tests.refusals import refused
from tests.support import (
    assert_same_parameters,
    bitext_of,
    facts_of,
    index_pairs,
    last_model,
    pair_ids_by_words,
    random_pair,
    recipe,
    text_of,
)


@pytest.mark.parametrize("criterion", [Independent(), Agreement()], ids=lambda c: c.name)
def test_observed_counts_are_added_to_both_directions(criterion):
    text = [("a b", "x y"), ("b", "y z"), ("c", "w")]
    bitext = bitext_of(text)
    index, source = index_pairs(bitext)
    entries = [("B", "y", 2.0), ("a b", "x y", 1.0), ("c", "x", 5.0), ("q", "x", 5.0), ("b", "y", 0.5)]
    evidence = Evidence(Dictionary(tuple(entries)), weight=3.0)
    prior = DictionaryPrior.of(facts_of(bitext), Knowledge(evidence))
    counts = BlockEStep(source)(criterion, random_pair("hmm", bitext))
    pair = random_pair("hmm", bitext)
    stage = recipe(("hmm", "independent", 1)).stages[0]
    added = ((counts + prior.pseudo_counts(pair, counts, stage)).links - counts.links) / COUNT_SCALE
    expected = np.zeros(len(index) + 1)
    words = bitext.source.vocabulary.index["b"], bitext.target.vocabulary.index["y"]
    expected[pair_ids_by_words(index)[words]] = 6 + 1.5
    for column in added.T:
        np.testing.assert_allclose(column, expected, atol=1e-9)


@pytest.mark.parametrize("criterion", [name for name in CRITERIA if name != "mre"])
@pytest.mark.parametrize(
    "options",
    [{}, {"prune": 1e-6}, {"update": "vb", "alpha": 0.1}, {"batch_pairs": 7}, {"restarts": 2}],
    ids=lambda o: next(iter(o), "plain"),
)
@pytest.mark.usefixtures("small_blocks")
def test_dictionary_raises_the_probabilities_of_its_entries(criterion, options, sample, sample_bitext):
    source, target = (side.lower() for side in text_of(sample.train)[5])
    entries = (source.split()[0], target.split()[-1], 1.0), (source.split()[-1], target.split()[0], 1.0)
    one_stage = recipe_from_dict(
        {"stage": [{"model": "hmm", "criterion": criterion, "iterations": 2, **options}]}
    )
    evidence = Evidence(Dictionary(entries), weight=20.0)
    plain = last_model(sample_bitext, one_stage).pair
    taught, by_threads = (
        last_model(sample_bitext, one_stage, evidence=evidence, threads=threads) for threads in (1, 3)
    )
    assert_same_parameters(by_threads.pair, taught.pair)
    assert taught.corpus["dictionary_found"] == 2
    for s, t, _ in entries:
        pair = sample_bitext.source.vocabulary.index[s], sample_bitext.target.vocabulary.index[t]
        before = pair_ids_by_words(plain.lexicon.index).get(pair, 0)
        pair = taught.source_vocabulary.index[s], taught.target_vocabulary.index[t]
        after = pair_ids_by_words(taught.pair.lexicon.index)[pair]
        assert (taught.pair.lexicon.table[after] > plain.lexicon.table[before]).all()


def test_dictionary_is_read_line_by_line(tmp_path):
    path = tmp_path / "words"
    path.write_text("maison\thouse\n\npomme de terre\tpotato\t0.5\n")
    assert read_dictionary(path).entries == (("maison", "house", 1.0), ("pomme de terre", "potato", 0.5))
    for line in ["maison house", "maison\t", "\thouse", "a\tb\tc", "a\tb\t-1", "a\tb\tnan", "a\tb\t1\t2"]:
        path.write_text(f"a\tb\n{line}\n")
        refused("words:2: found .. expected: source TAB target", read_dictionary, path)


def test_dictionaries_without_meaning_are_refused(sample_bitext):
    refused("dictionary weight -1", Evidence, weight=-1.0)
    refused("dictionary weight 2.0 without a dictionary", Evidence, weight=2.0)
    refused("'a', 'b': weight -1", Dictionary, (("a", "b", -1.0),))
    evidence, stages = (
        Evidence(Dictionary((("a", "b", 1.0),))),
        recipe(("ibm1", "independent", 1), ("ibm1", "mre", 1)),
    )
    refused("dictionary .. criterion 'mre'", last_model, sample_bitext, stages, evidence=evidence)


@pytest.mark.parametrize("heavy", [("a", "x y"), ("a b", "x")], ids=["source", "target"])
def test_entries_of_a_word_fit_into_64_bit_counts(heavy):
    """An entry can weigh 1e6. The sum over a word is limited to 2**30, since 64 bits hold 2**31 counts."""
    bitext = bitext_of([("a b", "x y")])
    entries = tuple((s, t, 1000.0) for s in heavy[0].split() for t in heavy[1].split()) * 600
    word = next(side for side in heavy if " " not in side)
    heavy = Knowledge(Evidence(Dictionary(entries), weight=1000.0))
    refused(f"entries of '{word}' weigh 1,200,000,000 together", DictionaryPrior.of, facts_of(bitext), heavy)
    half = Evidence(Dictionary(entries), weight=500.0)
    model = last_model(bitext, recipe(("ibm1", "agreement", 2)), evidence=half)
    np.testing.assert_allclose(model.pair.lexicon.table[1:].max(), 1.0, rtol=1e-3)
