"""The memory plan of a training run: its expected peak, and settings that fit into a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aligner.errors import DataError
from aligner.lexicon.block_sources import SEARCH_CELLS, BlockSource, search_cells
from aligner.lexicon.kept_bits import bytes_of_bits
from aligner.models import MODELS
from aligner.recipe.config import Stage
from aligner.system import resources
from aligner.system.resources import format_size, parse_size
from aligner.text.bitext import Bitext
from aligner.training.estep_choice import is_model1_alone
from aligner.training.evidence import KnownFacts
from aligner.training.model_prior import ModelPrior
from aligner.training.schedule import mstep_of
from aligner.training.word_jumps import frequent_words

_PROGRAM = 165 << 20
"""Bytes of the interpreter, NumPy, Numba and the code of the kernels."""

_ROOM = 1.06
"""Factor for memory that the allocator keeps after it was freed."""

_WORD = 130
"""Bytes of a word in a vocabulary: a string and its entries in a list and a table."""

_WORD_PAIR = 4 + 8
"""Bytes of a word pair in the co-occurrence index and in the lexical tables of both directions."""

_BLOCK_CELL = 44
"""Bytes of a cell of a block: potentials, posteriors and working memory of inference."""

_MODEL1_TOKEN = 4
"""Bytes of a token's factor in Model 1's E-step. An occurrence of a source word takes twice as many."""

_MODEL1_TYPE = 24
"""Bytes of a target type for each thread of Model 1's E-step: probabilities and counts of both directions."""

_LOOKUP_TYPE = 8
"""Bytes of a target type for each thread that looks up pair_ids or adds up totals."""

_WORD_FORMS = 4 + 8
"""Bytes of a word pair's pseudo-count and of its prior means by the word-form prior."""

_CLASSED_WORD = 4 * 24
"""Bytes of a word in the classes of the word-form prior: four kinds."""

_SPELLED_WORD = 40
"""Bytes of a word's letters and outline, by which cognates are found."""

_COGNATE = 8 + 8
"""Bytes of a pair of cognates: its pair_id and its pseudo-count."""

_PRIOR_PAIR = 4
"""Bytes of a word pair's pair_id in an existing model."""

_PSEUDO_COUNT = 8
"""Bytes of a word pair's pseudo-counts by an existing model, and of their sum with others."""

_RUNNING_COUNTS = 4
"""Arrays of the size of the counts that stepwise EM keeps and mixes."""

_RANDOM_START = 20
"""Bytes of a word pair in a random start, which is kept while training from it."""

_TEMPERED = 8
"""Bytes of a word pair in the annealed lexicon of an E-step."""

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
    usable_blocks: BlockSource,
    pair_ids: int,
    stages: Sequence[Stage],
    threads: int,
    limit: int | str | None = None,
    facts: KnownFacts = _NO_FACTS,
    cognates: int = 0,
    priors: Sequence[ModelPrior] = (),
) -> Plan:
    """Plan the fastest run within a memory limit.

    Parameters
    ----------
    bitext, usable_blocks
        The whole text, and the blocks of its usable pairs.
    pair_ids
        Number of co-occurring word pairs.
    stages
        The stages of the recipe.
    threads
        Number of threads.
    limit
        Bytes, or a size such as "2.5G"; by default 90 % of what the process may use.
    facts
        Evidence about the text.
    cognates
        Number of word pairs that are cognates.
    priors
        The existing models whose pseudo-counts are added.

    Raises
    ------
    DataError
        If there is not enough memory.
    """
    limit = resources.memory() * 9 // 10 if limit is None else parse_size(limit)
    vocabularies = bitext.source_vocabulary, bitext.target_vocabulary
    base = _text_bytes(bitext) + _text_bytes(usable_blocks.bitext) + _WORD_PAIR * pair_ids
    base += _word_bytes(stages) * sum(map(len, vocabularies)) + _COGNATE * cognates
    base += sum(_prior_bytes(prior, pair_ids) for prior in priors)
    sizes = _Sizes(usable_blocks, pair_ids, len(bitext.target_vocabulary), threads, len(priors))

    def planned(cells_at_once: int) -> Plan:
        """Return the plan of a run that looks up this many cells at a time."""
        most = max(_peak(stage, sizes, facts, cells_at_once) for stage in stages)
        return Plan(_PROGRAM + int(_ROOM * (base + most)), cells_at_once)

    fastest, smallest = planned(search_cells(usable_blocks.cells, threads)), planned(SEARCH_CELLS)
    best = fastest if fastest.peak <= limit else smallest
    if best.peak > limit:
        raise DataError(
            f"training on these {len(usable_blocks.bitext):,} pairs takes about {format_size(best.peak)} of"
            f" memory; expected at most {format_size(limit)}; train on fewer pairs (a model aligns texts of"
            f" any size), set a lower data.max_length, or allow more with --max-memory"
        )
    return best._replace(limited=best != fastest)


@dataclass(frozen=True)
class _Sizes:
    """The sizes of a run: its blocks, numbers of word pairs, target types, threads and existing models."""

    source: BlockSource
    pair_ids: int
    types: int
    threads: int
    priors: int


def _peak(stage: Stage, sizes: _Sizes, facts: KnownFacts, cells_at_once: int) -> int:
    """Return the peak bytes of a stage, without text, index and lexicon."""
    between, estep = 0, _block_estep(sizes, cells_at_once)
    if is_model1_alone(stage, facts):
        between, estep = _model1_estep(sizes)
    if stage.anneal_from < 1.0:
        estep += _TEMPERED * sizes.pair_ids
    columns = max(stage.criterion.columns, 2 if sizes.priors else 1)
    parted = 8 * columns * sizes.pair_ids if columns > stage.criterion.columns else 0
    mstep = mstep_of(stage).memory(sizes.pair_ids, columns)
    return _counts(stage, sizes) + between + max(estep, parted + max(_pseudo_counts(stage, sizes), mstep))


def _pseudo_counts(stage: Stage, sizes: _Sizes) -> int:
    """Return the bytes of the pseudo-counts of all word pairs, by word forms and by existing models."""
    size = _WORD_FORMS if stage.word_forms else 0
    if sizes.priors:
        size += _PSEUDO_COUNT * (sizes.priors + stage.word_forms)
    return size * sizes.pair_ids


def _counts(stage: Stage, sizes: _Sizes) -> int:
    """Return the bytes of the counts of a stage, and of the state that lasts from E-step to E-step."""
    criterion, cells, bitext = stage.criterion, sizes.source.cells, sizes.source.bitext
    source, target = bitext.source.lengths, bitext.target.lengths
    source_words, target_words = frequent_words(stage, bitext)
    kind = MODELS[stage.model]
    distortion = kind.memory(source, target, source_words, sizes.threads)
    distortion += kind.memory(target, source, target_words, sizes.threads)
    size = criterion.memory(sizes.pair_ids, cells, distortion)
    if stage.batch_pairs:
        size += _RUNNING_COUNTS * criterion.columns * 8 * sizes.pair_ids
    if stage.prune:
        size += int(bytes_of_bits(bitext).sum()) + sizes.pair_ids
    if stage.restarts > 1:
        size += _RANDOM_START * sizes.pair_ids
    return size


def _model1_estep(sizes: _Sizes) -> tuple[int, int]:
    """Return the bytes of the occurrences, which are kept, and of Model 1's E-step."""
    bitext = sizes.source.bitext
    source, target = len(bitext.source.tokens), len(bitext.target.tokens)
    estep = _MODEL1_TOKEN * (source + target) + _MODEL1_TYPE * sizes.types * sizes.threads
    return 2 * _MODEL1_TOKEN * source, estep


def _block_estep(sizes: _Sizes, cells_at_once: int) -> int:
    """Return the bytes of an E-step by block: blocks, types and looked-up pair_ids of all threads."""
    blocks = _BLOCK_CELL * _cells_in_blocks(sizes.source, sizes.threads)
    pair_ids = 4 * sizes.threads * min(cells_at_once, sizes.source.cells)
    return blocks + _LOOKUP_TYPE * sizes.types * sizes.threads + pair_ids


def _cells_in_blocks(source: BlockSource, threads: int) -> int:
    """Return the greatest number of cells in the blocks of all threads. A pair is in one block."""
    sizes = np.diff(source.offsets)
    sizes.partition(max(len(sizes) - threads, 0))
    largest = sizes[-threads:]
    block = min(source.block_cells(threads), source.cells)
    return int(np.maximum(largest, block).sum()) + block * (threads - len(largest))


def _word_bytes(stages: Sequence[Stage]) -> int:
    """Return the bytes of a word in its vocabulary and in the pseudo-counts of the stages."""
    size = _WORD
    size += _CLASSED_WORD if any(stage.word_forms for stage in stages) else 0
    size += _SPELLED_WORD if any(stage.cognates for stage in stages) else 0
    return size


def _prior_bytes(prior: ModelPrior, pair_ids: int) -> int:
    """Return the bytes of an existing model, and of its values for the word pairs of this text."""
    model = prior.model
    words = len(model.source_vocabulary) + len(model.target_vocabulary)
    return _WORD * words + _WORD_PAIR * len(model.pair.lexicon.index) + _PRIOR_PAIR * pair_ids


def _text_bytes(bitext: Bitext) -> int:
    """Return the bytes of both sides of a text."""
    return sum(side.tokens.nbytes + side.offsets.nbytes for side in (bitext.source, bitext.target))
