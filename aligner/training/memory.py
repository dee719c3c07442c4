"""The memory of a training run: its expected peak, checked and announced before training begins."""

from __future__ import annotations

import math

import numpy as np

from aligner.errors import DataError
from aligner.lexicon.block_sources import search_cells
from aligner.models.hmm import JUMP_COUNTS
from aligner.recipe.config import Recipe, Stage
from aligner.system import resources
from aligner.system.resources import PROGRAM, format_size, parse_size
from aligner.text.bitext import Bitext, SentencePairs
from aligner.text.pieces import MOST_LETTERS
from aligner.text.vocabulary import bytes_of_words
from aligner.training.counting import learns_by_row
from aligner.training.first_models import frequent_words
from aligner.training.model1_estep import is_model1_alone
from aligner.training.task import Task

_LETTER_OF_PIECES = 94
"""Bytes of a letter of the different words of a side while pieces are learned from them."""

TOKEN_OF_PIECES = 15
"""Bytes of a token while the text of pieces is made, besides the text. Parts of words take 20, but then
training on the pieces takes more."""

_SAMPLED_CELLS = 1 << 20
"""Cells from which the number of word pairs is estimated, within 3 %."""

_LETTERS = 4
"""Copies of all words while they are compared by their letters."""

_TOKEN, _OCCURRENCE, _FACTOR, _CELL, BYTES_OF_MODEL = 4, 6, 4, 44, 12
"""Bytes of a token, an occurrence of a source word, a token's factor in Model 1, a cell of a block, and a
word pair of a trained model."""


def check_memory(
    task: Task, recipe: Recipe, limit: int | str | None = None, words: Task | None = None
) -> int:
    """Return the expected peak of a run in bytes, within about 15 %.

    Parameters
    ----------
    task
        The pairs that are trained on.
    recipe
        The recipe, of words, or of words and pieces.
    limit
        Bytes, or a size such as "2.5G"; by default 90 % of what the process may use.
    words
        The task that comes before the task of pieces, whose text and model stay.

    Raises
    ------
    DataError
        If the peak is above the limit.
    """
    limit = resources.memory() * 9 // 10 if limit is None else parse_size(limit)
    peak = expected_peak(task, recipe)
    if words is not None:
        peak += bytes_of_text(words) + BYTES_OF_MODEL * word_pairs(words.blocks.bitext)
    if peak > limit:
        raise DataError(
            f"training on these {len(task.blocks):,} pairs takes about {format_size(peak)} of memory;"
            f" expected at most {format_size(limit)}; train on fewer pairs (a model aligns texts of any"
            f" size), set a lower data.max_length, or allow more with --max-memory"
        )
    return peak


def expected_peak(task: Task, recipe: Recipe) -> int:
    """Return the expected peak of a run in bytes."""
    pairs = word_pairs(task.blocks.bitext)
    size = bytes_of_text(task) + max(
        pairs * bytes_of_word_pair(stage, task) + bytes_of_estep(stage, task) for stage in recipe.stages
    )
    for model in (prior.model for prior in task.priors.values() if hasattr(prior, "model")):
        size += 12 * len(model.pair.lexicon.index) + sum(
            bytes_of_words(words.words) for words in (model.source_vocabulary, model.target_vocabulary)
        )
    if recipe.pieces is not None:
        vocabularies = [vocabulary.words for vocabulary in task.facts.vocabularies]
        letters = max(sum(len(word) for word in own if len(word) <= MOST_LETTERS) for own in vocabularies)
        text = task.blocks.bitext
        made = TOKEN_OF_PIECES * (len(text.source.tokens) + len(text.target.tokens))
        size = max(size, bytes_of_text(task) + max(_LETTER_OF_PIECES * letters, made))
    return PROGRAM + size


def bytes_of_text(task: Task) -> int:
    """Return the bytes of the text and its words."""
    text, vocabularies = task.blocks.bitext, [vocabulary.words for vocabulary in task.facts.vocabularies]
    parts = [side.parts for side in text.sides] if isinstance(text, Bitext) else []
    # The text as it was read stays beside the text whose words are split.
    read = [own for own, words in zip(parts, task.facts.vocabularies, strict=False) if words.splits]
    rows = text.source, text.target, *parts, *read
    tokens = sum(len(own.values) for own in rows if own is not None)
    size = _TOKEN * tokens + 3 * task.blocks.offsets.nbytes
    return _LETTERS * sum(map(bytes_of_words, vocabularies)) + size


def bytes_of_word_pair(stage: Stage, task: Task) -> int:
    """Return the bytes of a word pair in the index, the tables and the counts of a stage."""
    columns = stage.criterion.columns
    counts = 8 * columns * (4 if stage.batch_pairs else 1)
    if learns_by_row(stage, task):
        counts = 8
    state = 16 * columns if stage.criterion.has_own_mstep else 0
    return 4 + 8 + max(counts, 8) + state


def bytes_of_estep(stage: Stage, task: Task) -> int:
    """Return the bytes of the occurrences and factors of Model 1, or of blocks, kept cells and jumps."""
    blocks, threads = task.blocks, task.threads
    text, cells = blocks.bitext, blocks.cells
    if is_model1_alone(stage, task.is_restricted):
        tokens = len(text.source.tokens), len(text.target.tokens)
        return _OCCURRENCE * tokens[0] + _FACTOR * sum(tokens)
    kept = cells // 8 if stage.prune else 0
    jumps = 8 * JUMP_COUNTS * sum(words or 0 for words in frequent_words(stage, task.facts)) * (threads + 2)
    look_up = 4 * min(threads * search_cells(cells, threads), cells) + 8 * threads * text.target_types
    return kept + jumps + look_up + _CELL * min(threads * blocks.block_cells(threads), cells)


def word_pairs(text: SentencePairs) -> int:
    """Estimate the number of different word pairs, from every n-th word of both vocabularies.

    Words of one side alone would not do: the most frequent ones have most of the pairs.
    """
    source, target = text.source, text.target
    nth = math.ceil(math.sqrt(1 + int((source.lengths * target.lengths).sum()) // _SAMPLED_CELLS))
    tokens, others = (np.flatnonzero(side.tokens % nth == nth // 2) for side in (source, target))
    sentences = np.searchsorted(source.offsets, tokens, side="right") - 1
    begins = np.searchsorted(others, target.offsets)
    lengths = np.diff(begins)[sentences]
    ends = np.cumsum(lengths)
    cells = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins[sentences] - ends + lengths, lengths)
    pairs = np.repeat(source.tokens[tokens].astype(np.int64) << 32, lengths) | target.tokens[others[cells]]
    pairs.sort()
    return nth**2 * int(np.count_nonzero(np.diff(pairs, prepend=-1)))
