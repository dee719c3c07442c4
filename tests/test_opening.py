"""The first E-step from uniform tables: the oracle's counts, and those of an E-step cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.celltext import CellText, IndexedText, SearchedText
from aligner.config import Config, load_config
from aligner.evidence import KnownFacts
from aligner.expectation import accumulate
from aligner.lexicon import Lexicon
from aligner.models import IBM1, ModelPair
from aligner.objectives import Independent
from aligner.opening import open_text, opens
from aligner.pairs import PairIndex
from aligner.training import train
from aligner.variants import CellSet
from tests.support import TEXTS, assert_same_parameters, bitext_of
from tests.test_expectation import TEXT, WIDE, assert_counts, assert_same_counts, naive_counts


def uniform_case(text, p0=-1.0):
    """A text without slots, its word pairs, and the uniform Model 1 of it."""
    bitext = bitext_of(text)
    index = PairIndex.of(bitext)
    return bitext, index, CellText.of(bitext), ModelPair(Lexicon.uniform(index), IBM1(p0), IBM1(p0))


@given(text=TEXTS, p0=st.sampled_from([-1.0, 0.2]))
def test_counts_are_the_oracle_s(text, p0):
    bitext, index, bare, model = uniform_case(text, p0)
    cells = IndexedText.of_pairs(bare, index)
    assert_counts(open_text(Independent(), model, bare), naive_counts(bitext, cells, model, Independent()))


def test_counts_are_those_of_an_e_step_bit_for_bit(sample_bitext):
    index, bare = PairIndex.of(sample_bitext), CellText.of(sample_bitext)
    model = ModelPair(Lexicon.uniform(index), IBM1(), IBM1())
    counts = open_text(Independent(), model, bare)
    expected = accumulate(Independent(), model, IndexedText.of_pairs(bare, index))
    for name in ("links", "null_forward", "null_reverse"):
        np.testing.assert_array_equal(getattr(counts, name), getattr(expected, name), err_msg=name)
    np.testing.assert_allclose(counts.measures, expected.measures, rtol=1e-12, atol=10)
    assert counts.pairs == expected.pairs


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_slots_are_set_and_no_bit_depends_on_threads_or_on_where_slots_are(threads):
    bitext, index, bare, model = uniform_case(TEXT + WIDE)
    expected = open_text(Independent(), model, bare)
    indexed = IndexedText.empty(bare)
    assert_same_counts(open_text(Independent(), model, indexed, threads=threads), expected)
    np.testing.assert_array_equal(indexed.slots, IndexedText.of_pairs(bare, index).slots)
    searched = SearchedText(bitext, bare.offsets, index, 10)
    assert_same_counts(open_text(Independent(), model, searched, threads=threads), expected)


def test_progress_is_told_every_pair_once():
    _, _, bare, model = uniform_case(TEXT)
    told = []
    open_text(Independent(), model, bare, progress=told.append)
    assert sum(told) == len(TEXT)


PLAIN = {"model": "ibm1", "criterion": "independent", "iterations": 2}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"update": "vb", "alpha": 0.1, "cognates": 2.0, "prune": 1e-7, "p0": 0.1}, True),
        ({"batch_pairs": 3}, True),
        ({"iterations": 0}, False),
        ({"model": "ibm2"}, False),
        ({"criterion": "agreement"}, False),
        ({"restarts": 2}, False),
        ({"hard": True}, False),
        ({"anneal_from": 0.5}, False),
    ],
)
def test_what_opens_a_recipe(change, expected):
    stage, _ = Config.from_dict({"stage": [PLAIN | change, PLAIN]}).stages
    assert opens(stage, KnownFacts()) == expected
    nothing = np.empty(0, np.int32)
    known = CellSet(np.zeros(1, np.int64), nothing, nothing, nothing.astype(np.bool_))
    assert not opens(stage, KnownFacts(cells=known))


@pytest.mark.parametrize(
    "change", [[], ["stage.1.update='vb'", "stage.1.alpha=0.1"], ["stage.1.batch_pairs=50"]]
)
def test_training_learns_what_it_would_without(change, sample_bitext, monkeypatch):
    """The same model, bit for bit."""
    config = load_config("liang2006-joint", ["stage.2.iterations=1", *change])
    quick = list(train(sample_bitext, config))
    monkeypatch.setattr("aligner.training.opens", lambda *_: False)
    slow = list(train(sample_bitext, config))
    assert opens(config.stages[0], KnownFacts())
    for one, two in zip(quick, slow, strict=True):
        assert one.measures == pytest.approx(two.measures, rel=1e-9)
        assert_same_parameters(one.model.parameters, two.model.parameters)
