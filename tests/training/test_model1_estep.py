"""Model 1's E-step word by word: the oracle's counts, and those of an E-step cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.training.model1_estep import Model1EStep, e_step, goes_by_word
from aligner.lexicon.block_sources import BlockSource, PrunedBlocks
from aligner.recipe.config import Recipe
from aligner.recipe.load import load_recipe
from aligner.training.evidence import KnownFacts
from aligner.training.estep import accumulate
from aligner.kernels.fixed import SCALE
from aligner.lexicon.table import Lexicon
from aligner.models import IBM1, ModelPair
from aligner.criteria import Independent
from aligner.lexicon.occurrences import Occurrences
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.training.loop import train
from aligner.models.variants import CellSet
from tests.support import TEXTS, bitext_of, index_pairs
from tests.test_expectation import TEXT, WIDE, assert_counts, assert_same_counts, case, naive_counts


def count(model, text, threads=1, **options):
    """The counts of a text, word by word."""
    infer = Model1EStep.of(text, Occurrences.of_source(text.bitext, threads))
    return infer(Independent(), model, text, threads=threads, **options)


def uniform(bitext, p0=-1.0):
    """The uniform Model 1 of a text."""
    return ModelPair(Lexicon.uniform(CooccurrenceIndex.of(bitext)), IBM1(p0), IBM1(p0))


@given(text=TEXTS, p0=st.sampled_from([-1.0, 0.2]), seed=st.none() | st.integers(0, 10**6))
def test_counts_are_the_oracle_s(text, p0, seed):
    bitext, _, cells, model = case(text, "ibm1", seed or 0)
    model = uniform(bitext, p0) if seed is None else ModelPair(model.lexicon, IBM1(p0), IBM1(p0))
    assert_counts(count(model, cells.without_slots()), naive_counts(bitext, cells, model, Independent()))


@pytest.mark.parametrize("iterations", [0, 1, 2])
def test_counts_are_those_of_an_e_step_cell_by_cell(iterations, sample_bitext):
    _, cells = index_pairs(sample_bitext)
    model = uniform(sample_bitext)
    for _ in range(iterations):
        model, _ = Independent().update(model, accumulate(Independent(), model, cells), None)
    counts, expected = count(model, cells), accumulate(Independent(), model, cells)
    for name in ("links", "null_forward", "null_reverse"):
        one, other = getattr(counts, name) / SCALE, getattr(expected, name) / SCALE
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-8, err_msg=name)
    np.testing.assert_allclose(counts.measures, expected.measures, rtol=1e-7)
    assert counts.pairs == expected.pairs


def test_a_table_of_uniform_rows_gives_the_counts_of_its_shares(sample_bitext):
    text, model = BlockSource.of(sample_bitext), uniform(sample_bitext)
    lexicon = model.lexicon
    table = Lexicon(lexicon.index, lexicon.table, lexicon.null_forward, lexicon.null_reverse)
    assert lexicon.shares is not None
    assert table.shares is None
    counts, expected = count(model, text), count(ModelPair(table, IBM1(), IBM1()), text)
    np.testing.assert_allclose(counts.links, expected.links, rtol=1e-5)
    np.testing.assert_allclose(counts.measures, expected.measures, rtol=1e-7)


@pytest.mark.parametrize("threads", [2, 3, 8, 100])
def test_no_bit_depends_on_threads(threads, sample_bitext):
    for bitext in (bitext_of(TEXT + WIDE), sample_bitext):
        _, cells = index_pairs(bitext)
        model = uniform(bitext)
        for _ in range(2):
            counts = count(model, cells)
            assert_same_counts(count(model, cells, threads), counts)
            model, _ = Independent().update(model, counts, None)


def test_nothing_is_lost_where_all_add_to_the_same_counts():
    bitext = bitext_of([("a", " ".join(f"x{k}" for k in range(3000)))] * 500, max_length=0)
    model, text = uniform(bitext), BlockSource.of(bitext)
    expected = count(model, text)
    for _ in range(50):
        assert_same_counts(count(model, text, 16), expected)


def test_two_halves_add_up_to_the_whole():
    """Bit for bit, so that shards of a text can be counted anywhere."""
    bitext, _, cells, model = case(TEXT + WIDE, "ibm1")
    odd, even = (BlockSource.of(bitext.select(range(first, len(bitext), 2))) for first in (1, 0))
    assert_same_counts(count(model, odd) + count(model, even), count(model, cells))


@pytest.mark.parametrize("pairs", [1, len(TEXT)])
def test_progress_is_told_every_pair_once(pairs):
    bitext = bitext_of(TEXT[:pairs])
    told = []
    count(uniform(bitext), BlockSource.of(bitext), progress=told.append)
    assert sum(told) == pairs


PLAIN = {"model": "ibm1", "criterion": "independent", "iterations": 2}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"update": "vb", "alpha": 0.1, "cognates": 2.0, "p0": 0.1, "restarts": 2}, True),
        ({"model": "ibm2"}, False),
        ({"criterion": "agreement"}, False),
        ({"hard": True}, False),
        ({"anneal_from": 0.5}, False),
        ({"batch_pairs": 3}, False),
        ({"prune": 1e-7}, False),
    ],
)
def test_what_goes_by_word(change, expected):
    stage, _ = recipe_from_dict({"stage": [PLAIN | change, PLAIN]}).stages
    assert goes_by_word(stage, KnownFacts()) == expected
    nothing = np.empty(0, np.int32)
    known = CellSet(np.zeros(1, np.int64), nothing, nothing, nothing.astype(np.bool_))
    assert not goes_by_word(stage, KnownFacts(cells=known))


def test_a_text_of_which_cells_have_been_dropped_does_not():
    stage = recipe_from_dict({"stage": [PLAIN]}).stages[0]
    _, cells = index_pairs(bitext_of(TEXT))
    assert isinstance(e_step(stage, KnownFacts(), cells), Model1EStep)
    pruned = PrunedBlocks(cells.bitext, cells.offsets, {})
    assert e_step(stage, KnownFacts(), pruned) is accumulate


@pytest.mark.parametrize("change", [[], ["stage.1.update='vb'", "stage.1.alpha=0.1"], ["stage.1.restarts=2"]])
def test_training_learns_what_it_would_cell_by_cell(change, sample_bitext, monkeypatch):
    config = load_recipe("default", ["stage.2.iterations=1", "stage.2.prune=0", *change])
    quick = list(train(sample_bitext, config))
    monkeypatch.setattr("aligner.training.model1_estep.goes_by_word", lambda *_: False)
    slow = list(train(sample_bitext, config))
    for one, two in zip(quick, slow, strict=True):
        assert one.measures == pytest.approx(two.measures, rel=1e-5)
    one, two = (steps[-1].model.parameters.lexicon for steps in (quick, slow))
    np.testing.assert_allclose(one.table, two.table, rtol=1e-3, atol=1e-6)
