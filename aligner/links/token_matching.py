"""Matching of two tokenisations of one text: tokens match if they share a character.

Texts are compared without case, after compatibility decomposition (NFKD), with all quotes and dashes as those
of ASCII, and without white space, control characters, format characters and subword marks. The escapes of
Moses, such as `&apos;` and `@-@`, are replaced by the characters that they stand for.

The marks are `▁` anywhere, `@@` at the end of a token, and SentencePiece's byte tokens. If the texts differ,
other readings of the tokens of one side or both are tried until the texts are equal: `@@` and escapes as
text, then other marks (see ``subword_marks``) and special tokens, and at last all of them without accents. A
special token such as `[CLS]` matches no token. `[UNK]` and `<unk>` match the text between their neighbours,
and several in a row share it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import cache, lru_cache, partial
from itertools import accumulate, chain, groupby, pairwise, product, takewhile, zip_longest
from operator import ne
from typing import NamedTuple, TypeAlias

import numpy as np

from aligner.arrays import Int64s, Integers, offsets_of
from aligner.files.lines import words_of
from aligner.links.subword_marks import (
    BPE,
    BYTE_TOKEN_BEGIN,
    SENTENCEPIECE,
    SPECIAL_TOKENS,
    SUBWORD_MARKS,
    UNKNOWN_TEXT,
    UNKNOWN_TOKENS,
    SubwordMarks,
)
from aligner.messages import excerpt

TokenMap: TypeAlias = list[list[int]]
"""For each token of one tokenisation, the indices of the matching tokens of the other."""

ANY_MARKS = "auto"
"""The name of all subword marks together."""

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

_ESCAPES |= {f"@{mark}@": mark for mark in "-/,.:"}

_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))

_KINDS = ("‘’‚‛", "'"), ("“”„‟«»", '"'), ("‐‑‒–—―−", "-")
_ASCII = {ord(sign): plain for signs, plain in _KINDS for sign in signs}
"""Quotes and dashes, which tokenisers of machine translation often replace."""

_NEIGHBOURS_MATTER = re.compile("|".join(map(re.escape, [BYTE_TOKEN_BEGIN, *UNKNOWN_TOKENS])))
"""Tokens that share characters with their neighbours, or stand for the text between them."""

_MOST_COMPARED = 1 << 11
"""Letters of a difference, with those between the first and the last one, in which equal parts are found."""

_IGNORED_CATEGORIES = {"Cc", "Cf", "Zs", "Zl", "Zp"}
"""Unicode categories that are not compared. SentencePiece turns them into spaces, or drops them."""

_LINE_WIDTH = 1 << 32
"""More than the characters of a line."""

_CACHED_TEXTS = 1 << 20


def match_tokens(
    tokens: Sequence[str], others: Sequence[str], marks: str = ANY_MARKS, *, partly: bool = False
) -> TokenMap:
    """Return, for each token, the indices of the others that share a character with it.

    A token without characters to compare, such as a single `▁`, matches none. marks: the name of the subword
    marks that are tried besides `▁` and `@@`. ValueError if the texts differ; if ``partly``, tokens then
    match where they are equal.
    """
    texts = _partly_equal_texts(tokens, others) if partly else _equal_texts(tokens, others, _tried(marks))
    offsets, matches = _overlaps(*(text.spans for text in texts))
    found = matches.tolist()
    return [found[begin:end] for begin, end in pairwise(offsets.tolist())]


class LineMatches(NamedTuple):
    """The matching tokens of each token of many lines, as compressed rows.

    lines: int64 [lines + 1], the number of tokens before each line; offsets: int64 [tokens + 1]; matches:
    int64, the positions of the matching tokens in their line.
    """

    lines: Int64s
    offsets: Int64s
    matches: Int64s

    def of_tokens(self, tokens: Integers) -> tuple[Int64s, Int64s]:
        """Return the index in ``tokens`` [n] of each match of these tokens, and the matches."""
        counts = self.offsets[tokens + 1] - self.offsets[tokens]
        index = np.repeat(np.arange(len(tokens)), counts)
        first = self.offsets[tokens] - offsets_of(counts)[:-1]
        return index, self.matches[first[index] + np.arange(len(index))]


def match_lines(
    lines: Sequence[str], others: Sequence[str], marks: str, refuse: Callable[[int, ValueError], object]
) -> LineMatches:
    """Return the matches of the tokens of many lines (see ``match_tokens``).

    refuse: called with the index of a line whose texts differ, and the error. If it returns, the tokens of
    the line match where they are equal.
    """
    sides, tried = [_Side.of(side) for side in (lines, others)], _tried(marks)
    both = enumerate(zip(lines, others, strict=True))
    alone = [n for n, pair in both if any(map(_NEIGHBOURS_MATTER.search, pair))]
    together = np.setdiff1d(np.arange(len(lines)), alone)
    alike = defaultdict[tuple[_Pair, ...], list[int]](list)
    for n in _differing(sides, together, (_FIRST, _FIRST)).tolist():
        alike[_pairs_of_readings(*(_readings(side.words[n], tried) for side in sides))].append(n)
    for pairs, numbers in alike.items():
        different = np.array(numbers)
        for pair in takewhile(_are_of_tokens, pairs[1:]):
            different = _differing(sides, different, pair)
        alone += different.tolist()
    for n in sorted(alone):
        tokens, other_tokens = (side.words[n] for side in sides)
        try:
            equal = _equal_texts(tokens, other_tokens, tried)
        except ValueError as error:
            refuse(n, error)
            equal = _partly_equal_texts(tokens, other_tokens)
        for side, text in zip(sides, equal, strict=True):
            side.spans[:, side.starts[n] : side.starts[n + 1]] = text.spans + n * _LINE_WIDTH
    starts = sides[1].starts
    offsets, matches = _overlaps(*(side.spans for side in sides))
    positions = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    return LineMatches(sides[0].starts, offsets, positions[matches])


class _Side(NamedTuple):
    """The tokens of many lines.

    starts: int64 [lines + 1], the number of tokens before each line; spans: int64 [2, tokens], the characters
    of each token as it was read last. Those of line n begin at n * _LINE_WIDTH.
    """

    words: list[list[str]]
    starts: Int64s
    spans: Int64s

    @classmethod
    def of(cls, lines: Sequence[str]) -> _Side:
        """Construct from lines."""
        words = [*map(words_of, lines)]
        starts = offsets_of(np.fromiter(map(len, words), np.int64))
        return cls(words, starts, np.empty((2, starts[-1]), np.int64))

    def read(self, lines: Int64s, reading: _Reading) -> list[str]:
        """Set the spans of the tokens of some lines, and return the characters of each line."""
        text = _Text.of([*chain.from_iterable(self.words[n] for n in lines.tolist())], reading)
        counts = np.diff(self.starts)[lines]
        offsets = offsets_of(counts)
        spans = text.spans
        begins = np.append(spans[0], len(text.characters))[offsets]
        token = np.arange(offsets[-1]) + np.repeat(self.starts[lines] - offsets[:-1], counts)
        self.spans[:, token] = spans + np.repeat(lines * _LINE_WIDTH - begins[:-1], counts)
        return [text.characters[begin:end] for begin, end in pairwise(begins.tolist())]


def _differing(sides: Sequence[_Side], lines: Int64s, readings: _Pair) -> Int64s:
    """Read lines of both sides; return those whose texts differ."""
    texts = [side.read(lines, reading) for side, reading in zip(sides, readings, strict=True)]
    return lines[np.fromiter(map(ne, *texts), np.bool_, len(lines))]


def _are_of_tokens(readings: _Pair) -> bool:
    """Return True if the characters of a token do not depend on its neighbours."""
    return not any(reading.marks.share_characters(()) for reading in readings)


def _overlaps(spans: Int64s, others: Int64s) -> tuple[Int64s, Int64s]:
    """Return the other spans that each span shares a character with, as compressed rows.

    spans, others: int64 [2, n], begins and ends. Spans that are not empty are in order.
    """
    (begins, ends), (other_begins, other_ends) = spans, others
    with_text = np.flatnonzero(other_begins < other_ends)
    first = other_ends[with_text].searchsorted(begins, "right")
    stop = other_begins[with_text].searchsorted(ends)
    counts = np.where(begins < ends, np.maximum(stop - first, 0), 0)
    offsets = offsets_of(counts)
    return offsets, with_text[np.repeat(first - offsets[:-1], counts) + np.arange(offsets[-1])]


class _Reading(NamedTuple):
    """How tokens are read as text: as text without marks, or literally where a feature is False."""

    marks: SubwordMarks
    escapes: bool
    special: bool
    accents: bool = True

    @property
    def rank(self) -> int:
        """The number of its features that are tried only after all readings without them."""
        return self.special + (self.marks not in (SENTENCEPIECE, BPE))


_FIRST = _Reading(BPE, escapes=True, special=False)


_Pair: TypeAlias = tuple[_Reading, _Reading]


def _tried(marks: str) -> list[SubwordMarks]:
    """Return the kinds of marks with a name."""
    return [*SUBWORD_MARKS.values()] if marks == ANY_MARKS else [SUBWORD_MARKS.find(marks)]


def _readings(tokens: Sequence[str], tried: Sequence[SubwordMarks]) -> tuple[_Reading, ...]:
    """Return the readings in which the text of the tokens differs."""
    text = "\n".join(tokens)
    kinds = [BPE, *([SENTENCEPIECE] if BPE.occur_in(text) else [])]
    kinds += [kind for kind in tried if kind is not BPE and kind.occur_in(text)]
    escapes = [True, False] if "&" in text else [True]
    special = [False] if SPECIAL_TOKENS.keys().isdisjoint(tokens) else [False, True]
    return tuple(_Reading(c, b, a) for a, b, c in product(special, escapes, kinds))


@cache
def _pairs_of_readings(readings: Sequence[_Reading], others: Sequence[_Reading]) -> tuple[_Pair, ...]:
    """Return the readings of both sides to compare, in the order in which they are tried."""
    pairs = sorted(product(readings, others), key=lambda pair: pair[0].rank + pair[1].rank)
    return *pairs, *((a._replace(accents=False), b._replace(accents=False)) for a, b in pairs)


@lru_cache(None)
class _Characters(dict[str, str]):
    """The characters to compare of stretches of text, without spaces and marks, in a reading."""

    def __init__(self, reading: _Reading) -> None:
        self._reading = reading

    def __missing__(self, text: str) -> str:
        marks, escapes, special, accents = self._reading
        if special and text == UNKNOWN_TEXT:
            return text
        plain = marks.pattern.sub("", text) if marks.pattern else text
        if escapes:
            plain = _ESCAPE.sub(lambda match: _ESCAPES[match[0]], plain)
        plain = unicodedata.normalize("NFKD", plain.replace("▁", "").replace("\ufffd", "").translate(_ASCII))
        plain = unicodedata.normalize("NFKD", plain.casefold())
        ignored = _IGNORED_CATEGORIES if accents else {*_IGNORED_CATEGORIES, "Mn"}
        plain = "".join(letter for letter in plain if unicodedata.category(letter) not in ignored)
        if len(self) < _CACHED_TEXTS:
            self[text] = plain
        return plain


class _Text(NamedTuple):
    """The characters of a text to compare, and the place of each token among them."""

    characters: str
    begins: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, tokens: Sequence[str], reading: _Reading) -> _Text:
        """Construct from tokens; UnicodeDecodeError if they are not in the marks of the reading."""
        characters = _Characters(reading)
        if reading.special:
            tokens = [SPECIAL_TOKENS.get(token, token) for token in tokens]
        if not reading.marks.share_characters(tokens):
            parts = list(map(characters.__getitem__, tokens))
            bounds = [*accumulate(map(len, parts), initial=0)]
            return cls("".join(parts), bounds[:-1], bounds[1:])
        begins, ends = [-1] * len(tokens), [0] * len(tokens)
        parts, position = [], 0
        for text, first, stop in reading.marks.stretches(tokens):
            part = characters[text]
            parts.append(part)
            for k in range(first, stop):
                if begins[k] < 0:
                    begins[k] = position
                ends[k] = position + len(part)
            position += len(part)
        return cls("".join(parts), begins, ends)

    @property
    def spans(self) -> Int64s:
        """The begins and the ends, int64 [2, tokens]."""
        return np.array((self.begins, self.ends), np.int64)

    def completed(self, other: str) -> _Text | None:
        """Return the other text with the tokens of this one, or None if they are different texts.

        ValueError if the unknown parts of this text may be one part of the other text or another.
        """
        if UNKNOWN_TEXT not in self.characters or UNKNOWN_TEXT in other:
            return self if self.characters == other else None
        places = _places(self.characters, other)
        if not places:
            return None
        begins = [places[k][0] if k < end else 0 for k, end in zip(self.begins, self.ends, strict=True)]
        ends = [places[k - 1][1] if begin < k else 0 for begin, k in zip(self.begins, self.ends, strict=True)]
        return _Text(other, begins, ends)

    def moved(self, places: dict[int, int]) -> _Text:
        """Return the tokens in another text, by the place there of each character that is in both."""
        spans = zip(self.begins, self.ends, strict=True)
        found = [[places[k] for k in range(*span) if k in places] for span in spans]
        begins, ends = [own[0] if own else 0 for own in found], [own[-1] + 1 if own else 0 for own in found]
        return self._replace(begins=begins, ends=ends)


def _partly_equal_texts(tokens: Sequence[str], others: Sequence[str]) -> tuple[_Text, _Text]:
    """Return both texts in the first reading, the first with the tokens in the places of the second."""
    text, other = (_Text.of(side, _FIRST) for side in (tokens, others))
    return text.moved(_equal_places(text.characters, other.characters)), other


def _equal_places(text: str, other: str) -> dict[int, int]:
    """Return the place in another text of each character that both have, in order."""
    before = _equal_beginning(text, other)
    after = _equal_beginning(text[before:][::-1], other[before:][::-1])
    middle = text[before : len(text) - after], other[before : len(other) - after]
    places = {k: k for k in range(before)}
    places |= {len(text) - k: len(other) - k for k in range(after, 0, -1)}
    if max(map(len, middle)) <= _MOST_COMPARED:
        for a, b, size in SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks():
            places |= {before + a + k: before + b + k for k in range(size)}
    return places


def _equal_beginning(text: str, other: str) -> int:
    """Return the number of characters with which both texts begin."""
    return next((k for k, (a, b) in enumerate(zip_longest(text, other)) if a != b), len(text))


def _places(characters: str, other: str) -> list[tuple[int, int]]:
    """Return the span in another text of each character; an empty list if they are different texts.

    ValueError if there are several ways to place the characters.
    """
    stretches = re.split(f"{UNKNOWN_TEXT}+", characters)
    begins = _find_in_order(stretches, other)
    backwards = _find_in_order([stretch[::-1] for stretch in reversed(stretches)], other[::-1])
    last_begins = [len(other) - k - len(text) for k, text in zip(backwards[::-1], stretches, strict=False)]
    if begins != last_begins:
        raise ValueError(
            "found unknown tokens that may stand for one part of the other text or for another; expected text"
            " between them that the other tokens have once; use --skip-bad to link only what is equal"
        )
    ends = [begin + len(stretch) for begin, stretch in zip(begins, stretches, strict=False)]
    places: list[tuple[int, int]] = []
    stretch = 0
    for is_unknown, run in groupby(characters if begins else "", UNKNOWN_TEXT.__eq__):
        if is_unknown:
            places += [(ends[stretch], begins[stretch + 1]) for _ in run]
            stretch += 1
        else:
            places += [(k, k + 1) for k in range(begins[stretch], ends[stretch])]
    return places


def _find_in_order(stretches: Sequence[str], text: str) -> list[int]:
    """Return the first positions of stretches that have other text between them, and none around them.

    Returns an empty list if there are no such positions.
    """
    positions = [0 if text.startswith(stretches[0]) else -1]
    for before, stretch in pairwise(stretches[:-1]):
        positions.append(text.find(stretch, positions[-1] + len(before) + 1))
        if positions[-1] < 0:
            return []
    last = len(text) - len(stretches[-1])
    fits = text.endswith(stretches[-1]) and positions[-1] + len(stretches[-2]) < last
    return [*positions, last] if fits and positions[0] == 0 else []


def _equal_texts(
    tokens: Sequence[str], others: Sequence[str], tried: Sequence[SubwordMarks]
) -> tuple[_Text, _Text]:
    """Return both texts in the first pair of readings in which they are equal.

    ValueError if there is none, with the first difference in the readings that are equal the longest.
    """
    text, other = (_Text.of(side, _FIRST) for side in (tokens, others))
    if text.characters == other.characters:  # as most texts are
        return text, other
    text_of, other_of = (lru_cache(None)(partial(_Text.of, side)) for side in (tokens, others))
    furthest, differing = -1, None
    for reading, other_reading in _pairs_of_readings(_readings(tokens, tried), _readings(others, tried)):
        with suppress(UnicodeDecodeError):
            text, other = text_of(reading), other_of(other_reading)
            completed, other_completed = text.completed(other.characters), other.completed(text.characters)
            if completed or other_completed:
                return completed or text, other_completed or other
            equal = _equal_beginning(text.characters, other.characters)
            if equal > furthest:
                furthest, differing = equal, (text, other)
    assert differing is not None  # the first reading of any tokens is a text
    text, other = differing
    raise ValueError(
        f"found {_excerpt_from(furthest, others, other)} where the other tokens of this line have"
        f" {_excerpt_from(furthest, tokens, text)}; expected the same text but for spaces, case, accents and"
        f" marks of subwords; repair the line, or use --skip-bad to link only what is equal"
    )


def _excerpt_from(k: int, tokens: Sequence[str], text: _Text) -> str:
    """Return the beginning of the tokens from the one with character k on, quoted."""
    return excerpt(" ".join(tokens[sum(end <= k for end in text.ends) :]))
