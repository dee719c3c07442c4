"""Operations on the cells of a block, compared with NumPy on one matrix for each sentence pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.arrays import offsets_of
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from tests.support import TEXTS, bitext_of

SEEDS = st.integers(0, 2**32 - 1)
THRESHOLDS = st.sampled_from([0.0, 0.2, 0.7, 2.0])


def block_of(text):
    """Return a text as one block with pair_ids."""
    bitext = bitext_of(text)
    (block,) = BlockSource.of(bitext).blocks([(0, len(bitext))])
    return CooccurrenceIndex.of(bitext).find(block)


def random_cells(block, seed, count=2):
    """Return arrays of random cells, float32 [cells]."""
    rng = np.random.default_rng(seed)
    return [rng.random(block.cells).astype(np.float32) for _ in range(count)]


def transposed(block, forward):
    """Return forward cells, [J, I] for each pair, in source-major order."""
    starts = np.cumsum(block.sizes) - block.sizes
    matrices = [
        forward[start : start + width * height].reshape(height, width).T
        for start, width, height in zip(starts, block.source_lengths, block.target_lengths, strict=True)
    ]
    return np.concatenate([matrix.ravel() for matrix in matrices])


def pair_of_cell(block):
    """Return the number of the pair of each cell, int64 [cells]."""
    return np.repeat(np.arange(len(block)), block.sizes)


def kept_of(block, links, threshold):
    """Return a block with the cells that reach a threshold only."""
    offsets = offsets_of(block.source_lengths * ((block.target_lengths + 7) // 8))
    kept = KeptBits(np.zeros(offsets[-1], np.uint8), offsets)
    kept.keep(block, links, threshold)
    return kept.select(block)


@given(text=TEXTS, seed=SEEDS, threshold=THRESHOLDS)
def test_gather_looks_up_both_directions_of_kept_cells(text, seed, threshold):
    block = block_of(text)
    table = np.random.default_rng(seed).random((block.pair_ids.max() + 1, 2)).astype(np.float32)
    links, forward, reverse = random_cells(block, seed, 3)
    kept = kept_of(block, links[:, None], threshold)
    found = np.where(links[:, None] >= np.float32(threshold), table[block.pair_ids], table[0])
    for own, expected in ((block, table[block.pair_ids]), (kept, found)):
        own.gather(table, forward, reverse)
        np.testing.assert_array_equal(transposed(block, forward), expected[:, 0])
        np.testing.assert_array_equal(reverse, expected[:, 1])


def test_cells_far_into_a_sentence_are_kept():
    """Words have parts, so that a sentence of few words may have more parts than 65,535."""
    block = block_of([(["a"], ["b"] * 70_000)])
    links = np.zeros((70_000, 1), np.float32)
    links[[3, 69_999]] = 1
    kept = kept_of(block, links, 0.5).kept_cells
    assert (kept.runs.tolist(), kept.columns.tolist()) == ([2], [3, 69_999])


@given(text=TEXTS, seed=SEEDS)
def test_directions_are_combined_cell_by_cell(text, seed):
    block = block_of(text)
    forward, reverse, forward_2, reverse_2 = random_cells(block, seed, 4)
    turned = transposed(block, forward)
    np.testing.assert_array_equal(block.source_major(forward), turned)
    products, sums = block.multiply(forward, reverse)
    np.testing.assert_array_equal(products, turned * reverse)
    np.testing.assert_allclose(sums, np.bincount(pair_of_cell(block), products, len(block)), rtol=1e-6)
    np.testing.assert_array_equal(
        block.average(forward, reverse), np.float32(0.5) * turned + np.float32(0.5) * reverse
    )
    columns = block.side_by_side(forward, reverse, forward_2, reverse_2)
    expected = np.stack([turned, reverse, transposed(block, forward_2), reverse_2], axis=1)
    np.testing.assert_array_equal(columns, expected)


@given(text=TEXTS, seed=SEEDS, threshold=THRESHOLDS)
def test_pruned_block_combines_only_its_kept_cells(text, seed, threshold):
    block = block_of(text)
    forward, reverse, links = random_cells(block, seed, 3)
    is_kept = links >= np.float32(threshold)
    pruned = kept_of(block, links[:, None], threshold)
    np.testing.assert_array_equal(pruned.pair_ids, block.pair_ids[is_kept])
    assert pruned.cells == block.cells
    assert pruned.kept_cells.runs.sum() == len(pruned.kept_cells.columns) == is_kept.sum()
    products, sums = pruned.multiply(forward, reverse)
    expected, _ = block.multiply(forward, reverse)
    np.testing.assert_array_equal(products, expected[is_kept])
    expected_sums = np.bincount(pair_of_cell(block)[is_kept], products, len(block))
    np.testing.assert_allclose(sums, expected_sums, rtol=1e-6)
    np.testing.assert_array_equal(pruned.average(forward, reverse), block.average(forward, reverse)[is_kept])
    columns = block.side_by_side(forward, reverse)
    np.testing.assert_array_equal(pruned.side_by_side(forward, reverse), columns[is_kept])
    np.testing.assert_array_equal(pruned.select_kept(columns), columns[is_kept])
    assert block.select_kept(columns) is columns


@pytest.mark.plain_python
def test_more_than_255_cells_are_kept():
    block = block_of([("a b", " ".join(f"w{n}" for n in range(150)))])
    kept = kept_of(block, np.ones((300, 1), np.float32), 0.5)
    np.testing.assert_array_equal(kept.pair_ids, block.pair_ids)
    assert kept.kept_cells.runs.tolist() == [150, 150]
