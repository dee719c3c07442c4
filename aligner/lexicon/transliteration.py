"""Letters of all scripts in Latin letters, so that words of different scripts can be compared by spelling.

The name that Unicode gives to a letter tells its sound, and never changes: "GREEK SMALL LETTER BETA" and
"HEBREW LETTER BET" are b, and "KATAKANA LETTER KA" is ka. One Latin letter for each letter of an alphabet is
enough to recognise names and loan words.
"""

import re
import unicodedata
from functools import cache

_LETTER = re.compile(
    r"(?P<script>\w+) (?:SMALL )?(?P<kind>LETTER|SYLLABLE|VOWEL SIGN|CHOSEONG|JUNGSEONG|JONGSEONG) "
    r"(?:(?:SMALL|FINAL|SHORT|FARSI|GLOTTAL|PHARYNGEAL|UKRAINIAN|BYELORUSSIAN-UKRAINIAN) )*(?P<name>\w+)"
)
"""The Unicode name of a letter, or of a part of a Hangul syllable; ``name`` is the name in its language."""

_SYLLABARIES = "HIRAGANA", "KATAKANA"
"""Scripts whose letters are syllables."""

_KEPT = "LATIN", "MODIFIER"
"""Scripts whose letters stay as they are: modifier letters are signs, such as apostrophes."""

_SECOND_LETTERS = {("CYRILLIC", name) for name in ("IE", "EF", "EL", "EM", "EN", "ER", "ES", "YA", "YU")}
"""The script and the name of letters whose sound is the second letter of their name."""

_SILENT = {("CYRILLIC", "HARD"), ("CYRILLIC", "SOFT"), ("HANGUL", "IEUNG")}
"""The script and the name of letters without a sound."""


@cache
def to_latin(character: str) -> str:
    """Return a letter in Latin letters, a digit as an ASCII digit, and any other character unchanged.

    A combining mark, such as a diacritic, becomes an empty string.

    Parameters
    ----------
    character
        A character of casefolded text in the normal form NFKD.

    Returns
    -------
    str
        Any number of characters.
    """
    if unicodedata.combining(character):
        return ""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    letter = _LETTER.match(unicodedata.name(character, ""))
    if letter is None or letter["script"] in _KEPT:
        return character
    name = letter["name"]
    if letter["script"] in _SYLLABARIES or letter["kind"] == "SYLLABLE":
        return name.lower()
    key = letter["script"], name
    if key in _SILENT:
        return ""
    return name[1 if key in _SECOND_LETTERS else 0].lower()
