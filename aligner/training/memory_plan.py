"""The memory plan of a training run: its expected peak, and settings that fit into a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aligner.errors import DataError
from aligner.lexicon.block_sources import SEARCH_CELLS, BlockSource, search_cells
from aligner.lexicon.blocks import bytes_of_bits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models import MODELS
from aligner.recipe.config import Stage
from aligner.system import resources
from aligner.system.resources import format_size, parse_size
from aligner.text.bitext import Bitext
from aligner.text.vocabulary import bytes_of_words
from aligner.training.first_models import frequent_words
from aligner.training.model1_estep import is_model1_alone
from aligner.training.task import Task

_PROGRAM = 165 << 20
"""Bytes of the interpreter, NumPy, Numba and the code of the kernels."""

_ROOM = 1.06
"""Factor for memory that the allocator keeps after it was freed."""

_WORD_PAIR = 4 + 8
"""Bytes of a word pair in the co-occurrence index and in the lexical tables of both directions."""

_BLOCK_CELL = 44
"""Bytes of a cell of a block: potentials, posteriors and working memory of inference."""

_MODEL1_TOKEN = 4
"""Bytes of a token's factor in Model 1's E-step."""

_OCCURRENCE = 4 + 2
"""Bytes of an occurrence of a source word: its pair and its position."""

_MODEL1_TYPE = 24
"""Bytes of a target type for each thread of Model 1's E-step: probabilities and counts of both directions."""

_LOOKUP_TYPE = 8
"""Bytes of a target type for each thread that looks up pair_ids or adds up totals."""

_SUM = 8
"""Bytes of a word pair in the sum of several priors' pseudo-counts."""

_RUNNING_COUNTS = 4
"""Arrays of the size of the counts that stepwise EM keeps and mixes."""

_RANDOM_START = 20
"""Bytes of a word pair in a random start, which is kept while training from it."""

_TABLES = 8
"""Bytes of a word pair in the lexical tables of both directions."""


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
    task: Task,
    index: CooccurrenceIndex,
    stages: Sequence[Stage],
    limit: int | str | None = None,
    held: int = 0,
) -> Plan:
    """Plan the fastest run within a memory limit.

    Parameters
    ----------
    bitext
        The whole text.
    task
        Its pairs that are trained on, and the priors.
    index
        The co-occurring word pairs.
    stages
        The stages of the recipe.
    limit
        Bytes, or a size such as "2.5G"; by default 90 % of what the process may use.
    held
        Bytes of a model of words, if this run is of their pieces.

    Raises
    ------
    DataError
        If there is not enough memory.
    """
    priors = task.priors.values()
    lasting = held + sum(prior.vocabulary_bytes(stages) for prior in priors)
    plan_of_size(bitext, task, len(index), lasting, stages, limit)  # raises before priors use this memory
    lasting += sum(prior.lasting_bytes(index, stages) for prior in priors)
    return plan_of_size(bitext, task, len(index), lasting, stages, limit)


def plan_of_size(
    bitext: Bitext,
    task: Task,
    pair_ids: int,
    lasting: int,
    stages: Sequence[Stage],
    limit: int | str | None = None,
) -> Plan:
    """Plan a run as ``plan`` does, for a number of word pairs; lasting: the bytes of the priors."""
    limit = resources.memory() * 9 // 10 if limit is None else parse_size(limit)
    base = lasting + _text_bytes(bitext, task.blocks) + _WORD_PAIR * pair_ids
    oov = bitext.source_oov, bitext.target_oov
    base += sum(bytes_of_words(side.words) for side in (*task.facts.vocabularies, *oov) if side)

    def planned(cells_at_once: int) -> Plan:
        """Return the plan of a run that looks up this many cells at a time."""
        most = max(_peak(stage, task, pair_ids, cells_at_once, stage is stages[-1]) for stage in stages)
        return Plan(_PROGRAM + int(_ROOM * (base + most)), cells_at_once)

    fastest, smallest = planned(search_cells(task.blocks.cells, task.threads)), planned(SEARCH_CELLS)
    best = fastest if fastest.peak <= limit else smallest
    if best.peak > limit:
        raise DataError(
            f"training on these {len(task.blocks):,} pairs takes about {format_size(best.peak)} of"
            f" memory; expected at most {format_size(limit)}; train on fewer pairs (a model aligns texts of"
            f" any size), set a lower data.max_length, or allow more with --max-memory"
        )
    return best._replace(limited=best != fastest)


def _peak(stage: Stage, task: Task, pair_ids: int, cells_at_once: int, is_last: bool) -> int:
    """Return the peak bytes of a stage, without text, index and one lexicon; is_last: of the last stage."""
    table, between, estep = _TABLES * pair_ids, 0, _block_estep(task, cells_at_once)
    if is_model1_alone(stage, task.is_restricted):
        between, estep = _model1_estep(task)
        if task.goes_by_row(stage) and not is_last:
            return between + max(table, estep)  # each iteration but the first copies the tables
    columns = max([stage.criterion.columns, *(prior.columns for prior in task.priors.values())])
    parted = 8 * columns * pair_ids if columns > stage.criterion.columns else 0
    mstep, room = stage.mstep.memory(pair_ids, columns), 0
    if not task.needs_table(stage):  # the tables are free, and so may be the counts
        room = table
        mstep -= table if stage.criterion.columns == 1 else 0
    elif stage.anneal_from < 1.0:
        mstep += table
    update = parted + max(_pseudo_counts(stage, task, pair_ids), mstep) - room
    counts = _counts(stage, task, pair_ids)
    return between + max(counts + max(estep, update), table if stage.anneal_from < 1.0 else 0)


def _pseudo_counts(stage: Stage, task: Task, pair_ids: int) -> int:
    """Return the bytes of the pseudo-counts of all word pairs, and of their sum."""
    sizes = [size for prior in task.priors.values() if (size := prior.mstep_bytes(pair_ids, stage))]
    return sum(sizes) + (_SUM * pair_ids if len(sizes) > 1 else 0)


def _counts(stage: Stage, task: Task, pair_ids: int) -> int:
    """Return the bytes of the counts of a stage, and of the state that lasts from E-step to E-step."""
    criterion, (source, target) = stage.criterion, task.blocks.lengths
    source_words, target_words = frequent_words(stage, task.facts)
    kind = MODELS[stage.model]
    distortion = kind.memory(source, target, source_words, task.threads)
    distortion += kind.memory(target, source, target_words, task.threads)
    size = criterion.memory(pair_ids, task.blocks.cells, distortion)
    if stage.batch_pairs:
        size += _RUNNING_COUNTS * criterion.columns * 8 * pair_ids
    if stage.prune:
        size += int(bytes_of_bits(source, target).sum()) + pair_ids
    if stage.restarts > 1:
        size += _RANDOM_START * pair_ids
    return size


def _model1_estep(task: Task) -> tuple[int, int]:
    """Return the bytes of the occurrences, which are kept, and of Model 1's E-step."""
    source, target = task.facts.source_tokens, task.facts.target_tokens
    types = task.blocks.bitext.target_types
    estep = _MODEL1_TOKEN * (source + target) + _MODEL1_TYPE * types * task.threads
    return _OCCURRENCE * source, estep


def _block_estep(task: Task, cells_at_once: int) -> int:
    """Return the bytes of an E-step by block: blocks, types and looked-up pair_ids of all threads."""
    blocks = _BLOCK_CELL * _cells_in_blocks(task.blocks, task.threads)
    pair_ids = 4 * min(task.threads * cells_at_once, task.blocks.cells)
    return blocks + _LOOKUP_TYPE * task.blocks.bitext.target_types * task.threads + pair_ids


def _cells_in_blocks(source: BlockSource, threads: int) -> int:
    """Return the greatest number of cells in the blocks of all threads. A pair is in one block."""
    sizes = np.diff(source.offsets)
    sizes.partition(max(len(sizes) - threads, 0))
    largest = sizes[-threads:]
    block = min(source.block_cells(threads), source.cells)
    return int(np.maximum(largest, block).sum()) + block * (threads - len(largest))


def _text_bytes(bitext: Bitext, blocks: BlockSource) -> int:
    """Return the bytes of both sides of a text, once more if it is trained on in other ids, and of blocks."""
    texts = [bitext] if blocks.bitext is bitext else [bitext, blocks.bitext]
    sides = [side for text in texts for side in (text.source, text.target)]
    size = sum(side.tokens.nbytes + side.offsets.nbytes for side in sides)
    return size + blocks.numbers.nbytes + blocks.offsets.nbytes
