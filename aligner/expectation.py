"""One E-step over a whole text: blocks to posteriors to counts, on any number of threads."""

from __future__ import annotations

import heapq
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner.celltext import CellText
from aligner.corpus import Bitext
from aligner.errors import DataError
from aligner.kernels import counting
from aligner.kernels.fixed import MOST
from aligner.models import ModelPair
from aligner.objectives import Counts, Expectation, Objective, Statistics
from aligner.pairs import Block
from aligner.sentences import Vocabulary

MEASURE_SCALE = float(1 << 24)
"""Measures are summed in units of 2**-24 nats, so that their sums are exact in any order too."""

_PENDING = 1
"""How many blocks a worker leaves to be added later, when others are adding theirs."""

_TURNS_A_WORKER = 8
"""How often a worker comes for more text: the last ones to finish are waited for."""


EStep: TypeAlias = Callable[..., Counts]
"""``accumulate``, or what gives the same counts of a whole text in another way."""


class _Parts(NamedTuple):
    """Words dealt into parts for ``counting``: owners, int32 [types + 1], and locks, int64 [parts, 8]."""

    owners: NDArray[np.int32]
    locks: NDArray[np.int64]


class _Addition:
    """What a block adds to some of the counts, and how far that is done."""

    def __init__(
        self, kernel: Callable[..., None], what: tuple[Any, ...], parts: _Parts, counts: NDArray[np.int64]
    ) -> None:
        self._kernel, self._what, self._parts, self._counts = kernel, what, parts, counts
        self._done = np.zeros(len(parts.locks), np.bool_)

    def go_on(self, turn: int, wait: bool) -> bool:
        """Add to the parts that are free, or, if ``wait``, to all; whether that was the last of it."""
        if wait or not self._parts.locks[:, 0].all():
            self._kernel(*self._what, *self._parts, turn, wait, self._done, self._counts)
        return bool(self._done.all())


class _Shared:
    """The counts that all workers add to."""

    def __init__(self, objective: Objective, model: ModelPair, text: CellText, workers: int) -> None:
        lexicon = model.lexicon
        self.links = _aligned_zeros(len(lexicon.pairs) + 1, objective.columns)
        self.null_forward = _for_all_passes(objective, lexicon.null_forward.shape)
        self.null_reverse = _for_all_passes(objective, lexicon.null_reverse.shape)
        source, target = text.bitext.source_vocabulary, text.bitext.target_vocabulary
        # Two workers take turns: to go through links part by part takes half as long again as all at once. Of
        # more parts than workers, one is always free. Adding words is a hundredth of a worker's time.
        of_links = workers + 2 if workers > 2 else 1
        of_words = 1 + workers // 16
        self._rows = _Parts(_balanced(source, of_links), _locks(of_links))
        self._source = _Parts(_by_cache_line(source, of_words), _locks(of_words))
        self._target = _Parts(_by_cache_line(target, of_words), _locks(of_words))

    def additions(self, block: Block, expectation: Expectation) -> Iterator[_Addition]:
        """What a block contributes."""
        yield _Addition(counting.add_links, block.to_add(expectation.links), self._rows, self.links)
        for words, parts, posteriors, counts in (
            (block.target, self._target, expectation.null_forward, self.null_forward),
            (block.source, self._source, expectation.null_reverse, self.null_reverse),
        ):
            passes = [(posteriors, counts)] if counts.ndim == 1 else zip(posteriors, counts, strict=True)
            for of_pass, to_pass in passes:
                yield _Addition(counting.add_words, (words, of_pass), parts, to_pass)


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
    watch: Callable[[Block, Expectation], None] | None = None,
) -> Counts:
    """The expected counts of a text under a model; bit-identical for any threads and block_cells.

    ``part``: only of the pairs start <= n < stop.

    Workers take stretches of the text, infer block after block, and add each block's posteriors to counts
    that they share: there is one count array however many workers there are, and who finds others at it goes
    on with the next block (see ``counting``). ``progress`` is told the pairs done, by the calling thread;
    ``watch`` sees every block's expectation, from any thread, in any order.
    """
    spans = list(text.spans(block_cells, threads, part))
    workers = max(1, min(threads, len(spans)))
    shared = _Shared(objective, model, text, workers)
    empty = Statistics(model.forward.statistics(), model.reverse.statistics())
    statistics = [
        Statistics(*(_for_all_passes(objective, array.shape) for array in empty)) for _ in range(workers)
    ]
    measures = np.zeros((workers, len(objective.measures)), np.int64)
    stretches = deque(_stretches(spans, workers, text.stretch(threads)))
    done: deque[int] = deque()
    failures: list[BaseException] = []

    def work(me: int) -> None:
        pending: deque[deque[_Addition]] = deque()
        try:
            while stretches:
                for span in _next(stretches):
                    if failures:
                        return
                    if text.searches(*span):
                        _add(pending, me, 0)
                    block = text.block(*span)
                    expectation = objective.expect(model, block, statistics[me], state)
                    measures[me] += np.rint(expectation.measures * MEASURE_SCALE).astype(np.int64).sum(axis=1)
                    if watch is not None:
                        watch(block, expectation)
                    pending.append(deque(shared.additions(block, expectation)))
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


def _add(pending: deque[deque[_Addition]], turn: int, most: int) -> None:
    """Add the blocks that are pending, the oldest first; wait for others only while more than so many are.

    turn: another one for every worker keeps them apart.
    """
    while pending:
        additions = pending[0]
        while additions:
            if not additions[0].go_on(turn, wait=len(pending) > most):
                return
            additions.popleft()
        pending.popleft()


def _stretches(spans: list[tuple[int, int]], workers: int, least: int) -> Iterator[list[tuple[int, int]]]:
    """Consecutive spans to be done by one worker: a multiple of ``least`` of them, a few times for each."""
    least = max(1, min(least, -(-len(spans) // workers)))
    size = max(len(spans) // (workers * _TURNS_A_WORKER * least), 1) * least
    return (spans[first : first + size] for first in range(0, len(spans), size))


def _next(stretches: deque[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The next stretch, nothing if another worker has just taken the last."""
    try:
        return stretches.popleft()
    except IndexError:
        return []


def _for_all_passes(objective: Objective, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Zeros of a shape, stacked along a first axis if the criterion has several passes."""
    return np.zeros((objective.passes, *shape) if objective.passes > 1 else shape, np.int64)


def _aligned_zeros(rows: int, columns: int) -> NDArray[np.int64]:
    """int64 [rows, columns] from the start of a cache line: no row of 1, 2 or 4 columns lies in two."""
    size = rows * columns
    room = np.zeros(size + 7, np.int64)
    first = -(room.ctypes.data // room.itemsize) % 8
    return room[first : first + size].reshape(rows, columns)


def _locks(parts: int) -> NDArray[np.int64]:
    return _aligned_zeros(parts, 8)


def _by_cache_line(words: Vocabulary, parts: int) -> NDArray[np.int32]:
    """Deal words into parts, eight at a time: their NULL counts are one line."""
    return (np.arange(len(words) + 1, dtype=np.int32) >> 3) % np.int32(parts)


def _balanced(words: Vocabulary, parts: int) -> NDArray[np.int32]:
    """Deal words into parts that occur about equally often."""
    owners = np.zeros(len(words) + 1, np.int32)
    if parts > 1:
        # Types are ordered by frequency: deal the heavy head to the least loaded, the long tail in turn.
        head = words.counts[:4096]
        load = [(0, part) for part in range(parts)]
        for kind, tokens in enumerate(head.tolist()):
            carried, part = load[0]
            owners[kind] = part
            heapq.heapreplace(load, (carried + tokens, part))
        owners[len(head) :] = (np.arange(len(owners) - len(head)) >> 6) % parts
    return owners
