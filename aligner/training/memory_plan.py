"""The memory plan of a training run: how much it takes, and how it fits into a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aligner.errors import DataError
from aligner.lexicon.block_sources import SEARCH_CELLS, BlockSource, search_cells
from aligner.models import DISTORTIONS
from aligner.recipe.config import Stage
from aligner.system import resources
from aligner.system.resources import format_size, parse_size
from aligner.text.bitext import Bitext
from aligner.training.estep_choice import is_model1_alone
from aligner.training.evidence import KnownFacts
from aligner.training.pruning import BYTES_KEPT, SHARE_KEPT
from aligner.training.schedule import mstep_of

_PROGRAM = 165 << 20
"""The interpreter, NumPy, Numba and the kernels' code, in bytes."""

_WORD = 150
"""Bytes of a word in a vocabulary: a string and its entries in a list and a table."""

_INDEX_AND_LEXICON = 4 + 8
"""Bytes of a word pair in the co-occurrence index and in the lexical tables of both directions."""

_CELL_OF_BLOCK = 44
"""Bytes of a cell of a block: potentials, posteriors and working memory of inference."""

_TOKEN_BY_WORD = 4
"""Bytes of a token's factor in Model 1's E-step. The occurrence of a source word takes twice as much again."""

_TYPE_BY_WORD = 24
"""Bytes of a target word in Model 1's E-step, for each thread: probabilities and counts of both directions."""

_TYPE_BY_CELL = 8
"""Bytes of a target word for each thread that looks pair_ids up or adds up totals."""

_RUNNING_COUNTS = 4
"""Arrays of the size of the counts that stepwise EM keeps and mixes."""

_RANDOM_START = 20
"""Bytes of a word pair at a random start, which is kept while it is tried."""

_NO_FACTS = KnownFacts()


class Plan(NamedTuple):
    """How a run will use memory.

    Attributes
    ----------
    peak
        Expected peak memory in bytes.
    cells_at_once
        Cells whose pair_ids are looked up at a time.
    limited
        True if the run would be faster with more memory.
    """

    peak: int
    cells_at_once: int
    limited: bool = False


def plan(
    bitext: Bitext,
    text: BlockSource,
    pair_ids: int,
    stages: Sequence[Stage],
    threads: int,
    limit: int | str | None = None,
    facts: KnownFacts = _NO_FACTS,
) -> Plan:
    """Plan the fastest run within a memory limit.

    Parameters
    ----------
    bitext, text
        The whole text, and the pairs of it that are trained on.
    pair_ids
        Number of co-occurring word pairs.
    stages, threads, facts
        What is run, and what is known about the text.
    limit
        Bytes, or a size such as "2.5G"; by default 90 % of what the process may use.

    Raises
    ------
    DataError
        If there is not enough memory.
    """
    base = _PROGRAM + _text(bitext) + _text(text.bitext) + _INDEX_AND_LEXICON * pair_ids
    base += sum(_WORD * len(words) for words in (bitext.source_vocabulary, bitext.target_vocabulary))
    types = len(bitext.target_vocabulary)

    def planned(cells_at_once: int) -> Plan:
        peaks = [
            _stage(stage, pair_ids, text, types, threads, cells_at_once, is_model1_alone(stage, facts))
            for stage in stages
        ]
        return Plan(base + max(peaks), cells_at_once)

    limit = resources.memory() * 9 // 10 if limit is None else parse_size(limit)
    fastest, smallest = planned(search_cells(text.cells, threads)), planned(SEARCH_CELLS)
    best = fastest if fastest.peak <= limit else smallest
    if best.peak > limit:
        raise DataError(
            f"training on these {len(text.bitext):,} pairs takes about {format_size(best.peak)} of memory;"
            f" expected at most {format_size(limit)}; train on fewer pairs (a model aligns texts of any size),"
            f" set a lower data.max_length, or allow more with --max-memory"
        )
    return best._replace(limited=best != fastest)


def _stage(
    stage: Stage,
    pair_ids: int,
    text: BlockSource,
    types: int,
    threads: int,
    cells_at_once: int,
    model1_alone: bool,
) -> int:
    """Return the bytes that a stage takes at its peak, beside text, index and lexicon."""
    criterion = stage.criterion
    lengths = text.bitext.source.lengths, text.bitext.target.lengths
    counts = 2 * criterion.passes * DISTORTIONS[stage.model].memory(*lengths, threads)
    counts += criterion.memory(pair_ids, text.cells)
    if stage.batch_pairs:
        counts += _RUNNING_COUNTS * criterion.columns * 8 * pair_ids
    if stage.prune:
        counts += int(BYTES_KEPT * text.cells * (SHARE_KEPT if criterion.columns == 1 else 1.0))
    if stage.restarts > 1:
        counts += _RANDOM_START * pair_ids
    if model1_alone:
        source, target = (len(side.tokens) for side in (text.bitext.source, text.bitext.target))
        counts += 2 * _TOKEN_BY_WORD * source  # occurrences, which are kept between E-steps
        estep = _TOKEN_BY_WORD * (source + target) + _TYPE_BY_WORD * types * threads
    else:
        estep = _CELL_OF_BLOCK * _cells_in_blocks(text, threads) + _TYPE_BY_CELL * types * threads
        estep += 4 * threads * min(cells_at_once, text.cells)
    return counts + max(estep, mstep_of(stage).memory(pair_ids, criterion.columns))


def _cells_in_blocks(text: BlockSource, threads: int) -> int:
    """Return the most cells that the blocks of all threads have at a time. A pair is in one block."""
    sizes = np.diff(text.offsets)
    sizes.partition(max(len(sizes) - threads, 0))
    largest = sizes[-threads:]
    block = min(text.block_cells(threads), text.cells)
    return int(np.maximum(largest, block).sum()) + block * (threads - len(largest))


def _text(bitext: Bitext) -> int:
    return sum(side.tokens.nbytes + side.offsets.nbytes for side in (bitext.source, bitext.target))
