"""The E-step over a whole text, block by block, on any number of threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import BlockPosteriors, Counts, Criterion, DistortionCounts
from aligner.criteria.counts import MEASURE_SCALE
from aligner.lexicon.block_sources import BlockSource, Span
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair
from aligner.system.threads import falling_parts_of

_LEAST_SHARE = 4
"""A thread takes at least a quarter of the blocks that are best looked up at a time."""

BlockFilter: TypeAlias = Callable[[Block, BlockPosteriors], tuple[Block, BlockPosteriors]]
"""Filter applied to a block's posteriors before they are counted. Threads call it in any order."""

Progress: TypeAlias = Callable[[int], None]
"""Receives the number of sentence pairs that are done. The thread that trains calls it."""


class EStep(Protocol):
    """An E-step over one text. Its result is the same bits for any number of threads."""

    def __call__(
        self,
        criterion: Criterion,
        model: ModelPair,
        state: Any = None,
        *,
        part: Span | None = None,
        keep: BlockFilter | None = None,
        progress: Progress | None = None,
    ) -> Counts:
        """Return the expected counts of the text, or of a part of it, under a model."""
        ...


@dataclass(frozen=True, eq=False)
class BlockEStep:
    """The E-step that infers one block after another and adds its posteriors to counts shared by all threads.

    There is one array of link counts for any number of threads. Additions of several threads are atomic.
    """

    source: BlockSource
    threads: int = 1
    block_cells: int | None = None

    def __call__(
        self,
        criterion: Criterion,
        model: ModelPair,
        state: Any = None,
        *,
        part: Span | None = None,
        keep: BlockFilter | None = None,
        progress: Progress | None = None,
    ) -> Counts:
        block_cells = self.block_cells or self.source.block_cells(self.threads)
        spans = list(self.source.spans(block_cells, part))
        workers = max(1, min(self.threads, len(spans)))
        stretches = deque(self._stretches(spans, block_cells, workers))
        total = empty_counts(criterion, model)
        tasks = [
            _Worker(self.source, criterion, model, state, keep, total, stretches, shared=workers > 1)
            for _ in range(workers)
        ]
        _run_all(tasks, progress)
        for task in tasks[1:]:
            tasks[0].absorb(task)
        pairs = sum(stop - start for start, stop in spans)
        return replace(total, distortion=tasks[0].distortion, measures=tasks[0].measures, pairs=pairs)

    def _stretches(self, spans: list[Span], block_cells: int, workers: int) -> list[list[Span]]:
        """Cut the text into stretches of consecutive blocks, for threads to take one after another."""
        usual = max(1, self.source.cells_per_stretch // block_cells)
        runs = falling_parts_of(len(spans), workers, -(-usual // _LEAST_SHARE), usual)
        return [spans[first:end] for first, end in runs]


class _Worker:
    """What one thread does: it takes stretches, infers their blocks and adds to the counts.

    distortion and measures are this thread's own; link and NULL counts are added to ``total``.
    """

    def __init__(
        self,
        source: BlockSource,
        criterion: Criterion,
        model: ModelPair,
        state: Any,
        keep: BlockFilter | None,
        total: Counts,
        stretches: deque[list[Span]],
        shared: bool,
    ) -> None:
        self._source, self._criterion, self._model, self._state = source, criterion, model, state
        self._keep, self._total, self._stretches, self._shared = keep, total, stretches, shared
        self.distortion = DistortionCounts(*map(np.zeros_like, total.distortion))
        self.measures = np.zeros_like(total.measures)
        self.done = 0

    def run(self, go_on: Callable[[], bool]) -> None:
        """Work until no stretch is left, or until ``go_on``, which is called after each block, says no."""
        while True:
            try:
                stretch = self._stretches.popleft()
            except IndexError:
                return
            for block in self._source.blocks(stretch):
                self._count(block)
                self.done += len(block)
                if not go_on():
                    return

    def _count(self, block: Block) -> None:
        posteriors = self._criterion.estep(self._model, block, self.distortion, self._state)
        self.measures += np.rint(posteriors.measures * MEASURE_SCALE).astype(np.int64).sum(axis=1)
        if self._keep is not None:
            block, posteriors = self._keep(block, posteriors)
        add_posteriors(block, posteriors, self._total, shared=self._shared)

    def absorb(self, other: _Worker) -> None:
        """Add the counts that are another thread's own."""
        for total, more in zip(self.distortion, other.distortion, strict=True):
            total += more
        self.measures += other.measures


def _run_all(tasks: Sequence[_Worker], progress: Progress | None) -> None:
    """Run the tasks, the first on this thread, and raise the first error of any."""
    failures: list[BaseException] = []
    reported = 0

    def go_on() -> bool:
        return not failures

    def report_and_go_on() -> bool:
        nonlocal reported
        if progress is not None:
            done = sum(task.done for task in tasks)
            progress(done - reported)
            reported = done
        return go_on()

    def run(task: _Worker, after_block: Callable[[], bool]) -> None:
        try:
            task.run(after_block)
        except BaseException as error:
            failures.append(error)

    helpers = [threading.Thread(target=run, args=(task, go_on), daemon=True) for task in tasks[1:]]
    for helper in helpers:
        helper.start()
    run(tasks[0], report_and_go_on)
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
    report_and_go_on()


def empty_counts(criterion: Criterion, model: ModelPair) -> Counts:
    """Return the counts of no text."""
    lexicon = model.lexicon

    def zeros(shape: tuple[int, ...]) -> NDArray[np.int64]:
        return np.zeros((criterion.passes, *shape) if criterion.passes > 1 else shape, np.int64)

    distortion = model.forward.new_counts(), model.reverse.new_counts()
    return Counts(
        np.zeros((len(lexicon.index) + 1, criterion.columns), np.int64),
        zeros(lexicon.null_forward.shape),
        zeros(lexicon.null_reverse.shape),
        DistortionCounts(*(zeros(counts.shape) for counts in distortion)),
        np.zeros(len(criterion.measures), np.int64),
        0,
    )


def add_posteriors(block: Block, posteriors: BlockPosteriors, counts: Counts, *, shared: bool) -> None:
    """Add a block's link and NULL posteriors to counts; shared: True if other threads add to them, too."""
    kernels.counting.add_links(block.pair_ids, posteriors.links, shared, counts.links)
    for words, null, totals in (
        (block.target, posteriors.null_forward, counts.null_forward),
        (block.source, posteriors.null_reverse, counts.null_reverse),
    ):
        for of_pass, to_pass in zip(np.atleast_2d(null), np.atleast_2d(totals), strict=True):
            kernels.counting.add_words(words, of_pass[:, None], shared, to_pass[:, None])
