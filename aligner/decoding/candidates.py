"""Candidates of a block, with their features (see ``kernels.cell_features``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.decoding.guesses import TextSide
from aligner.kernels.structs import FeatureTokens, SpelledWords
from aligner.lexicon.blocks import Block
from aligner.lexicon.spelling import Spelling
from aligner.models.learned import FEATURES, TextStatistics
from aligner.text.bitext import Bitext

WORD, NUMBER, MARK = range(3)
"""The kinds of words: with a letter and no digit, with a digit, with neither."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The cells of a block that may become links.

    Attributes
    ----------
    cells
        int64 [candidates], their numbers among the source-major cells of the block, ascending.
    features
        float32 [candidates, features].
    """

    cells: NDArray[np.int64]
    features: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        block: Block,
        text: Bitext,
        statistics: TextStatistics,
        posteriors: tuple[NDArray[np.float32], ...],
        lexical: tuple[NDArray[np.float32], ...],
    ) -> Candidates:
        """Return the candidates of a block.

        Parameters
        ----------
        block, text
            The sentence pairs, with the pair_ids of all cells.
        statistics
            Statistics of the training text.
        posteriors
            Forward and reverse posteriors with the constraint of decoding, then without it.
        lexical
            Forward and reverse lexical probabilities.
        """
        marks = np.zeros(block.cells, np.uint8)
        lengths = block.source_lengths, block.target_lengths
        count = kernels.cell_features.mark(*posteriors, *lengths, marks)
        features = np.empty((count, len(FEATURES)), np.float32)
        source, target = TextSide.both(text)
        different = [np.unique(side.token_ids, return_inverse=True) for side in (source, target)]
        words = [side.words(ids) for side, (ids, _) in zip((source, target), different, strict=True)]
        spelling = Spelling.of(*words)
        kernels.cell_features.compute(
            posteriors,
            lexical,
            statistics.pairs,
            _tokens(source, words[0], different[0][1], spelling.source, statistics.source_fertilities),
            _tokens(target, words[1], different[1][1], spelling.target, statistics.target_fertilities),
            spelling.shared,
            block.pair_ids,
            marks,
            features,
        )
        return cls(np.flatnonzero(marks), features)


def _tokens(
    side: TextSide,
    words: list[str],
    numbers: NDArray[np.int64],
    spelled: SpelledWords,
    fertilities: NDArray[np.float32],
) -> FeatureTokens:
    """Return one side of a block for the kernel.

    words: the different words; numbers: int64 [tokens], the number of each token among them; fertilities:
    float32 [types + 1].
    """
    tokens, lengths = side.sentences.tokens, side.sentences.lengths.astype(np.int32)
    repetitions = np.empty(len(tokens), np.float32)
    kernels.cell_features.count_repetitions(side.token_ids, lengths, repetitions)
    return FeatureTokens(
        lengths,
        side.token_ids,
        repetitions,
        np.append(side.vocabulary.counts, 0).astype(np.float32)[tokens],
        fertilities[tokens],
        np.array(list(map(kind_of, words)), np.float32)[numbers],
        numbers.astype(np.int32),
        spelled,
    )


def kind_of(word: str) -> int:
    """Return whether a word is a ``WORD``, a ``NUMBER`` or a ``MARK``."""
    if word.isalpha():  # most words: 4 times as fast as to look at each letter twice
        return WORD
    if any(map(str.isdigit, word)):
        return NUMBER
    return WORD if any(map(str.isalpha, word)) else MARK
