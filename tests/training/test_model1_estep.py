"""The E-step of Model 1 by source word: the oracle's counts, and the counts of the E-step by block."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import Independent
from aligner.criteria.counts import PseudoCounts
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import IBM1, ModelPair
from aligner.training.estep import BlockEStep
from aligner.training.model1_estep import Model1EStep
from tests.support import TEXTS, bitext_of, index_pairs
from tests.training.cases import TEXT, WIDE, assert_counts, assert_same_counts, case, naive_counts


def estep(model, source, threads=1, **options):
    """Return the E-step of a text."""
    occurrences = Occurrences.of_source(source.bitext, threads)
    return Model1EStep(source.bitext, occurrences, model, threads, **options)


def count(model, source, threads=1, **options):
    """Return the counts of a text."""
    return estep(model, source, threads, **options).counts()


def uniform(bitext, p0=-1.0):
    """Return the uniform Model 1 of a text."""
    return ModelPair(Lexicon.uniform(CooccurrenceIndex.of(bitext)), IBM1(p0), IBM1(p0))


def trained(bitext, source, iterations):
    """Return Model 1 after some iterations of EM by block."""
    model = uniform(bitext)
    for _ in range(iterations):
        model, _ = Independent().mstep(model, BlockEStep(source)(Independent(), model), None)
    return model


@given(text=TEXTS, p0=st.sampled_from([-1.0, 0.2]), seed=st.none() | st.integers(0, 10**6))
def test_counts_match_the_oracle(text, p0, seed):
    """The model is uniform without a seed, else random."""
    bitext, _, source, model = case(text, "ibm1", seed or 0)
    model = uniform(bitext, p0) if seed is None else ModelPair(model.lexicon, IBM1(p0), IBM1(p0))
    assert_counts(count(model, BlockSource.of(bitext)), naive_counts(source, model, Independent()))


@pytest.mark.parametrize("iterations", [0, 1, 2])
def test_counts_match_the_estep_by_block(iterations, sample_bitext):
    _, source = index_pairs(sample_bitext)
    model = trained(sample_bitext, source, iterations)
    counts, expected = count(model, source), BlockEStep(source)(Independent(), model)
    for name in ("links", "null_forward", "null_reverse"):
        own, other = getattr(counts, name) / COUNT_SCALE, getattr(expected, name) / COUNT_SCALE
        np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-8, err_msg=name)
    np.testing.assert_allclose(counts.measures, expected.measures, rtol=1e-7)
    assert counts.pairs == expected.pairs


def test_uniform_shares_give_the_counts_of_a_uniform_table(sample_bitext):
    source, model = BlockSource.of(sample_bitext), uniform(sample_bitext)
    lexicon = model.lexicon
    table = Lexicon(lexicon.index, lexicon.table, lexicon.null_forward, lexicon.null_reverse)
    assert lexicon.uniform_shares is not None
    assert table.uniform_shares is None
    counts, expected = count(model, source), count(ModelPair(table, IBM1(), IBM1()), source)
    np.testing.assert_allclose(counts.links, expected.links, rtol=1e-5)
    np.testing.assert_allclose(counts.measures, expected.measures, rtol=1e-7)


@pytest.mark.parametrize("threads", [2, 3, 8, 100])
def test_counts_do_not_depend_on_threads(threads, sample_bitext):
    for bitext in (bitext_of(TEXT + WIDE), sample_bitext):
        _, source = index_pairs(bitext)
        model = uniform(bitext)
        for _ in range(2):
            counts = count(model, source)
            assert_same_counts(count(model, source, threads), counts)
            model, _ = Independent().mstep(model, counts, None)


@pytest.mark.parametrize("pairs", [1, len(TEXT)])
def test_progress_receives_every_pair_once(pairs):
    bitext = bitext_of(TEXT[:pairs])
    reports = []
    count(uniform(bitext), BlockSource.of(bitext), progress=reports.append)
    assert sum(reports) == pairs


def learn(model, source, added=None, threads=1):
    """Return the model and the counts of one iteration that goes word by word."""
    lexicon = replace(model.lexicon, table=model.lexicon.table.copy())
    return estep(replace(model, lexicon=lexicon), source, threads).maximise(added or PseudoCounts())


@given(text=TEXTS, seed=st.none() | st.integers(0, 10**6), data=st.data())
def test_learning_word_by_word_gives_the_model_of_the_counts(text, seed, data):
    bitext, index, _, model = case(text, "ibm1", seed or 0)
    pair_ids = st.lists(st.integers(1, len(index)), max_size=4)
    added, unexpected = np.array(data.draw(pair_ids), np.int64), np.array(data.draw(pair_ids), np.int64)
    pseudo_counts = PseudoCounts(added, np.arange(1, len(added) + 1) << 31)
    lexicon = replace(model.lexicon, null_forward=np.ones_like(model.lexicon.null_forward))
    lexicon.table[unexpected] = FLOOR
    model = uniform(bitext) if seed is None else ModelPair(lexicon, IBM1(), IBM1())
    source = BlockSource.of(bitext)
    learned, counts = learn(model, source, pseudo_counts)
    whole = count(model, source)
    expected, _ = Independent().mstep(model, whole + pseudo_counts, None)
    own, other = learned.lexicon, expected.lexicon
    np.testing.assert_array_equal(own.table, other.table)
    np.testing.assert_array_equal(own.null_forward, other.null_forward)
    np.testing.assert_array_equal(own.null_reverse, other.null_reverse)
    assert_same_counts(replace(counts, links=whole.links), whole)


@pytest.mark.parametrize("threads", [2, 3, 100])
def test_learning_word_by_word_does_not_depend_on_threads(threads, sample_bitext):
    for bitext in (bitext_of(TEXT + WIDE), sample_bitext):
        model, source = uniform(bitext), BlockSource.of(bitext)
        for _ in range(2):
            (expected, counts), (found, others) = learn(model, source), learn(model, source, threads=threads)
            np.testing.assert_array_equal(found.lexicon.table, expected.lexicon.table)
            assert_same_counts(others, counts)
            model = expected
