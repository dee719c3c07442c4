"""The lookup of words: the keys by which words of a text are compared, while the text stays as it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from aligner.errors import ConfigError

FOLDS = ("none", "scripts", "letters")
"""What ``Lookup.fold`` may be."""

HEBREW_POINTS = r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
"""Hebrew points and cantillation, as a range of a pattern."""

FORMAT_CHARACTERS = r"\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2061-\u206f\ufeff\u2581"
"""Characters that say where a line may break, and the mark of a space, as a range of a pattern."""

_IGNORED = re.compile(
    rf"[{HEBREW_POINTS}{FORMAT_CHARACTERS}]"
    r"|[\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]"  # Arabic
)
"""Characters that are dropped. U+2060 stays: it marks the parts of words (see ``text.prefixes``)."""

_GREEK = re.compile(r"[\u0370-\u03ff][\u0300-\u036f]+")
_ACCENTS = dict.fromkeys((0x300, 0x301, 0x342))

_WIDE = re.compile(r"[\uff01-\uff5e]")

_FOLDED = re.compile(rf"{_IGNORED.pattern}|[\u0370-\u03ff\u1f00-\u1fff]|{_WIDE.pattern}")
"""A character that may be folded, in the normal form NFC."""


class Lookup(NamedTuple):
    """How words are compared.

    Attributes
    ----------
    lowercase
        True to compare words in lowercase.
    fold
        "letters" to compare words in the normal form NFC and without marks of scripts: Hebrew points
        and cantillation, Greek accents (breathings and iota subscript stay), Arabic vowel marks and tatweel,
        format characters and U+2581; full-width letters as ASCII. "scripts", of earlier models, for the same,
        but a letter with its point in one character, such as U+FB2A, keeps the point. "none" for no change.
    ignore
        Tokens that are no words, separated by spaces: they are read as if the text did not have them, but
        positions count them. They are compared as words are.
    """

    lowercase: bool = True
    fold: str = "letters"
    ignore: str = ""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Lookup:
        """Return the lookup of a recipe's data settings, of which earlier releases lack some."""
        return cls(bool(data["lowercase"]), data.get("fold", "none"), data.get("ignore", ""))

    def check(self) -> Lookup:
        """Return the lookup itself; raise ConfigError if the fold is unknown, or ``ignore`` no string."""
        if self.fold not in FOLDS:
            raise ConfigError(f"fold = {self.fold!r}: expected one of {', '.join(FOLDS)}")
        if not isinstance(self.ignore, str):
            raise ConfigError(f"ignore = {self.ignore!r}: expected a string of tokens, separated by spaces")
        return self

    @property
    def ignored(self) -> frozenset[str]:
        """The keys of the tokens that are ignored."""
        return frozenset(self.key("\n".join(re.split("[ \t]", self.ignore))).split("\n")) - {""}

    def key(self, words: str) -> str:
        """Return the keys of words, separated by newlines. A word of folded marks alone keeps them."""
        if self.lowercase:
            # Lowercasing all words at once equals lowercasing each: no letter becomes a space, TAB or
            # newline, and the one rule that depends on neighbours, final sigma, does not look past a newline.
            words = words.lower()
        if self.fold == "none" or (not _FOLDED.search(words) and unicodedata.is_normalized("NFC", words)):
            return words
        # Letters are decomposed before their marks are dropped. Then a key is its own key.
        whole = unicodedata.normalize("NFD", _narrow(words)) if self.fold == "letters" else words
        folded = unicodedata.normalize("NFD", _IGNORED.sub("", whole))
        folded = _GREEK.sub(lambda letter: letter[0].translate(_ACCENTS), folded)
        folded = _narrow(unicodedata.normalize("NFC", folded))
        keys = zip(folded.split("\n"), words.split("\n"), strict=True)
        return "\n".join([key or word for key, word in keys])


def _narrow(words: str) -> str:
    """Return words with ASCII characters in place of those of full width."""
    return _WIDE.sub(lambda letter: chr(ord(letter[0]) - 0xFEE0), words)


BY_DEFAULT = Lookup()
"""The lookup of words in lowercase and without marks."""

AS_IT_IS = Lookup(lowercase=False, fold="none")
"""The lookup of words as they are."""
