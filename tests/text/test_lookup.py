"""The lookup of words: forms without the marks of scripts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.text.lookup import AS_IT_IS, BY_DEFAULT, Lookup
from tests.support import bitext_of


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u0596\u05dd", "\u05e9\u05dc\u05d5\u05dd"),  # points
        ("\u05e2\u05dc\u05be", "\u05e2\u05dc\u05be"),  # maqaf is no mark
        ("\ufb2a\ufb4b", "\u05e9\u05d5"),  # points in one character with the letter
        ("\u0643\u0650\u062a\u064e\u0627\u0628\u064c", "\u0643\u062a\u0627\u0628"),  # Arabic
        ("\u0623\u0645\u0640\u0640\u0631", "\u0623\u0645\u0631"),  # hamza stays, tatweel goes
        ("\u03bb\u1f79\u03b3\u03bf\u03c2", "\u03bb\u03bf\u03b3\u03bf\u03c2"),  # oxia
        ("\u1f10\u03bd \u1fa7".replace(" ", ""), "\u1f10\u03bd\u1fa1"),  # breathings, iota subscript stay
        ("\u00c9t\u00e9", "\u00e9t\u00e9"),
        ("e\u0301", "\u00e9"),  # NFC
        ("\uff21\uff11", "a1"),
        ("\u2581house", "house"),
        ("so\xadft\u200b", "soft"),
        ("\u2060", "\u2060"),
        ("\u05b0", "\u05b0"),  # would be empty
    ],
)  # fmt: skip
def test_forms_by_hand(word, form):
    assert BY_DEFAULT.key(word) == form
    assert Lookup(fold="none").key(word) == word.lower()
    assert AS_IT_IS.key(word) == word


@given(
    words=st.lists(
        st.text(st.characters(exclude_characters="\n \t\r\x00", exclude_categories=["Cs"]), min_size=1)
    )
)
def test_words_are_looked_up_one_by_one_and_twice_is_once(words):
    text = "\n".join(words)
    keys = BY_DEFAULT.key(text)
    assert keys.split("\n") == [BY_DEFAULT.key(word) for word in text.split("\n")]
    assert all(key or not word for key, word in zip(keys.split("\n"), text.split("\n"), strict=True))
    assert not any(letter in " \t" for letter in keys)
    assert BY_DEFAULT.key(keys) == keys


def test_the_fold_of_earlier_models_stays_as_it_was():
    earlier = Lookup.of({"lowercase": True, "fold": "scripts"})
    assert earlier.key("\ufb2a \u05e9\u05c1") == "\u05e9\u05c1 \u05e9"


def test_letters_that_hold_their_points_lose_them():
    composed = "".join(map(chr, range(0xFB1D, 0xFB50)))
    assert not {*map(chr, range(0x5B0, 0x5BE))} & {*BY_DEFAULT.key(composed)}
    assert BY_DEFAULT.key("\uff45\u0301") == "\xe9"


def test_marks_and_orders_of_marks_are_one_word():
    shalom = "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd"
    other = unicodedata.normalize("NFC", shalom)
    text = bitext_of([(f"{shalom} {other} \u05e9\u05dc\u05d5\u05dd", "x")])
    assert text.source.vocabulary.words == ["\u05e9\u05dc\u05d5\u05dd"]
    assert bitext_of([(f"{shalom} \u05e9\u05dc\u05d5\u05dd", "x")], fold="none").source_types == 2
