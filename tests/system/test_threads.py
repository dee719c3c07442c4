"""Functions run by threads, and the splitting of work into parts."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError
from aligner.system.threads import (
    check_threads,
    part_count,
    run_all,
    run_in_order,
    split_decreasing,
    split_evenly,
    split_rows,
)

THREADS = pytest.mark.parametrize("threads", [1, 2, 5])


@THREADS
def test_results_are_in_order_of_parts(threads):
    assert run_all(range(40), lambda k: k * k, threads) == [k * k for k in range(40)]
    assert list(run_in_order(iter(range(40)), lambda k: k * k, threads)) == [k * k for k in range(40)]


@THREADS
def test_items_taken_ahead_are_limited(threads):
    taken = []
    results = run_in_order((taken.append(k) or k for k in range(100)), lambda k: k, threads)
    assert next(results) == 0
    assert len(taken) <= 2 * threads + 1


@THREADS
def test_none_yields_all_pending_results(threads):
    results = []

    def items():
        for k in range(6):
            yield k
            if k % 2:
                yield None
                assert results == list(range(k + 1))

    for result in run_in_order(items(), lambda k: k, threads):
        results.append(result)
    assert results == list(range(6))


@THREADS
def test_error_is_raised_in_order_and_cancels_remaining_items(threads):
    done = []

    def work(k):
        if k == 3:
            raise ValueError("three")
        done.append(k)
        return k

    results = run_in_order(range(100), work, threads)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert len(done) < 100


def test_items_run_at_the_same_time():
    together = threading.Barrier(3)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(lambda: list(run_in_order(range(3), lambda _: together.wait(timeout=60), 3)))
        assert sorted(found.result(timeout=120)) == [0, 1, 2]


@given(st.integers(0, 100), st.integers(1, 20))
def test_even_parts_cover_range_once(size, count):
    parts = split_evenly(size, count)
    assert [k for first, last in parts for k in range(first, last)] == list(range(size))
    assert len(parts) <= count
    assert not parts or max(b - a for a, b in parts) <= min(b - a for a, b in parts) + 1


@given(st.integers(0, 3000), st.integers(1, 8))
def test_decreasing_parts_cover_range_once_and_never_grow(size, threads):
    parts = list(split_decreasing(size, threads, max(size // part_count(threads), 1)))
    assert [k for first, last in parts for k in range(first, last)] == list(range(size))
    if threads > 1:
        sizes = [last - first for first, last in parts]
        assert sizes == sorted(sizes, reverse=True)
        assert max(sizes, default=0) <= max(1, size // threads)
        assert len(parts) <= 16 * threads


@given(blocks=st.integers(1, 3000), workers=st.integers(1, 70), usual=st.integers(1, 100))
def test_decreasing_parts_are_multiples_until_they_are_short(blocks, workers, usual):
    spans = [(n, n + 1) for n in range(blocks)]
    parts = split_decreasing(blocks, workers, -(-usual // 4), usual)
    stretches = [spans[first:end] for first, end in parts]
    assert list(chain.from_iterable(stretches)) == spans
    sizes = [len(stretch) for stretch in stretches]
    assert all(size % usual == 0 or size < usual for size in sizes)
    if workers == 1:
        assert len(stretches) <= 1 + (blocks > usual)
    else:
        assert sizes == sorted(sizes, reverse=True)
        assert max(sizes[-workers:]) <= max(-(-usual // 4), blocks // (2 * workers))


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 8))
def test_runs_of_rows_cover_every_row_once(sizes, count):
    runs = split_rows(np.cumsum([5, *sizes]), count)
    assert [k for first, last in runs for k in range(first, last)] == list(range(len(sizes)))
    assert len(runs) <= count


def test_zero_threads_are_rejected():
    with pytest.raises(ConfigError, match="threads = 0"):
        check_threads(0)
