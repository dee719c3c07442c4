"""The memory of a training run: its expected peak, checked and announced before training begins."""

from __future__ import annotations

import math

import numpy as np

from aligner.errors import DataError
from aligner.lexicon.block_sources import search_cells
from aligner.models.hmm import JUMP_COUNTS
from aligner.pieces.segmenter import MOST_LETTERS
from aligner.priors.knowledge import Knowledge
from aligner.recipe.config import Recipe, Stage
from aligner.system import resources
from aligner.system.resources import PROGRAM, format_size, parse_size
from aligner.text.bitext import Bitext, SentencePairs
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import bytes_of_words
from aligner.training.counting import learns_by_row
from aligner.training.model1_estep import is_model1_alone
from aligner.training.piece_task import PieceEncoders, outline_of_pieces
from aligner.training.state import words_with_jumps
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


def check_peak(peak: int, task: Task, limit: int | str | None = None) -> int:
    """Return the expected peak of a task in bytes; raise DataError if it is above a limit.

    limit: bytes, or a size such as "2.5G"; by default 90 % of what the process may use.
    """
    limit = resources.memory() * 9 // 10 if limit is None else parse_size(limit)
    if peak > limit:
        raise DataError(
            f"training on these {len(task.blocks):,} pairs takes about {format_size(peak)} of memory;"
            f" expected at most {format_size(limit)}; train on fewer pairs (a model aligns texts of any"
            f" size), set a lower data.max_length, or allow more with --max-memory"
        )
    return peak


def expected_peak(task: Task, recipe: Recipe, pairs: int | None = None) -> int:
    """Return the expected peak of training one model in bytes, within about 15 %.

    pairs: the number of its word pairs, if it is known.
    """
    if pairs is None:
        pairs = word_pairs(task.blocks.bitext)
    size = bytes_of_text(task) + max(
        pairs * bytes_of_word_pair(stage, task) + bytes_of_estep(stage, task) for stage in recipe.stages
    )
    for model in (prior.model for prior in task.priors.values() if hasattr(prior, "model")):
        size += 12 * len(model.pair.lexicon.index)
        size += sum(bytes_of_words(words.words) for words in model.vocabularies)
    if recipe.pieces is not None:
        vocabularies = [vocabulary.words for vocabulary in task.facts.vocabularies]
        letters = [sum(len(word) for word in own if len(word) <= MOST_LETTERS) for own in vocabularies]
        learned = _LETTER_OF_PIECES * (max(letters) if task.threads == 1 else sum(letters))
        text = task.blocks.bitext
        made = TOKEN_OF_PIECES * (len(text.source.tokens) + len(text.target.tokens))
        size = max(size, bytes_of_text(task) + max(learned, made))
    return PROGRAM + size


def expected_peak_of_pieces(
    words: Task, encoders: PieceEncoders, recipe: Recipe, knowledge: Knowledge
) -> int:
    """Return the expected peak of training on pieces beside the text and the model of words, in bytes.

    recipe, knowledge: of the words.
    """
    task, sample = outline_of_pieces(words, encoders, recipe, knowledge)
    nth = _sampling(task.blocks.bitext)
    pairs = _estimate(nth, *sample(nth))
    of_words = bytes_of_text(words) + BYTES_OF_MODEL * word_pairs(words.blocks.bitext)
    return expected_peak(task, recipe.of_pieces, pairs) + of_words


def bytes_of_text(task: Task) -> int:
    """Return the bytes of the text and its words."""
    text, vocabularies = task.blocks.bitext, [vocabulary.words for vocabulary in task.facts.vocabularies]
    sizes = [side.word_sizes for side in text.sides] if isinstance(text, Bitext) else []
    # The text as it was read stays beside the text whose words are split.
    read = [own for own, words in zip(sizes, task.facts.vocabularies, strict=False) if words.splits]
    rows = text.source, text.target, *sizes, *read
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
    jumps = 8 * JUMP_COUNTS * sum(words or 0 for words in words_with_jumps(stage, task.facts)) * (threads + 2)
    look_up = 4 * min(threads * search_cells(cells, threads), cells) + 8 * threads * text.target_types
    # A block has one pair at least, and a pair of few words may have many parts of words.
    block = max(blocks.block_cells(threads), int(np.diff(blocks.offsets).max(initial=0)))
    return kept + jumps + look_up + _CELL * min(threads * block, cells)


def word_pairs(text: SentencePairs) -> int:
    """Estimate the number of different word pairs, from every n-th word of both vocabularies.

    Words of one side alone would not do: the most frequent ones have most of the pairs.
    """
    nth = _sampling(text)
    return _estimate(nth, _every(text.source, nth), _every(text.target, nth))


def _sampling(text: SentencePairs) -> int:
    """Return n, so that every n-th word of both vocabularies has about the cells of a sample."""
    return math.ceil(math.sqrt(1 + int(text.sizes.sum()) // _SAMPLED_CELLS))


def _every(side: Sentences, nth: int) -> Sentences:
    """Return sentences with every n-th word of the vocabulary alone."""
    positions = np.flatnonzero(side.tokens % nth == nth // 2)
    return Sentences(side.tokens[positions], np.searchsorted(positions, side.offsets))


def _estimate(nth: int, source: Sentences, target: Sentences) -> int:
    """Estimate the number of different word pairs from sentences with every n-th word alone."""
    sentences = np.repeat(np.arange(len(source)), source.lengths)
    lengths = target.lengths[sentences]
    ends = np.cumsum(lengths)
    cells = np.arange(ends[-1] if len(ends) else 0)
    cells += np.repeat(target.offsets[sentences] - ends + lengths, lengths)
    pairs = np.repeat(source.tokens.astype(np.int64) << 32, lengths) | target.tokens[cells]
    pairs.sort()
    return nth**2 * int(np.count_nonzero(np.diff(pairs, prepend=-1)))
