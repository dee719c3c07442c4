"""The number of words that have jumps of their own."""

from __future__ import annotations

import numpy as np

from aligner.recipe.config import Stage
from aligner.text.bitext import Bitext

MOST_WORDS = 65_536
"""The most words of a language that have jumps of their own. Their counts take 28 MB in each thread."""


def frequent_words(stage: Stage, bitext: Bitext) -> tuple[int | None, int | None]:
    """Return how many source words and target words have jumps of their own in a stage.

    These are the words with the lowest ids, since the most frequent words come first. None: the stage has no
    jumps of words.
    """
    if not stage.word_jumps:
        return None, None
    source, target = (
        min(int(np.count_nonzero(vocabulary.counts >= stage.word_jumps)), MOST_WORDS)
        for vocabulary in (bitext.source_vocabulary, bitext.target_vocabulary)
    )
    return source, target
