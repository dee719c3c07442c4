"""Concordances: all occurrences of a word in a bitext, grouped by the words that it is linked to.

A rendering is what one occurrence is linked to: its words in lower case and in order, with an ellipsis
between words that are apart. It is flagged as rare if it is rare for the word that is looked up, and if none
of its words is a common rendering of any word: a slip, or a translation that is used nowhere else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import NamedTuple, TypeVar

from aligner.analysis.folding import Test
from aligner.links.linked_pairs import LinkedPair

RARE_SHARE = 0.05
"""The largest share of a word's linked occurrences that a rare rendering has."""

RARE_COUNT = 3
"""The largest number of occurrences of a rare rendering."""

COMMON_SHARE = 0.1
"""The least share of a word's occurrences that are linked to a word which is a common rendering of it."""

COMMON_COUNT = 2
"""The least number of links to a common rendering."""

Key = TypeVar("Key", bound=Hashable)
"""The key of an entry: of words whose occurrences make one concordance."""


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


@dataclass(frozen=True)
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
    occurrences: list[Occurrence]
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
    matches = cache(test)
    found = concordances(pairs, lambda word: matches(word) or None, side=side, threshold=threshold)
    return found.get(True) or Concordance([], [])


def concordances(
    pairs: Iterable[LinkedPair], key_of: Callable[[str], Key | None], *, side: int = 0, threshold: float = 0.0
) -> dict[Key, Concordance]:
    """Return a concordance for each entry, of the words of this entry, in the order of their first words.

    Parameters
    ----------
    pairs, side, threshold
        As for ``find``.
    key_of
        A function that returns the entry of a word, or None for a word to leave out.

    Returns
    -------
    dict
        The concordances by entry.
    """
    found: dict[Key, dict[str, list[Occurrence]]] = defaultdict(lambda: defaultdict(list))
    forms: dict[Key, Counter[str]] = defaultdict(Counter)
    words: Counter[str] = Counter()
    word_pairs: Counter[tuple[str, str]] = Counter()
    for number, pair in enumerate(pairs, 1):
        own, other = map(list, pair.words if side == 0 else pair.words[::-1])
        linked: dict[int, list[int]] = defaultdict(list)
        for (i, j), p in zip(pair.links, pair.probabilities or repeat(1.0), strict=False):
            if p >= threshold:
                position, place = (i, j) if side == 0 else (j, i)
                linked[position].append(place)
                word_pairs[own[position].lower(), other[place].lower()] += 1
        words.update(word.lower() for word in own)
        for position, word in enumerate(own):
            key = key_of(word)
            if key is not None:
                forms[key][word] += 1
                others = sorted(linked.get(position, []))
                occurrence = Occurrence(pair.id or number, position, others, (own, other))
                found[key][_rendering_text(other, others)].append(occurrence)
    common = {
        other
        for (own_word, other), count in word_pairs.items()
        if count >= max(COMMON_COUNT, COMMON_SHARE * words[own_word])
    }
    return {
        key: Concordance([form for form, _ in forms[key].most_common()], _ranked(renderings, common))
        for key, renderings in found.items()
    }


def _rendering_text(words: list[str], positions: list[int]) -> str:
    """Return the words at positions in lower case, with an ellipsis between words that are apart."""
    parts: list[str] = []
    for k, position in enumerate(positions):
        if k and position > positions[k - 1] + 1:
            parts.append("…")
        parts.append(words[position].lower())
    return " ".join(parts)


def _ranked(found: dict[str, list[Occurrence]], common: set[str]) -> list[Rendering]:
    """Return the renderings, the most frequent first, equal ones as they were found.

    common: the words of the other side that are a common rendering of any word.
    """
    total = sum(map(len, found.values()))
    most = min(RARE_COUNT, RARE_SHARE * (total - len(found.get("", []))))
    renderings = []
    for text, occurrences in sorted(found.items(), key=lambda item: -len(item[1])):
        first = occurrences[0]
        words = [first.words[1][j].lower() for j in first.others]
        is_rare = bool(words) and len(occurrences) <= most and common.isdisjoint(words)
        renderings.append(Rendering(text, words, occurrences, len(occurrences) / total, is_rare))
    return renderings
