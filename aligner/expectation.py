"""One E-step over a whole text: blocks to posteriors to counts, on any number of threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.blocks import Block
from aligner.celltext import CellText
from aligner.corpus import Bitext
from aligner.errors import DataError
from aligner.kernels.constants import MAX_COUNT
from aligner.models import ModelPair
from aligner.objectives import Counts, Expectation, Objective, Statistics
from aligner.parallel import falling_parts_of

MEASURE_SCALE = float(1 << 24)
"""Measures are summed in units of 2**-24 nats, so that their sums are exact in any order too."""

_LEAST_SHARE = 4
"""Of blocks whose slots are usually looked up at once, a worker takes no fewer than one in so many."""


Prune: TypeAlias = Callable[[Block, Expectation], tuple[Block, Expectation]]
"""What says, of a block and its expectation, what of them is counted."""


class EStep(Protocol):
    """``accumulate``, or what gives the same counts of a whole text in another way."""

    def __call__(
        self,
        objective: Objective,
        model: ModelPair,
        text: CellText,
        state: Any = None,
        *,
        threads: int = 1,
        part: tuple[int, int] | None = None,
        progress: Callable[[int], None] | None = None,
        prune: Prune | None = None,
    ) -> Counts: ...


def require_countable(bitext: Bitext) -> None:
    """Raise DataError if a word occurs more often than expected counts can say (see ``kernels.fixed``)."""
    for words in (bitext.source_vocabulary, bitext.target_vocabulary):
        n = int(words.counts.argmax())
        if words.counts[n] >= MAX_COUNT:
            raise DataError(
                f"{words.words[n]!r} occurs {words.counts[n]:,} times; expected fewer than {MAX_COUNT:,}; train on"
                f" fewer pairs (a model aligns texts of any size)"
            )


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
    prune: Prune | None = None,
) -> Counts:
    """The expected counts of a text under a model; bit-identical for any threads and block_cells.

    ``part``: only of the pairs start <= n < stop.

    Workers take stretches of the text, infer block after block, and add each block's posteriors to counts
    that they share: there is one count array however many workers there are, and who finds others at it goes
    on with the next block (see ``counting``). ``progress`` is told the pairs done, by the calling thread;
    ``prune`` says what of every block, and its expectation, is counted: from any thread, in any order.
    """
    text.prepare()
    _ = model.lexicon.table  # should it have to be made: once, and not by every thread
    spans = list(text.spans(block_cells, threads, part))
    workers = max(1, min(threads, len(spans)))
    counts = new_counts(objective, model)
    empty = Statistics(model.forward.statistics(), model.reverse.statistics())
    statistics = [
        Statistics(*(_for_all_passes(objective, array.shape) for array in empty)) for _ in range(workers)
    ]
    measures = np.zeros((workers, len(objective.measures)), np.int64)
    usual = text.stretch(threads)
    runs = falling_parts_of(len(spans), workers, -(-usual // _LEAST_SHARE), usual)
    stretches = deque(spans[first:end] for first, end in runs)
    done: deque[int] = deque()
    failures: list[BaseException] = []

    def work(me: int) -> None:
        try:
            while stretches:
                stretch = _next(stretches)
                for span in stretch:
                    if failures:
                        return
                    block = text.block(*span, stretch[-1][1])
                    expectation = objective.expect(model, block, statistics[me], state)
                    measures[me] += np.rint(expectation.measures * MEASURE_SCALE).astype(np.int64).sum(axis=1)
                    if prune is not None:
                        block, expectation = prune(block, expectation)
                    _add(block, expectation, counts, shared=workers > 1)
                    done.append(len(block))
                    del block, expectation  # what they hold is what the next block will need
                    if me == 0:
                        tell()
        except BaseException as error:
            failures.append(error)

    def tell() -> None:
        if progress is not None and done:
            progress(sum(done.popleft() for _ in range(len(done))))

    helpers = [threading.Thread(target=work, args=(me,), daemon=True) for me in range(1, workers)]
    for helper in helpers:
        helper.start()
    work(0)
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
    tell()
    total = statistics.pop(0)
    while statistics:
        for sum_of, more in zip(total, statistics.pop(), strict=True):
            sum_of += more
    pairs = sum(stop - start for start, stop in spans)
    return replace(counts, statistics=total, measures=measures.sum(axis=0), pairs=pairs)


def new_counts(objective: Objective, model: ModelPair) -> Counts:
    """Return counts of nothing."""
    lexicon = model.lexicon
    return Counts(
        np.zeros((len(lexicon.pairs) + 1, objective.columns), np.int64),
        _for_all_passes(objective, lexicon.null_forward.shape),
        _for_all_passes(objective, lexicon.null_reverse.shape),
        Statistics(model.forward.statistics(), model.reverse.statistics()),
        np.zeros(len(objective.measures), np.int64),
        0,
    )


def _for_all_passes(objective: Objective, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return zeros of a shape, stacked along a first axis if the criterion has several passes."""
    return np.zeros((objective.passes, *shape) if objective.passes > 1 else shape, np.int64)


def _add(block: Block, expectation: Expectation, counts: Counts, shared: bool) -> None:
    """Add a block's posteriors to counts; shared: True if other threads add to them, too."""
    kernels.counting.add_links(block.slots, expectation.links, shared, counts.links)
    for words, posteriors, totals in (
        (block.target, expectation.null_forward, counts.null_forward),
        (block.source, expectation.null_reverse, counts.null_reverse),
    ):
        for of_pass, to_pass in zip(np.atleast_2d(posteriors), np.atleast_2d(totals), strict=True):
            kernels.counting.add_words(words, of_pass[:, None], shared, to_pass[:, None])


def _next(stretches: deque[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The next stretch, nothing if another worker has just taken the last."""
    try:
        return stretches.popleft()
    except IndexError:
        return []
