"""Out-of-vocabulary words: a text keeps their spelling."""

from dataclasses import replace

import numpy as np
import pytest

from aligner.errors import DataError
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary
from tests.support import bitext_of


def spellings(bitext):
    """Return every sentence pair as two strings, with out-of-vocabulary words."""
    sides = []
    for side in bitext.sides:
        words = [*side.vocabulary.words, *(() if side.oov is None else side.oov.words)]
        sentences = Sentences(side.token_ids_with_oov, side.offsets)
        sides.append([" ".join(words[k] for k in sentence) for sentence in sentences])
    return list(zip(*sides, strict=True))


@pytest.fixture
def text():
    """Return pairs, some too long to train on, with words of their own, and their bitext."""
    pairs = [("a b", "x"), ("A new one", "y Z other"), ("", "new"), ("b c new", "x y"), ("new É", "w other")]
    return pairs, bitext_of(pairs, max_length=2)


def test_bitext_keeps_spelling(text):
    pairs, bitext = text
    lowered = [(s.lower(), t.lower()) for s, t in pairs]
    assert spellings(bitext) == lowered
    assert spellings(bitext.reversed()) == [(t, s) for s, t in lowered]
    assert spellings(bitext.slice(1, 4)) == lowered[1:4]
    assert spellings(bitext.select([3, 3, 1])) == [lowered[n] for n in (3, 3, 1)]
    vocabularies = bitext.vocabularies
    assert spellings(bitext_of(pairs, vocabularies=vocabularies)) == lowered
    assert bitext_of(pairs[:1], vocabularies=vocabularies).source.oov is None


@pytest.mark.parametrize("chosen", [[0, 1, 2, 3, 4], [4, 1], []])
def test_other_vocabularies_keep_spelling(text, chosen):
    pairs, bitext = text
    other = bitext_of([("new b", "x other"), ("zzz b", "y")])
    vocabularies = other.vocabularies
    encoded = bitext.select(chosen).encoded_in(*vocabularies)
    expected = bitext_of([pairs[n] for n in chosen], vocabularies=vocabularies)
    assert spellings(encoded) == spellings(expected)
    np.testing.assert_array_equal(encoded.source.tokens, expected.source.tokens)
    np.testing.assert_array_equal(encoded.target.tokens, expected.target.tokens)


def test_same_vocabularies_change_nothing(text):
    _, bitext = text
    vocabularies = bitext.vocabularies
    assert bitext.encoded_in(*vocabularies) is bitext
    same = bitext.encoded_in(*(Vocabulary([*v.words], v.counts) for v in vocabularies))
    assert (same.source.tokens, same.target.oov) == (bitext.source.tokens, bitext.target.oov)


def test_encoding_leaves_the_text_as_it_is():
    """Encode a text without out-of-vocabulary words, whose tokens are not copied to add their ids."""
    bitext, other = bitext_of([("a b", "x y")]), bitext_of([("c", "z")])
    bitext.encoded_in(*other.vocabularies)
    assert spellings(bitext) == [("a b", "x y")]


def test_encoding_needs_spelling(text):
    _, bitext = text
    other = bitext_of([("new b", "x other")])
    with pytest.raises(DataError, match="out-of-vocabulary words without their spelling"):
        replace(bitext, source=replace(bitext.source, oov=None)).encoded_in(*other.vocabularies)
