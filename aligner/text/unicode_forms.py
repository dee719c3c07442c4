"""Unicode forms: the same word in other code points, such as an accented letter as a letter and its accent.

Words are compared by their code points. A text in the normal form NFD therefore shares few words with a model
of a text in NFC, and a word that a text has in both forms is two words. The text itself stays as it is.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

import numpy as np

from aligner.text.side import OovWords
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import WordTable

_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")

LEAST_SHARE = 0.001
"""The least share of tokens in other forms that is worth a message."""

REMEDY = "normalise all texts to NFC, for example by uconv -x nfc"
"""What to do about words in other forms."""


def tokens_of_known_words(oov: OovWords | None, vocabulary: Vocabulary) -> int:
    """Return the number of out-of-vocabulary tokens whose word the vocabulary has in another form."""
    if oov is None:
        return 0
    forms = {form: k for k, word in enumerate(oov.words) for form in _other_forms(word)}
    if not forms:
        return 0
    known = vocabulary.find(WordTable.of_words(forms)) < len(vocabulary)
    numbers = np.array(list(forms.values()))[known]
    return int(np.isin(oov.values, numbers).sum())


def tokens_in_second_form(vocabulary: Vocabulary) -> int:
    """Return the number of tokens whose word is also in the vocabulary in NFC."""
    numbers = [k for k, word in enumerate(vocabulary.words) if not unicodedata.is_normalized("NFC", word)]
    composed = (unicodedata.normalize("NFC", vocabulary.words[k]) for k in numbers)
    second = [k for k, form in zip(numbers, composed, strict=True) if form in vocabulary.index]
    return int(vocabulary.counts[second].sum())


def _other_forms(word: str) -> set[str]:
    """Return the normal forms of a word that differ from it."""
    if word.isascii():
        return set()
    return {unicodedata.normalize(form, word) for form in _FORMS} - {word}
