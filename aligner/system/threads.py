"""The same work on several parts of something, by several threads."""

from __future__ import annotations

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

_SHARE = 2
"""Of what is left, a thread takes one part in so many for each thread, so that all end together."""


def check_threads(threads: int) -> None:
    """Raise ConfigError for a number of threads that nothing can be done by."""
    if threads < 1:
        raise ConfigError(f"threads = {threads}: expected a number from 1")


def pool_of(threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work, imported where there are any: one thread needs none of it."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads)


def over(parts: Iterable[_Part], work: Callable[[_Part], _Result], threads: int) -> list[_Result]:
    """The results of all parts, in order."""
    if threads == 1:
        return [work(part) for part in parts]
    with pool_of(threads) as pool:
        return list(pool.map(work, parts))


def over_in_turn(lists: Iterable[Iterable[_Part]], work: Callable[[_Part], object], threads: int) -> None:
    """Do all parts of a list, then those of the next."""
    if threads == 1:
        for parts in lists:
            over(parts, work, 1)
        return
    with pool_of(threads) as pool:
        for parts in lists:
            list(pool.map(work, parts))


def in_order(
    items: Iterable[_Part | None], work: Callable[[_Part], _Result], threads: int
) -> Iterator[_Result]:
    """The results of all items, in order; several at the same time, and no more than a few ahead.

    None instead of an item says that the next one may take long to come: all so far are answered first.
    """
    if threads == 1:
        yield from (work(item) for item in items if item is not None)
        return
    with pool_of(threads) as pool:
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


def many(threads: int) -> int:
    """Into how many parts to cut what takes unevenly long: several threads wait for whoever is last."""
    return 32 * threads if threads > 1 else 8


def parts_of(size: int, count: int) -> list[tuple[int, int]]:
    """At most so many runs of places, first <= k < last, of about the same length: all from 0 to size."""
    edges = np.linspace(0, size, count + 1).astype(np.int64).tolist()
    return list(pairwise(sorted(set(edges))))


def falling_parts_of(size: int, threads: int, least: int, multiple: int = 1) -> Iterator[tuple[int, int]]:
    """Runs of places for threads to take one after the other: ever shorter, so that all end together.

    Of at least so many places but the last, and those of more than ``multiple`` of a multiple of it; one
    thread gets all in one.
    """
    first, shares = 0, _SHARE * threads if threads > 1 else 1
    while first < size:
        length = max((size - first) // shares, least)
        length -= length % multiple if length > multiple else 0
        end = min(first + length, size)
        yield first, end
        first = end


def runs_of(offsets: NDArray[np.int64], count: int) -> list[tuple[int, int]]:
    """At most so many runs of rows, first <= row < last, of about the same size.

    offsets: int64 [rows + 1], where each row begins, never falling.
    """
    cuts = np.searchsorted(offsets, np.linspace(offsets[0], offsets[-1], count + 1)[1:-1])
    return list(pairwise(sorted({0, *cuts.tolist(), len(offsets) - 1})))
