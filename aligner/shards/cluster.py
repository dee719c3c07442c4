"""Training on a cluster of Dask distributed, from files to the model. It needs the extra ``cluster``.

Tasks name files of the run's folder, which all workers share, and write files. A task that is run again,
because its worker was lost, finds its file or writes the same bytes. Workers count shards; this process
updates the model.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aligner.errors import DataError
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Recipe
from aligner.shards import steps
from aligner.shards.connection import connected, workers_of
from aligner.shards.folder import READ, STATE, Folder
from aligner.shards.piece_run import current, join
from aligner.shards.run_state import FIRST_ITERATION, PAIRS_ROUND, Run, RunState
from aligner.shards.text_files import TextFiles
from aligner.text.facts import TextFacts
from aligner.training.step import Step

if TYPE_CHECKING:
    from distributed import Client, Future

_RETRIES = 3
"""How often a task is tried again after an error. An error of the system, such as a full disk, may pass."""

_MOST_MESSAGES = 10
"""The number of lines of a shard whose messages a worker returns: the scheduler keeps them in memory."""

_SECONDS_TO_SEE = 60
"""How long a common file system may take to show a file of another machine. NFS may take so long."""

_SECONDS_TO_LOOK = 5
"""Interval at which the client checks that the cluster still has workers, while no task ends."""

_SECONDS_WITHOUT_WORKERS = 600
"""How long the client waits for workers. Those of a queueing system may take minutes."""

_SECONDS_WITHOUT_LOCAL_WORKERS = 60
"""The same for local workers, which are started again in seconds, unless they are killed meanwhile."""

_one_at_a_time = threading.Lock()
"""Held by the task that runs: tasks use all threads of a worker, and the memory of one task at a time."""


def _ignore(event: Any) -> None:
    """Ignore an event of a run."""


def train_on_cluster(
    address: str,
    text: TextFiles,
    recipe: Recipe,
    folder: Folder,
    *,
    threads: int = 1,
    resume: bool = False,
    force: bool = False,
    knowledge: Knowledge | None = None,
    report: Callable[[str], object] = _ignore,
    begin: Callable[[TextFacts], object] = _ignore,
    progress: Callable[[int], object] = _ignore,
) -> Iterator[Step]:
    """Train by a recipe on the workers of a cluster, and yield a step after every iteration.

    Parameters
    ----------
    address
        A scheduler, or local:N (see ``connection.connected``).
    text, recipe
        The files and the recipe.
    folder
        The folder of the run, which all workers share. It keeps the run if training is interrupted.
    threads
        Number of threads of this process, and of all local workers together.
    resume, force
        True to resume the run in the folder; True to replace a run of another text or recipe.
    knowledge
        A dictionary, and existing models; none by default.
    report
        Receives a message for each line that is skipped.
    begin
        Receives the facts about the text, once it is read.
    progress
        Receives the number of sentence pairs counted in an iteration since its last call.

    Raises
    ------
    ConfigError
        If the recipe does not go with shards, or with what is known.
    DataError
        If the text cannot be read, if the folder holds another run, or if the cluster is lost.
    """
    knowledge = knowledge or Knowledge()
    steps.check_run(recipe, knowledge)
    if folder.rounds():
        _check_found(folder, text, recipe, knowledge, resume, force)
    with connected(address, threads) as client:
        if folder.rounds():
            shards = Run.current(folder).shards
        else:
            shards = _read_all(client, folder, text, recipe, threads, report)
        steps.start(folder, recipe, shards, knowledge)
        if folder.round() >= PAIRS_ROUND:
            begin(folder.take(STATE(folder.round()), "facts", TextFacts))
        for state, step in run_rounds(client, folder, threads, progress):
            if step is not None:
                yield step
            elif state.run.round == PAIRS_ROUND and state.facts is not None:
                begin(state.facts)
        if recipe.pieces is None:
            return
        for _, step in run_rounds(client, folder.of_pieces, threads, progress):
            if step is not None:
                yield replace(step, model=join(folder.of_pieces, recipe, step.model))


def _check_found(
    folder: Folder, text: TextFiles, recipe: Recipe, knowledge: Knowledge, resume: bool, force: bool
) -> None:
    """Delete the run that a folder has, or prepare to resume it; raise DataError if neither is wanted."""
    if force and not resume:
        folder.clear()
        return
    if not _is_run_of(folder, text, recipe, knowledge):
        raise DataError(
            f"{folder.path}: found a run of another text, recipe, dictionary or model;"
            f" expected none, or one of the same; write the model elsewhere, or replace the run by --force"
            f" without --resume"
        )
    if not resume:
        raise DataError(
            f"{folder.path}: found the same run; expected none; go on with it by --resume, or train"
            f" anew and replace it by --force"
        )
    last = current(folder)
    if Run.current(last).done:  # its model was not written: the last iteration is taken again, for its step
        last.remove([STATE(last.round())])


def _is_run_of(folder: Folder, text: TextFiles, recipe: Recipe, knowledge: Knowledge) -> bool:
    """Return True if the run in a folder is of this text and recipe, and was given the same.

    Raises DataError if a file is damaged, or of another version.
    """
    shards = Run.current(folder).shards
    return (
        steps.is_run_of(folder, recipe, shards, knowledge)
        and (text.is_undivided or len(text.shards) == shards)
        and all(
            folder.is_made_from(READ(shard), text.origin(shard, recipe)) for shard in range(1, shards + 1)
        )
    )


def _read_all(
    client: Client,
    folder: Folder,
    text: TextFiles,
    recipe: Recipe,
    threads: int,
    report: Callable[[str], object],
) -> int:
    """Read a text into the folder of a run, by the workers if possible; return the number of shards."""
    if text.is_undivided:  # an interrupted run for other workers may have read other parts of it
        folder.clear()
    folder.path.mkdir(parents=True, exist_ok=True)
    workers, shards = workers_of(client), 0
    if text.is_stream:
        for shards, bitext in enumerate(text.cut(workers, recipe, threads, report), start=1):
            steps.write_text(folder, shards, bitext, text.origin(shards, recipe))
        return shards
    divided = text.divided(workers)
    read_shards(client, folder, divided, recipe, report)
    return len(divided.shards)


def read_shards(
    client: Client, folder: Folder, text: TextFiles, recipe: Recipe, report: Callable[[str], object]
) -> None:
    """Let workers read the shards of a text.

    report: receives messages for the first lines that are skipped in each shard, in the order of the text.

    Raises
    ------
    DataError
        If a file cannot be read, or has a bad line: the first error in the order of the text.
    """
    numbers = range(1, len(text.shards) + 1)
    for _, messages in _results(client, folder, _read, numbers, "read", text, recipe):
        for message in messages:
            report(message)


def run_rounds(
    client: Client, folder: Folder, threads: int = 1, progress: Callable[[int], object] = _ignore
) -> Iterator[tuple[RunState, Step | None]]:
    """Take the remaining rounds of a run; yield the state after each, and the record of an iteration.

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
    state = RunState.read(folder, threads)
    while not state.run.done:
        begin = time.perf_counter()
        _count_all(client, folder, state.run, progress)
        state, step = steps.update(folder, threads, state)
        yield state, step and replace(step, seconds=time.perf_counter() - begin)


def _count_all(client: Client, folder: Folder, run: Run, progress: Callable[[int], object]) -> None:
    """Let workers count all shards in one round."""
    round = run.round
    for shard, _ in _results(client, folder, _count, run.numbers, f"round-{round}", round):
        if round >= FIRST_ITERATION:
            progress(folder.take(READ(shard), "pairs", int))
    names = [steps.counts_name(round, shard) for shard in run.numbers]
    _wait_for(folder, f"counts of round {round}", lambda: all(map(folder.exists, names)))


def _results(
    client: Client, folder: Folder, task: Callable[..., Any], shards: range, phase: str, *others: Any
) -> Iterator[tuple[int, Any]]:
    """Let workers do a task for shards; yield each shard's number and result, in the order of the shards.

    phase: names the tasks on the dashboard, with the task and the shard; others: arguments of the task after
    the path of the folder and the number of the shard. Raises the first error in the order of the shards.
    """
    name, unique = task.__name__.strip("_"), uuid.uuid4().hex[:8]
    keys = [f"{name}-{shard}-{phase}-{unique}" for shard in shards]
    options = {"pure": False, "retries": _RETRIES}
    with _loss_as_data_error(folder):
        futures = [
            client.submit(task, str(folder.path), shard, *others, key=key, **options)
            for shard, key in zip(shards, keys, strict=True)
        ]
        for shard, future in zip(shards, futures, strict=True):
            _wait_for_end(client, future)
            yield shard, future.result()


def _wait_for_end(client: Client, task: Future) -> None:
    """Wait until a task ends.

    Raises _NoWorkersError if the cluster has no workers for too long: Dask would wait for them without end.
    """
    from distributed import wait

    limit = _SECONDS_WITHOUT_WORKERS if client.cluster is None else _SECONDS_WITHOUT_LOCAL_WORKERS
    seen = time.monotonic()
    while True:
        try:
            wait([task], timeout=_SECONDS_TO_LOOK)
        except TimeoutError:
            if client.scheduler_info(n_workers=1)["workers"]:
                seen = time.monotonic()
            elif time.monotonic() - seen > limit:
                raise _NoWorkersError(limit) from None
        else:
            return


class _NoWorkersError(Exception):
    """Error of a cluster without workers; its argument is for how many seconds they were missing."""


@contextmanager
def _loss_as_data_error(folder: Folder) -> Iterator[None]:
    """Turn the loss of the scheduler or of workers into a DataError that says how to go on."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    resumable = f"the run is kept in {folder.path}; go on by --resume"
    try:
        yield
    except KilledWorker as error:
        raise DataError(
            f"--cluster: {error.allowed_failures + 1} workers were lost at {error.task}; expected them to"
            f" live; give each more memory, or use more and smaller files; {resumable}"
        ) from None
    except _NoWorkersError as error:
        raise DataError(
            f"--cluster: found no worker for {error} s; expected at least one; start workers, or give"
            f" local ones more memory; {resumable}"
        ) from None
    except (CommClosedError, CancelledError, futures.CancelledError, TimeoutError) as error:
        raise DataError(
            f"--cluster: the scheduler went away ({type(error).__name__}); expected it to live until training"
            f" ends; {resumable}"
        ) from None


def _read(path: str, shard: int, text: TextFiles, recipe: Recipe) -> list[str]:
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
        if not folder.is_made_from(READ(shard), origin):
            bitext = text.read(shard, recipe, _threads_of_worker(), note)
            steps.write_text(folder, shard, bitext, origin)
    return skipped


def _count(path: str, shard: int, round: int) -> None:
    """Count a shard on a worker."""
    folder = _common_folder(path)
    with _one_at_a_time:
        if _wait_for_round(folder, round):
            steps.count(folder, shard, _threads_of_worker())


def _wait_for_round(folder: Folder, round: int) -> bool:
    """Wait until a worker sees the state of a round; return False if a later round has begun."""
    _wait_for(folder, f"state of round {round}", lambda: max(folder.rounds(), default=-1) >= round)
    return folder.round() == round


def _wait_for(folder: Folder, files: str, seen: Callable[[], bool]) -> None:
    """Wait until files are seen that another machine has written.

    files: their name in the message. Raises DataError if they do not appear within ``_SECONDS_TO_SEE``.
    """
    end = time.monotonic() + _SECONDS_TO_SEE
    while not seen():
        if time.monotonic() > end:
            raise DataError(
                f"{folder.path}: found no {files} within {_SECONDS_TO_SEE} s; expected them in the folder"
                f" that all machines share; use the same folder on all machines, and go on by --resume"
            )
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
