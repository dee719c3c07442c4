"""Dropped cells: which, and that nothing else changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.lexicon.block_sources import PrunedBlocks
from aligner.training.estep import accumulate
from aligner.kernels.fixed import SCALE
from aligner.criteria import Agreement, BlockPosteriors, Independent
from aligner.training.pruning import Pruner
from aligner.training.loop import train
from tests.support import TEXTS, bitext_of, index_pairs, random_pair, recipe


@pytest.mark.parametrize("objective", [Independent(), Agreement()], ids=lambda o: o.name)
@given(
    text=TEXTS,
    seed=st.integers(0, 1000),
    threshold=st.sampled_from([0.0, 1e-3, 0.05, 0.3, 2.0]),
    threads=st.integers(1, 3),
)
def test_the_cells_below_the_threshold_go_and_no_other(objective, text, seed, threshold, threads):
    bitext = bitext_of(text)
    _, cells = index_pairs(bitext)
    pair = random_pair("hmm", bitext, seed)
    pruner = Pruner(threshold)
    seen: dict[int, BlockPosteriors] = {}

    def drop(block, expectation):
        seen[block.start] = expectation
        return pruner.drop(block, expectation)

    counts = accumulate(objective, pair, cells, prune=drop, block_cells=9, threads=threads)
    expected = np.zeros_like(counts.links)
    for start, expectation in seen.items():
        (stop,) = [stop for first, stop in cells.spans(9, threads) if first == start]
        kept = np.where(expectation.links >= threshold, 1.0, 0.0).max(axis=1, keepdims=True)
        fixed = np.floor(expectation.links * kept * SCALE + 0.5).astype(np.int64)
        np.add.at(expected, cells.block(start, stop).pair_ids, fixed)
    np.testing.assert_array_equal(counts.links, expected)
    pruned, smaller = pruner.prune(cells, pair)
    assert isinstance(pruned, PrunedBlocks)
    table = smaller.lexicon.table
    used = set()
    for start, expectation in seen.items():
        (span,) = [span for span in pruned.spans() if span[0] == start]
        block, whole = pruned.block(*span), cells.block(*span)
        forward, reverse = np.empty(block.cells, np.float32), np.empty(block.cells, np.float32)
        block.gather(table, forward, reverse)
        stays = (expectation.links >= threshold).any(axis=1)
        used |= set(whole.pair_ids[stays].tolist())
        expected = np.where(stays[:, None], pair.lexicon.table[whole.pair_ids], table[0])
        np.testing.assert_array_equal(reverse, expected[:, 1])
        np.testing.assert_array_equal(block.source_major(forward), expected[:, 0])
        assert len(block.pair_ids) == stays.sum()
    assert len(smaller.lexicon.index) == len(used)
    assert [start for start, _ in pruned.spans()] == sorted(seen)


@given(text=TEXTS, seed=st.integers(0, 2**32 - 1), threshold=st.sampled_from([0.0, 0.2, 0.7, 2.0]))
def test_only_what_is_kept_is_multiplied(text, seed, threshold):
    block = index_pairs(bitext_of(text))[1].block(0, len(text))
    rng = np.random.default_rng(seed)
    links = rng.random((block.cells, 1)).astype(np.float32)
    forward, reverse = (rng.random(block.cells).astype(np.float32) for _ in range(2))
    products, sums = block.multiply(forward, reverse)
    pair = np.repeat(np.arange(len(block)), block.sizes)
    np.testing.assert_array_equal(products, block.source_major(forward) * reverse)
    np.testing.assert_allclose(sums, np.bincount(pair, products, len(block)), rtol=1e-6)
    stays = links[:, 0] >= threshold
    few = block.keep(links, threshold)
    products_kept, sums_kept = few.multiply(forward, reverse)
    np.testing.assert_array_equal(products_kept, products[stays])
    np.testing.assert_allclose(sums_kept, np.bincount(pair[stays], products[stays], len(block)), rtol=1e-6)
    np.testing.assert_array_equal(few.average(forward, reverse), block.average(forward, reverse)[stays])
    both = block.side_by_side(forward, reverse)
    np.testing.assert_array_equal(few.side_by_side(forward, reverse), both[stays])
    pair_ids, added, source, sizes = few.to_add(products_kept[:, None])
    np.testing.assert_array_equal(pair_ids, block.pair_ids[stays])
    np.testing.assert_array_equal(added, products[stays, None])
    token = np.repeat(np.arange(len(source)), np.repeat(block.target_lengths, block.source_lengths))
    np.testing.assert_array_equal(sizes, np.bincount(token[stays], minlength=len(source)))


def test_after_the_second_iteration_only(sample_bitext):
    sizes = [
        len(step.model.parameters.lexicon.index)
        for step in train(sample_bitext, recipe(("ibm1", "independent", 2), ("hmm", "agreement", 4, 1e-3)))
    ]
    assert sizes[0] == sizes[1] == sizes[2] > sizes[3] == sizes[4] == sizes[5]


def test_a_tiny_threshold_changes_next_to_nothing(sample_bitext):
    plain, pruned = (
        list(train(sample_bitext, recipe(("ibm1", "independent", 2), ("hmm", "agreement", 4, prune))))[-1]
        for prune in (0.0, 1e-9)
    )
    for name, value in plain.measures.items():
        assert pruned.measures[name] == pytest.approx(value, rel=1e-4)
    assert len(pruned.model.parameters.lexicon.index) < 0.9 * len(plain.model.parameters.lexicon.index)
    for direction in ("forward", "reverse"):
        jumps = [getattr(step.model.parameters, direction).jumps for step in (pruned, plain)]
        np.testing.assert_allclose(*jumps, atol=1e-3)
