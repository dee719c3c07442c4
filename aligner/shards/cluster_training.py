"""Training on a cluster, from files to the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aligner.errors import DataError
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Recipe
from aligner.shards import steps
from aligner.shards.cluster import read_shards, run_rounds
from aligner.shards.connection import connected, workers_of
from aligner.shards.folder import Folder
from aligner.shards.pieces import join
from aligner.shards.state import PAIRS_ROUND, RunState
from aligner.shards.text import Text
from aligner.training.step import Step

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Callbacks:
    """Functions that are called as a run goes on.

    say: with a note; skipped: with a message for each line that is skipped; counted: with the number of
    sentence pairs counted since its last call; text: with the state after round 0, once the text is read.
    """

    say: Callable[[str], object]
    skipped: Callable[[str], object]
    counted: Callable[[int], object]
    text: Callable[[RunState], object]


def train_on_cluster(
    address: str,
    text: Text,
    recipe: Recipe,
    folder: Folder,
    *,
    threads: int = 1,
    resume: bool = False,
    force: bool = False,
    knowledge: Knowledge | None = None,
    callbacks: Callbacks,
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
    callbacks
        Functions that follow the run.

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
        same = _is_resumable(folder, text, recipe, knowledge, replaceable=force and not resume)
        if not resume:
            if same and not force:
                raise DataError(
                    f"{folder.path}: found the same run; expected none; go on with it by --resume, or train"
                    f" anew and replace it by --force"
                )
            folder.clear()
    with connected(address, threads) as client:
        if folder.rounds():
            shards = RunState.current(folder).shards
        else:
            shards = _read(client, folder, text, recipe, threads, callbacks.skipped)
        steps.start(folder, recipe, shards, knowledge)
        if folder.round() >= PAIRS_ROUND:
            callbacks.text(RunState.read(folder))
        for state, step in run_rounds(client, folder, threads, callbacks.counted):
            if step is not None:
                yield replace(step, last=step.last and recipe.pieces is None)
            elif state.round == PAIRS_ROUND:
                callbacks.text(state)
        if recipe.pieces is None:
            return
        for _, step in run_rounds(client, folder.of_pieces, threads, callbacks.counted):
            if step is not None:
                yield replace(step, model=join(folder.of_pieces, recipe, step.model))


def _read(
    client: Client,
    folder: Folder,
    text: Text,
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


def _is_resumable(
    folder: Folder, text: Text, recipe: Recipe, knowledge: Knowledge, *, replaceable: bool
) -> bool:
    """Return True if the run in a folder can be resumed, False if it is another one that may be replaced.

    Raises DataError if it is another one, or cannot be read, and is not replaceable.
    """
    try:
        same = _is_run_of(folder, text, recipe, knowledge)
    except DataError:
        if not replaceable:
            raise
        return False
    if not same and not replaceable:
        raise DataError(
            f"{folder.path}: found a run of another text, recipe, dictionary or model;"
            f" expected none, or one of the same; write the model elsewhere, or replace the run by --force"
            f" without --resume"
        )
    return same


def _is_run_of(folder: Folder, text: Text, recipe: Recipe, knowledge: Knowledge) -> bool:
    """Return True if the run in a folder is of this text and recipe, and was given the same.

    Raises DataError if a file is damaged, or of another version.
    """
    shards = RunState.current(folder).shards
    return (
        steps.is_run_of(folder, recipe, shards, knowledge)
        and (text.is_undivided or len(text.shards) == shards)
        and all(
            folder.is_made_from(f"read.{shard}", text.origin(shard, recipe)) for shard in range(1, shards + 1)
        )
    )
