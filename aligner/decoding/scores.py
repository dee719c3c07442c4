"""Sentence scores: how probable a sentence pair is, and how much its two sides tell about each other.

* *forward* is log p(target | source) / J and *reverse* is log p(source | target) / I, in nats per word.
* *score* is the mean of forward and reverse. Frequent words raise it, whatever the other side is.
* *gain* is the score less the score of the same words by their relative frequencies in the training text. It
  is pointwise mutual information for each word: above 0 if one side makes the other side more probable.

An out-of-vocabulary word counts the same in score and gain, unless a translation is guessed by spelling or
by other forms of the word.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import NamedTuple

import numpy as np

from aligner.arrays import Float64s, Int32s, offsets_of
from aligner.errors import DataError
from aligner.files.lines import read_lines
from aligner.files.opening import PathLike
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import FLOOR
from aligner.links.alignments import Alignments
from aligner.messages import display_name, excerpt
from aligner.models.trained import TrainedModel
from aligner.text.vocabulary import Vocabulary


class Scorer(NamedTuple):
    """Log relative frequencies of words, float64 [types + 1]; the last, of out-of-vocabulary words."""

    source: Float64s
    target: Float64s

    @classmethod
    def of(cls, model: TrainedModel) -> Scorer:
        """Return the scorer for the frequencies of a model's training text."""
        return cls(_log_frequencies(model.source_vocabulary), _log_frequencies(model.target_vocabulary))

    def scores(self, block: Block, forward: Float64s, reverse: Float64s) -> Float64s:
        """Return forward, reverse and gain of the sentence pairs of a block, float64 [pairs, 3].

        forward, reverse: log-likelihoods, float64 [pairs]. No side may be empty.
        """
        target_lengths, source_lengths = block.target_lengths, block.source_lengths
        by_frequency = _sums_of_runs(self.target[block.target], target_lengths) / target_lengths
        by_frequency += _sums_of_runs(self.source[block.source], source_lengths) / source_lengths
        forward, reverse = forward / target_lengths, reverse / source_lengths
        return np.column_stack([forward, reverse, (forward + reverse - by_frequency) / 2])


def _log_frequencies(vocabulary: Vocabulary) -> Float64s:
    """Return the log relative frequency of each word, and of out-of-vocabulary words, at least log FLOOR."""
    return np.log(np.append(vocabulary.counts / max(vocabulary.counts.sum(), 1), FLOOR).clip(FLOOR))


def _sums_of_runs(values: Float64s, lengths: Int32s) -> Float64s:
    """Return the sums of consecutive runs of values. No run may be empty."""
    return np.add.reduceat(values, offsets_of(lengths)[:-1])


def score_columns(alignments: Alignments) -> Float64s:
    """Return score, forward, reverse and gain of every pair, [pairs, 4]; -inf for pairs without alignment."""
    if alignments.scores is None:
        raise DataError("found alignments without scores; expected scores; decode with scores=True")
    return np.column_stack([alignments.scores[:, :2].mean(axis=1), alignments.scores])


def format_scores(alignments: Alignments) -> str:
    """Return one line for each pair: score, forward, reverse and gain, separated by TABs, with 4 decimals.

    All are -inf for a pair that was not aligned. Raises DataError if the alignments have no scores.
    """
    columns = score_columns(alignments)
    return "%.4f\t%.4f\t%.4f\t%.4f\n" * len(columns) % tuple(columns.ravel().tolist())


def read_scores(path: PathLike) -> Float64s:
    """Read the lines of ``format_scores``; return forward, reverse and gain of each pair, float64 [n, 3].

    Raises DataError, with the file and the line, for anything else.
    """
    rows = []
    for number, line in enumerate(chain.from_iterable(read_lines(path)), 1):
        try:
            _, *row = map(float, line.split("\t"))
        except ValueError:
            row = []
        if len(row) != 3 or any(map(math.isnan, row)):
            raise DataError(
                f"{display_name(path)}:{number}: found {excerpt(line)}; expected score, forward, reverse and"
                f" gain, separated by TABs; are these the scores of align decode --scores?"
            )
        rows.append(row)
    return np.array(rows, np.float64).reshape(-1, 3)
