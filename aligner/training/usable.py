"""The sentence pairs that a recipe trains on, and their order."""

from __future__ import annotations

import numpy as np

from aligner.arrays import Int64s
from aligner.errors import DataError
from aligner.files.lines import CR_ALONE
from aligner.kernels.constants import MAX_COUNT
from aligner.models.hmm import order_by_size
from aligner.recipe.config import Recipe
from aligner.text.bitext import Bitext
from aligner.text.ingest import length_limit
from aligner.text.vocabulary import Vocabulary

MOST_TOKENS = 1 << 35
"""The most tokens of a side. Log-likelihoods are summed in units of 2**-24 nats in 64 bits, which hold 2**39
nats: 16 for each token, as if each word were drawn uniformly from 9 million. Jumps have the
same unit, and a token has only one.
"""

MOST_PAIRS = 1 << 31
"""The most sentence pairs that one process trains on: their numbers have 32 bits."""


def usable_pairs(bitext: Bitext, recipe: Recipe) -> Int64s:
    """Return the numbers of the pairs to train on, int64, in the order of training.

    Pairs of similar size follow each other, since they are inferred together, which is faster. Counts are
    exact sums, so the order changes no result, except in stepwise EM, which keeps the order of the text.

    Raises
    ------
    DataError
        If the text is too large for exact sums or for one process.
    """
    numbers = np.flatnonzero(bitext.trainable(recipe.data.max_length))
    check_pairs(len(numbers))
    check_tokens(len(bitext.source.tokens), len(bitext.target.tokens))
    check_word_counts(*bitext.vocabularies)
    if any(stage.batch_pairs for stage in recipe.stages):
        return numbers
    return numbers[order_by_size(bitext.source.lengths[numbers], bitext.target.lengths[numbers])]


def check_usable(usable: int, lines: int, recipe: Recipe) -> None:
    """Raise DataError if a text has no lines, or if none of them is a usable pair."""
    if not lines:
        raise DataError("found no sentence pair; expected at least one; is the file, or the pipe, empty?")
    if not usable:
        raise DataError(
            f"no usable sentence pair among {lines:,}: every pair has an empty side or one of more than"
            f" {length_limit(recipe.data.max_length):,} tokens; expected at least one other pair (see"
            f" data.max_length){CR_ALONE if lines == 1 else ''}"
        )


def check_pairs(pairs: int) -> None:
    """Raise DataError if one process cannot train on this many sentence pairs."""
    if pairs >= MOST_PAIRS:
        raise DataError(
            f"found {pairs:,} usable sentence pairs; expected fewer than {MOST_PAIRS:,} in one process; train"
            f" on more and smaller shards (align shard), or on fewer pairs"
        )


def check_tokens(*sides: int) -> None:
    """Raise DataError if a side of a text has more tokens than sums over it can hold."""
    tokens = max(sides)
    if tokens >= MOST_TOKENS:
        raise DataError(
            f"found {tokens:,} tokens on one side; expected fewer than {MOST_TOKENS:,}; train on fewer pairs"
            f" (a model aligns texts of any size)"
        )


def check_word_counts(*vocabularies: Vocabulary) -> None:
    """Raise DataError if a word occurs more often than 64-bit expected counts can hold."""
    for vocabulary in vocabularies:
        n = int(vocabulary.counts.argmax())
        if vocabulary.counts[n] >= MAX_COUNT:
            raise DataError(
                f"{vocabulary.words[n]!r} occurs {vocabulary.counts[n]:,} times; expected fewer than"
                f" {MAX_COUNT:,}, which exact counts hold; train on fewer pairs (a model aligns texts of any"
                f" size)"
            )
