"""One E-step over a whole text: blocks to posteriors to counts, on any number of threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

from aligner.blocks import Block
from aligner.celltext import CellText
from aligner.corpus import Bitext
from aligner.errors import DataError
from aligner.kernels.fixed import MOST
from aligner.models import ModelPair
from aligner.objectives import Counts, Expectation, Objective, Statistics
from aligner.parallel import falling_parts_of
from aligner.sharing import Contribution, SharedCounts, for_all_passes

MEASURE_SCALE = float(1 << 24)
"""Measures are summed in units of 2**-24 nats, so that their sums are exact in any order too."""

_PENDING = 1
"""How many blocks a worker leaves to be added later, when others are adding theirs."""

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
        if words.counts[n] >= MOST:
            raise DataError(
                f"{words.words[n]!r} occurs {words.counts[n]:,} times; expected fewer than {MOST:,}; train on"
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
    shared = SharedCounts(objective, model, text, workers)
    empty = Statistics(model.forward.statistics(), model.reverse.statistics())
    statistics = [
        Statistics(*(for_all_passes(objective, array.shape) for array in empty)) for _ in range(workers)
    ]
    measures = np.zeros((workers, len(objective.measures)), np.int64)
    usual = text.stretch(threads)
    runs = falling_parts_of(len(spans), workers, -(-usual // _LEAST_SHARE), usual)
    stretches = deque(spans[first:end] for first, end in runs)
    done: deque[int] = deque()
    failures: list[BaseException] = []

    def work(me: int) -> None:
        pending: deque[Contribution] = deque()
        try:
            while stretches:
                stretch = _next(stretches)
                for span in stretch:
                    if failures:
                        return
                    if text.searches(*span):
                        _add(pending, me, 0)
                    block = text.block(*span, stretch[-1][1])
                    expectation = objective.expect(model, block, statistics[me], state)
                    measures[me] += np.rint(expectation.measures * MEASURE_SCALE).astype(np.int64).sum(axis=1)
                    if prune is not None:
                        block, expectation = prune(block, expectation)
                    pending.append(shared.contribution(block, expectation))
                    done.append(len(block))
                    del block, expectation  # what they hold is what the next block will need
                    _add(pending, me, _PENDING)
                    if me == 0:
                        tell()
            _add(pending, me, 0)
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
    return Counts(shared.links, shared.null_forward, shared.null_reverse, total, measures.sum(axis=0), pairs)


def _add(pending: deque[Contribution], turn: int, most: int) -> None:
    """Add the blocks that are pending, the oldest first; wait for others only while more than so many are."""
    while pending and pending[0].go_on(turn, wait=len(pending) > most):
        pending.popleft()


def _next(stretches: deque[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The next stretch, nothing if another worker has just taken the last."""
    try:
        return stretches.popleft()
    except IndexError:
        return []
