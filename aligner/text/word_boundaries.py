"""Text whose tokens do not seem to be words: there are no spaces between words, or marks of spaces alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aligner.messages import counted
from aligner.text.bitext import Bitext

_LONG, _SHORT = 16, 5
"""Letters a word that no language has on average, and that almost every language has without its marks."""

_MOST_SHARE = 0.01
"""The share of tokens that may be marks of spaces without a message."""


def describe_tokens(text: Bitext) -> Iterator[str]:
    """Yield a message for each side whose tokens do not seem to be words, or are ignored.

    Words are too long, or they have some letters, and the other side has more than 3 times as many.
    """
    tokens = text.report.source_tokens, text.report.target_tokens
    for name, own, other, side in zip(("source", "target"), tokens, tokens[::-1], text.sides, strict=True):
        if text.lookup.ignored:
            yield f"{name}: {counted(int(side.lengths.sum()) - own, 'token')} ignored"
        vocabulary = side.vocabulary
        lengths = np.fromiter(map(len, vocabulary.words), np.int64, len(vocabulary))
        letters = lengths @ vocabulary.counts / max(vocabulary.counts.sum(), 1)
        if letters >= _LONG or (letters >= _SHORT and 3 * own < other):
            yield (
                f"{name}: found {own / len(text):.1f} words a line, of {letters:.0f} letters; expected spaces"
                f" between words; tokenise the text; replace U+200B if it separates words"
            )
        marks = int(vocabulary.counts[vocabulary.index["▁"]]) if "▁" in vocabulary.index else 0
        if marks > _MOST_SHARE * own:
            yield (
                f"{name}: found {counted(marks, 'token')} of U+2581 alone, the mark of a space, as words;"
                f" ignore them by --set data.ignore=\u2581"
            )
