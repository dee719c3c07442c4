"""The sentence pairs that a recipe trains on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.kernels.constants import MAX_COUNT
from aligner.models.grouping import order_by_size
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.text.ingest import longest


def usable_pairs(bitext: Bitext, recipe: Recipe) -> NDArray[np.int64]:
    """Return the numbers of the pairs to train on, in the order in which training goes through them.

    Counts are exact sums, so the order is free unless mini-batches are cut from the text. Pairs of similar
    size, side by side, are inferred faster.

    Raises
    ------
    DataError
        If no pair is usable, or if a word occurs too often for expected counts.
    """
    numbers = np.flatnonzero(bitext.trainable(recipe.data.max_length))
    if not len(numbers):
        raise DataError(
            f"no usable sentence pair among {len(bitext)}: every pair has an empty side or one of more than"
            f" {longest(recipe.data.max_length):,} tokens (see data.max_length)"
        )
    _check_countable(bitext)
    if any(stage.batch_pairs for stage in recipe.stages):
        return numbers
    return numbers[order_by_size(bitext.source.lengths[numbers], bitext.target.lengths[numbers])]


def _check_countable(bitext: Bitext) -> None:
    """Raise DataError if a word occurs more often than 64-bit expected counts can hold."""
    for words in (bitext.source_vocabulary, bitext.target_vocabulary):
        n = int(words.counts.argmax())
        if words.counts[n] >= MAX_COUNT:
            raise DataError(
                f"{words.words[n]!r} occurs {words.counts[n]:,} times; expected fewer than {MAX_COUNT:,}; train"
                f" on fewer pairs (a model aligns texts of any size)"
            )
