"""A cluster of Dask distributed that takes the steps of a run. It needs the extra ``cluster``.

Tasks name files of the run's folder, which all workers share, and write files. A task that is run again,
because its worker was lost, finds its file or writes the same bytes. Workers count shards, and then update
slices of the lexicon, if there are several.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from aligner.errors import DataError
from aligner.recipe.config import Recipe
from aligner.shards import steps, update
from aligner.shards.counting import ShardCache
from aligner.shards.folder import Folder
from aligner.shards.state import FIRST_ITERATION, RunState
from aligner.shards.text import Text
from aligner.training.step import Step

if TYPE_CHECKING:
    from distributed import Client, Future

_RETRIES = 3
"""How often a task is tried again after an error. An error of the system, such as a full disk, may pass."""

_MOST_MESSAGES = 10
"""The number of lines of a shard whose messages a worker returns: the scheduler keeps them in memory."""

_SECONDS_TO_SEE = 60
"""How long a common file system may take to show a file of another machine. NFS may take so long."""

_one_at_a_time = threading.Lock()
"""Held by the task that runs: tasks use all threads of a worker, and the memory of one task at a time."""

_cache = ShardCache()
"""The shard that this worker counted last."""

_tasks = update.TaskCache()
"""The task of the run that this worker updated last."""


def read_shards(
    client: Client, folder: Folder, text: Text, recipe: Recipe, report: Callable[[str], object]
) -> None:
    """Let workers read the shards of a text.

    report: receives messages for the first lines that are skipped in each shard, in the order of the text.

    Raises
    ------
    DataError
        If a file cannot be read, or has a bad line: the first error in the order of the text.
    """
    with _loss_as_data_error(folder):
        submit = _submitter(client, "read")
        numbers = range(1, len(text.shards) + 1)
        tasks = [submit(_read, str(folder.path), text, recipe, n, name=f"read-{n}") for n in numbers]
        for task in tasks:
            for message in task.result():
                report(message)


def run_rounds(
    client: Client, folder: Folder, threads: int = 1, progress: Callable[[int], object] | None = None
) -> Iterator[Step | None]:
    """Take the remaining rounds of a run, and yield the record of each; None if the round was no iteration.

    Parameters
    ----------
    client
        The cluster, whose workers see the folder under the same path.
    folder
        The folder of the run.
    threads
        Number of threads of the updates, which this process computes.
    progress
        Receives the number of sentence pairs counted in an iteration since its last call.

    Raises
    ------
    DataError
        If the scheduler or too many workers are lost, or if the workers do not see the folder. The run can be
        resumed.
    """
    state = steps.state_to_update(folder)
    while not state.done:
        begin = time.perf_counter()
        with _loss_as_data_error(folder):
            _count_all(client, folder, state, progress)
            advance_all = _advancer(client, folder, state)
            state, step = steps.update(folder, threads, state, advance_all)
        yield step and replace(step, seconds=time.perf_counter() - begin)


def _count_all(
    client: Client, folder: Folder, state: RunState, progress: Callable[[int], object] | None
) -> None:
    """Let workers count all shards in one round."""
    round = state.round
    submit = _submitter(client, f"round-{round}")
    counts = {
        submit(_count, str(folder.path), round, shard, name=f"count-{shard}"): shard
        for shard in range(1, state.shards + 1)
    }
    for future in _finished(counts):
        if progress is not None and round >= FIRST_ITERATION:
            progress(folder.pairs(counts[future]))
    _wait_until(lambda: set(counts.values()) <= set(chain(*folder.parts(round))))


def _advancer(client: Client, folder: Folder, state: RunState) -> Callable[[int], None]:
    """Return a function that lets workers update all slices, as far as a number of known sums allows."""

    def advance_all(known_sums: int) -> None:
        submit = _submitter(client, f"round-{state.round}-{known_sums}")
        numbers = range(1, state.slices + 1)
        for _ in _finished(
            submit(_advance, str(folder.path), state.round, number, known_sums, name=f"update-{number}")
            for number in numbers
        ):
            pass
        _wait_until(lambda: all(update.is_advanced(folder, number, known_sums) for number in numbers))

    return advance_all


def _submitter(client: Client, phase: str) -> Callable[..., Future]:
    """Return a function that submits a task of a phase under a name, which the dashboard shows."""
    unique = uuid.uuid4().hex[:8]

    def submit(task: Callable[..., object], *arguments: Any, name: str) -> Future:
        key = f"{name}-{phase}-{unique}"
        return client.submit(task, *arguments, key=key, pure=False, retries=_RETRIES)

    return submit


def _finished(futures: Iterable[Future]) -> Iterator[Future]:
    """Yield tasks as they end, and raise the first error of any."""
    from distributed import as_completed

    for future in as_completed(list(futures)):
        future.result()
        yield future


@contextmanager
def _loss_as_data_error(folder: Folder) -> Iterator[None]:
    """Turn the loss of the scheduler or of workers into a DataError that says how to go on."""
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    resumable = f"the run is kept in {folder.path}; go on by --resume"
    try:
        yield
    except KilledWorker as error:
        raise DataError(
            f"--cluster: {error.allowed_failures + 1} workers were lost at {error.task}; expected them to"
            f" live; give each more memory, or use more and smaller files; {resumable}"
        ) from None
    except (CommClosedError, FutureCancelledError, CancelledError, TimeoutError) as error:
        raise DataError(
            f"--cluster: the scheduler went away ({type(error).__name__}); expected it to live until training"
            f" ends; {resumable}"
        ) from None


def _read(path: str, text: Text, recipe: Recipe, shard: int) -> list[str]:
    """Read a shard on a worker; return messages for the first lines that are skipped."""
    folder = _common_folder(path)
    for file in text.shards[shard - 1]:
        if not os.path.exists(file):
            raise DataError(
                f"{os.fspath(file)}: found no such file on a worker; expected one that all"
                f" workers share; move the text to a common file system"
            )
    skipped: list[str] = []

    def note(message: str) -> None:
        if len(skipped) < _MOST_MESSAGES:
            skipped.append(message)

    with _one_at_a_time:
        origin = text.origin(shard, recipe)
        if not steps.is_read(folder, shard, origin):
            bitext = text.read(shard, recipe, _threads_of_worker(), note)
            steps.write_text(folder, shard, bitext, origin)
    return skipped


def _count(path: str, round: int, shard: int) -> None:
    """Count a shard on a worker."""
    folder = _common_folder(path)
    with _one_at_a_time:
        if _wait_for_round(folder, round):
            steps.count(folder, shard, _threads_of_worker(), _cache)


def _advance(path: str, round: int, number: int, known_sums: int) -> None:
    """Update a slice on a worker, as far as possible."""
    folder = _common_folder(path)
    with _one_at_a_time:
        if _wait_for_round(folder, round):
            _wait_until(lambda: update.sums_are_there(folder, known_sums))
            update.advance_slice(folder, number, known_sums, _tasks, _threads_of_worker())


def _wait_for_round(folder: Folder, round: int) -> bool:
    """Wait until a worker sees the state of a round; return False if a later round has begun.

    Raises DataError if the state does not appear within ``_SECONDS_TO_SEE``.
    """
    _wait_until(lambda: max(folder.rounds(), default=-1) >= round)
    newest = max(folder.rounds(), default=-1)
    if newest < round:
        raise DataError(
            f"{folder.path}: found no state of round {round} on a worker within {_SECONDS_TO_SEE} s; expected"
            f" it in the folder that all workers share; use the same folder on all machines, and go on by"
            f" --resume"
        )
    return newest == round


def _wait_until(seen: Callable[[], bool]) -> None:
    """Wait until files are seen that another machine has written, for at most ``_SECONDS_TO_SEE``."""
    end = time.monotonic() + _SECONDS_TO_SEE
    while not seen() and time.monotonic() < end:
        time.sleep(0.1)


def _common_folder(path: str) -> Folder:
    """Return the folder of a run on a worker."""
    if not os.path.isdir(path):
        raise DataError(
            f"{path}: found no such folder on a worker; expected the run's, which all workers share; write"
            f" the model to a folder of a common file system"
        )
    return Folder(path)


def _threads_of_worker() -> int:
    """Return the number of threads of the worker that runs this task."""
    from distributed import get_worker

    return int(get_worker().state.nthreads)
