"""Threads: functions run on many parts at once, and ways to split work into parts."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from aligner.errors import ConfigError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

MOST_THREADS = 4096
"""The largest number of threads that may be asked for."""

_GUIDED_SHARE = 2
"""A part of ``split_decreasing`` is the remaining work divided by this number times the threads."""


def check_threads(threads: int) -> None:
    """Raise ConfigError unless the number of threads is from 1 to ``MOST_THREADS``."""
    if not 1 <= threads <= MOST_THREADS:
        raise ConfigError(f"threads = {threads}: expected a number from 1 to {MOST_THREADS}")


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads."""
    from concurrent.futures import ThreadPoolExecutor  # imported here, because one thread needs no pool

    return ThreadPoolExecutor(threads)


def start_threads(works: Iterable[Callable[[], object]]) -> list[threading.Thread]:
    """Start a thread for each work, until the system refuses one; return the threads, and warn if so."""
    started: list[threading.Thread] = []
    for work in works:
        thread = threading.Thread(target=work, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # "can't start new thread": out of memory for its stack, or over a limit
            warnings.warn(
                f"the system refused to start more than {len(started)} threads; going on with these; use"
                f" fewer (-j), or allow more memory or processes",
                RuntimeWarning,
                stacklevel=2,
            )
            break
        started.append(thread)
    return started


def startable_threads(threads: int) -> int:
    """Return how many of these threads the system can start now, and at least 1."""
    if threads == 1:
        return 1
    may_end = threading.Event()
    started = start_threads([may_end.wait] * threads)
    may_end.set()
    for thread in started:
        thread.join()
    return max(len(started), 1)


def run_all(parts: Iterable[_Part], work: Callable[[_Part], _Result], threads: int) -> list[_Result]:
    """Run ``work`` on all parts, and return the results in the order of the parts."""
    threads = startable_threads(threads)
    if threads == 1:
        return [work(part) for part in parts]
    with thread_pool(threads) as pool:
        return list(pool.map(work, parts))


def run_in_order(
    items: Iterable[_Part | None], work: Callable[[_Part], _Result], threads: int
) -> Iterator[_Result]:
    """Run ``work`` on a stream of items, and yield the results in the order of the items.

    At most 2 items a thread are taken ahead. An item None has no result: it announces that the next item may
    be slow to arrive, and all pending results are yielded before it is requested.
    """
    threads = startable_threads(threads)
    if threads == 1:
        yield from (work(item) for item in items if item is not None)
        return
    with thread_pool(threads) as pool:
        pending: deque[Future[_Result]] = deque()
        try:
            for item in items:
                if item is not None:
                    pending.append(pool.submit(work, item))
                while pending and (item is None or len(pending) > 2 * threads):
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def part_count(threads: int) -> int:
    """Return a number of parts for work that splits unevenly: many small parts keep all threads busy."""
    return 32 * threads if threads > 1 else 8


def split_evenly(size: int, count: int) -> list[tuple[int, int]]:
    """Split range(size) into at most ``count`` runs, first <= k < last, whose lengths differ by at most 1."""
    edges = np.linspace(0, size, count + 1).astype(np.int64).tolist()
    return list(pairwise(sorted(set(edges))))


def split_decreasing(size: int, threads: int, least: int, multiple: int = 1) -> Iterator[tuple[int, int]]:
    """Split range(size) into ever shorter runs, first <= k < last, for threads to take one after another.

    Long runs come first because they cost less overhead, short ones last so that all threads end at about the
    same time ("guided" scheduling, as OpenMP calls it). Every run but the last has at least ``least``
    elements. Runs longer than ``multiple`` have a multiple of it. One thread gets a single run, and the rest
    that the multiple leaves.
    """
    first, shares = 0, _GUIDED_SHARE * threads if threads > 1 else 1
    while first < size:
        length = max((size - first) // shares, least)
        length -= length % multiple if length > multiple else 0
        end = min(first + length, size)
        yield first, end
        first = end


def split_rows(offsets: NDArray[np.int64], count: int) -> list[tuple[int, int]]:
    """Split rows into at most ``count`` runs, first <= row < last, of about the same number of elements.

    offsets: int64 [rows + 1], where each row begins, not decreasing.
    """
    cuts = np.searchsorted(offsets, np.linspace(offsets[0], offsets[-1], count + 1)[1:-1])
    return list(pairwise(sorted({0, *cuts.tolist(), len(offsets) - 1})))
