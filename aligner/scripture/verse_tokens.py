r"""Tokens of verses: words and marks, with the attributes of the words `\w` that they are of."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import NamedTuple

from aligner.scripture.books import SourceWord, Stretch
from aligner.scripture.token_table import Token

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
    r"""A token of a verse with the attributes of the `\w` that most of it is of, and its source words."""

    row: Token
    sources: tuple[SourceWord, ...]


def tokens_of(verses: Mapping[str, Sequence[Stretch]]) -> dict[str, list[VerseToken]]:
    r"""Return the tokens of the verses of a text.

    Markup does not split a word. The marks at its edges are tokens of their own, except inside `\w`, and so
    are dashes, and marks between two `\w`. Marks like apostrophes, as in ma' and ἀπ’, are letters if at most
    a tenth of those at the edges of words follow a mark, as the end of a quotation does: “Come.’”
    """
    whole = "\n".join(
        "".join(_class_of(character) for stretch in stretches for character in stretch.text)
        for stretches in verses.values()
    )
    letters = "".join(
        mark
        for mark in "qa"
        if len(re.findall(f"(?<=[dhm]){mark}(?!w)", whole))
        <= _MOST_QUOTES * len(re.findall(f"(?<!w){mark}|{mark}(?!w)", whole))
    )
    if letters:
        whole = re.sub(f"(?<=w)[{letters}]|[{letters}](?=w)", "w", whole)
    shapes = zip(verses.items(), whole.split("\n"), strict=False)
    return {name: [*_tokens(shape, stretches)] for (name, stretches), shape in shapes}


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
        if len(found) > 1 or found.isprintable():
            own = stretches[bisect_right(ends, match.start()) : bisect_right(ends, match.end() - 1) + 1]
            longest = max(own, key=lambda stretch: len(stretch.text) if stretch.word else 0).word or {}
            lemma, strong, morph = (
                " ".join(longest.get(name, "").split()) for name in ("lemma", "strong", "x-morph")
            )
            sources = dict.fromkeys(chain.from_iterable(stretch.sources for stretch in own))
            skips = "y" if shape[match.end() :][:1].strip() else ""
            yield VerseToken(Token("", found, lemma, strong, morph, skips), tuple(sources))


def occurrences(words: Iterable[str]) -> Iterator[SourceWord]:
    """Yield the words of a verse as milestones name them: by form, occurrence and number of occurrences."""
    forms = [unicodedata.normalize("NFC", word) for word in words]
    totals, counts = Counter(forms), Counter[str]()
    for form in forms:
        counts[form] += 1
        yield form, counts[form], totals[form]
