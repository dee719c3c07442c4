"""How much memory training takes, and what to do without where there is less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aligner import limits
from aligner.by_word import goes_by_word
from aligner.celltext import SEARCH_CELLS, CellText, search_cells
from aligner.corpus import Bitext
from aligner.errors import DataError
from aligner.evidence import KnownFacts
from aligner.models import DISTORTIONS
from aligner.pruning import BYTES_KEPT, PRUNED_AFTER, SHARE_KEPT
from aligner.sizes import format_size, parse_size

if TYPE_CHECKING:
    from aligner.config import StageConfig

_PROGRAM = 86 << 20
"""The interpreter, NumPy, LLVM's linker and the kernels' code."""

_WORD = 150
"""A word in a vocabulary: a string and its places in a list and a table."""

_MANY_CELLS = 1 << 27
"""Of more cells, looking up all slots once is not faster: they are read from and written to memory as well.

In 100,000 pairs of the Hansards, 57 million cells, four times over takes 3 to 6 % longer than once, in
400,000 it is 1 to 3 % quicker, in 3.4 million a tenth.
"""

_FEW_LOOK_UPS = 2
"""Nor is it faster, of however many cells, if that is how often they are needed."""

_CELL_OF_BLOCK = 44
"""Potentials, posteriors and what inference needs for a cell of a block, and of the one before it."""

_TOKEN_BY_WORD = 4
"""A word's factor; each source word's place takes twice as much again."""

_TYPE_BY_WORD = 24
"""A target word's probabilities and counts in both directions, which every thread has of one source word."""

_TYPE_BY_CELL = 8
"""Where a target word is in the row of a source word, or its total: every thread has such arrays."""

_RUNNING_COUNTS = 4
"""Arrays like the counts that stepwise EM keeps, mixes and gives away."""

_RANDOM_START = 20
"""Both tables of a word pair at a random start, which stay while it is tried, and its row."""

_NOTHING_KNOWN = KnownFacts()


class Plan(NamedTuple):
    """What a training run will do: look slots up once (``indexed``) or again and again; peak, in bytes.

    at_once: of how many cells slots are looked up at a time, if again and again. limited: whether it would
    be faster with more memory.
    """

    indexed: bool
    peak: int
    at_once: int = 0
    limited: bool = False


def plan(
    bitext: Bitext,
    text: CellText,
    slots: int,
    stages: Sequence[StageConfig],
    threads: int,
    limit: int | str | None = None,
    facts: KnownFacts = _NOTHING_KNOWN,
) -> Plan:
    """The fastest way to train within ``limit``, a size, by default nine tenths of the machine's memory.

    Of ways that are about as fast, the smallest. text: the pairs of the bitext that are trained on; slots:
    their different word pairs; facts: what is known of them. DataError if there is not enough memory for any.
    """
    used, cells = text.bitext, text.cells
    base = _PROGRAM + _text(bitext) + _text(used)
    base += sum(_WORD * len(words) for words in (bitext.source_vocabulary, bitext.target_vocabulary))
    base += slots * (4 + 8)  # the target word of each, and both directions' probabilities
    blocks = _CELL_OF_BLOCK * _cells_in_blocks(text, threads)
    by_word = [goes_by_word(stage, facts) for stage in stages]
    types = threads * len(bitext.target_vocabulary)

    def planned(indexed: bool, at_once: int, looked_up: int) -> Plan:
        of_cells = blocks + 4 * looked_up + _TYPE_BY_CELL * types
        of_words = _by_word(used) + _TYPE_BY_WORD * types
        stage_peaks = (
            _learning(stage, slots, text, threads) + (of_words if words else of_cells)
            for stage, words in zip(stages, by_word, strict=True)
        )
        return Plan(indexed, base + max(stage_peaks), at_once)

    limit = limits.memory() * 9 // 10 if limit is None else parse_size(limit)
    plans = [planned(True, 0, cells)]
    for at_once in (search_cells(cells, threads), SEARCH_CELLS):
        plans.append(planned(False, at_once, threads * min(at_once, cells)))
    no_faster = cells > _MANY_CELLS or _look_ups(stages, by_word) <= _FEW_LOOK_UPS
    if no_faster and plans[1].peak < plans[0].peak:
        del plans[0]
    best = next((plan for plan in plans if plan.peak <= limit), min(plans, key=lambda plan: plan.peak))
    if best.peak > limit:
        raise DataError(
            f"training on these {len(used):,} pairs takes about {format_size(best.peak)} of memory; expected"
            f" at most {format_size(limit)}; train on fewer pairs (a model aligns texts of any size), set a"
            f" lower data.max_length, or allow more with --max-memory"
        )
    return best._replace(limited=best != plans[0])


def _look_ups(stages: Sequence[StageConfig], by_word: Sequence[bool]) -> int:
    """How often all slots are needed: until cells are dropped, in every E-step that does not go by word."""
    times = 0
    for stage, words in zip(stages, by_word, strict=True):
        if words:
            continue
        starts = stage.restarts + 1 if stage.restarts > 1 else 1
        if stage.prunes:
            return times + starts * PRUNED_AFTER
        times += starts * stage.iterations
    return times


def _learning(stage: StageConfig, slots: int, text: CellText, threads: int) -> int:
    """What a stage's counts, and what it remembers, take for so many word pairs of a text."""
    lengths, cells = (text.bitext.source.lengths, text.bitext.target.lengths), text.cells
    size = 2 * stage.criterion.passes * DISTORTIONS[stage.model].memory(*lengths, threads)
    size += stage.criterion.memory(slots, cells)
    size += stage.rule.memory(slots, stage.criterion.columns)
    if stage.batch_pairs:
        size += _RUNNING_COUNTS * stage.criterion.columns * 8 * slots
    if stage.prune:
        size += int(BYTES_KEPT * cells * (SHARE_KEPT if stage.criterion.columns == 1 else 1.0))
    if stage.restarts > 1:
        size += _RANDOM_START * slots
    return size


def _cells_in_blocks(text: CellText, threads: int) -> int:
    """The most cells that the blocks of all threads have at a time: a pair is in one, however large."""
    sizes = np.diff(text.offsets)
    sizes.partition(max(len(sizes) - threads, 0))
    largest = sizes[-threads:]
    block = min(text.block_cells(threads), text.cells)
    return int(np.maximum(largest, block).sum()) + block * (threads - len(largest))


def _by_word(bitext: Bitext) -> int:
    """What an E-step takes that goes by word."""
    return _TOKEN_BY_WORD * (3 * len(bitext.source.tokens) + len(bitext.target.tokens))


def _text(bitext: Bitext) -> int:
    return sum(side.tokens.nbytes + side.offsets.nbytes for side in (bitext.source, bitext.target))
