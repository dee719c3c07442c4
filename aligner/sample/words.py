"""The words of the two invented languages, and how they translate each other.

A source word has 1 to 3 translations, and some target words translate several source words. The probabilities
of words follow the Zipf-Mandelbrot law.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from aligner.sample.draw import Draw


class _Phonology(NamedTuple):
    """The sounds that the syllables of a language are made of."""

    onsets: Sequence[str]
    vowels: Sequence[str]
    codas: Sequence[str]

    def invent(self, draw: Draw, syllables: int, taken: set[str]) -> str:
        """Return a new word, and add it to the words that are taken."""
        while True:
            parts = [draw.one_of(self.onsets) + draw.one_of(self.vowels) for _ in range(syllables)]
            word = "".join(parts) + draw.one_of(self.codas)
            if word not in taken:
                taken.add(word)
                return word


_SOURCE = _Phonology("bdfgklmnprstvz", "aeiou", ["", "", *"lnrt"])
_TARGET = _Phonology(["ch", "ny", "sh", "zh", *"hjkmnptwy"], ["ei", *"aeiouäö"], ["", "", *"km"])


class Entry(NamedTuple):
    """A source word and its translations.

    Attributes
    ----------
    form
        The source word.
    translations
        1 to 3 translations of 1 or 2 target words, the preferred translation first.
    irregular
        True for an adjective that precedes its noun in the target language, too, and for a verb whose second
        target word moves to the end of the clause.
    """

    form: str
    translations: list[tuple[str, ...]]
    irregular: bool


class WordClass:
    """Words of one part of speech, with probabilities proportional to 1 / (rank + flatness), ranks from 0.

    This is the Zipf-Mandelbrot law with exponent 1.
    """

    def __init__(self, words: list[Entry], flatness: int) -> None:
        self.words = words
        self._running_sums = list(accumulate(1 / (rank + flatness) for rank in range(len(words))))

    def draw(self, draw: Draw) -> Entry:
        """Draw a word."""
        return draw.weighted(self.words, self._running_sums)


class InventedWords:
    """The words of both languages.

    Words of closed classes have 1 or 2 syllables, words of open classes 2 or 3. Closed classes are drawn
    first, because there are few short forms.
    """

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._taken: tuple[set[str], set[str]] = set(), set()
        self.articles = self._class(3, 1)
        self.prepositions = self._class(8, 1)
        self.conjunctions = self._class(4, 1)
        self.pronouns = self._class(6, 1)
        self.auxiliaries = self._class(4, 1)
        self.object_markers = [self._target(1), self._target(1)]
        self.closing_particle = self._target(1)
        self.plural, self.past = ("s", "ri"), ("d", "mo")  # the ending in each language
        self.adverbs = self._class(250, 2, flatness=3)
        self.adjectives = self._class(1000, 2, flatness=5, two_words=0.05)
        self.verbs = self._class(1200, 2, flatness=5, two_words=0.25)
        self.nouns = self._class(4000, 2, flatness=8, two_words=0.12)
        self.names = self._names(400)

    def _target(self, syllables: int) -> str:
        """Return a new target word."""
        return _TARGET.invent(self._draw, syllables, self._taken[1])

    def _class(self, size: int, syllables: int, *, flatness: int = 1, two_words: float = 0.0) -> WordClass:
        """Return a class of new words.

        ``flatness`` is the constant that is added to the rank, and ``two_words`` the probability that a
        translation has two words.
        """
        draw = self._draw
        second_words = [self._target(1) for _ in range(12)] if two_words else []
        used: list[str] = []  # first words of all translations of the class

        def translation() -> tuple[str, ...]:
            reused = used and draw.chance(1 / 12)
            used.append(draw.one_of(used) if reused else self._target(syllables + draw.chance(0.3)))
            second = [draw.one_of(second_words)] if draw.chance(two_words) else []
            return used[-1], *second

        words = []
        for _ in range(size):
            form = _SOURCE.invent(draw, syllables + draw.chance(0.3), self._taken[0])
            translations = [translation() for _ in range(1 + draw.chance(0.5) + draw.chance(0.4))]
            words.append(Entry(form, translations, irregular=draw.chance(0.3)))
        return WordClass(words, flatness)

    def _names(self, size: int) -> WordClass:
        """Return a class of capitalised names, whose translations are the names with an ending."""
        forms = [_SOURCE.invent(self._draw, 2, self._taken[0]).capitalize() for _ in range(size)]
        return WordClass([Entry(form, [(form + "u",)], irregular=False) for form in forms], flatness=3)
