"""Out-of-vocabulary words of a text, and their spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aligner.text.sentences import Sentences


@dataclass(frozen=True, eq=False)
class OovWords:
    """The spelling of the out-of-vocabulary tokens of one side of a text.

    Attributes
    ----------
    words
        The different out-of-vocabulary words.
    sentences
        For each sentence, the indices into ``words`` of its out-of-vocabulary tokens, in their order.
    """

    words: Sequence[str]
    sentences: Sentences
