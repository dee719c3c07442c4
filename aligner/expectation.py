"""One E-step over a whole text: blocks to posteriors to counts, on any number of threads."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.celltext import CellText
from aligner.kernels import cells as kernels
from aligner.models import ModelPair
from aligner.objectives import Counts, Expectation, Objective, Statistics
from aligner.pairs import Block

MEASURE_SCALE = float(1 << 24)
"""Measures are summed in units of 2**-24 nats, so that their sums are exact in any order too."""


class _Owners(NamedTuple):
    """Which worker adds to what.

    rows: int32 [source types + 1], for a source word's word pairs; source, target: int32 [types + 1], for a
    word's NULL counts.
    """

    rows: NDArray[np.int32]
    source: NDArray[np.int32]
    target: NDArray[np.int32]


def accumulate(
    objective: Objective,
    model: ModelPair,
    text: CellText,
    state: Any = None,
    *,
    threads: int = 1,
    block_cells: int | None = None,
    part: tuple[int, int] | None = None,
    progress: Callable[[int], None] | None = None,
    watch: Callable[[Block, Expectation], None] | None = None,
) -> Counts:
    """The expected counts of a text under a model; bit-identical for any threads and block_cells.

    ``part``: only of the pairs start <= n < stop.

    Workers proceed in rounds: each infers the next block of its own stretch of text, all wait, then each adds
    the round's posteriors to the counts of the words it owns. There is one count array however many workers
    there are, and no locks or atomics on it. ``progress`` is told the pairs done, by the calling thread;
    ``watch`` sees every block's expectation, from any thread, in any order.
    """
    lexicon = model.lexicon
    spans = list(text.spans(block_cells, threads, part))
    workers = max(1, min(threads, len(spans)))
    rounds = -(-len(spans) // workers)
    owners = _owners(text, workers)
    several = (objective.passes,) if objective.passes > 1 else ()
    links = _aligned_zeros(len(lexicon.pairs) + 1, objective.columns)
    null_forward = np.zeros((*several, len(lexicon.null_forward)), np.int64)
    null_reverse = np.zeros((*several, len(lexicon.null_reverse)), np.int64)
    empty = Statistics(model.forward.statistics(), model.reverse.statistics())
    statistics = [
        Statistics(*(np.zeros((*several, *array.shape), np.int64) for array in empty)) for _ in range(workers)
    ]
    measures = np.zeros((workers, len(objective.measures)), np.int64)
    # Two rounds' results, used alternately: a worker may start the next round while others still add up.
    results: list[list[tuple[Block, Expectation] | None]] = [[None] * workers, [None] * workers]
    barrier = threading.Barrier(workers)
    failures: list[BaseException] = []

    def infer(span: tuple[int, int], me: int) -> tuple[Block, Expectation]:
        block = text.block(*span)
        expectation = objective.expect(model, block, statistics[me], state)
        measures[me] += np.rint(expectation.measures * MEASURE_SCALE).astype(np.int64).sum(axis=1)
        if watch is not None:
            watch(block, expectation)
        return block, expectation

    def add(block: Block, expectation: Expectation, me: int) -> None:
        block.scatter(expectation.links, owners.rows, me, links)
        for posteriors, counts in by_pass(expectation.null_forward, null_forward):
            kernels.scatter_words(block.target, posteriors, owners.target, me, counts)
        for posteriors, counts in by_pass(expectation.null_reverse, null_reverse):
            kernels.scatter_words(block.source, posteriors, owners.source, me, counts)

    def by_pass(
        posteriors: NDArray[np.float32], counts: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray, NDArray]]:
        return zip(posteriors, counts, strict=True) if several else iter([(posteriors, counts)])

    def work(me: int) -> None:
        try:
            for number in range(rounds):
                batch = spans[number::rounds]
                round_results = results[number % 2]
                round_results[me] = infer(batch[me], me) if me < len(batch) else None
                barrier.wait()
                for result in round_results:
                    if result is not None:
                        add(*result, me)
                if me == 0 and progress is not None:
                    progress(sum(stop - start for start, stop in batch))
        except threading.BrokenBarrierError:
            pass
        except BaseException as error:
            failures.append(error)
            barrier.abort()

    helpers = [threading.Thread(target=work, args=(me,), daemon=True) for me in range(1, workers)]
    for helper in helpers:
        helper.start()
    work(0)
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
    total = Statistics(
        np.sum([s.forward for s in statistics], axis=0), np.sum([s.reverse for s in statistics], axis=0)
    )
    pairs = sum(stop - start for start, stop in spans)
    return Counts(links, null_forward, null_reverse, total, measures.sum(axis=0), pairs)


def _aligned_zeros(rows: int, columns: int) -> NDArray[np.int64]:
    """int64 [rows, columns] from the start of a cache line: no row of 1, 2 or 4 columns lies in two."""
    size = rows * columns
    room = np.zeros(size + 7, np.int64)
    first = -(room.ctypes.data // room.itemsize) % 8
    return room[first : first + size].reshape(rows, columns)


def _owners(text: CellText, workers: int) -> _Owners:
    """Deal words to workers so that each adds about as much, and that they seldom share a cache line."""
    vocabularies = text.bitext.source_vocabulary, text.bitext.target_vocabulary
    # The NULL counts of eight words are one line.
    source, target = (
        (np.arange(len(words) + 1, dtype=np.int32) >> 3) % np.int32(workers) for words in vocabularies
    )
    rows = np.zeros(len(source), np.int32)
    if workers > 1:
        # Types are ordered by frequency: deal the heavy head to the least loaded, the long tail in turn.
        head = vocabularies[0].counts[:4096]
        load = [(0, worker) for worker in range(workers)]
        for kind, tokens in enumerate(head.tolist()):
            carried, worker = load[0]
            rows[kind] = worker
            heapq.heapreplace(load, (carried + tokens, worker))
        rows[len(head) :] = (np.arange(len(rows) - len(head)) >> 6) % workers
    return _Owners(rows, source, target)
