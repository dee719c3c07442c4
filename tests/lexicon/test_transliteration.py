"""Transliteration: letters of other scripts in Latin letters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.lexicon.transliteration import to_latin


def latin(text):
    """Return a text in Latin letters."""
    return "".join(map(to_latin, unicodedata.normalize("NFKD", text.casefold())))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Россия", "rossia"),
        ("Чайковский", "caikovskii"),
        ("Объём", "obem"),  # the hard sign has no sound
        ("Київ", "kiiv"),
        ("Ἰησοῦς Χριστός", "iesous cristos"),
        ("ירושלים", "yrvslym"),
        ("الرِّياض", "alryad"),  # with marks of vowels
        ("ایران", "ayran"),  # with the Persian letter yeh
        ("アメリカ", "amerika"),
        ("ひろしま", "hirosima"),
        ("अमेरिका", "amerika"),  # vowel signs
        ("თბილისი", "tbilisi"),
        ("Հայաստան", "hayastan"),
        ("서울", "seur"),  # the silent consonant has no sound
        ("አበባ", "ababaa"),  # syllables
        ("٣٤ २०२४", "34 2024"),
    ],
)
def test_letters_and_digits_become_latin(text, expected):
    assert latin(text) == expected


@pytest.mark.parametrize("text", ["abc xyz", "łøæßþ", "中国語", "oʼzbek", "«…» 。", "", "\n\ud800"])
def test_latin_letters_ideographs_and_signs_stay(text):
    assert latin(text) == unicodedata.normalize("NFKD", text.casefold())


@given(st.characters())
def test_result_is_the_character_or_ascii(character):
    result = to_latin(character)
    assert result == character or result.isascii()
    assert latin(result) == latin(latin(result))
