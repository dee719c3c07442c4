"""Counts that several workers add to, and what blocks add to them: as soon as nobody else is at it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.blocks import Block
from aligner.celltext import CellText
from aligner.kernels import counting
from aligner.models import ModelPair
from aligner.objectives import Expectation, Objective
from aligner.sentences import Vocabulary


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


class Contribution:
    """What a block adds to the counts, as far as it is still to be done."""

    def __init__(self, additions: Iterable[_Addition]) -> None:
        self._left = list(additions)

    def go_on(self, turn: int, wait: bool) -> bool:
        """Add what can be added, or, if ``wait``, all; whether that was the last of it.

        turn: another one for every worker keeps them apart.
        """
        self._left = [addition for addition in self._left if not addition.go_on(turn, wait)]
        return not self._left


class SharedCounts:
    """The counts that all workers add to."""

    def __init__(self, objective: Objective, model: ModelPair, text: CellText, workers: int) -> None:
        lexicon = model.lexicon
        self.links = _zeros(len(lexicon.pairs) + 1, objective.columns)
        self.null_forward = for_all_passes(objective, lexicon.null_forward.shape)
        self.null_reverse = for_all_passes(objective, lexicon.null_reverse.shape)
        source, target = text.bitext.source_vocabulary, text.bitext.target_vocabulary
        # Two workers take turns: to go through links part by part takes half as long again as all at once. Of
        # more parts than workers, one is always free. Adding words is a hundredth of a worker's time.
        of_links = workers + 2 if workers > 2 else 1
        of_words = 1 + workers // 16
        self._rows = _Parts(_balanced(source, of_links), _locks(of_links))
        self._source = _Parts(_by_cache_line(source, of_words), _locks(of_words))
        self._target = _Parts(_by_cache_line(target, of_words), _locks(of_words))

    def contribution(self, block: Block, expectation: Expectation) -> Contribution:
        """What a block adds."""
        return Contribution(self._additions(block, expectation))

    def _additions(self, block: Block, expectation: Expectation) -> Iterator[_Addition]:
        yield _Addition(counting.add_links, block.to_add(expectation.links), self._rows, self.links)
        for words, parts, posteriors, counts in (
            (block.target, self._target, expectation.null_forward, self.null_forward),
            (block.source, self._source, expectation.null_reverse, self.null_reverse),
        ):
            passes = [(posteriors, counts)] if counts.ndim == 1 else zip(posteriors, counts, strict=True)
            for of_pass, to_pass in passes:
                yield _Addition(counting.add_words, (words, of_pass), parts, to_pass)


def for_all_passes(objective: Objective, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Zeros of a shape, stacked along a first axis if the criterion has several passes."""
    return np.zeros((objective.passes, *shape) if objective.passes > 1 else shape, np.int64)


def _zeros(rows: int, columns: int) -> NDArray[np.int64]:
    """int64 [rows, columns]: no row of 1, 2, 4 or 8 columns lies in two cache lines."""
    if columns <= 2:  # 16 bytes, to which all memory that is given out is aligned
        return np.zeros((rows, columns), np.int64)
    size = rows * columns
    room = np.zeros(size + 7, np.int64)
    first = -(room.ctypes.data // room.itemsize) % 8
    return room[first : first + size].reshape(rows, columns)


def _locks(parts: int) -> NDArray[np.int64]:
    return _zeros(parts, 8)


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
