"""The E-step over a whole text, block by block, on any number of threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import get_ident
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Int64s
from aligner.criteria import BlockPosteriors, Counts, Criterion, DistortionCounts
from aligner.criteria.counts import MEASURE_SCALE
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource, Span
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair
from aligner.system.threads import run_all, split_decreasing

_STRETCHES_PER_LOOKUP = 4
"""Except for the last, a stretch has at least a quarter of a look-up's cells (see ``block_sources``)."""

_ROUNDING, _LARGEST = 1e-3, float(np.finfo(np.float32).max)
"""What sums of rounded posteriors may exceed 1 by, and the largest finite number."""

BlockFilter: TypeAlias = Callable[[Block, BlockPosteriors], tuple[Block, BlockPosteriors]]
"""Filter applied to a block's posteriors before they are counted. Threads call it in any order."""

ProgressCallback: TypeAlias = Callable[[int], object]
"""Receives the number of sentence pairs done since its last call, on the thread that called the E-step."""


@dataclass(frozen=True, eq=False)
class BlockEStep:
    """The E-step that infers one block after another. Its result is the same bits for any number of threads.

    All threads add link and NULL posteriors to one array, so its memory does not depend on the number of
    threads. Additions of several threads are atomic.

    Attributes
    ----------
    source
        The blocks of the text.
    threads
        Number of threads.
    block_cells
        Cells of a block, at most; by default as many as suit the source and the number of threads.
    """

    source: BlockSource
    threads: int = 1
    block_cells: int | None = None

    def __call__(
        self,
        criterion: Criterion,
        pair: ModelPair,
        state: Any = None,
        *,
        part: Span | None = None,
        block_filter: BlockFilter | None = None,
        progress: ProgressCallback | None = None,
    ) -> Counts:
        """Return expected counts under a model.

        Parameters
        ----------
        criterion, pair, state
            The criterion, the model pair to infer with, and the state of the criterion.
        part
            The span to count; by default the whole text.
        block_filter
            Filter of each block's posteriors.
        progress
            Receives the number of sentence pairs done since its last call.

        Returns
        -------
        Counts
            The counts of the part. They are the caller's to change.
        """
        block_cells = self.block_cells or self.source.block_cells(self.threads)
        spans = list(self.source.spans(block_cells, part))
        threads = max(1, min(self.threads, len(spans)))
        stretches = deque(self._stretches(spans, block_cells, threads))
        total = criterion.empty_counts(pair)
        own_counts = [
            (*map(np.zeros_like, total.distortion), np.zeros_like(total.measures)) for _ in range(threads)
        ]
        done, caller = deque[int](), get_ident()
        # The check takes 1 to 2 % of the time, which criteria that the suite tests do not need.
        is_foreign = not type(criterion).__module__.startswith("aligner.")

        def report() -> None:
            """Report the pairs that are done, if this is the thread that called the E-step."""
            if progress is not None and get_ident() == caller:
                progress(sum(done.popleft() for _ in range(len(done))))

        def count(own: tuple[Int64s, ...]) -> None:
            """Count the blocks of stretches that no other thread has taken."""
            *distortion, measures = own
            try:
                for block in self.source.blocks_of(_taken(stretches)):
                    posteriors = criterion.estep(pair, block, DistortionCounts(*distortion), state)
                    if is_foreign:
                        _check(criterion, block, posteriors, total)
                    kernels.counts.add_measures(posteriors.measures, MEASURE_SCALE, measures)
                    done.append(len(block))
                    if block_filter is not None:
                        block, posteriors = block_filter(block, posteriors)
                    add_posteriors(block, posteriors, total, shared=threads > 1)
                    report()
            except BaseException:
                stretches.clear()  # ends the others soon
                raise

        run_all(own_counts, count, threads)
        report()
        for own in own_counts:
            for sums, more in zip((*total.distortion, total.measures), own, strict=True):
                sums += more
        return replace(total, pairs=sum(end - first for first, end in spans))

    def _stretches(self, spans: list[Span], block_cells: int, threads: int) -> list[list[Span]]:
        """Group consecutive spans into stretches, for threads to take one after another."""
        usual = max(1, self.source.cells_per_stretch // block_cells)
        least = -(-usual // _STRETCHES_PER_LOOKUP)
        return [spans[first:end] for first, end in split_decreasing(len(spans), threads, least, usual)]


def _taken(stretches: deque[list[Span]]) -> Iterator[list[Span]]:
    """Take one stretch after another, until no stretch is left."""
    with suppress(IndexError):
        while True:
            yield stretches.popleft()


def _check(criterion: Criterion, block: Block, posteriors: BlockPosteriors, counts: Counts) -> None:
    """Raise ConfigError for posteriors of other shapes or types than a block's, or that are not from 0 to 1.

    A criterion of more than two columns, with an M-step of its own, may have any finite numbers.
    """
    is_free = criterion.columns > 2
    least, greatest = (-_LARGEST, _LARGEST) if is_free else (-_ROUNDING, 1 + _ROUNDING)
    shapes = {
        "links": (len(block.pair_ids), *counts.links.shape[1:]),
        "null_forward": (len(block.target), *counts.null_forward.shape[1:]),
        "null_reverse": (len(block.source), *counts.null_reverse.shape[1:]),
    }
    for name, shape in shapes.items():
        array = np.asarray(getattr(posteriors, name))
        if array.shape != shape or array.dtype != np.float32:
            raise ConfigError(
                f"criterion {criterion.name!r}: found {name} of {array.dtype} {array.shape}; expected float32"
                f" {shape}, as BlockPosteriors says"
            )
        # As whole numbers, negative numbers and NaN are greater than all others: one fast pass finds them.
        if array.view(np.uint32).max(initial=0) > np.float32(greatest).view(np.uint32):
            low, high = float(array.min()), float(array.max())
            if not (least <= low and high <= greatest):
                what = "finite numbers" if is_free else "posteriors, from 0 to 1"
                raise ConfigError(
                    f"criterion {criterion.name!r}: found {name} from {low:g} to {high:g}; expected {what}"
                )


def add_posteriors(block: Block, posteriors: BlockPosteriors, counts: Counts, *, shared: bool) -> None:
    """Add a block's link and NULL posteriors to counts; shared: True if other threads add to them, too."""
    kernels.counts.add_links(block.pair_ids, posteriors.links, shared, counts.links)
    for words, null, totals in (
        (block.target, posteriors.null_forward, counts.null_forward),
        (block.source, posteriors.null_reverse, counts.null_reverse),
    ):
        kernels.counts.add_links(words.view(np.uint32), _as_columns(null), shared, _as_columns(totals))


def _as_columns(array: NDArray) -> NDArray:
    """Return an array of one value for each word, or of columns of them, as columns."""
    return array[:, None] if array.ndim == 1 else array
