"""The first model of a stage, and the words that have jumps of their own in it."""

from __future__ import annotations

import numpy as np

from aligner.lexicon.table import Lexicon
from aligner.models import MODELS, ModelPair
from aligner.recipe.config import Stage
from aligner.text.facts import TextFacts

MOST_WORDS = 65_536
"""The most words of a language that have jumps of their own. Their counts take 28 MB in each thread."""


def first_model(
    stage: Stage, before: ModelPair | Lexicon, facts: TextFacts, init: ModelPair | None = None
) -> ModelPair:
    """Return the first model of a stage: the lexicon so far, with directional models of the stage's kind.

    These come from the stage before, if it had the same kind and the same p0; else from ``init``, a model to
    go on from, if it has the same kind; else they are uniform. Frequent words get jumps of their own if the
    stage says so.
    """
    kind = MODELS[stage.model]
    if isinstance(before, ModelPair) and type(before.forward) is kind and before.forward.p0 == stage.p0:
        lexicon, (forward, reverse) = before.lexicon, before.directions
    else:
        lexicon = before.lexicon if isinstance(before, ModelPair) else before
        source_lengths, target_lengths = (lengths.astype(np.int32) for lengths in facts.lengths)
        forward = kind.initial(source_lengths, target_lengths, stage.p0)
        reverse = kind.initial(target_lengths, source_lengths, stage.p0)
        if init is not None and type(init.forward) is kind:
            forward, reverse = forward.continued_from(init.forward), reverse.continued_from(init.reverse)
    source_words, target_words = frequent_words(stage, facts)
    return ModelPair(lexicon, forward.with_word_jumps(source_words), reverse.with_word_jumps(target_words))


def frequent_words(stage: Stage, facts: TextFacts) -> tuple[int | None, int | None]:
    """Return how many source words and target words have jumps of their own in a stage.

    These are the words with the lowest ids, since the most frequent words come first. None: the stage has no
    jumps of words.
    """
    if not stage.word_jumps:
        return None, None
    source, target = (
        min(int(np.count_nonzero(vocabulary.counts >= stage.word_jumps)), MOST_WORDS)
        for vocabulary in facts.vocabularies
    )
    return source, target
