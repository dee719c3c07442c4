"""The steps of a run: start, read, count, merge, update.

Each reads and writes files of the folder of the run. A step whose files are there is not taken again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from aligner.criteria import Counts
from aligner.errors import ConfigError, DataError
from aligner.messages import counted
from aligner.models.model_file import load, save
from aligner.models.trained import TrainedModel
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Recipe
from aligner.shards.expected_counts import require_common
from aligner.shards.folder import Folder
from aligner.shards.latest import Latest
from aligner.shards.limits import can_slice, check_run
from aligner.shards.pairs import LengthPairs
from aligner.shards.parts import CommonPart, Part, add_parts, read_common
from aligner.shards.pieces import is_of_pieces, join, write_piece_models
from aligner.shards.shard_counts import LoadedShard, count_links, count_pairs, count_words, write_text
from aligner.shards.state import PAIRS_ROUND, WORDS_ROUND, RunState
from aligner.shards.stored_file import Lineage, StoredFile
from aligner.shards.update import (
    FolderCounting,
    advance_slice,
    after_iteration,
    after_pairs,
    after_words,
    join_slices,
    task_of,
    write_rows,
)
from aligner.shards.word_counts import MOST_SHARDS, WordCounts
from aligner.text.bitext import Bitext
from aligner.training.pieces import knowledge_of_pieces, piece_models
from aligner.training.step import Step
from aligner.training.task import Task

SHARDS_A_SLICE = 8
"""The update of a slice then needs about as much memory as the counting of a shard."""


def start(
    folder: Folder, recipe: Recipe, shards: int, slices: int | None = None, knowledge: Knowledge | None = None
) -> bool:
    """Begin a run; return False if the same run has begun in the folder.

    Parameters
    ----------
    folder, recipe, shards
        The folder, the recipe, and the number of shards.
    slices
        Into how many slices the lexicon is divided; by default, one for each ``SHARDS_A_SLICE`` shards.
    knowledge
        A dictionary, and existing models; none by default.

    Raises
    ------
    ConfigError
        If the recipe does not go with shards, or with the dictionary or the existing models.
    DataError
        If another run has begun in the folder.
    """
    knowledge = knowledge or Knowledge()
    if slices is None:
        slices = -(-shards // SHARDS_A_SLICE) if can_slice(recipe) else 1
    check_run(recipe, knowledge, slices)
    for number, what in (shards, "shards"), (slices, "slices"):
        if not 1 <= number <= MOST_SHARDS:
            raise ConfigError(f"found {number} {what}; expected a number from 1 to {MOST_SHARDS:,}")
    if folder.rounds():
        state, found = folder.outline(), folder.lineage(f"state.{folder.round()}").knowledge
        if (state.recipe, state.shards, state.slices, found) != (recipe, shards, slices, knowledge.identity):
            raise DataError(
                f"{folder.path}: found a run with another recipe, dictionary or model, or of"
                f" {counted(state.shards, 'shard')} and {counted(state.slices, 'slice')}; expected no run, or"
                f" the same one; name another folder, or delete this one"
            )
        if not folder.exists("knowledge"):
            folder.write_knowledge(knowledge)
        return False
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"{folder.path}: no run can begin here ({error.strerror}); expected a folder, or a new name in a"
            f" folder; name another one, or check its permissions"
        ) from None
    folder.write_knowledge(knowledge)
    state = RunState(recipe, shards, slices, knowledge)
    folder.write(f"state.{WORDS_ROUND}", Lineage(knowledge=knowledge.identity), state.values())
    return True


def read(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard.

    bitext: its lines, read as the recipe says; origin: plain data that changes when the shard has other
    files, or if they are read in another way. Raises DataError if the run goes on with another text.
    """
    check_reading(folder, shard)
    write_text(folder, shard, bitext, origin)
    round, name = folder.round(), f"read.{shard}"
    if round > WORDS_ROUND and folder.identity(name) != folder.text_of(
        folder.lineage(f"state.{round}"), shard
    ):
        raise folder.foreign(name)


def check_reading(folder: Folder, shard: int) -> Recipe:
    """Return the recipe of a run whose shard may be read; raise ConfigError or DataError if it may not.

    After round 0, only a text whose file was lost may be read, and must be the same.
    """
    state = folder.outline()
    _check_shard(state, shard)
    if state.round != WORDS_ROUND and folder.exists(f"read.{shard}"):
        raise DataError(
            f"{folder.path}: found round {state.round}, and texts are read before round {PAIRS_ROUND}; begin"
            f" another run for another text"
        )
    return state.recipe


def _check_shard(state: RunState, shard: int) -> None:
    """Raise ConfigError if a run has no shard of this number."""
    if not 1 <= shard <= state.shards:
        raise ConfigError(f"found shard {shard}; expected a number from 1 to {state.shards}")


def is_read(folder: Folder, shard: int, origin: Any) -> bool:
    """Return True if the text of a shard was read from files that have not changed since, in the same way."""
    return folder.is_made_from(f"read.{shard}", Lineage(origin=origin))


def count(folder: Folder, shard: int, threads: int = 1, shards: Latest[LoadedShard] | None = None) -> bool:
    """Count a shard in the current round; return False if that was done before, or if the model is trained.

    shards: keeps the shard for the next round.

    Raises
    ------
    DataError
        If the text of the shard has not been read, or has been replaced.
    """
    state, own = folder.outline(), frozenset([shard])
    current = _state_to_count(folder, state, own)
    if current is None:
        return False
    if state.round == WORDS_ROUND:
        text, part = count_words(folder, shard)
    elif state.round == PAIRS_ROUND:
        text, part = count_pairs(folder, shard, current, threads)
    else:
        text, part = count_links(folder, shard, state.round, current, threads, shards or Latest())
    _write_part(folder, state.round, own, part, current, {str(shard): text})
    return True


def merge(folder: Folder, shards: Iterable[int]) -> bool:
    """Add up the parts of some shards in the current round; return False as ``count`` does.

    The sum has the counts of these shards in all slices, which this process holds.
    """
    state, wanted = folder.outline(), frozenset(shards)
    current = _state_to_count(folder, state, wanted)
    if current is None:
        return False
    folder.remove([folder.part_name(state.round, wanted)])  # the text of a shard was replaced since
    read = partial(Part.read, round=state.round, slices=state.slices)
    merged, texts = add_parts(folder, state, current, wanted, read)
    _write_part(folder, state.round, wanted, merged, current, texts)
    return True


def _state_to_count(folder: Folder, state: RunState, shards: frozenset[int]) -> str | None:
    """Return the identity of the current state, under which the part of some shards is to be counted.

    Returns None if the part is there, and its texts, which may be replaced in round 0 only, are still the
    same; or if the model is trained.
    """
    for shard in sorted(shards):
        _check_shard(state, shard)
    if state.done:
        return None
    name, current = folder.part_name(state.round, shards), folder.state_identity(state.round)
    lineage = folder.lineage(name) if folder.exists(name) else Lineage()
    if lineage.state != current:
        return current
    texts = lineage.texts.items() if state.round == WORDS_ROUND else ()
    return None if all(folder.identity(f"read.{shard}") == text for shard, text in texts) else current


def update(
    folder: Folder,
    threads: int = 1,
    state: RunState | None = None,
    advance_all: Callable[[int], object] | None = None,
    tasks: Latest[Task] | None = None,
) -> tuple[RunState, Step | None]:
    """Update the state from the parts of all shards; return it, and the record of an iteration.

    The last update writes the model, and holds all word pairs in memory. The parts are deleted.

    Parameters
    ----------
    folder
        The folder of the run.
    threads
        Number of threads.
    state
        The state of the current round from ``state_to_update`` or the last update, if it is at hand.
    advance_all
        Calls ``update.advance_slice`` for each slice, given the number of known sums. By default, this
        process does so for one slice after another.
    tasks
        Keeps the task of the run for the next update.

    Returns
    -------
    RunState
        The new state. With several slices, it has none of their rows.
    Step or None
        The record of an iteration. With several slices, its model has no word pairs, unless it is the last.

    Raises
    ------
    DataError
        If parts are missing.
    """
    round = folder.round()
    current = folder.state_identity(round)
    if state is None or state.round != round:
        state = state_to_update(folder)
    if state.done:
        _conclude(folder, state)
        return state, None
    common, texts = add_parts(folder, state, current, state.all_shards, partial(_read_common, state))
    step = None
    if isinstance(common, WordCounts):
        for shard, text in texts.items():
            if folder.identity(f"read.{shard}") != text:
                raise DataError(
                    f"{folder.path}: found a text of shard {shard} that was read after the shard was counted;"
                    f" expected its counts; take the step align shard count for shard {shard} again"
                )
        after = after_words(state, common)
    else:
        counting = _counting(folder, state, common, threads, advance_all, tasks or Latest())
        if round == PAIRS_ROUND:
            after = after_pairs(counting)
        else:
            after, step = after_iteration(counting)
        if state.slices == 1:
            write_rows(folder, after.known_training.pair.lexicon, after.round, 1, current)
    lineage = replace(folder.lineage(f"state.{round}"), state=current, texts=texts)
    if round == PAIRS_ROUND:
        lineage = replace(lineage, encoded=current)
    if state.training is not None and state.training.prunes:
        lineage = replace(lineage, pruned=current)
    folder.write(f"state.{after.round}", lineage, after.values())
    folder.tidy(round)
    if after.done:
        trained = after.trained(join_slices(folder, after, current))
        _conclude(folder, after, trained)
        step = step and replace(step, model=trained)
    return after, step


def _conclude(folder: Folder, state: RunState, trained: TrainedModel | None = None) -> None:
    """Write the model of a run that has ended, and what follows from it, unless it is there.

    trained: the model, if it is at hand.
    """
    pieces_follow = state.recipe.pieces is not None
    path = folder.words if pieces_follow else folder.model
    if not folder.exists(path.name):
        save(trained or whole_model(folder), path, follow_links=False)
    if pieces_follow and not folder.of_pieces.rounds():
        words = load(folder.words, follow_links=False)
        write_piece_models(folder.of_pieces, piece_models(words, state.knowledge))
        own = state.recipe.of_pieces, state.shards, state.slices, knowledge_of_pieces(state.knowledge)
        start(folder.of_pieces, *own)
    if is_of_pieces(folder) and not folder.of_words.exists("model"):
        run, pieces = folder.of_words, load(folder.model, follow_links=False)
        save(join(folder, run.outline().recipe, pieces), run.model, follow_links=False)


def _read_common(state: RunState, file: StoredFile) -> CommonPart:
    """Read the counts of a part that concern the whole lexicon, and check that they fit the state."""
    common = read_common(file, state.round)
    if isinstance(common, Counts):
        training = state.known_training
        require_common(common, training.stage.criterion.empty_counts(training.pair))
    return common


def _counting(
    folder: Folder,
    state: RunState,
    common: LengthPairs | Counts,
    threads: int,
    advance_all: Callable[[int], object] | None,
    tasks: Latest[Task],
) -> FolderCounting:
    """Return the counting of the current round; write what updates of single slices read."""
    task = task_of(folder, state, threads, tasks)
    if state.slices == 1:
        return FolderCounting(folder, state, common, 1, task)
    lineage, name = Lineage(folder.state_identity(state.round)), f"common.{state.round}"
    if not folder.exists(name):
        # No update has begun, so rows of the next round are left of a state that was deleted. The sums of
        # slices, which other rows need, are not there any more.
        folder.remove(f"rows.{state.round + 1}.{number}" for number in range(1, state.slices + 1))
    folder.write(name, lineage, {"common": common}, durable=False)

    def one_after_another(known_sums: int) -> None:
        for number in range(1, state.slices + 1):
            advance_slice(folder, number, known_sums, tasks, threads)

    return FolderCounting(folder, state, common, 0, task, advance_all or one_after_another)


def state_to_update(folder: Folder) -> RunState:
    """Return the current state, with the rows of the lexicon if it has a single slice."""
    return folder.state(slice_number=1 if folder.outline().slices == 1 else 0)


def whole_model(folder: Folder) -> TrainedModel:
    """Return the model of the current round with all word pairs."""
    state = folder.state()
    return state.trained(join_slices(folder, state, folder.lineage(f"state.{state.round}").state))


def _write_part(
    folder: Folder, round: int, shards: frozenset[int], part: Part, state: str, texts: dict[str, str]
) -> None:
    """Write a part that was counted under a state. If the machine fails, its step is taken again."""
    lineage = Lineage(state, texts=dict(sorted(texts.items())))
    folder.write(folder.part_name(round, shards), lineage, part.values(), durable=False)
