"""Concordances: all occurrences of a word in a bitext, grouped by the words that it is linked to.

A rendering is what one occurrence is linked to: its words in lower case, without cantillation, and in order,
with an ellipsis between words that are apart. It is flagged as rare if it is rare for the word that is
looked up, and if none of its words is a common rendering of any word: a slip, or a translation that is used
nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, overload

import numpy as np

from aligner.analysis.folding import Test, spelling
from aligner.arrays import Bools, Float64s, Int32s, Int64s, Integers, offsets_of
from aligner.links.linked_pairs import LinkedPair
from aligner.links.linked_text import LinkedText

RARE_SHARE = 0.05
"""The largest share of a word's linked occurrences that a rare rendering has."""

RARE_COUNT = 3
"""The largest number of occurrences of a rare rendering."""

COMMON_SHARE = 0.1
"""The least share of a word's occurrences that are linked to a word which is a common rendering of it."""

COMMON_COUNT = 2
"""The least number of links to a common rendering."""

_LEAST_WORDS = 3
"""The least number of words of a side of an example, if there is such a line."""


class Occurrence(NamedTuple):
    """An occurrence of a word.

    Attributes
    ----------
    line
        The id of the line, or its number from 1.
    position
        The position of the word in its side, from 0.
    others
        The positions of the words that it is linked to, in order.
    words
        The words of its own side, and of the other side.
    """

    line: int | str
    position: int
    others: list[int]
    words: tuple[list[str], list[str]]


class Links(NamedTuple):
    """The links of a text by source token.

    Attributes
    ----------
    text
        The text.
    others
        int32 or int64 [links], the target token of each link, sorted by both tokens.
    offsets
        int64 [source tokens + 1], where the links of each token begin.
    """

    text: LinkedText
    others: Integers
    offsets: Int64s

    @classmethod
    def of(cls, text: LinkedText, threshold: float) -> Links:
        """Construct from the links of a text whose probability is at least a threshold."""
        tokens, others = text.links
        if text.probabilities is not None:
            tokens, others = text.links[:, text.probabilities >= threshold]
        order = np.argsort(tokens.astype(np.int64) << 32 | others, kind="stable")  # most are in order
        counts = np.bincount(tokens, minlength=len(text.sides[0].tokens))
        return cls(text, others[order], offsets_of(counts))

    def of_tokens(self, tokens: Int64s) -> tuple[Integers, Int64s]:
        """Return the target tokens that are linked to source tokens [n], and their offsets [n + 1].

        NumPy does it, not ``Rows.select``: a search needs no compiled kernels.
        """
        starts = self.offsets[tokens]
        offsets = offsets_of(self.offsets[tokens + 1] - starts)
        chosen = np.repeat(starts - offsets[:-1], np.diff(offsets)) + np.arange(offsets[-1])
        return self.others[chosen], offsets

    def occurrence(self, token: int) -> Occurrence:
        """Return the occurrence of a source token."""
        own, other = self.text.sides
        line = int(own.offsets.searchsorted(token, "right")) - 1
        others = self.others[self.offsets[token] : self.offsets[token + 1]] - other.offsets[line]
        words = own.line(line), other.line(line)
        return Occurrence(self.text.ids[line], int(token - own.offsets[line]), others.tolist(), words)


@dataclass(frozen=True, eq=False)
class Occurrences(Sequence[Occurrence]):
    """Occurrences of a word. Each is made when it is asked for.

    Attributes
    ----------
    links
        The links of the text.
    tokens
        int64 [n], the source tokens.
    example_token
        The source token of the example.
    """

    links: Links
    tokens: Int64s
    example_token: int

    def __len__(self) -> int:
        return len(self.tokens)

    @overload
    def __getitem__(self, k: int) -> Occurrence: ...
    @overload
    def __getitem__(self, k: slice) -> Occurrences: ...
    def __getitem__(self, k: int | slice) -> Occurrence | Occurrences:
        if isinstance(k, slice):
            return Occurrences(self.links, self.tokens[k], self.example_token)
        return self.links.occurrence(self.tokens[k])

    @property
    def example(self) -> Occurrence:
        """The first occurrence in the shortest line, but for lines of very few words."""
        return self.links.occurrence(self.example_token)


@dataclass(frozen=True, eq=False)
class Rendering:
    """The occurrences that are linked to the same words.

    Attributes
    ----------
    text
        The words in lower case; "" for occurrences without a link.
    words
        The same as a list.
    occurrences
        The occurrences, by line.
    share
        Their share of all occurrences of the word.
    is_rare
        True if the rendering is rare for this word and common for no word.
    """

    text: str
    words: list[str]
    occurrences: Occurrences
    share: float
    is_rare: bool


@dataclass(frozen=True)
class Concordance:
    """All occurrences of a word.

    Attributes
    ----------
    forms
        The forms that were found, the most frequent first.
    renderings
        The renderings, the most frequent first.
    """

    forms: list[str]
    renderings: list[Rendering]

    @property
    def occurrences(self) -> int:
        """The number of occurrences."""
        return sum(len(rendering.occurrences) for rendering in self.renderings)


def find(pairs: Iterable[LinkedPair], test: Test, *, side: int = 0, threshold: float = 0.0) -> Concordance:
    """Return the concordance of the words that pass a test.

    Parameters
    ----------
    pairs
        The pairs of a text with their words and links. Their names are the ids of the lines.
    test
        A function that returns True for the words to find (see ``aligner.analysis.folding.word_test``).
    side
        The side of the words: 0 for source, 1 for target.
    threshold
        The least probability of a link. Links without probability count.

    Returns
    -------
    Concordance
        The occurrences, grouped by rendering.
    """
    text = LinkedText.of_pairs(pairs, side)
    words = text.sides[0].words
    entries = np.array([int(test(word)) - 1 for word in words], np.int64)
    found = Renderings.of(text, entries, threshold)
    forms = [words[k] for k in by_frequency(text, entries) if entries[k] == 0]
    return Concordance(forms, [found.rendering(k) for k in range(len(found.entries))])


def by_frequency(text: LinkedText, entries: Int64s) -> list[int]:
    """Return the source words by entry, then from frequent to rare, then in the order of the text."""
    return np.lexsort((-np.bincount(text.sides[0].tokens, minlength=len(entries)), entries)).tolist()


@dataclass(frozen=True, eq=False)
class Renderings:
    """The renderings of entries, by entry. The most frequent are first, and equal ones as they were found.

    Attributes
    ----------
    links
        The links of the text.
    tokens
        int64 [occurrences], the source tokens, by rendering.
    offsets
        int64 [renderings + 1], where the tokens of each rendering begin.
    entries
        int64 [renderings], the entry of each.
    shares
        float64 [renderings], the share of the occurrences of the entry.
    are_linked, are_rare
        bool [renderings], True if there are links, and if the rendering is rare.
    """

    links: Links
    tokens: Int64s
    offsets: Int64s
    entries: Int64s
    shares: Float64s
    are_linked: Bools
    are_rare: Bools

    @classmethod
    def of(cls, text: LinkedText, entries: Int64s, threshold: float = 0.0) -> Renderings:
        """Construct from the links of a text.

        entries: int64 [source words], the entry of each word, or -1 for a word to leave out; threshold: the
        least probability of a link.
        """
        links, own = Links.of(text, threshold), text.sides[0]
        tokens = np.flatnonzero(entries[own.tokens] >= 0)
        texts, are_common = _texts(links, tokens)
        codes = entries[own.tokens[tokens]] * (1 + int(texts.max(initial=0))) + texts
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        counts = np.diff(starts, append=len(order))
        first = order[starts]
        entry = entries[own.tokens[tokens[first]]]
        ranked = np.lexsort((first, -counts, entry))
        first, starts, counts, entry = (values[ranked] for values in (first, starts, counts, entry))
        offsets, are_linked = offsets_of(counts), texts[first] > 0
        tokens = tokens[order[np.arange(len(order)) + np.repeat(starts - offsets[:-1], counts)]]
        totals, linked = np.bincount(entry, counts), np.bincount(entry, counts * are_linked)
        most = np.minimum(RARE_COUNT, RARE_SHARE * linked)[entry]
        are_rare = are_linked & (counts <= most) & ~are_common[first]
        return cls(links, tokens, offsets, entry, counts / totals[entry], are_linked, are_rare)

    def by_entry(self, chosen: Bools) -> list[list[int]]:
        """Return the numbers of the renderings of each entry that are chosen, bool [renderings]."""
        numbers = np.flatnonzero(chosen)
        entries = np.arange(2 + self.entries.max(initial=-1))
        bounds = np.searchsorted(self.entries[numbers], entries).tolist()
        return [numbers[first:stop].tolist() for first, stop in pairwise(bounds)]

    def occurrences(self, k: int) -> Occurrences:
        """Return the occurrences of a rendering by its number."""
        tokens = self.tokens[self.offsets[k] : self.offsets[k + 1]]
        return Occurrences(self.links, tokens, self._example_tokens[k])

    @cached_property
    def _example_tokens(self) -> list[int]:
        """The first source token of each rendering in a line with the least cost."""
        sides = self.links.text.sides
        lengths = np.array([np.diff(side.offsets) for side in sides])
        costs = lengths.sum(axis=0) + (lengths.min(axis=0) < _LEAST_WORDS) * (1 + lengths.sum())
        costs = np.repeat(costs, lengths[0])[self.tokens]
        is_least = costs == np.repeat(np.minimum.reduceat(costs, self.offsets[:-1]), np.diff(self.offsets))
        renderings = np.repeat(np.arange(len(self.entries)), np.diff(self.offsets))[is_least]
        return self.tokens[is_least][np.diff(renderings, prepend=-1) > 0].tolist()

    def rendering(self, k: int) -> Rendering:
        """Return a rendering by its number."""
        occurrences, other = self.occurrences(k), self.links.text.sides[1]
        first = occurrences.tokens[0]
        others = self.links.others[self.links.offsets[first] : self.links.offsets[first + 1]]
        words = [spelling(other.words[word]) for word in other.tokens[others].tolist()]
        text = _rendering_text(words, others.tolist())
        return Rendering(text, words, occurrences, float(self.shares[k]), bool(self.are_rare[k]))


def _texts(links: Links, tokens: Int64s) -> tuple[Int64s, Bools]:
    """Return the number of the text that renders each source token, 0 for none, and if a word is common."""
    own, other = links.text.sides
    lowered = _lowered(own.words), _lowered(other.words)
    is_common = _are_common(links, lowered)
    others, offsets = links.of_tokens(tokens)
    words = lowered[1][other.tokens[others]]
    commons = offsets_of(is_common[words].view(np.uint8))[offsets]
    return _numbers_of_rows(*_with_ellipses(words, others, offsets)), np.diff(commons) > 0


def _lowered(words: list[str]) -> Int32s:
    """Return the id of each word in lower case, int32 [words]. An ellipsis has the id 0."""
    ids = {"…": 0}
    return np.array([ids.setdefault(spelling(word), len(ids)) for word in words], np.int32)


def _are_common(links: Links, lowered: Sequence[Int32s]) -> Bools:
    """Return True for each target word in lower case that is a common rendering of any word."""
    own, other = (ids[side.tokens] for ids, side in zip(lowered, links.text.sides, strict=True))
    cells = np.repeat(own, np.diff(links.offsets)).astype(np.int64) << 32 | other[links.others]
    cells, counts = np.unique(cells, return_counts=True)
    least = np.maximum(COMMON_COUNT, COMMON_SHARE * np.bincount(own))[cells >> 32]
    is_common = np.zeros(1 + int(other.max(initial=0)), np.bool_)
    is_common[cells[counts >= least] & 0xFFFFFFFF] = True
    return is_common


def _with_ellipses(words: Int32s, tokens: Integers, offsets: Int64s) -> tuple[Int32s, Int64s]:
    """Return rows of words with an ellipsis between words that are apart, and the offsets of the rows."""
    is_apart = np.diff(tokens, prepend=tokens[:1]) > 1
    is_apart[offsets[:-1][np.diff(offsets) > 0]] = False
    before = offsets_of(is_apart.view(np.uint8))
    out = np.zeros(len(words) + before[-1], np.int32)
    out[np.arange(len(words)) + before[1:]] = words
    return out, offsets + before[offsets]


def _numbers_of_rows(words: Int32s, offsets: Int64s) -> Int64s:
    """Return a number for each row of words: the same for equal rows, and 0 for empty ones."""
    lengths = np.diff(offsets)
    numbers, count = np.zeros(len(lengths), np.int64), 2 + int(words.max(initial=0))
    numbers[lengths > 0] = 1 + words[offsets[:-1][lengths > 0]]
    for k in range(1, int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > k)
        beginnings = numbers[rows] << 32 | words[offsets[rows] + k]
        found, own = np.unique(beginnings, return_inverse=True)
        numbers[rows] = count + own
        count += len(found)
    return numbers


def _rendering_text(words: list[str], positions: list[int]) -> str:
    """Return words at positions, with an ellipsis between words that are apart."""
    parts: list[str] = []
    for k, (word, position) in enumerate(zip(words, positions, strict=True)):
        if k and position > positions[k - 1] + 1:
            parts.append("…")
        parts.append(word)
    return " ".join(parts)
