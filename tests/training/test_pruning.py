"""Pruning: the cells below the threshold are dropped, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import Agreement, BlockPosteriors, Independent
from aligner.kernels.constants import COUNT_SCALE
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from aligner.training.pruning import Pruner
from tests.support import TEXTS, bitext_of, index_pairs, random_pair, recipe


def block_of(source, span):
    """Return the block of a span."""
    (block,) = source.blocks([span])
    return block


@pytest.mark.parametrize("criterion", [Independent(), Agreement()], ids=lambda c: c.name)
@given(
    text=TEXTS,
    seed=st.integers(0, 1000),
    threshold=st.sampled_from([0.0, 1e-3, 0.05, 0.3, 2.0]),
    threads=st.integers(1, 3),
)
def test_exactly_the_cells_below_the_threshold_are_dropped(criterion, text, seed, threshold, threads):
    bitext = bitext_of(text)
    _, source = index_pairs(bitext)
    model = random_pair("hmm", bitext, seed)
    pruner = Pruner(threshold, source)
    inferred: dict[int, BlockPosteriors] = {}

    def keep(block, posteriors):
        inferred[block.start] = posteriors
        return pruner(block, posteriors)

    counts = BlockEStep(source, threads, block_cells=9)(criterion, model, block_filter=keep)
    spans = {start: (start, stop) for start, stop in source.spans(9)}
    assert set(inferred) == set(spans)
    expected = np.zeros_like(counts.links)
    for start, posteriors in inferred.items():
        kept = np.where(posteriors.links >= threshold, 1.0, 0.0).max(axis=1, keepdims=True)
        fixed = np.floor(posteriors.links * kept * COUNT_SCALE + 0.5).astype(np.int64)
        np.add.at(expected, block_of(source, spans[start]).pair_ids, fixed)
    np.testing.assert_array_equal(counts.links, expected)
    smaller = model.lexicon.select(pruner.kept_pairs)
    pruned, table = replace(source, index=smaller.index, kept_cells=pruner.kept_cells), smaller.table
    used = set()
    for start, posteriors in inferred.items():
        block, whole = block_of(pruned, spans[start]), block_of(source, spans[start])
        forward, reverse = np.empty(block.cells, np.float32), np.empty(block.cells, np.float32)
        block.gather(table, forward, reverse)
        kept = (posteriors.links >= threshold).any(axis=1)
        used |= set(whole.pair_ids[kept].tolist())
        expected = np.where(kept[:, None], model.lexicon.table[whole.pair_ids], table[0])
        np.testing.assert_array_equal(reverse, expected[:, 1])
        np.testing.assert_array_equal(block.source_major(forward), expected[:, 0])
        assert len(block.pair_ids) == kept.sum()
    assert len(smaller.index) == len(used)


def test_cells_are_dropped_after_the_second_iteration_only(sample_bitext):
    two_stages = recipe(("ibm1", "independent", 2), ("hmm", "agreement", 4, 1e-3))
    sizes = [len(step.model.pair.lexicon.index) for step in train(sample_bitext, two_stages)]
    assert sizes[0] == sizes[1] == sizes[2] > sizes[3] == sizes[4] == sizes[5]


def test_tiny_threshold_changes_the_model_little(sample_bitext):
    plain, pruned = (
        list(train(sample_bitext, recipe(("ibm1", "independent", 2), ("hmm", "agreement", 4, prune))))[-1]
        for prune in (0.0, 1e-9)
    )
    for name, value in plain.measures.items():
        assert pruned.measures[name] == pytest.approx(value, rel=1e-4)
    assert len(pruned.model.pair.lexicon.index) < 0.9 * len(plain.model.pair.lexicon.index)
    for direction in ("forward", "reverse"):
        jumps = [getattr(step.model.pair, direction).jumps for step in (pruned, plain)]
        np.testing.assert_allclose(*jumps, atol=1e-3)
