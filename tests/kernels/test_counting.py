"""Counts that several workers add to at the same time: plain sums, whoever comes first."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.kernels import counting
from aligner.kernels.fixed import SCALE


def block_of(seed, tokens, types, rows, columns):
    """Some words, how many additions each has, and these: rows and posteriors."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, types, tokens).astype(np.int32)
    sizes = rng.integers(0, 9, tokens).astype(np.int32)
    cells = int(sizes.sum())
    # Rows belong to words, as word pairs belong to source words.
    own = np.repeat(words, sizes).astype(np.int64) * (rows // types) + rng.integers(0, rows // types, cells)
    return own.astype(np.uint32), rng.random((cells, columns)).astype(np.float32), words, sizes


def parts_of(seed, types, parts):
    owners = np.random.default_rng(seed).integers(0, parts, types).astype(np.int32)
    return owners, np.zeros((parts, 8), np.int64)


def add_links(block, owners, locks, turn, counts):
    done = np.zeros(len(locks), np.bool_)
    counting.add_links(*block, owners, locks, turn, True, done, counts)
    assert done.all()


@given(seed=st.integers(0, 10**6), parts=st.integers(1, 5), columns=st.sampled_from([1, 2, 4]))
def test_every_posterior_is_added_once(seed, parts, columns):
    rows, posteriors, words, sizes = block_of(seed, tokens=seed % 60, types=7, rows=35, columns=columns)
    counts = np.zeros((35, columns), np.int64)
    add_links((rows, posteriors, words, sizes), *parts_of(seed, 7, parts), seed % parts, counts)
    expected = np.zeros((35, columns))
    np.add.at(expected, rows, posteriors)
    np.testing.assert_allclose(counts / SCALE, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("parts", [1, 2, 16])
def test_no_addition_is_lost_where_workers_meet(parts):
    """Eight workers on few rows, again and again: a race would show."""
    blocks = [block_of(seed, tokens=3000, types=20, rows=100, columns=2) for seed in range(40)]
    owners, locks = parts_of(3, 20, parts)
    shared, alone = np.zeros((2, 100, 2), np.int64)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: add_links(blocks[n], owners, locks, n % parts, shared), range(len(blocks))))
    for block in blocks:
        add_links(block, np.zeros(20, np.int32), np.zeros((1, 8), np.int64), 0, alone)
    np.testing.assert_array_equal(shared, alone)
    assert not locks.any()


@given(seed=st.integers(0, 10**6), parts=st.integers(1, 5), taken=st.sets(st.integers(0, 4)))
def test_what_others_are_adding_to_is_left_for_later(seed, parts, taken):
    rows, posteriors, words, sizes = block_of(seed, tokens=seed % 60, types=7, rows=35, columns=1)
    owners, locks = parts_of(seed, 7, parts)
    free = np.array([part not in taken for part in range(parts)])
    locks[~free, 0] = 1
    done, counts, total = np.zeros(parts, np.bool_), np.zeros((35, 1), np.int64), np.zeros(7, np.int64)
    counting.add_links(rows, posteriors, words, sizes, owners, locks, seed % parts, False, done, counts)
    of_free = np.repeat(free[owners[words]], sizes)
    expected = np.zeros((35, 1))
    np.add.at(expected, rows[of_free], posteriors[of_free])
    np.testing.assert_allclose(counts / SCALE, expected, rtol=1e-7, atol=1e-7)
    assert done[free].all()
    assert not (done & ~free)[np.unique(owners[words[sizes > 0]])].any()
    locks[:] = 0
    counting.add_links(rows, posteriors, words, sizes, owners, locks, seed % parts, False, done, counts)
    np.add.at(expected, rows[~of_free], posteriors[~of_free])
    np.testing.assert_allclose(counts / SCALE, expected, rtol=1e-7, atol=1e-7)
    assert done.all()

    locks[~free, 0] = 1
    done[:] = False
    of_words = np.ones(len(words), np.float32)
    counting.add_words(words, of_words, owners, locks, 0, False, done, total)
    np.testing.assert_array_equal(total / SCALE, np.bincount(words, minlength=7) * free[owners])


def test_an_amount_is_added_to_all_columns_of_some_rows():
    counts = np.arange(10, dtype=np.int64).reshape(5, 2)
    counting.add_to_all(np.array([1, 4]), 100, counts)
    np.testing.assert_array_equal(counts, [[0, 1], [102, 103], [4, 5], [6, 7], [108, 109]])
