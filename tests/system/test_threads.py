"""Work on several parts at the same time, and how a whole is cut into parts."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError
from aligner.kernels.pairs import Side
from aligner.lexicon.occurrences import Occurrences
from aligner.system.threads import check_threads, falling_parts_of, in_order, many, over, parts_of, runs_of

THREADS = pytest.mark.parametrize("threads", [1, 2, 5])


@THREADS
def test_results_come_in_the_order_of_the_parts(threads):
    assert over(range(40), lambda k: k * k, threads) == [k * k for k in range(40)]
    assert list(in_order(iter(range(40)), lambda k: k * k, threads)) == [k * k for k in range(40)]


@THREADS
def test_no_more_than_a_few_items_are_taken_ahead(threads):
    taken = []
    results = in_order((taken.append(k) or k for k in range(100)), lambda k: k, threads)
    assert next(results) == 0
    assert len(taken) <= 2 * threads + 1


@THREADS
def test_before_a_pause_all_results_so_far_are_given(threads):
    given = []

    def items():
        for k in range(6):
            yield k
            if k % 2:
                yield None
                assert given == list(range(k + 1))

    for result in in_order(items(), lambda k: k, threads):
        given.append(result)
    assert given == list(range(6))


@THREADS
def test_an_error_comes_in_its_place_and_what_has_not_begun_is_left(threads):
    done = []

    def work(k):
        if k == 3:
            raise ValueError("three")
        done.append(k)
        return k

    results = in_order(range(100), work, threads)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert len(done) < 100


def test_items_are_worked_on_at_the_same_time():
    together = threading.Barrier(3)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(lambda: list(in_order(range(3), lambda _: together.wait(timeout=60), 3)))
        assert sorted(found.result(timeout=120)) == [0, 1, 2]


@given(st.integers(0, 100), st.integers(1, 20))
def test_parts_cover_everything_once(size, count):
    parts = parts_of(size, count)
    assert [k for first, last in parts for k in range(first, last)] == list(range(size))
    assert len(parts) <= count
    assert not parts or max(b - a for a, b in parts) <= min(b - a for a, b in parts) + 1


@given(st.integers(0, 3000), st.integers(1, 8))
def test_falling_parts_cover_everything_once_and_never_grow(size, threads):
    parts = list(falling_parts_of(size, threads, max(size // many(threads), 1)))
    assert [k for first, last in parts for k in range(first, last)] == list(range(size))
    if threads > 1:
        sizes = [last - first for first, last in parts]
        assert sizes == sorted(sizes, reverse=True)
        assert max(sizes, default=0) <= max(1, size // threads)
        assert len(parts) <= 16 * threads


@given(blocks=st.integers(1, 3000), workers=st.integers(1, 70), usual=st.integers(1, 100))
def test_workers_take_ever_less_of_all_blocks(blocks, workers, usual):
    spans = [(n, n + 1) for n in range(blocks)]
    parts = falling_parts_of(blocks, workers, -(-usual // 4), usual)
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
def test_runs_cover_every_row_once(sizes, count):
    runs = runs_of(np.cumsum([5, *sizes]), count)
    assert [k for first, last in runs for k in range(first, last)] == list(range(len(sizes)))
    assert len(runs) <= count


@given(st.lists(st.lists(st.integers(0, 6), max_size=9), min_size=1, max_size=12), st.integers(1, 5))
def test_occurrences_are_the_places_of_each_word_in_the_order_of_the_text(rows, threads):
    tokens = np.array([word for row in rows for word in row], np.int32)
    offsets = np.cumsum([0, *map(len, rows)])
    runs = runs_of(offsets, threads)
    starts, pair, position = Occurrences.of(Side(tokens, offsets), 6, runs).places
    assert len(starts) == 8
    for word in range(7):
        places = slice(starts[word], starts[word + 1])
        found = list(zip(pair[places].tolist(), position[places].tolist(), strict=True))
        expected = [(n, k) for n, row in enumerate(rows) for k, other in enumerate(row) if other == word]
        assert found == expected


def test_no_threads_are_refused():
    with pytest.raises(ConfigError, match="threads = 0"):
        check_threads(0)
