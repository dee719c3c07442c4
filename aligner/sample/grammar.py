"""The grammar of the two invented languages. It generates sentence pairs whose links are known.

The source language has articles, auxiliaries and prepositions, and the orders subject-verb-object and
article-adjective-noun. The target language
- puts most adjectives after the noun, and the verb of a subordinate clause at the end of the clause,
- moves phrases to the front of the clause,
- inserts articles and particles that translate nothing,
- drops articles, pronouns and auxiliaries, and
- writes some words as two words, which may be apart.

Words of both languages take endings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from aligner.sample.draw import Draw
from aligner.sample.words import InventedWords, WordClass

MIN_LENGTH, MAX_LENGTH = 3, 30


@dataclass(frozen=True)
class SentencePair:
    """The tokens of both sides, and the gold links (i, j) between them. ``possible`` contains ``sure``."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


@dataclass(eq=False)
class _SourceToken:
    """A source word in its sentence, compared by identity, because its position is known only at the end."""

    form: str


class _TargetToken(NamedTuple):
    """A target word in its sentence, with its links: the source word, and True if the link is sure."""

    form: str
    links: list[tuple[_SourceToken, bool]]


class _Phrase(NamedTuple):
    """A phrase in both languages, each in its own word order."""

    source: list[_SourceToken]
    target: list[_TargetToken]
    irregular: bool = False


_EMPTY = _Phrase([], [])


def _join(*phrases: _Phrase) -> _Phrase:
    """Return phrases one after another, in the same order in both languages."""
    return _Phrase(
        [token for phrase in phrases for token in phrase.source],
        [token for phrase in phrases for token in phrase.target],
    )


def _inserted(form: str) -> _Phrase:
    """Return a target word that translates nothing."""
    return _Phrase([], [_TargetToken(form, [])])


def _copied(form: str) -> _Phrase:
    """Return a numeral or a punctuation mark, which is equal in both languages."""
    token = _SourceToken(form)
    return _Phrase([token], [_TargetToken(form, [(token, True)])])


def _merged(auxiliary: _Phrase, verb: _Phrase) -> _Phrase:
    """Return the verb with a possible link between its first target word and the auxiliary."""
    first, *others = verb.target
    return verb._replace(target=[first._replace(links=[*first.links, (auxiliary.source[0], False)]), *others])


class Grammar:
    """The grammar of both languages, which generates both sides of a sentence pair together."""

    def __init__(self, draw: Draw) -> None:
        self._words = InventedWords(draw)

    def pair(self, draw: Draw) -> SentencePair:
        """Return a sentence pair. Both sides have ``MIN_LENGTH`` to ``MAX_LENGTH`` tokens."""
        while True:
            sentence = self._sentence(draw)
            if all(MIN_LENGTH <= len(side) <= MAX_LENGTH for side in sentence[:2]):
                return _finish(sentence, capital=draw.chance(0.3))

    def _word(
        self, draw: Draw, words: WordClass, endings: tuple[str, str] = ("", ""), *, dropped: float = 0.05
    ) -> _Phrase:
        """Return a word of a class with its translation; ``dropped``: the probability that it has none."""
        word = words.draw(draw)
        token = _SourceToken(word.form + endings[0])
        if draw.chance(dropped):
            return _Phrase([token], [])
        free = draw.chance(0.06)  # free translation: that of another word of the class
        translated = words.draw(draw) if free else word
        preferred = draw.chance(0.6) or len(translated.translations) == 1
        first, *second = translated.translations[0] if preferred else draw.one_of(translated.translations[1:])
        target = [_TargetToken(first + endings[1], [(token, not free)])]
        target += [_TargetToken(form, [(token, False)]) for form in second]
        return _Phrase([token], target, word.irregular)

    def _noun_phrase(self, draw: Draw, *, nested: bool = False) -> _Phrase:
        """Return a name, or a noun with its modifiers. Only a phrase that is not nested may have an owner."""
        words = self._words
        if draw.chance(0.08):
            return self._word(draw, words.names)
        endings = words.plural if draw.chance(0.3) else ("", "")
        if draw.chance(0.65):
            article = self._word(draw, words.articles, dropped=0.3)
        elif draw.chance(0.4):
            # This form also translates a source article, as the "le" that French inserts does.
            article = _inserted(words.articles.words[0].translations[0][0])
        else:
            article = _EMPTY
        numeral = _copied(str(2 + draw.below(98))) if draw.chance(0.05) else _EMPTY
        adjectives = [
            self._word(draw, words.adjectives, ("", endings[1]))
            for _ in range(draw.chance(0.4) + draw.chance(0.1))
        ]
        before = [article, numeral, *(a for a in adjectives if a.irregular)]
        after = [a for a in adjectives if not a.irregular]
        noun = self._word(draw, words.nouns, endings)
        source = _join(article, numeral, *adjectives, noun).source
        phrase = _Phrase(source, _join(*before, noun, *reversed(after)).target)
        if nested or not draw.chance(0.15):
            return phrase
        # The owner comes first: "the roof of the house" becomes "the house its roof".
        preposition = self._word(draw, words.prepositions, dropped=0.1)
        owner = self._noun_phrase(draw, nested=True)
        return _Phrase(_join(phrase, preposition, owner).source, _join(owner, preposition, phrase).target)

    def _clause(self, draw: Draw, *, subordinate: bool) -> _Phrase:
        """Return a clause. The verb of a subordinate clause comes last in the target language."""
        words = self._words
        if draw.chance(0.35):
            subject = self._word(draw, words.pronouns, dropped=0.3)
        else:
            subject = self._noun_phrase(draw)
        auxiliary = self._word(draw, words.auxiliaries) if draw.chance(0.35) else _EMPTY
        verb = self._word(draw, words.verbs, words.past if draw.chance(0.4) else ("", ""), dropped=0.0)
        direct_object = self._noun_phrase(draw) if draw.chance(0.6) else _EMPTY
        adverbials = [
            _join(self._word(draw, words.prepositions, dropped=0.05), self._noun_phrase(draw))
            for _ in range(draw.below(3))
        ]
        adverb = self._word(draw, words.adverbs, dropped=0.1) if draw.chance(0.3) else _EMPTY
        source = _join(subject, auxiliary, verb, direct_object, *adverbials, adverb).source

        if auxiliary.source and draw.chance(0.4):
            auxiliary, verb = _EMPTY, _merged(auxiliary, verb)
        particle = _EMPTY
        if verb.irregular:
            particle = _Phrase([], verb.target[1:])
            verb = verb._replace(target=verb.target[:1])
        if direct_object.source and draw.chance(0.5):
            direct_object = _join(_inserted(draw.one_of(words.object_markers)), direct_object)
        front: list[_Phrase] = []
        if draw.chance(0.4):
            front, adverbials = adverbials[-1:], adverbials[:-1]
        if subordinate:
            order = [*front, subject, *adverbials, direct_object, adverb, verb, auxiliary, particle]
        else:
            order = [*front, subject, auxiliary, adverb, verb, direct_object, *adverbials, particle]
        return _Phrase(source, _join(*order).target)

    def _sentence(self, draw: Draw) -> _Phrase:
        """Return a main clause, 0 to 2 subordinate clauses and a punctuation mark."""
        words = self._words
        parts = [self._clause(draw, subordinate=False)]
        for _ in range(draw.chance(0.4) + draw.chance(0.15)):
            comma = _copied(",") if draw.chance(0.6) else _EMPTY
            if draw.chance(0.2):
                comma = comma._replace(target=[])
            parts += [comma, self._word(draw, words.conjunctions), self._clause(draw, subordinate=True)]
        closing = _inserted(words.closing_particle) if draw.chance(0.1) else _EMPTY
        mark = "." if draw.chance(0.85) else draw.one_of("?!")
        return _join(*parts, closing, _copied(mark))


def _finish(sentence: _Phrase, *, capital: bool) -> SentencePair:
    """Return the sentence with links as positions; ``capital``: capitalise the first word of both sides."""
    position = {token: i for i, token in enumerate(sentence.source)}
    links = [
        (position[source], j, sure) for j, token in enumerate(sentence.target) for source, sure in token.links
    ]
    sides = [[token.form for token in side] for side in (sentence.source, sentence.target)]
    if capital:
        sides = [[side[0][:1].upper() + side[0][1:], *side[1:]] for side in sides]
    return SentencePair(
        tuple(sides[0]),
        tuple(sides[1]),
        sure=frozenset((i, j) for i, j, sure in links if sure),
        possible=frozenset((i, j) for i, j, _ in links),
    )
