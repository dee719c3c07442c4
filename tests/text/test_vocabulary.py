"""Vocabularies of two texts: ids in each other, and their union."""

import numpy as np
import pytest
from hypothesis import given

from aligner.errors import DamagedError
from aligner.text.vocabulary import Vocabulary
from tests.support import TEXTS, bitext_of


@given(first=TEXTS, second=TEXTS)
def test_vocabularies_of_two_texts_are_those_of_both_together(first, second):
    one, two, both = (bitext_of(text).source.vocabulary for text in (first, second, first + second))
    joined = one.joined_with(two)
    assert dict(zip(joined.words, joined.counts, strict=True)) == dict(
        zip(both.words, both.counts, strict=True)
    )
    assert joined.counts.tolist() == both.counts.tolist()
    ids = one.ids_in(two).tolist()
    assert ids.pop() == -1
    assert [two.words[k] if k >= 0 else None for k in ids] == [
        w if w in two.words else None for w in one.words
    ]


def test_a_word_that_is_there_twice_is_refused():
    """Text would be encoded in other ids, some of them out of range."""
    fields = Vocabulary(["a", "b", "a"], np.ones(3, np.int64)).to_fields()
    with pytest.raises(DamagedError, match="has a word twice"):
        Vocabulary.from_fields(**fields)
