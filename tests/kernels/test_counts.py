"""Additions to expected counts, by one thread and by several."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import kernels
from aligner.kernels.constants import COUNT_SCALE


def random_block(seed, cells, pair_ids, columns):
    """Return the pair_ids of some cells and their posteriors, a tenth of which are 0."""
    rng = np.random.default_rng(seed)
    posteriors = rng.random((cells, columns)).astype(np.float32)
    posteriors[rng.random(posteriors.shape) < 0.1] = 0.0
    return rng.integers(0, pair_ids, cells).astype(np.uint32), posteriors


@pytest.mark.plain_python
@given(
    seed=st.integers(0, 10**6),
    cells=st.integers(0, 300),
    columns=st.sampled_from([1, 2, 4]),
    shared=st.booleans(),
)
def test_links_are_added_to_their_word_pairs(seed, cells, columns, shared):
    pair_ids, posteriors = random_block(seed, cells, 35, columns)
    counts = np.ones((35, columns), np.int64)
    kernels.counts.add_links(pair_ids, posteriors, shared, counts)
    expected = np.ones((35, columns), np.int64)
    np.add.at(expected, pair_ids, np.floor(posteriors.astype(float) * COUNT_SCALE + 0.5).astype(np.int64))
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("columns", [1, 2])
def test_threads_lose_no_addition(columns):
    """Eight threads add to 20 rows at the same time, which shows a race."""
    blocks = [random_block(seed, 20_000, 20, columns) for seed in range(40)]
    together, alone = np.zeros((2, 20, columns), np.int64)
    kernels.counts.add_links(*blocks[0], True, together)  # compiles the kernel
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda block: kernels.counts.add_links(*block, True, together), blocks[1:]))
    for block in blocks:
        kernels.counts.add_links(*block, False, alone)
    np.testing.assert_array_equal(together, alone)


@pytest.mark.plain_python
def test_amounts_are_added_to_all_columns_of_their_rows():
    counts = np.arange(10, dtype=np.int64).reshape(5, 2)
    kernels.counts.add_to_rows(np.array([1, 4, 1]), np.array([[100], [200], [1000]]), counts)
    np.testing.assert_array_equal(counts, [[0, 1], [1102, 1103], [4, 5], [6, 7], [208, 209]])
