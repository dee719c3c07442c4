"""The updates of the slices of a lexicon from the parts of a round, on the files of a run's folder.

The update of a slice goes on until it needs a sum over all slices that is not known. It then writes its share
of this sum. Once the shares have been added, it is repeated from its beginning, and goes on further. A slice
whose process is lost loses nothing.

No update holds the rows of more than one slice. The last one also joins all slices, for the model's file.
Each holds the vocabularies, and the whole of a prior or of a model to go on from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.lexicon.table import AddUp, Lexicon, whole
from aligner.shards.counts import CountsWithoutLinks, ExpectedLinks
from aligner.shards.folder import Folder
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.parts import CommonPart, Part, SlicePart, read_common, read_slice
from aligner.shards.ranges import describe_shards
from aligner.shards.slices import KnownSums, MissingSumError, join
from aligner.shards.state import State, rows_of
from aligner.shards.update import after_counts, after_pairs, task_of
from aligner.training.step import Step
from aligner.training.task import Task


def cover(folder: Folder, wanted: frozenset[int], round: int) -> list[str]:
    """Return the names of parts that have each of these shards once, large parts first.

    Raises DataError if there is no part of a shard.
    """
    parts = folder.parts(round)
    names: list[str] = []
    missing = wanted
    for shards in sorted(parts, key=len, reverse=True):
        if shards <= missing:
            names.append(parts[shards])
            missing -= shards
    if missing:
        raise DataError(
            f"{folder.path}: found no part of the shards {describe_shards(missing)} in round {round};"
            f" expected one of each; count them first"
        )
    return names


def add_common(folder: Folder, state: State, current: str) -> tuple[CommonPart, dict[str, str]]:
    """Return the sum of the common parts of all shards, and the identities of the shards' texts."""
    total: CommonPart | None = None
    texts: dict[str, str] = {}
    for name in cover(folder, _all_shards(state), state.round):
        with folder.opened_part(name, current) as (file, own):
            common = read_common(file, state.round)
        total = common if total is None else total.plus(common)  # type: ignore[arg-type]
        texts |= own
    assert total is not None, "a run has shards"
    return total, texts


class TaskCache:
    """The task of the run that this process updated last: words are divided into prefix classes once."""

    def __init__(self) -> None:
        self._key: Any = None
        self._task: Task | None = None

    def get(self, folder: Folder, state: State, threads: int) -> Task:
        """Return the task of a run."""
        key = folder.path, folder.made_from(f"state.{state.round}")["texts"], state.given.identity, threads
        if self._task is None or self._key != key:
            self._key, self._task = key, task_of(state, threads)
        return self._task


def update_slice(
    folder: Folder, state: State, number: int, common: CommonPart, task: Task, add_up: AddUp = whole
) -> tuple[State, Step | None]:
    """Return the state after the current round, and the record of an iteration.

    Number 0 is a slice without rows: with it, the update gives the state without rows.

    state: with the rows of the slice of this number; common: of all shards; task: from ``TaskCache``; add_up:
    adds up over all slices (see ``Lexicon``).
    """
    if isinstance(common, LengthPairs):
        assert state.vocabularies is not None, "words come first"
        index = _add_pairs(folder, state, number).index(*map(len, state.vocabularies))
        words = state.slice_of_word == number
        return after_pairs(state, common, index, words, add_up, task), None
    assert isinstance(common, CountsWithoutLinks), "the round is an iteration"
    assert state.model is not None, "word pairs come first"
    links, used = _add_links(folder, state, number)
    return after_counts(state.with_add_up(add_up), common.with_links(links), used, task)


def update_slices(
    folder: Folder,
    state: State,
    common: CommonPart,
    threads: int = 1,
    advance_all: Callable[[int], object] | None = None,
) -> tuple[State, Step | None]:
    """Update all slices, and write their rows; return the state without rows, and the record.

    advance_all: see ``steps.update``.
    """
    round, current = state.round, folder.state_identity(state.round)
    numbers = range(1, state.slices + 1)

    tasks = TaskCache()

    def one_after_another(known_sums: int) -> None:
        for number in numbers:
            advance_slice(folder, number, known_sums, tasks, threads)

    folder.write(f"common.{round}", {"state": current}, common.values(), Part(common).arrays(), durable=False)
    task, sums = tasks.get(folder, state, threads), list[NDArray[np.int64]]()
    while True:
        (advance_all or one_after_another)(len(sums))
        try:
            return update_slice(folder, state, 0, common, task, KnownSums(iter(sums)))
        except MissingSumError as missing:
            total = missing.own
            for number in numbers:
                total = total + _read_array(folder, f"share.{round}.{len(sums)}.{number}", current)
            total.flags.writeable = False  # later repetitions use it again
            _write_array(folder, f"sum.{round}.{len(sums)}", current, total)
            sums.append(total)


def advance_slice(folder: Folder, number: int, known_sums: int, tasks: TaskCache, threads: int = 1) -> None:
    """Update a slice as far as possible: write its share of the next sum, or its rows.

    known_sums: the number of sums that are known; tasks: of a process that updates several slices.
    """
    if is_advanced(folder, number, known_sums):
        return
    round = folder.round()
    current = folder.state_identity(round)
    sums = (_read_array(folder, f"sum.{round}.{n}", current) for n in range(known_sums))
    with folder.opened(f"common.{round}", {"state": current}) as file:
        common = read_common(file, round)
    state = folder.state(round, number)
    try:
        task = tasks.get(folder, state, threads)
        after, _ = update_slice(folder, state, number, common, task, KnownSums(sums))
    except MissingSumError as missing:
        _write_array(folder, f"share.{round}.{known_sums}.{number}", current, missing.own)
    else:
        write_rows(folder, after, number, current)


def is_advanced(folder: Folder, number: int, known_sums: int) -> bool:
    """Return True if a slice has been updated as far as this number of known sums allows."""
    round = folder.round()
    made_from = {"state": folder.state_identity(round)}
    names = f"share.{round}.{known_sums}.{number}", f"rows.{round + 1}.{number}"
    return any(folder.is_made_from(name, made_from) for name in names)


def sums_are_there(folder: Folder, known_sums: int) -> bool:
    """Return True if the files are there that updates of slices read."""
    round = folder.round()
    return all(
        folder.exists(name) for name in (f"common.{round}", *(f"sum.{round}.{n}" for n in range(known_sums)))
    )


def write_rows(folder: Folder, after: State, number: int, before: str) -> None:
    """Write the rows of a slice; after: the state with them; before: the identity of the state before."""
    assert after.model is not None, "an update makes a model"
    rows = rows_of(after.model.lexicon)
    folder.write(f"rows.{after.round}.{number}", {"state": before}, None, rows)


def join_slices(folder: Folder, state: State, before: str) -> Lexicon:
    """Return the whole lexicon of a state, from the rows of all slices.

    before: the identity of the state before.
    """
    lexicons = []
    for number in range(1, state.slices + 1):
        rows = folder.read(f"rows.{state.round}.{number}", {"state": before})[1]
        model = state.with_rows(rows).model
        assert model is not None, "it has rows"
        lexicons.append(model.lexicon)
    return join(lexicons)


def _all_shards(state: State) -> frozenset[int]:
    """Return the numbers of all shards."""
    return frozenset(range(1, state.shards + 1))


def _add_pairs(folder: Folder, state: State, number: int) -> WordPairs:
    """Return the word pairs of all shards in a slice."""
    added = _added_before(folder, state, number)
    if added is not None:
        return WordPairs.rebuild(added)
    total = WordPairs.none()
    for part in _parts_of_slice(folder, state, number):
        assert isinstance(part, WordPairs), "the round counts word pairs"
        total = total.plus(part)
    _keep_added(folder, state, number, total)
    return total


def _add_links(folder: Folder, state: State, number: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the expected links of all shards in a slice, and the word pairs that pruning keeps.

    The state has the rows of the slice. Returns int64 [pair_ids + 1, columns] and bool [pair_ids + 1].
    """
    assert state.model is not None, "word pairs come first"
    links = state.stage.criterion.empty_counts(state.model).links
    used = np.zeros(len(links), np.bool_)
    added = _added_before(folder, state, number)
    if added is not None:
        ExpectedLinks.rebuild(added).add_to(links, used)
        return links, used
    for part in _parts_of_slice(folder, state, number):
        assert isinstance(part, ExpectedLinks), "the round is an iteration"
        part.add_to(links, used)
    if state.slices > 1:
        pair_ids = np.arange(1, len(links), dtype=np.uint32)
        _keep_added(folder, state, number, ExpectedLinks.of(pair_ids, links[1:], used[1:]))
    return links, used


def _parts_of_slice(folder: Folder, state: State, number: int) -> Iterator[SlicePart]:
    """Yield what each part of the round has for a slice; nothing for number 0."""
    current = folder.state_identity(state.round)
    for name in cover(folder, _all_shards(state), state.round) if number else ():
        with folder.opened_part(name, current) as (file, _):
            part = read_slice(file, state.round, number)
        yield part


def _added_before(folder: Folder, state: State, number: int) -> dict[str, NDArray] | None:
    """Return the arrays that ``_keep_added`` has written, or None."""
    name = f"added.{state.round}.{number}"
    made_from = {"state": folder.state_identity(state.round)}
    return folder.read(name, made_from)[1] if folder.is_made_from(name, made_from) else None


def _keep_added(folder: Folder, state: State, number: int, total: SlicePart) -> None:
    """Write the sum over all shards in a slice, which repetitions of its update then need not compute."""
    if state.slices > 1 and number:
        made_from = {"state": folder.state_identity(state.round)}
        folder.write(f"added.{state.round}.{number}", made_from, None, total.arrays(), durable=False)


def _write_array(folder: Folder, name: str, state: str, array: NDArray[np.int64]) -> None:
    """Write a file of one array."""
    folder.write(name, {"state": state}, None, {"array": array}, durable=False)


def _read_array(folder: Folder, name: str, state: str) -> NDArray[np.int64]:
    """Read a file of one array."""
    return folder.read(name, {"state": state})[1]["array"]
