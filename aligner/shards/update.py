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
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import Span
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.sums import Share, Summing, advance, alone, run
from aligner.lexicon.table import Lexicon
from aligner.priors.source import prior_names, priors_of
from aligner.shards.expected_counts import ExpectedLinks
from aligner.shards.folder import Folder
from aligner.shards.latest import Latest
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.parts import SlicePart, cover, read_common
from aligner.shards.slices import join, slices_of
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, RunState, rows_of
from aligner.shards.stored_file import Lineage
from aligner.shards.word_counts import WordCounts
from aligner.text.facts import TextFacts
from aligner.training.counting import Counting
from aligner.training.loop import iterate
from aligner.training.state import TrainingState, Update, entered, first_lexicon, first_state, pruned, updated
from aligner.training.step import Step
from aligner.training.task import Task
from aligner.training.usable import check_tokens, check_usable, check_word_counts

_Part = TypeVar("_Part", bound=SlicePart)
_Result = TypeVar("_Result")


def task_of(folder: Folder, run: RunState, threads: int, tasks: Latest[Task]) -> Task:
    """Return the task of a run; raise ConfigError if it began with other priors than those known here.

    tasks: the task that this process used last. It has divided words into prefix classes.
    """
    if run.priors != prior_names():
        raise ConfigError(
            f"{folder.path}: found a run that began with the priors {', '.join(run.priors)}; expected"
            f" {', '.join(prior_names())}; import the extensions with which it began (align --import)"
        )
    key = folder.path, folder.lineage(f"state.{run.round}").texts, run.knowledge.identity, threads
    facts = run.known_facts
    return tasks.get(key, lambda: Task(facts, priors_of(facts, run.knowledge, threads), threads))


def after_words(run: RunState, words: WordCounts) -> RunState:
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


def after_pairs(counting: FolderCounting) -> RunState:
    """Return the state after round 1, which has the first state of training."""
    first = counting.compute(counting.first_state())
    return replace(counting.run, round=FIRST_ITERATION, training=entered(first, counting.task))


def after_iteration(counting: FolderCounting) -> tuple[RunState, Step]:
    """Return the state after an iteration, and the record of it."""
    run = counting.run
    training, step = next(iterate(run.known_training, counting, counting.task))
    return replace(run, round=run.round + 1, training=entered(training, counting.task)), step


class FolderCounting(Counting):
    """The counting of all shards, for the update of one slice of the lexicon, or of all of them.

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
        common: LengthPairs | Counts,
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
        self._lineage = Lineage(folder.state_identity(run.round))

    def expected_counts(self, state: TrainingState, part: Span) -> Counts:
        """Return the expected counts of all shards, with the links of this slice."""
        assert isinstance(self.common, Counts), "the round is an iteration"
        links = state.stage.criterion.empty_counts(state.pair).links
        kept = np.zeros(len(links), np.bool_)
        added = self._added_before(ExpectedLinks)
        for of_part in self._parts(ExpectedLinks) if added is None else [added]:
            of_part.add_to(links, kept, self.task.threads)
        if added is None and self.run.slices > 1:
            pair_ids = np.arange(1, len(links), dtype=np.uint32)
            self._keep_added(ExpectedLinks.of(pair_ids, links[1:], kept[1:]))
        return replace(self.common.copy(), links=links, kept=kept if state.prunes else None)

    def counted(self, state: TrainingState, counts: Counts, task: Task) -> TrainingState:
        """Return the state with tables as a run in memory has them: restored, after annealing, if needed."""
        if state.stage.anneal_from == 1.0:
            return state
        if not task.needs_table(state.stage) and state.pair.lexicon.has_counts(counts.links):
            return state
        return replace(state, pair=state.inference(state.pair, task.threads).parameters)

    def update(self, state: TrainingState, counts: Counts, task: Task) -> Update:
        computation = updated(state, counts, task)
        del counts
        return self.compute(computation)

    def compute(self, computation: Summing[_Result]) -> _Result:
        """Return the result of an update, with sums over all slices."""
        if self._advance_all is None:
            return alone(computation)
        advance_all, round, sums = self._advance_all, self.run.round, 0

        def all_sum(total: NDArray[np.int64]) -> NDArray[np.int64]:
            """Return the sum of the shares of all slices."""
            nonlocal sums
            advance_all(sums)
            for number in range(1, self.run.slices + 1):
                total = total + self._take(f"share.{round}.{sums}.{number}", NDArray[np.int64])
            self._write(f"sum.{round}.{sums}", total)
            sums += 1
            return total

        result = run(computation, all_sum)
        advance_all(sums)
        return result

    def advance(self, known_sums: int) -> None:
        """Update this slice as far as possible: write its share of the next sum, or its rows."""
        round = self.run.round
        sums = (self._take(f"sum.{round}.{n}", NDArray[np.int64]) for n in range(known_sums))
        result = advance(self._next_state(), sums)
        if isinstance(result, Share):
            self._write(f"share.{round}.{known_sums}.{self._number}", result.array)
        else:
            write_rows(self._folder, result.pair.lexicon, round + 1, self._number, self._lineage.state)

    def _next_state(self) -> Summing[TrainingState]:
        """Compute the state after the current round, with the rows that pruning keeps."""
        if isinstance(self.common, LengthPairs):
            return (yield from self.first_state())
        state = self.run.known_training
        counts = self.expected_counts(state, (0, self.task.facts.pairs))
        update = yield from updated(self.counted(state, counts, self.task), counts, self.task)
        return pruned(update.state, update.kept, self.task)

    def first_state(self) -> Summing[TrainingState]:
        """Compute the first state of training, from the word pairs of this slice."""
        run, task = self.run, self.task
        index = self._word_pairs().index(*run.types)
        if task.init is not None:
            index = task.init.extend(index, run.slice_of_word == self._number)
        lexicon, report = yield from first_lexicon(task, index)
        return first_state(task, run.recipe, lexicon, report)

    def _word_pairs(self) -> WordPairs:
        """Return the word pairs of all shards in this slice."""
        total = self._added_before(WordPairs)
        if total is None:
            total = reduce(add, self._parts(WordPairs), WordPairs.none())
            self._keep_added(total)
        return total

    def _parts(self, kind: type[_Part]) -> Iterator[_Part]:
        """Yield what each part of the round has for this slice; nothing for number 0."""
        folder, run = self._folder, self.run
        for name in cover(folder, run.round, run.all_shards) if self._number else ():
            with folder.opened_part(name, self._lineage.state) as (file, _):
                yield file.take(f"slice.{self._number}", kind)

    def _added_before(self, kind: type[_Part]) -> _Part | None:
        """Return the sum that ``_keep_added`` has written, or None."""
        name = f"added.{self.run.round}.{self._number}"
        known = self._folder.is_made_from(name, self._lineage)
        return self._take(name, kind) if known else None

    def _keep_added(self, total: SlicePart) -> None:
        """Write the sum over all shards in a slice, which repetitions of its update then need not compute."""
        if self.run.slices > 1 and self._number:
            self._write(f"added.{self.run.round}.{self._number}", total)

    def _take(self, name: str, hint: Any) -> Any:
        """Read a file of one value that was written in this round."""
        return self._folder.take(name, "value", hint, self._lineage)

    def _write(self, name: str, value: Any) -> None:
        """Write a file of one value. If the machine fails, it is computed again."""
        self._folder.write(name, self._lineage, {"value": value}, durable=False)


def advance_slice(
    folder: Folder, number: int, known_sums: int, tasks: Latest[Task], threads: int = 1
) -> None:
    """Update a slice as far as a number of known sums allows, unless that was done before.

    tasks: of a process that updates several slices.
    """
    if is_advanced(folder, number, known_sums):
        return
    run = folder.state(slice_number=number)
    with folder.opened(f"common.{run.round}", Lineage(folder.state_identity(run.round))) as file:
        common = read_common(file, run.round)
    assert not isinstance(common, WordCounts), "round 0 has no slices"
    FolderCounting(folder, run, common, number, task_of(folder, run, threads, tasks)).advance(known_sums)


def is_advanced(folder: Folder, number: int, known_sums: int) -> bool:
    """Return True if a slice has been updated as far as this number of known sums allows."""
    round = folder.round()
    lineage = Lineage(folder.state_identity(round))
    names = f"share.{round}.{known_sums}.{number}", f"rows.{round + 1}.{number}"
    return any(folder.is_made_from(name, lineage) for name in names)


def sums_are_there(folder: Folder, known_sums: int) -> bool:
    """Return True if the files are there that updates of slices read."""
    round = folder.round()
    return all(
        folder.exists(name) for name in (f"common.{round}", *(f"sum.{round}.{n}" for n in range(known_sums)))
    )


def write_rows(folder: Folder, lexicon: Lexicon, round: int, number: int, before: str | None) -> None:
    """Write the rows of a slice before a round; before: the identity of the state before that round."""
    folder.write(f"rows.{round}.{number}", Lineage(before), rows_of(lexicon))


def join_slices(folder: Folder, run: RunState, before: str | None) -> Lexicon:
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
