"""The steps of a run: start, read, count, merge, update.

Each reads and writes files of the folder of the run. A step whose files are there is not taken again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from aligner.errors import ConfigError, DataError
from aligner.messages import counted
from aligner.models.model_file import save
from aligner.models.trained import TrainedModel
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Recipe
from aligner.shards.counting import ShardCache, count_links, count_pairs, count_words, is_of_text
from aligner.shards.folder import Folder
from aligner.shards.limits import can_slice, check_recipe, check_shardable
from aligner.shards.parts import CommonPart, Part
from aligner.shards.shard import ReadShard
from aligner.shards.state import PAIRS_ROUND, WORDS_ROUND, RunState
from aligner.shards.update import (
    Slices,
    TaskCache,
    add_common,
    advance_slice,
    after_iteration,
    after_pairs,
    after_words,
    cover,
    join_slices,
    write_rows,
)
from aligner.shards.words import MOST_SHARDS, Words
from aligner.text.bitext import Bitext
from aligner.training.step import Step
from aligner.training.usable import check_pairs

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
        If the recipe does not go with shards, or with what is known.
    DataError
        If another run has begun in the folder.
    """
    knowledge = knowledge or Knowledge()
    check_shardable(knowledge)
    knowledge.check(recipe)
    if slices is None:
        slices = -(-shards // SHARDS_A_SLICE) if can_slice(recipe) else 1
    check_recipe(recipe, slices)
    for number, what in (shards, "shards"), (slices, "slices"):
        if not 1 <= number <= MOST_SHARDS:
            raise ConfigError(f"found {number} {what}; expected a number from 1 to {MOST_SHARDS:,}")
    begun = RunState(recipe, shards, slices, knowledge)
    if folder.rounds():
        state, found = folder.outline(), folder.made_from(f"state.{folder.round()}")["knowledge"]
        if (state.recipe, state.shards, state.slices, found) != (recipe, shards, slices, knowledge.identity):
            raise DataError(
                f"{folder.path}: found a run with another recipe, dictionary or model, or of"
                f" {counted(state.shards, 'shard')} and {counted(state.slices, 'slice')}; expected no run, or"
                f" the same one; name another folder, or delete this one"
            )
        return False
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"{folder.path}: no run can begin here ({error.strerror}); expected a folder, or a new name in a"
            f" folder; name another one, or check its permissions"
        ) from None
    folder.write_knowledge(knowledge)
    lineage: dict[str, Any] = {
        "before": None,
        "texts": {},
        "encoded": None,
        "pruned": None,
        "knowledge": knowledge.identity,
    }
    _write_state(folder, begun, lineage)
    return True


def read(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard.

    bitext: its lines, read as the recipe says; origin: plain data that changes when the shard has other
    files, or if they are read in another way.
    """
    check_reading(folder, shard)
    write_text(folder, shard, bitext, origin)


def check_reading(folder: Folder, shard: int) -> Recipe:
    """Return the recipe of a run whose shard may be read; raise ConfigError or DataError if it may not."""
    state = folder.outline()
    _check_shard(state, shard)
    if state.round != WORDS_ROUND:
        raise DataError(
            f"{folder.path}: found round {state.round}, and texts are read before round {PAIRS_ROUND}; begin"
            f" another run for another text"
        )
    return state.recipe


def write_text(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard, whether the run has begun or not."""
    text = ReadShard.of(bitext)
    check_pairs(len(text.source))
    folder.write(f"read.{shard}", {"origin": origin}, {"text": text, "pairs": len(text.source)})


def _check_shard(state: RunState, shard: int) -> None:
    """Raise ConfigError if a run has no shard of this number."""
    if not 1 <= shard <= state.shards:
        raise ConfigError(f"found shard {shard}; expected a number from 1 to {state.shards}")


def is_read(folder: Folder, shard: int, origin: Any) -> bool:
    """Return True if the text of a shard was read from files that have not changed since, in the same way."""
    return folder.is_made_from(f"read.{shard}", {"origin": origin})


def count(folder: Folder, shard: int, threads: int = 1, cache: ShardCache | None = None) -> bool:
    """Count a shard in the current round; return False if that was done before, or if the model is trained.

    cache: keeps the shard for the next round.

    Raises
    ------
    DataError
        If the text of the shard has not been read, or has been replaced.
    """
    state = folder.outline()
    _check_shard(state, shard)
    if state.done:
        return False
    round = state.round
    name = folder.part_name(round, [shard])
    current = folder.state_identity(round)
    if _is_counted(folder, name, round, current):
        return False
    if round == WORDS_ROUND:
        text, part = count_words(folder, shard)
    elif round == PAIRS_ROUND:
        text, part = count_pairs(folder, shard, current, threads)
    else:
        text, part = count_links(folder, shard, round, current, threads, cache or ShardCache())
    _write_part(folder, name, part, current, {str(shard): text})
    return True


def merge(folder: Folder, shards: Iterable[int]) -> bool:
    """Add up the parts of some shards in the current round; return False as ``count`` does.

    The sum has the counts of these shards in all slices, which this process holds.
    """
    state, wanted = folder.outline(), frozenset(shards)
    for shard in sorted(wanted):
        _check_shard(state, shard)
    if state.done:
        return False
    round = state.round
    name = folder.part_name(round, wanted)
    current = folder.state_identity(round)
    if _is_counted(folder, name, round, current):
        return False
    folder.remove([name])  # it was merged before the text of one of its shards was replaced
    merged: Part | None = None
    texts: dict[str, str] = {}
    for part_name in cover(folder, wanted, round):
        with folder.opened_part(part_name, current) as (file, own):
            part = Part.read(file, round, state.slices)
        merged = part if merged is None else merged.plus(part)
        texts |= own
    assert merged is not None, "no part is of no shard"
    _write_part(folder, name, merged, current, texts)
    return True


def _is_counted(folder: Folder, name: str, round: int, current: str) -> bool:
    """Return True if a part is there that was counted under a state, and whose texts are still the same.

    Texts may be replaced in round 0 only. current: the identity of the state.
    """
    if not folder.exists(name) or folder.made_from(name)["state"] != current:
        return False
    return round > WORDS_ROUND or is_of_text(folder, name)


def update(
    folder: Folder,
    threads: int = 1,
    state: RunState | None = None,
    advance_all: Callable[[int], object] | None = None,
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
        return state, None
    common, texts = add_common(folder, state, current)
    step = None
    if isinstance(common, Words):
        for shard, text in texts.items():
            if folder.identity(f"read.{shard}") != text:
                raise DataError(
                    f"{folder.path}: found a text of shard {shard} that was read after the shard was counted;"
                    f" expected its counts; take the step align shard count for shard {shard} again"
                )
        after = after_words(state, common)
    else:
        slices = _slices(folder, state, common, threads, advance_all)
        if round == PAIRS_ROUND:
            after = after_pairs(slices)
        else:
            after, step = after_iteration(slices)
        if state.slices == 1:
            write_rows(folder, after.known_training.pair.lexicon, after.round, 1, current)
    if after.done:
        trained = after.trained(join_slices(folder, after, current))
        save(trained, folder.model)
        step = step and replace(step, model=trained)
    lineage = folder.made_from(f"state.{round}") | {"before": current, "texts": texts}
    if round == PAIRS_ROUND:
        lineage["encoded"] = current
    if _is_pruned(after) and not _is_pruned(state):
        lineage["pruned"] = current
    _write_state(folder, after, lineage)
    folder.tidy(round)
    return after, step


def _slices(
    folder: Folder,
    state: RunState,
    common: CommonPart,
    threads: int,
    advance_all: Callable[[int], object] | None,
) -> Slices:
    """Return the update of all slices in a round; write what updates of single slices read."""
    assert not isinstance(common, Words), "round 0 has no slices"
    tasks = TaskCache()
    task = tasks.get(folder, state, threads)
    if state.slices == 1:
        return Slices(folder, state, common, 1, task)
    made_from = {"state": folder.state_identity(state.round)}
    folder.write(f"common.{state.round}", made_from, {"common": common}, durable=False)

    def one_after_another(known_sums: int) -> None:
        for number in range(1, state.slices + 1):
            advance_slice(folder, number, known_sums, tasks, threads)

    return Slices(folder, state, common, 0, task, advance_all or one_after_another)


def _is_pruned(state: RunState) -> bool:
    """Return True once cells have been dropped."""
    return state.training is not None and state.training.is_pruned


def state_to_update(folder: Folder) -> RunState:
    """Return the current state, with the rows of the lexicon if it has a single slice."""
    return folder.state(slice_number=1 if folder.outline().slices == 1 else 0)


def whole_model(folder: Folder) -> TrainedModel:
    """Return the model of the current round with all word pairs."""
    state = folder.state()
    return state.trained(join_slices(folder, state, folder.made_from(f"state.{state.round}")["before"]))


def _write_part(folder: Folder, name: str, part: Part, state: str, texts: dict[str, str]) -> None:
    """Write a part that was counted under a state. If the machine fails, its step is taken again."""
    made_from = {"state": state, "texts": dict(sorted(texts.items()))}
    folder.write(name, made_from, part.values(), durable=False)


def _write_state(folder: Folder, state: RunState, made_from: dict[str, Any]) -> None:
    """Write a state."""
    folder.write(f"state.{state.round}", made_from, state.values())
