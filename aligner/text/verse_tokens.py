r"""Tokens of verses: words and marks, with the attributes of the words `\w` that they are of."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import NamedTuple

from aligner.text.scripture import SourceWord, Stretch
from aligner.text.token_table import Token

_CLASSES = {
    **dict.fromkeys("\u1361\u200b", " "),  # the Ethiopic word space, and the space without width
    **dict.fromkeys("—–…/־", "d"),
    **dict.fromkeys("-‐‑", "h"),
    **dict.fromkeys("'`", "q"),
    **dict.fromkeys("’‘", "a"),
    **dict.fromkeys("\u200c\u200d׳", "w"),  # the joiners, which a word may end in, and the Hebrew geresh
}
"""The classes of characters: space, dash, hyphen, quotation mark, apostrophe and letter of a word."""

# A word from its first letter to its last, without a dash, or a mark. A character inside \w is l.
_TOKEN = re.compile("[wl](?:[^ d]*[wl])?|[^ ]")

_MOST_QUOTES = 0.1
"""The largest share of apostrophes at the edges of words that may close quotations in a text without them."""


@cache
def _class_of(character: str) -> str:
    """Return the class of a character, m for other marks. Some symbols of Unicode are letters, as U+A789."""
    if character in _CLASSES or character.isspace():
        return _CLASSES.get(character, " ")
    category = unicodedata.category(character)
    return "w" if category[0] in "LMN" or category == "Sk" else "m"


class VerseToken(NamedTuple):
    r"""A token of a verse.

    Attributes
    ----------
    text
        The token.
    word
        The attributes of the word `\w` that most of it is of, or an empty mapping.
    sources
        The source words of the milestones around it.
    """

    text: str
    word: Mapping[str, str]
    sources: tuple[SourceWord, ...]

    def row(self, verse: str) -> Token:
        """Return the row of the token in a table."""
        values = (self.word.get(name, "") for name in ("lemma", "strong", "x-morph"))
        return Token("", verse, self.text, *(" ".join(value.split()) for value in values))


def tokens_of(verses: Mapping[str, Sequence[Stretch]]) -> dict[str, list[VerseToken]]:
    r"""Return the tokens of the verses of a text.

    Markup does not split a word. The marks at its edges are tokens of their own, except inside `\w`, and so
    are dashes, and marks between two `\w`. Marks like apostrophes, as in ma' and ἀπ’, are letters if at most
    a tenth of those at the edges of words follow a mark, as the end of a quotation does: “Come.’”
    """
    shapes = {
        name: "".join(_class_of(character) for stretch in stretches for character in stretch.text)
        for name, stretches in verses.items()
    }
    whole = " ".join(shapes.values())
    letters = "".join(
        mark
        for mark in "qa"
        if len(re.findall(f"(?<=[dhm]){mark}(?!w)", whole))
        <= _MOST_QUOTES * len(re.findall(f"(?<!w){mark}|{mark}(?!w)", whole))
    )
    if letters:
        pattern = re.compile(f"(?<=w)[{letters}]|[{letters}](?=w)")
        shapes = {name: pattern.sub("w", shape) for name, shape in shapes.items()}
    return {name: [*_tokens(shapes[name], stretches)] for name, stretches in verses.items()}


def rows_of(verses: Mapping[str, Sequence[Stretch]]) -> dict[str, list[Token]]:
    """Return the rows of verses in a table of tokens, without verses that have none."""
    found = tokens_of(verses).items()
    return {name: [token.row(name) for token in tokens] for name, tokens in found if tokens}


def _tokens(shape: str, stretches: Sequence[Stretch]) -> Iterator[VerseToken]:
    """Yield the tokens of a verse. shape: the class of each character."""
    ends = [*accumulate(len(stretch.text) for stretch in stretches)]
    for stretch, end in zip(stretches, ends, strict=True):
        if stretch.word:
            start = end - len(stretch.text)
            shape = shape[:start] + re.sub("[^ ]", "l", shape[start:end]) + shape[end:]
    shape = re.sub("(?<=l)[^ lw]+(?=l)", lambda match: match[0].replace("m", "d"), shape)
    text = "".join(stretch.text for stretch in stretches)
    for match in _TOKEN.finditer(shape):
        found = text[match.start() : match.end()]
        if len(found) == 1 and not found.isprintable():
            continue
        own = stretches[bisect_right(ends, match.start()) : bisect_right(ends, match.end() - 1) + 1]
        word = max((one for one in own if one.word), key=lambda one: len(one.text), default=Stretch("")).word
        sources = dict.fromkeys(chain.from_iterable(stretch.sources for stretch in own))
        yield VerseToken(found, word or {}, tuple(sources))
