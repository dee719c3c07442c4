"""Matching of two tokenisations of one text: tokens match if they share a character.

Texts are compared without case, after compatibility decomposition (NFKD), and without white space, control
characters, format characters and marks of subwords. Marks are `▁` anywhere, and `@@` at the end of a token.
The escapes of Moses, such as `&apos;`, are replaced by the characters that they stand for. If the texts
differ, `@@` and escapes are taken for text, on one side or both. SentencePiece's byte tokens, such as
`<0xE2>`, are replaced by the characters that they encode together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, product, zip_longest
from typing import NamedTuple, TypeAlias

from aligner.messages import excerpt

TokenMap: TypeAlias = list[list[int]]
"""For each token of one tokenisation, the indices of the matching tokens of the other."""

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")

_ESCAPES = {
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&#124;": "|",
    "&#91;": "[",
    "&#93;": "]",
}
"""The escapes of the Moses tokeniser."""

_ESCAPE = re.compile("|".join(_ESCAPES))

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
            f"found {_excerpt_from(k, others, other)} where the other tokens of this line have"
            f" {_excerpt_from(k, tokens, text)}; expected the same text but for spaces, case and marks of"
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


def _excerpt_from(k: int, tokens: Sequence[str], text: _Text) -> str:
    """Return the beginning of the tokens from the one with character k on, quoted."""
    return excerpt(" ".join(tokens[sum(end <= k for _, end in text.spans) :]))


class _Reading(NamedTuple):
    """How tokens are read as text: whether `@@` at their ends is removed, and whether escapes are decoded."""

    marks: bool
    escapes: bool


_READINGS = [_Reading(True, True), _Reading(False, True), _Reading(True, False), _Reading(False, False)]


def _readings(tokens: Sequence[str]) -> list[_Reading]:
    """Return the readings in which the text of the tokens differs."""
    marks = any(token.endswith("@@") for token in tokens)
    escapes = any("&" in token for token in tokens)
    return [reading for reading in _READINGS if (reading.marks or marks) and (reading.escapes or escapes)]


class _Text(NamedTuple):
    """The characters of a text to compare, and the span of each token among them."""

    characters: str
    spans: list[tuple[int, int]]

    @classmethod
    def of(cls, tokens: Sequence[str], reading: _Reading) -> _Text:
        """Construct from tokens."""
        spans: list[tuple[int, int]] = []
        parts: list[str] = []
        begin = 0
        for part, count in _comparable_parts(tokens, reading):
            spans += [(begin, begin + len(part))] * count
            parts.append(part)
            begin += len(part)
        return cls("".join(parts), spans)


def _comparable(tokens: Sequence[str], others: Sequence[str]) -> tuple[_Text, _Text]:
    """Return both texts in the first pair of readings in which they are equal, else in the first reading."""
    readings = product(_readings(tokens), _readings(others))
    pairs = ((_Text.of(tokens, a), _Text.of(others, b)) for a, b in readings)
    first = next(pairs)
    equal = (pair for pair in chain([first], pairs) if pair[0].characters == pair[1].characters)
    return next(equal, first)


def _comparable_parts(tokens: Sequence[str], reading: _Reading) -> Iterator[tuple[str, int]]:
    """Yield the characters of each token, or of a run of byte tokens, with the number of tokens."""
    k = 0
    while k < len(tokens):
        part, count = _decoded_bytes(tokens, k) or (_normalized(tokens[k], reading), 1)
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
        return comparable_characters(data.decode("utf-8")), len(data)
    return None


@lru_cache(1 << 20)
def _normalized(token: str, reading: _Reading) -> str:
    """Return the characters of a token to compare."""
    if reading.marks:
        token = token.removesuffix("@@")
    return comparable_characters(unescaped(token) if reading.escapes else token)


def unescaped(text: str) -> str:
    """Replace the escapes of Moses by the characters that they stand for."""
    return _ESCAPE.sub(lambda match: _ESCAPES[match[0]], text) if "&" in text else text


def comparable_characters(text: str) -> str:
    """Return the characters of a text to compare, without marks other than `@@`."""
    plain = unicodedata.normalize("NFKD", text.replace("▁", "").replace("\ufffd", ""))
    plain = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(letter for letter in plain if unicodedata.category(letter) not in _IGNORED_CATEGORIES)
