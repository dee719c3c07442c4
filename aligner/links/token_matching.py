"""Matching of two tokenisations of one text: tokens match if they share a character.

Texts are compared without case, after compatibility decomposition (NFKD), and without white space, control
characters, format characters and marks of subwords. Marks are `▁` anywhere, and `@@` at the end of a token
unless the texts are equal only if `@@` is kept. SentencePiece's byte tokens, such as `<0xE2>`, are replaced
by the characters that they encode together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, zip_longest
from typing import NamedTuple, TypeAlias

TokenMap: TypeAlias = list[list[int]]
"""For each token of one tokenisation, the indices of the matching tokens of the other."""

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")

_IGNORED_CATEGORIES = {"Cc", "Cf", "Zs", "Zl", "Zp"}
"""Unicode categories that are not compared. SentencePiece turns them into spaces, or drops them."""


def match_tokens(tokens: Sequence[str], others: Sequence[str]) -> TokenMap:
    """Return, for each token, the indices of the others that share a character with it.

    A token without characters to compare, such as a single `▁`, matches none. ValueError if the texts differ.
    """
    text, other = _comparable(tokens, others)
    if text.characters != other.characters:
        letters = zip_longest(text.characters, other.characters)
        k = next(k for k, (a, b) in enumerate(letters) if a != b)
        raise ValueError(
            f"found {other.characters[k : k + 20]!a} where the other tokens of this line have"
            f" {text.characters[k : k + 20]!a}; expected the same text but for spaces, case and marks of"
            f" subwords; repair the line, or use --skip-bad to give it no links"
        )
    matches = []
    first = 0
    for begin, end in text.spans:
        while first < len(others) and other.spans[first][1] <= begin:
            first += 1
        last = first
        while last < len(others) and other.spans[last][0] < end:
            last += 1
        if begin == end:
            last = first
        matches.append([k for k in range(first, last) if other.spans[k][0] < other.spans[k][1]])
    return matches


class _Text(NamedTuple):
    """The characters of a text to compare, and the span of each token among them."""

    characters: str
    spans: list[tuple[int, int]]

    @classmethod
    def of(cls, tokens: Sequence[str], strip_marks: bool) -> _Text:
        """Construct from tokens; ``strip_marks``: drop `@@` at the end of a token."""
        spans: list[tuple[int, int]] = []
        parts: list[str] = []
        begin = 0
        for part, count in _comparable_parts(tokens, strip_marks):
            spans += [(begin, begin + len(part))] * count
            parts.append(part)
            begin += len(part)
        return cls("".join(parts), spans)


def _comparable(tokens: Sequence[str], others: Sequence[str]) -> tuple[_Text, _Text]:
    """Return both texts, without `@@` unless they are equal only with `@@` on one side or both."""
    without_marks = _Text.of(tokens, True), _Text.of(others, True)
    choices = ((True, False), (False, True), (False, False))
    with_marks = ((_Text.of(tokens, strip), _Text.of(others, other)) for strip, other in choices)
    pairs = chain([without_marks], with_marks)
    equal = (pair for pair in pairs if pair[0].characters == pair[1].characters)
    return next(equal, without_marks)


def _comparable_parts(tokens: Sequence[str], strip_marks: bool) -> Iterator[tuple[str, int]]:
    """Yield the characters of each token, or of a run of byte tokens, with the number of tokens."""
    k = 0
    while k < len(tokens):
        part, count = _decoded_bytes(tokens, k) or (_normalized(tokens[k], strip_marks), 1)
        yield part, count
        k += count


def _decoded_bytes(tokens: Sequence[str], first: int) -> tuple[str, int] | None:
    """Return the character that the byte tokens from ``first`` on encode, and their number, or None."""
    lead = _BYTE.fullmatch(tokens[first])
    if not lead:
        return None
    count = 1 + sum(int(lead[1], 16) >= lowest_lead for lowest_lead in (0xC0, 0xE0, 0xF0))
    matches = [_BYTE.fullmatch(token) for token in tokens[first : first + count]]
    data = bytes(int(match[1], 16) for match in matches if match)
    with suppress(UnicodeDecodeError):
        return _normalized(data.decode("utf-8"), False), len(data)
    return None


@lru_cache(1 << 20)
def _normalized(token: str, strip_marks: bool) -> str:
    """Return the characters of a token to compare; ``strip_marks``: without `@@` at its end."""
    if strip_marks:
        token = token.removesuffix("@@")
    plain = unicodedata.normalize("NFKD", token.replace("▁", "").replace("\ufffd", ""))
    plain = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(letter for letter in plain if unicodedata.category(letter) not in _IGNORED_CATEGORIES)
