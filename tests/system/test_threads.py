"""Functions run by threads, and the splitting of work into parts."""

import os
import subprocess
import sys
import threading
import time
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.system.threads import (
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


@pytest.mark.parametrize("run", [run_all, run_in_order])
def test_items_run_at_the_same_time(run):
    together = threading.Barrier(3)
    assert sorted(run(range(3), lambda _: together.wait(timeout=60), 3)) == [0, 1, 2]


def test_this_thread_and_no_more_than_the_others_work():
    def work(_):
        together.wait(timeout=60)
        return threading.get_ident()

    for threads in (1, 2, 5):
        together = threading.Barrier(threads)
        used = set(run_all(range(10 * threads), work, threads))
        assert threading.get_ident() in used
        assert len(used) == threads


def test_threads_are_kept_for_further_work():
    counts = []
    for _ in range(20):
        run_all(range(40), lambda k: k, 4)
        list(run_in_order(range(40), lambda k: k, 3))
        counts.append(threading.active_count())
    assert len(set(counts)) == 1


def test_the_error_of_the_first_part_is_raised_and_others_are_not_begun():
    done = []

    def work(k):
        time.sleep(0.05 if k == 3 else 0.001)  # the later part fails first
        if k in (3, 5):
            raise ValueError(k)
        done.append(k)

    for threads in (1, 4):
        with pytest.raises(ValueError, match="3"):
            run_all(range(10_000), work, threads)
    assert len(done) < 10_000


@pytest.mark.parametrize("run", [run_all, run_in_order])
def test_work_may_run_other_work_on_threads(run):
    def work(k):
        return sum(run(range(k, k + 20), lambda n: n, 3))

    assert list(run(range(20), work, 3)) == [20 * k + 190 for k in range(20)]


def python(code):
    """Return what some code prints in a process of its own."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
def test_a_forked_process_starts_threads_of_its_own():
    code = """if True:
        import os, threading
        from aligner.system.threads import run_all, run_in_order
        squares = [k * k for k in range(50)]
        together = threading.Barrier(3)
        for run in (run_all, run_in_order):
            assert list(run(range(50), lambda k: k * k, 3)) == squares
        child = os.fork()
        for run in (run_all, run_in_order):
            assert sorted(run(range(3), lambda _: together.wait(timeout=60), 3)) == [0, 1, 2]
        if child:
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert python(code) == "0\n"


def test_a_process_ends_although_a_stream_was_left():
    code = """if True:
        import time
        from aligner.system.threads import run_in_order
        results = run_in_order(iter(int, 1), lambda _: time.sleep(0.05) or 7, 3)
        print(next(results))
    """
    assert python(code) == "7\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently on Windows")
@pytest.mark.parametrize("name", ["run_all", "run_in_order"])
def test_an_interruption_ends_work_soon(name):
    code = f"""if True:
        import signal, threading, time
        from aligner.system.threads import {name} as run
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        done = []
        def work(k):
            if k == 5:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            time.sleep(0.02)
            done.append(k)
        try:
            list(run(range(1000), work, 3))
        except KeyboardInterrupt:
            ended = len(done)
            time.sleep(0.1)
            print(ended < 100, ended == len(done))
    """
    assert python(code) == "True True\n"


@given(st.integers(0, 100), st.integers(1, 20))
def test_even_parts_cover_range_once(size, count):
    parts = split_evenly(size, count)
    assert [k for first, last in parts for k in range(first, last)] == list(range(size))
    assert len(parts) <= count
    assert not parts or max(b - a for a, b in parts) <= min(b - a for a, b in parts) + 1


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
