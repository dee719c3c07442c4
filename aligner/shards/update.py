"""The update of a run's state from the parts of a round, on the files of its folder.

The update of a slice goes on until it needs a sum over all slices that is not known. It then writes its share
of this sum. Once the shares have been added, it is repeated from its beginning, and goes on further. A slice
whose process is lost loses nothing.

No update holds the rows of more than one slice. The last one also joins all slices, for the model's file.
Each holds the vocabularies, and the whole of a prior or of a model to go on from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts
from aligner.errors import ConfigError, DataError
from aligner.lexicon.block_sources import Span
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.sums import Share, Summing, advance, alone, run
from aligner.lexicon.table import Lexicon
from aligner.priors.source import prior_names, priors_of
from aligner.shards.counts import CountsWithoutLinks, ExpectedLinks
from aligner.shards.folder import Folder
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.parts import CommonPart, SlicePart, read_common, read_slice
from aligner.shards.ranges import describe_shards
from aligner.shards.slices import join, slices_of
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, RunState, rows_of
from aligner.shards.words import Words
from aligner.text.facts import TextFacts
from aligner.training.counting import Counting
from aligner.training.loop import iterate
from aligner.training.state import TrainingState, Update, entered, first_state, pruned, updated
from aligner.training.step import Step
from aligner.training.task import Task
from aligner.training.usable import check_tokens, check_usable, check_word_counts

_Part = TypeVar("_Part", bound=SlicePart)


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


def add_common(folder: Folder, state: RunState, current: str) -> tuple[CommonPart, dict[str, str]]:
    """Return the sum of the common parts of all shards, and the identities of the shards' texts."""
    total: CommonPart | None = None
    texts: dict[str, str] = {}
    for name in cover(folder, _all_shards(state), state.round):
        with folder.opened_part(name, current) as (file, own):
            common = read_common(file, state.round)
            if isinstance(common, CountsWithoutLinks):
                training = state.known_training
                common.require_like(training.stage.criterion.empty_counts(training.pair))
            total = common if total is None else total.plus(common)  # type: ignore[arg-type]
        texts |= own
    assert total is not None, "a run has shards"
    return total, texts


class TaskCache:
    """The task of the run that this process updated last: words are divided into prefix classes once."""

    def __init__(self) -> None:
        self._key: Any = None
        self._task: Task | None = None

    def get(self, folder: Folder, run: RunState, threads: int) -> Task:
        """Return the task of a run; raise ConfigError if it began with other priors than those known here."""
        if run.priors != prior_names():
            raise ConfigError(
                f"{folder.path}: found a run that began with the priors {', '.join(run.priors)}; expected"
                f" {', '.join(prior_names())}; import the extensions with which it began (align --import)"
            )
        texts = folder.made_from(f"state.{run.round}")["texts"]
        key = folder.path, texts, run.knowledge.identity, threads
        if self._task is None or self._key != key:
            priors = priors_of(run.known_facts, run.knowledge, threads)
            self._key, self._task = key, Task(run.known_facts, priors, threads)
        return replace(self._task, facts=run.known_facts)


def after_words(run: RunState, words: Words) -> RunState:
    """Return the state after round 0, which has facts about the text."""
    check_usable(words.report["trainable"], words.report["lines"], run.recipe)
    check_tokens(words.report["source_tokens"], words.report["target_tokens"])
    vocabularies = words.source.vocabulary(), words.target.vocabulary()
    source, target = (int(vocabulary.counts.sum()) for vocabulary in vocabularies)
    own = TextFacts(*vocabularies, words.report, vars(run.recipe.data), source, target)
    facts = run.knowledge.about(own)
    check_word_counts(*facts.vocabularies)
    slice_of_word = slices_of(facts.source_vocabulary, run.slices)
    return replace(run, round=PAIRS_ROUND, facts=facts, slice_of_word=slice_of_word)


def after_pairs(slices: Slices) -> RunState:
    """Return the state after round 1, which has the first state of training."""
    run = slices.run
    update = slices.compute(slices.first_update())
    return replace(run, round=FIRST_ITERATION, training=entered(update.state, slices.task))


def after_iteration(slices: Slices) -> tuple[RunState, Step]:
    """Return the state after an iteration, and the record of it."""
    run = slices.run
    training, step = next(iterate(run.known_training, FolderCounting(slices), slices.task))
    return replace(run, round=run.round + 1, training=entered(training, slices.task)), step


class Slices:
    """The update of one slice of the lexicon, or of all of them, from the parts of all shards.

    Number 0 is a slice without rows: with it, the update gives the state without rows.

    Attributes
    ----------
    run
        The state of the run, with the rows of the slice.
    common
        The counts of all shards that concern the whole lexicon.
    task
        The task of the run.
    """

    def __init__(
        self,
        folder: Folder,
        run: RunState,
        common: LengthPairs | CountsWithoutLinks,
        number: int,
        task: Task,
        advance_all: Callable[[int], object] | None = None,
    ) -> None:
        """advance_all: lets all slices be updated, given the number of known sums, if there are several."""
        if isinstance(common, LengthPairs):
            run = replace(run, facts=replace(run.known_facts, length_pairs=common.pairs))
        self.run, self.common = run, common
        self.task = replace(task, facts=run.known_facts)
        self._folder, self._number, self._advance_all = folder, number, advance_all

    def compute(self, computation: Summing[Update]) -> Update:
        """Return the result of an update, with sums over all slices."""
        if self._advance_all is None:
            return alone(computation)
        folder, round, sums = self._folder, self.run.round, 0
        advance_all, current = self._advance_all, folder.state_identity(self.run.round)

        def all_sum(total: NDArray[np.int64]) -> NDArray[np.int64]:
            """Return the sum of the shares of all slices."""
            nonlocal sums
            advance_all(sums)
            for number in range(1, self.run.slices + 1):
                total = total + _read_array(folder, f"share.{round}.{sums}.{number}", current)
            _write_array(folder, f"sum.{round}.{sums}", current, total)
            sums += 1
            return total

        update = run(computation, all_sum)
        advance_all(sums)
        return update

    def update(self) -> Summing[Update]:
        """Compute the update of this slice in the current round, with the rows that pruning keeps."""
        if isinstance(self.common, LengthPairs):
            return (yield from self.first_update())
        update = yield from updated(self.run.known_training, self.counts(), self.task)
        return update._replace(state=pruned(update.state, update.kept, self.task))

    def first_update(self) -> Summing[Update]:
        """Compute the first state of training, from the word pairs of this slice."""
        run, task = self.run, self.task
        index = self._word_pairs().index(*run.types)
        if task.init is not None:
            index = task.init.extend(index, run.slice_of_word == self._number)
        lexicon = yield from Lexicon.uniform(index, task.threads)
        report = yield from task.report(index)
        if task.init is not None:
            lexicon = yield from task.init.start(lexicon)
        return Update(first_state(task, run.recipe, lexicon, report), np.empty(0, np.int64), {}, None)

    def counts(self) -> Counts:
        """Return the expected counts of all shards, with the links of this slice."""
        assert isinstance(self.common, CountsWithoutLinks), "the round is an iteration"
        training = self.run.known_training
        links = training.stage.criterion.empty_counts(training.pair).links
        kept = np.zeros(len(links), np.bool_)
        added = self._added_before(ExpectedLinks)
        for part in self._parts(ExpectedLinks) if added is None else [added]:
            part.add_to(links, kept)
        if added is None and self.run.slices > 1:
            pair_ids = np.arange(1, len(links), dtype=np.uint32)
            self._keep_added(ExpectedLinks.of(pair_ids, links[1:], kept[1:]))
        return self.common.with_links(links, kept if training.prunes else None)

    def _word_pairs(self) -> WordPairs:
        """Return the word pairs of all shards in this slice."""
        total = self._added_before(WordPairs)
        if total is None:
            total = reduce(WordPairs.plus, self._parts(WordPairs), WordPairs.none())
            self._keep_added(total)
        return total

    def _added_before(self, kind: type[_Part]) -> _Part | None:
        """Return the sum that ``_keep_added`` has written, or None."""
        name = f"added.{self.run.round}.{self._number}"
        made_from = {"state": self._folder.state_identity(self.run.round)}
        known = self._folder.is_made_from(name, made_from)
        return self._folder.take(name, "total", kind, made_from) if known else None

    def _keep_added(self, total: SlicePart) -> None:
        """Write the sum over all shards in a slice, which repetitions of its update then need not compute."""
        if self.run.slices > 1 and self._number:
            made_from = {"state": self._folder.state_identity(self.run.round)}
            name = f"added.{self.run.round}.{self._number}"
            self._folder.write(name, made_from, {"total": total}, durable=False)

    def _parts(self, kind: type[_Part]) -> Iterator[_Part]:
        """Yield what each part of the round has for this slice; nothing for number 0."""
        folder, run = self._folder, self.run
        current = folder.state_identity(run.round)
        for name in cover(folder, _all_shards(run), run.round) if self._number else ():
            with folder.opened_part(name, current) as (file, _):
                part = read_slice(file, run.round, self._number)
                assert isinstance(part, kind), "the kind of a part follows from its round"
                yield part


class FolderCounting(Counting):
    """The counting of the shards of a folder, all of which have been counted."""

    def __init__(self, slices: Slices) -> None:
        self._slices = slices

    def expected_counts(self, state: TrainingState, part: Span) -> Counts:
        return self._slices.counts()

    def update(self, state: TrainingState, counts: Counts, task: Task) -> Update:
        computation = updated(state, counts, task)
        del counts
        return self._slices.compute(computation)


def advance_slice(folder: Folder, number: int, known_sums: int, tasks: TaskCache, threads: int = 1) -> None:
    """Update a slice as far as possible: write its share of the next sum, or its rows.

    known_sums: the number of sums that are known; tasks: of a process that updates several slices.
    """
    if is_advanced(folder, number, known_sums):
        return
    round = folder.round()
    current = folder.state_identity(round)
    sums = (_read_array(folder, f"sum.{round}.{n}", current) for n in range(known_sums))
    run = folder.state(round, number)
    with folder.opened(f"common.{round}", {"state": current}) as file:
        common = read_common(file, round)
    assert not isinstance(common, Words), "round 0 has no slices"
    slices = Slices(folder, run, common, number, tasks.get(folder, run, threads))
    result = advance(slices.update(), sums)
    if isinstance(result, Share):
        _write_array(folder, f"share.{round}.{known_sums}.{number}", current, result.array)
    else:
        write_rows(folder, result.state.pair.lexicon, round + 1, number, current)


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


def write_rows(folder: Folder, lexicon: Lexicon, round: int, number: int, before: str) -> None:
    """Write the rows of a slice before a round; before: the identity of the state before that round."""
    folder.write(f"rows.{round}.{number}", {"state": before}, rows_of(lexicon))


def join_slices(folder: Folder, run: RunState, before: str) -> Lexicon:
    """Return the whole lexicon of a state, from the rows of all slices.

    before: the identity of the state before.
    """
    lexicon, lexicons = run.known_training.pair.lexicon, []
    for number in range(1, run.slices + 1):
        rows = folder.rows(run.round, number, before)
        index = CooccurrenceIndex(rows["pairs.row_offsets"], rows["pairs.columns"], run.types[1])
        lexicons.append(replace(lexicon, index=index, table=rows["lexicon.table"]))
        lexicons[-1].check_structure()
    return join(lexicons)


def _all_shards(run: RunState) -> frozenset[int]:
    """Return the numbers of all shards."""
    return frozenset(range(1, run.shards + 1))


def _write_array(folder: Folder, name: str, state: str, array: NDArray[np.int64]) -> None:
    """Write a file of one array."""
    folder.write(name, {"state": state}, {"array": array}, durable=False)


def _read_array(folder: Folder, name: str, state: str) -> NDArray[np.int64]:
    """Read a file of one array."""
    array: NDArray[np.int64] = folder.take(name, "array", NDArray[np.int64], {"state": state})
    return array
