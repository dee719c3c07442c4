"""Counts of the tokens of a text, and the sign that its sides are exchanged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aligner.text.bitext import Bitext
from aligner.text.oov_words import OovWords
from aligner.text.vocabulary import Vocabulary

_MOST_LOOKED_UP = 1000
"""The number of out-of-vocabulary words that are looked up in the vocabulary of the other language."""


@dataclass(kw_only=True)
class TokenCounts:
    """Counts of tokens. Summaries of a text derive from it.

    Attributes
    ----------
    tokens
        Tokens of both sides.
    oov_tokens
        Out-of-vocabulary tokens of both sides.
    looked_up, found_in_other
        Different out-of-vocabulary words of the first mostly unknown text that were looked up in the
        vocabulary of the other language, and how many of them it has.
    """

    tokens: int = 0
    oov_tokens: int = 0
    looked_up: int = 0
    found_in_other: int = 0

    def add_tokens(self, bitext: Bitext) -> None:
        """Count tokens, and look up the words of a mostly unknown text in the other language."""
        source, target = bitext.source.tokens, bitext.target.tokens
        tokens = len(source) + len(target)
        oov_tokens = int(np.count_nonzero(source == len(bitext.source_vocabulary)))
        oov_tokens += int(np.count_nonzero(target == len(bitext.target_vocabulary)))
        self.tokens += tokens
        self.oov_tokens += oov_tokens
        if 2 * oov_tokens > tokens and self.looked_up < _MOST_LOOKED_UP:
            self._look_up(bitext.source_oov, bitext.target_vocabulary)
            self._look_up(bitext.target_oov, bitext.source_vocabulary)

    def _look_up(self, oov: OovWords | None, other: Vocabulary) -> None:
        """Count the out-of-vocabulary words of one side that the other language's vocabulary has."""
        words = oov.words[:_MOST_LOOKED_UP] if oov else []
        self.looked_up += len(words)
        self.found_in_other += sum(word in other.index for word in words)

    def describe_exchange(self) -> list[str]:
        """Return a line for messages if most words are unknown here but known to the other language."""
        if 2 * self.oov_tokens > self.tokens and 2 * self.found_in_other > self.looked_up:
            return ["source and target seem exchanged: most words are of the other language"]
        return []
