"""Sources of blocks: the text in spans of limited size, and the pair_ids of every block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.kernels.constants import MOST_LANES
from aligner.lexicon.block_sources import (
    BLOCK_CELLS,
    SEARCH_CELLS,
    BlockSource,
    search_cells,
)
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from tests.support import TEXTS, bitext_of


def sources_of(text, cells_at_once=1 << 20):
    """Return a source without pair_ids and a searched one of the same text."""
    bitext = bitext_of(text)
    source = BlockSource.of(bitext)
    return source, source.searched(CooccurrenceIndex.of(bitext), cells_at_once)


@given(text=TEXTS, block_cells=st.integers(1, 40), data=st.data())
def test_blocks_cover_the_text_once_within_their_size(text, block_cells, data):
    source, _ = sources_of(text)
    spans = list(source.spans(block_cells))
    assert [0, *(stop for _, stop in spans)] == [*(start for start, _ in spans), len(source.bitext)]
    blocks = list(source.blocks(spans))
    assert all(block.cells <= block_cells or len(block) == 1 for block in blocks)
    assert sum(block.cells for block in blocks) == source.cells
    for name in ("source", "target"):
        side = getattr(source.bitext, name)
        np.testing.assert_array_equal(np.concatenate([getattr(b, name) for b in blocks]), side.tokens)
        lengths = np.concatenate([getattr(b, f"{name}_lengths") for b in blocks])
        np.testing.assert_array_equal(lengths, side.lengths)
    assert [block.start for block in blocks] == [start for start, _ in spans]
    assert all(len(block.pair_ids) == 0 for block in blocks)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    numbers = [n for span in source.spans(block_cells, (start, end)) for n in range(*span)]
    assert numbers == list(range(start, end))


def test_all_spans_but_the_last_hold_multiples_of_the_lanes():
    source, _ = sources_of([("a b", "x y")] * 100)
    spans = list(source.spans(4 * (2 * MOST_LANES + 5)))
    assert [stop - start for start, stop in spans] == [2 * MOST_LANES, 2 * MOST_LANES, 2 * MOST_LANES + 4]


@given(text=TEXTS, block_cells=st.integers(1, 40), cells_at_once=st.integers(1, 40))
def test_searched_pair_ids_do_not_depend_on_the_cells_at_once(text, block_cells, cells_at_once):
    source, searched = sources_of(text, cells_at_once)
    (whole,) = source.blocks([(0, len(text))])
    expected = searched.index.find(whole).pair_ids
    found = [block.pair_ids.copy() for block in searched.blocks(list(searched.spans(block_cells)))]
    np.testing.assert_array_equal(np.concatenate(found), expected)


@given(
    text=TEXTS,
    threshold=st.sampled_from([0.0, 0.3, 0.7, 2.0]),
    block_cells=st.integers(1, 40),
    cells_at_once=st.integers(1, 40),
)
def test_kept_cells_do_not_depend_on_how_the_text_is_cut(text, threshold, block_cells, cells_at_once):
    source, searched = sources_of(text, cells_at_once)
    (whole,) = searched.blocks([(0, len(text))])
    links = np.random.default_rng(1).random((whole.cells, 2)).astype(np.float32)
    is_kept = (links >= np.float32(threshold)).any(axis=1)
    kept = KeptBits.none(*source.lengths)
    for block in searched.blocks(list(searched.spans(7))):
        kept.keep(
            block, links[source.offsets[block.start] : source.offsets[block.start + len(block)]], threshold
        )
    pruned = source.searched(searched.index, cells_at_once, kept)
    blocks = list(pruned.blocks(list(pruned.spans(block_cells))))
    found = np.concatenate([block.pair_ids for block in blocks])
    np.testing.assert_array_equal(found, whole.pair_ids[is_kept])
    assert sum(block.cells for block in blocks) == whole.cells


@given(text=TEXTS, block_cells=st.integers(1, 40), cells_at_once=st.integers(1, 40), data=st.data())
def test_blocks_of_chosen_pairs_are_those_of_their_copy(text, block_cells, cells_at_once, data):
    bitext = bitext_of(text)
    numbers = np.array(data.draw(st.permutations(range(len(text)))))[: data.draw(st.integers(1, len(text)))]
    index = CooccurrenceIndex.of(bitext)
    sources = BlockSource.of(bitext, numbers), BlockSource.of(bitext.select(numbers))
    chosen, copied = (source.searched(index, cells_at_once) for source in sources)
    for one, two in zip(
        chosen.blocks(list(chosen.spans(block_cells))),
        copied.blocks(list(copied.spans(block_cells))),
        strict=True,
    ):
        assert one.start == two.start
        for name in ("source", "source_lengths", "target", "target_lengths", "pair_ids"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize(
    ("cells", "threads", "expected"),
    [
        (10**9, 1, BLOCK_CELLS),
        (10**9, 8, BLOCK_CELLS),
        (10, 2, 1 << 16),
        (8 << 17, 2, 1 << 17),
    ],
)
def test_every_thread_has_a_few_blocks(cells, threads, expected):
    source = BlockSource(bitext_of([]), np.arange(0), np.array([0, cells]))
    assert source.block_cells(threads) == expected


def test_search_cells_are_an_eighth_of_a_thread_s_share_within_bounds():
    assert search_cells(1, 1) == SEARCH_CELLS
    assert search_cells(16 * 3 * SEARCH_CELLS // 2, 2) == 3 * SEARCH_CELLS // 2
    assert search_cells(10**12, 1) == 2 * SEARCH_CELLS
