r"""Tokens of verses: words and marks, with the attributes of the words `\w` that they are of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import regex

from aligner.text.scripture import SourceWord, Stretch
from aligner.text.token_table import Token

_SPACE = str.maketrans(dict.fromkeys("\u1361\u200b", " "))
"""The Ethiopic word space and the zero-width space, which stand between words as a space does."""

# Letters, their marks and digits; letters such as the colon of tones, which Unicode has among symbols; the
# joiners that a word may end in; and the Hebrew geresh. _LETTER stands for a character inside \w.
_LETTER = "\ue000"
_WORD = rf"[\p{{L}}\p{{M}}\p{{N}}\p{{Sk}}\u200c\u200d׳{_LETTER}]"
_DASH = "—–…/־"
_TOKEN = regex.compile(rf"{_WORD}(?:[^\s{_DASH}]*{_WORD})?|\S")

_BETWEEN = regex.compile(rf"(?<={_LETTER})[^\s{_LETTER}\p{{L}}]+(?={_LETTER})")
_MARK = regex.compile(r"[\p{P}\p{S}--'’‘‐‑-]", regex.V1)

_APOSTROPHES = "['`]", "[‘’]"
_MOST_QUOTES = 0.1
"""The largest share of apostrophes at the edges of words that may close quotations in a text without them."""


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
    are dashes, and marks between two `\w`. Marks like apostrophes, as in ma' and ἀπ’, are letters
    if at most a tenth of those at the edges of words follow a mark, as the end of a quotation does: “Come.’”
    """
    texts = {
        name: "".join(stretch.text for stretch in stretches).translate(_SPACE)
        for name, stretches in verses.items()
    }
    letters = "|".join(_letters_like_marks(" ".join(texts.values())))
    return {name: [*_tokens(texts[name], verses[name], letters)] for name in verses}


def rows_of(verses: Mapping[str, Sequence[Stretch]]) -> dict[str, list[Token]]:
    """Return the rows of verses in a table of tokens, without verses that have none."""
    found = tokens_of(verses).items()
    return {name: [token.row(name) for token in tokens] for name, tokens in found if tokens}


def _letters_like_marks(text: str) -> Iterator[str]:
    """Yield the patterns of the marks that are letters in a text."""
    for mark in _APOSTROPHES:
        at_edges = len(regex.findall(rf"(?<!{_WORD}){mark}|{mark}(?!{_WORD})", text))
        ends = len(regex.findall(rf"(?<=[\p{{P}}--'’‘]){mark}(?!{_WORD})", text, regex.V1))
        if ends <= _MOST_QUOTES * at_edges:
            yield rf"(?<={_WORD}){mark}|{mark}(?={_WORD})"


def _tokens(text: str, stretches: Sequence[Stretch], letters: str) -> Iterator[VerseToken]:
    """Yield the tokens of a verse."""
    # Of the same length, with letters for the marks of words, and with dashes for those between them.
    shape = regex.sub(letters, "x", text) if letters else text
    ends = [*accumulate(len(stretch.text) for stretch in stretches)]
    for stretch, end in zip(stretches, ends, strict=True):
        if stretch.word:
            start = end - len(stretch.text)
            shape = shape[:start] + regex.sub(r"\S", _LETTER, shape[start:end]) + shape[end:]
    shape = _BETWEEN.sub(lambda match: _MARK.sub("—", match[0]), shape)
    for match in _TOKEN.finditer(shape):
        found = text[match.start() : match.end()]
        if len(found) == 1 and not found.isprintable():
            continue
        own = stretches[bisect_right(ends, match.start()) : bisect_right(ends, match.end() - 1) + 1]
        word = max((one for one in own if one.word), key=lambda one: len(one.text), default=Stretch("")).word
        sources = dict.fromkeys(chain.from_iterable(stretch.sources for stretch in own))
        yield VerseToken(found, word or {}, tuple(sources))
