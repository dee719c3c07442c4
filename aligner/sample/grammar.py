"""Two invented languages, in which every link is known.

The source has articles, auxiliaries and prepositions, and the order subject verb object, article adjective
noun. The target puts most adjectives behind the noun and the verb of a subordinate clause at its end, moves
phrases to the front, inserts articles and particles that translate nothing, lets articles, pronouns and
auxiliaries go, and writes some words as two, at times apart. Words are Zipf distributed, have one to three
translations, and take endings.

All randomness comes from `random.Random(int).random()`, whose sequence Python promises to keep, and is used
only through comparisons, products and running sums of doubles: the same everywhere.
"""

import bisect
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeVar

MIN_LENGTH, MAX_LENGTH = 3, 30

_T = TypeVar("_T")


@dataclass(frozen=True)
class SentencePair:
    """Tokens of both sides and the gold links (i, j) between them, from 0; `possible` contains `sure`."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


class Draw:
    """Random choices that are the same everywhere: see above."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def below(self, n: int) -> int:
        return int(self._random() * n)

    def one_of(self, items: Sequence[_T]) -> _T:
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[_T], running_sums: Sequence[float]) -> _T:
        place = bisect.bisect_right(running_sums, self._random() * running_sums[-1], hi=len(items) - 1)
        return items[place]


# --------------------------------------------------------------------------- the two lexicons


class _Sounds(NamedTuple):
    """What the syllables of a language are made of."""

    onsets: Sequence[str]
    vowels: Sequence[str]
    codas: Sequence[str]

    def invent(self, draw: Draw, syllables: int, taken: set[str]) -> str:
        """A word that is not taken yet, and now is."""
        while True:
            parts = [draw.one_of(self.onsets) + draw.one_of(self.vowels) for _ in range(syllables)]
            word = "".join(parts) + draw.one_of(self.codas)
            if word not in taken:
                taken.add(word)
                return word


_SOURCE = _Sounds("bdfgklmnprstvz", "aeiou", ["", "", *"lnrt"])
_TARGET = _Sounds(["ch", "ny", "sh", "zh", *"hjkmnptwy"], ["ei", *"aeiouäö"], ["", "", *"km"])


class _Word(NamedTuple):
    """A source word and its one to three translations of one or two words, the preferred one first."""

    form: str
    translations: list[tuple[str, ...]]
    irregular: bool  # an adjective that stays before its noun; a verb whose second word moves away


class _Class(NamedTuple):
    """Words of one kind, drawn with probability proportional to 1 / (rank + constant) (Zipf, Mandelbrot)."""

    words: list[_Word]
    running_sums: list[float]

    def draw(self, draw: Draw) -> _Word:
        return draw.weighted(self.words, self.running_sums)


class _Lexicon:
    """The words of both languages, closed classes first, so that they get the short forms."""

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
        self.plural, self.past = ("s", "ri"), ("d", "mo")  # endings of the two languages
        self.adverbs = self._class(250, 2, flatness=3)
        self.adjectives = self._class(1000, 2, flatness=5, two_words=0.05)
        self.verbs = self._class(1200, 2, flatness=5, two_words=0.25)
        self.nouns = self._class(4000, 2, flatness=8, two_words=0.12)
        self.names = self._names(400)

    def _target(self, syllables: int) -> str:
        return _TARGET.invent(self._draw, syllables, self._taken[1])

    def _class(self, size: int, syllables: int, *, flatness: int = 1, two_words: float = 0.0) -> _Class:
        draw = self._draw
        second_words = [self._target(1) for _ in range(12)] if two_words else []
        used: list[str] = []  # one target word in twelve translates several source words
        words = []
        for _ in range(size):
            form = _SOURCE.invent(draw, syllables + draw.chance(0.3), self._taken[0])
            translations = []
            for _ in range(1 + draw.chance(0.5) + draw.chance(0.4)):
                shared = used and draw.chance(1 / 12)
                used.append(draw.one_of(used) if shared else self._target(syllables + draw.chance(0.3)))
                second = [draw.one_of(second_words)] if draw.chance(two_words) else []
                translations.append((used[-1], *second))
            words.append(_Word(form, translations, irregular=draw.chance(0.3)))
        return _Class(words, _zipf(size, flatness))

    def _names(self, size: int) -> _Class:
        forms = [_SOURCE.invent(self._draw, 2, self._taken[0]).capitalize() for _ in range(size)]
        return _Class([_Word(form, [(form + "u",)], irregular=False) for form in forms], _zipf(size, 3))


def _zipf(size: int, flatness: int) -> list[float]:
    return list(accumulate(1 / (rank + flatness) for rank in range(size)))


# --------------------------------------------------------------------------- the two grammars


@dataclass(eq=False)
class _Token:
    """One source word in its sentence; its identity stands for its position until that is known."""

    form: str


class _Piece(NamedTuple):
    """One target word, and the source words it is linked to: sure or only possible."""

    form: str
    links: list[tuple[_Token, bool]]


class _Phrase(NamedTuple):
    """The same phrase in both languages, each in its own order."""

    source: list[_Token]
    target: list[_Piece]
    irregular: bool = False


_NOTHING = _Phrase([], [])


def _join(*phrases: _Phrase) -> _Phrase:
    """Phrases side by side, in the same order in both languages."""
    return _Phrase(
        [token for phrase in phrases for token in phrase.source],
        [piece for phrase in phrases for piece in phrase.target],
    )


def _inserted(form: str) -> _Phrase:
    """A target word that translates nothing."""
    return _Phrase([], [_Piece(form, [])])


def _same(form: str) -> _Phrase:
    """A numeral or a punctuation mark, the same in both languages."""
    token = _Token(form)
    return _Phrase([token], [_Piece(form, [(token, True)])])


class Grammar:
    """Sentences of both languages, made together, of words that are drawn first."""

    def __init__(self, draw: Draw) -> None:
        self._words = _Lexicon(draw)

    def pair(self, draw: Draw) -> SentencePair:
        """One sentence pair with both lengths in range."""
        while True:
            sentence = self._sentence(draw)
            if all(MIN_LENGTH <= len(side) <= MAX_LENGTH for side in sentence[:2]):
                return _finish(sentence, capital=draw.chance(0.3))

    def _word(
        self, draw: Draw, words: _Class, endings: tuple[str, str] = ("", ""), *, dropped: float = 0.05
    ) -> _Phrase:
        word = words.draw(draw)
        token = _Token(word.form + endings[0])
        if draw.chance(dropped):
            return _Phrase([token], [])
        free = draw.chance(0.06)
        meant = words.draw(draw) if free else word
        preferred = draw.chance(0.6) or len(meant.translations) == 1
        first, *second = meant.translations[0] if preferred else draw.one_of(meant.translations[1:])
        pieces = [_Piece(first + endings[1], [(token, not free)])]
        pieces += [_Piece(form, [(token, False)]) for form in second]
        return _Phrase([token], pieces, word.irregular)

    def _noun_phrase(self, draw: Draw, *, nested: bool = False) -> _Phrase:
        words = self._words
        if draw.chance(0.08):
            return self._word(draw, words.names)
        endings = words.plural if draw.chance(0.3) else ("", "")
        if draw.chance(0.65):
            article = self._word(draw, words.articles, dropped=0.3)
        else:
            article = _NOTHING
            if draw.chance(0.4):  # an article that is also the translation of one, as French inserts "le"
                article = _inserted(words.articles.words[0].translations[0][0])
        number = _same(str(2 + draw.below(98))) if draw.chance(0.05) else _NOTHING
        adjectives = [
            self._word(draw, words.adjectives, ("", endings[1]))
            for _ in range(draw.chance(0.4) + draw.chance(0.1))
        ]
        before = [article, number, *(a for a in adjectives if a.irregular)]
        after = [a for a in adjectives if not a.irregular]
        noun = self._word(draw, words.nouns, endings)
        source = _join(article, number, *adjectives, noun).source
        phrase = _Phrase(source, _join(*before, noun, *reversed(after)).target)
        if nested or not draw.chance(0.15):
            return phrase
        # "the roof of the house" becomes "the house its roof"
        link = self._word(draw, words.prepositions, dropped=0.1)
        owner = self._noun_phrase(draw, nested=True)
        return _Phrase(_join(phrase, link, owner).source, _join(owner, link, phrase).target)

    def _subject(self, draw: Draw) -> _Phrase:
        if draw.chance(0.35):
            return self._word(draw, self._words.pronouns, dropped=0.3)
        return self._noun_phrase(draw)

    def _clause(self, draw: Draw, *, subordinate: bool) -> _Phrase:
        words = self._words
        subject = self._subject(draw)
        auxiliary = self._word(draw, words.auxiliaries) if draw.chance(0.35) else _NOTHING
        verb = self._word(draw, words.verbs, words.past if draw.chance(0.4) else ("", ""), dropped=0.0)
        thing = self._noun_phrase(draw) if draw.chance(0.6) else _NOTHING
        places = [
            _join(self._word(draw, words.prepositions, dropped=0.05), self._noun_phrase(draw))
            for _ in range(draw.below(3))
        ]
        adverb = self._word(draw, words.adverbs, dropped=0.1) if draw.chance(0.3) else _NOTHING
        source = _join(subject, auxiliary, verb, thing, *places, adverb).source

        if auxiliary.source and draw.chance(0.4):  # the verb alone says both
            main = verb.target[0]
            merged = _Piece(main.form, [*main.links, (auxiliary.source[0], False)])
            auxiliary, verb = _NOTHING, verb._replace(target=[merged, *verb.target[1:]])
        last = _NOTHING
        if verb.irregular:
            last = _Phrase([], verb.target[1:])
            verb = verb._replace(target=verb.target[:1])
        if thing.source and draw.chance(0.5):
            thing = _join(_inserted(draw.one_of(words.object_markers)), thing)
        front: list[_Phrase] = []
        if draw.chance(0.4):
            front, places = places[-1:], places[:-1]
        if subordinate:
            order = [*front, subject, *places, thing, adverb, verb, auxiliary, last]
        else:
            order = [*front, subject, auxiliary, adverb, verb, thing, *places, last]
        return _Phrase(source, _join(*order).target)

    def _sentence(self, draw: Draw) -> _Phrase:
        words = self._words
        parts = [self._clause(draw, subordinate=False)]
        for _ in range(draw.chance(0.4) + draw.chance(0.15)):
            comma = _same(",") if draw.chance(0.6) else _NOTHING
            if draw.chance(0.2):
                comma = comma._replace(target=[])
            parts += [comma, self._word(draw, words.conjunctions), self._clause(draw, subordinate=True)]
        closing = _inserted(words.closing_particle) if draw.chance(0.1) else _NOTHING
        mark = "." if draw.chance(0.85) else draw.one_of("?!")
        return _join(*parts, closing, _same(mark))


def _finish(sentence: _Phrase, *, capital: bool) -> SentencePair:
    """Positions for identities, and a capital letter where the sentence starts with one."""
    position = {token: i for i, token in enumerate(sentence.source)}
    links = [
        (position[token], j, sure) for j, piece in enumerate(sentence.target) for token, sure in piece.links
    ]
    sides = [[token.form for token in sentence.source], [piece.form for piece in sentence.target]]
    if capital:
        sides = [[side[0][:1].upper() + side[0][1:], *side[1:]] for side in sides]
    return SentencePair(
        tuple(sides[0]),
        tuple(sides[1]),
        sure=frozenset((i, j) for i, j, sure in links if sure),
        possible=frozenset((i, j) for i, j, _ in links),
    )
