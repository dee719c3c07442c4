"""Threads: one team for the process, functions run on many parts, and ways to split work into parts."""

from __future__ import annotations

import atexit
import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from functools import cached_property, partial
from itertools import pairwise
from multiprocessing.process import current_process
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from aligner.arrays import Int64s
from aligner.errors import ConfigError

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

_Mailbox: TypeAlias = "SimpleQueue[tuple[Callable[[], None], Event] | None]"
"""The functions that a thread is to run, each with an event to set when it has returned; None to end."""

MOST_THREADS = 4096
"""The largest number of threads that may be asked for."""

_GUIDED_SHARE = 2
"""A part of ``split_decreasing`` is the remaining work divided by this number times the threads."""


def check_threads(threads: int) -> None:
    """Raise ConfigError unless the number of threads is from 1 to ``MOST_THREADS``."""
    if not 1 <= threads <= MOST_THREADS:
        raise ConfigError(f"threads = {threads}: expected a number from 1 to {MOST_THREADS}")


class ThreadTeam:
    """Threads that are started when they are first needed, and kept: short work ends sooner than they start.

    A function begins at once, on a thread without work or on a new one. No function waits for a thread, so a
    function may let the team run others and wait for them.
    """

    def __init__(self) -> None:
        self._threads: list[tuple[Thread, _Mailbox]] = []
        self._idle: list[_Mailbox] = []
        self._dismissed = False

    def begin(self, function: Callable[[], None], count: int, running: list[Event]) -> None:
        """Run a function, which raises nothing, on more threads, until it runs on ``count``.

        running: an event for each thread that it runs on, set when it has returned; appended to. There are
        fewer threads if the system refuses some.
        """
        while len(running) < count and (mailbox := self._free_mailbox()) is not None:
            ended = Event()
            mailbox.put((function, ended))
            running.append(ended)

    def _free_mailbox(self) -> _Mailbox | None:
        """Return the mailbox of a thread without work, or of a new one; None if none is to be had."""
        if self._dismissed:
            return None
        with suppress(IndexError):
            return self._idle.pop()
        mailbox: _Mailbox = SimpleQueue()
        thread = Thread(target=self._serve, args=(mailbox,), daemon=True)
        try:
            thread.start()
        except RuntimeError:  # "can't start new thread": out of memory for its stack, or over a limit
            warnings.warn(
                f"the system refused to start more than {len(self._threads)} threads; going on with these;"
                f" use fewer (-j), or allow more memory or processes",
                RuntimeWarning,
                stacklevel=3,
            )
            return None
        self._threads.append((thread, mailbox))
        return mailbox

    def _serve(self, mailbox: _Mailbox) -> None:
        """Run functions until the thread is told to end."""
        while (message := mailbox.get()) is not None:
            function, ended = message
            function()
            del message, function  # with all that they refer to
            self._idle.append(mailbox)
            ended.set()

    def dismiss(self) -> None:
        """Let all threads end after their work, and wait: no interpreter may end while compiled code runs."""
        self._dismissed = True
        for _, mailbox in self._threads:
            mailbox.put(None)
        for thread, _ in self._threads:
            thread.join()

    def may_fork(self) -> bool:
        """Return True if this process may have others, and has no threads but the caller's and the team's.

        On Linux. Raises OSError if the system hides how many threads there are.
        """
        is_alone = len(os.listdir("/proc/self/task")) == 1 + len(self._threads)
        return is_alone and not current_process().daemon

    def forget(self) -> None:
        """Begin anew in a process that was forked, which has none of these threads."""
        self._threads.clear()
        self._idle.clear()


TEAM = ThreadTeam()
"""The team of this process. All work shares it, however many threads each asks for."""

atexit.register(TEAM.dismiss)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TEAM.forget)


class _Task(Generic[_Part, _Result]):
    """The work on one part. It runs on the first thread that asks for it."""

    def __init__(self, work: Callable[[_Part], _Result], part: _Part) -> None:
        self._work, self._part = work, part
        self._begun, self._ended = Lock(), Event()
        self._result: _Result
        self._error: BaseException | None = None

    def run(self) -> bool:
        """Run the work unless a thread has begun it; return False if it raised an error here."""
        if not self._begun.acquire(blocking=False):
            return True
        try:
            self._result = self._work(self._part)
        except BaseException as error:
            self._error = error
        self._ended.set()
        return self._error is None

    def result(self) -> _Result:
        """Return the result, or raise the error, when the work has ended."""
        self.run()
        self._ended.wait()
        if self._error is not None:
            raise self._error
        return self._result


def _run_tasks(tasks: deque[_Task[_Part, _Result]]) -> None:
    """Run the tasks that no thread has taken, one after another, until one fails."""
    while True:
        try:
            task = tasks.popleft()
        except IndexError:
            return
        if not task.run():
            tasks.clear()


def run_all(parts: Iterable[_Part], work: Callable[[_Part], _Result], threads: int) -> list[_Result]:
    """Run ``work`` on all parts, by this thread and others, and return the results in the order of the parts.

    After an error no more parts are begun. Of several errors, the first part's is raised.
    """
    if threads == 1:
        return [work(part) for part in parts]
    tasks = [_Task(work, part) for part in parts]
    waiting = deque(tasks)
    helpers: list[Event] = []
    try:
        TEAM.begin(partial(_run_tasks, waiting), min(threads, len(tasks)) - 1, helpers)
        _run_tasks(waiting)
        return [task.result() for task in tasks]
    finally:
        waiting.clear()
        for helper in helpers:
            helper.wait()


def run_in_order(
    items: Iterable[_Part | None], work: Callable[[_Part], _Result], threads: int
) -> Iterator[_Result]:
    """Run ``work`` on a stream of items, and yield the results in the order of the items.

    At most 2 items a thread are taken ahead. An item None has no result: it announces that the next item may
    be slow to arrive, and all pending results are yielded before it is requested.
    """
    if threads == 1:
        yield from (work(item) for item in items if item is not None)
        return
    waiting: deque[_Task[_Part, _Result]] = deque()
    pending: deque[_Task[_Part, _Result]] = deque()
    helpers: list[Event] = []
    try:
        for item in items:
            if item is not None:
                pending.append(_Task(work, item))
                waiting.append(pending[-1])
                helpers = [helper for helper in helpers if not helper.is_set()]
                TEAM.begin(partial(_run_tasks, waiting), min(len(helpers) + 1, threads), helpers)
            while pending and (item is None or len(pending) > 2 * threads):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        waiting.clear()
        for helper in helpers:
            helper.wait()


class unlocked_property(cached_property[_Result]):  # noqa: N801
    """A cached property that threads may compute for different objects at the same time.

    In Python 3.11, a cached property has one lock for all objects. Later versions have none.
    """

    def __init__(self, function: Callable[[Any], _Result]) -> None:
        super().__init__(function)
        self.lock = nullcontext()


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


def split_rows(offsets: Int64s, count: int) -> list[tuple[int, int]]:
    """Split rows into at most ``count`` runs, first <= row < last, of about the same number of elements.

    offsets: int64 [rows + 1], where each row begins, not decreasing.
    """
    if count == 1:
        return [(0, len(offsets) - 1)] if len(offsets) > 1 else []
    cuts = np.searchsorted(offsets, np.linspace(offsets[0], offsets[-1], count + 1)[1:-1])
    return list(pairwise(sorted({0, *cuts.tolist(), len(offsets) - 1})))


def for_rows(offsets: Int64s, threads: int, kernel: Callable[..., None], *arguments: Any) -> None:
    """Call ``kernel(first, last, *arguments)`` for runs of rows; offsets: as for ``split_rows``."""
    run_all(split_rows(offsets, 4 * threads), lambda rows: kernel(*rows, *arguments), threads)
