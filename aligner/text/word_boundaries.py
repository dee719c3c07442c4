"""Text whose tokens do not seem to be words: there are no spaces between words, or marks of spaces alone."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator

import numpy as np

from aligner.messages import counted
from aligner.text.bitext import Bitext
from aligner.text.vocabulary import Vocabulary

_LONG, _SHORT = 16, 5
"""Letters a word that no language has on average, and that almost every language has without its marks."""

_MOST_SHARE = 0.01
"""The share of tokens that may be marks of spaces without a message."""

_SCRIPTS = {
    "HIRAGANA": ("Japanese", "fugashi or sudachipy", 5),
    "CJK": ("Chinese", "jieba or spacy-pkuseg", 5),
    "THAI": ("Thai", "pythainlp", 10),
    "LAO": ("Lao", "laonlp", 10),
    "KHMER": ("Khmer", "khmer-nltk", 10),
    "MYANMAR": ("Burmese", "pyidaungsu", 10),
    "TIBETAN": ("Tibetan", "botok", 10),
}
"""Scripts without spaces: the language, Python packages that split it, and letters a word that none has."""

_WORDS = 1000
"""The most frequent words, by which the script of a text is found."""

_LEAST_KANA = 0.05
"""The least number of kana in Japanese, as a share of its Chinese characters."""


def describe_tokens(text: Bitext) -> Iterator[str]:
    """Yield a message for each side whose tokens do not seem to be words, or are ignored.

    Words are too long, also for their script, or they have some letters, and the other side has more than 3
    times as many.
    """
    tokens = text.report.source_tokens, text.report.target_tokens
    for name, own, other, side in zip(("source", "target"), tokens, tokens[::-1], text.sides, strict=True):
        if text.lookup.ignored:
            yield f"{name}: {counted(int(side.word_lengths.sum()) - own, 'token')} ignored"
        vocabulary = side.vocabulary
        lengths = np.fromiter(map(len, vocabulary.words), np.int64, len(vocabulary))
        letters = lengths @ vocabulary.counts / max(vocabulary.counts.sum(), 1)
        script = _script_of(vocabulary)
        language, segmenters, longest = script or ("", "", _LONG)
        if letters >= longest or (letters >= _SHORT and 3 * own < other):
            split = f"split {language} by a segmenter, such as {segmenters}"
            remedy = split if script else "tokenise the text"
            yield (
                f"{name}: found {own / len(text):.1f} words a line, of {letters:.0f} letters; expected spaces"
                f" between words; {remedy}; replace U+200B if it separates words"
            )
        marks = int(vocabulary.counts[vocabulary.index["▁"]]) if "▁" in vocabulary.index else 0
        if marks > _MOST_SHARE * own:
            yield (
                f"{name}: found {counted(marks, 'token')} of U+2581 alone, the mark of a space, as words;"
                f" ignore them by --set data.ignore=\u2581"
            )


def _script_of(vocabulary: Vocabulary) -> tuple[str, str, int] | None:
    """Return the entry of ``_SCRIPTS`` for a vocabulary; None if most letters are of another script."""
    letters: Counter[str] = Counter()
    for word, count in zip(vocabulary.words[:_WORDS], vocabulary.counts[:_WORDS].tolist(), strict=True):
        for letter in word:
            letters[unicodedata.name(letter, "").partition(" ")[0].replace("KATAKANA", "HIRAGANA")] += count
    ((script, most),) = letters.most_common(1) or [("", 0)]
    if script == "CJK" and letters["HIRAGANA"] > _LEAST_KANA * most:
        script = "HIRAGANA"
    return _SCRIPTS.get(script)
