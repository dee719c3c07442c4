"""Sentence scores: how probable a model finds a pair, and how much the two sides tell about one another.

*score*: log p of a pair's words, in nats a word; the mean of the *forward* one, log p(target | source) / J,
and the *reverse* one, log p(source | target) / I. Frequent words raise it, whatever they are next to.
*gain*: the score less what the words' own relative frequencies in the training text would give. It is mutual
information a word, above 0 where a side becomes more probable by knowing the other. A word that training
never saw counts the same in both, unless it is guessed at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import FLOOR
from aligner.links.alignments import Alignments
from aligner.models.trained import Model
from aligner.text.sentences import offsets_of
from aligner.text.vocabulary import Vocabulary


class Scorer(NamedTuple):
    """The log relative frequency of every word: float64 [types + 1], the last of unknown words."""

    source: NDArray[np.float64]
    target: NDArray[np.float64]

    @classmethod
    def of(cls, model: Model) -> Scorer:
        """By what the model was trained on."""
        return cls(_log_frequencies(model.source_vocabulary), _log_frequencies(model.target_vocabulary))

    def scores(
        self, block: Block, forward: NDArray[np.float64], reverse: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Forward, reverse and gain of non-empty pairs, [n, 3], by their log-likelihoods, [n] each."""
        heights, widths = block.target_lengths, block.source_lengths
        alone = _sums(self.target[block.target], heights) / heights
        alone += _sums(self.source[block.source], widths) / widths
        forward, reverse = forward / heights, reverse / widths
        return np.column_stack([forward, reverse, (forward + reverse - alone) / 2])


def _log_frequencies(words: Vocabulary) -> NDArray[np.float64]:
    return np.log(np.append(words.counts / max(words.counts.sum(), 1), FLOOR).clip(FLOOR))


def _sums(values: NDArray[np.float64], lengths: NDArray[np.int32]) -> NDArray[np.float64]:
    """The sums of consecutive runs, none empty."""
    return np.add.reduceat(values, offsets_of(lengths)[:-1])


def _columns(alignments: Alignments) -> NDArray[np.float64]:
    """Score, forward, reverse, gain of every pair, [n, 4]; -inf where a pair was not aligned."""
    if alignments.scores is None:
        raise DataError("these sentence pairs have no scores")
    return np.column_stack([alignments.scores[:, :2].mean(axis=1), alignments.scores])


def format_scores(alignments: Alignments) -> str:
    """A line per pair: score, forward, reverse, gain; TAB-separated, four decimals, higher is better.

    All are -inf where a pair was not aligned. DataError if there are no scores.
    """
    columns = _columns(alignments)
    return "%.4f\t%.4f\t%.4f\t%.4f\n" * len(columns) % tuple(columns.ravel().tolist())


class ScoreCounts:
    """How many pairs have which score and which gain, in hundredths: quantiles in constant memory."""

    _LOWEST, _HIGHEST = -6000, 6000
    _SHARES = (0.01, 0.05, 0.25, 0.5, 0.75)

    def __init__(self) -> None:
        self._counts = np.zeros((2, self._HIGHEST - self._LOWEST + 1), np.int64)

    def add(self, alignments: Alignments) -> None:
        """Count the pairs that have scores."""
        columns = _columns(alignments)
        for counts, values in zip(self._counts, (columns[:, 0], columns[:, 3]), strict=True):
            steps = np.floor(100 * values[np.isfinite(values)]).clip(self._LOWEST, self._HIGHEST)
            counts += np.bincount(steps.astype(np.int64) - self._LOWEST, minlength=len(counts))

    def describe(self) -> list[str]:
        """Lines for people: what so many pairs lie below."""
        if not self._counts.any():
            return ["no pair has a score"]
        lines = []
        for name, counts in zip(("score", "gain"), self._counts, strict=True):
            below = np.cumsum(counts)
            values = (np.searchsorted(below, np.array(self._SHARES) * below[-1]) + self._LOWEST) / 100
            parts = (f"{share:.0%} below {v:.2f}" for share, v in zip(self._SHARES, values, strict=True))
            lines.append(f"{name}, nats a word: {', '.join(parts)}")
        return lines
