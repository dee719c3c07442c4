"""Sentences of the sample in French and English, written together so that their links are known.

Adjectives mostly follow French nouns, objects that are pronouns precede French verbs, and ne ... pas
surrounds them. A tense may have one word in one language and two in the other. English verbs have particles,
and do in questions and negations. Articles come and go, and a possessor changes sides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aligner.links.token_matching import match_tokens
from aligner.sample import english, french
from aligner.sample.clauses import (
    Predicate,
    Verb,
    action,
    infinitive,
    inflect,
    negation,
    place,
    predicate,
    verb_of,
)  # fmt: skip
from aligner.sample.draw import Draw
from aligner.sample.nominals import DEFINITE, Nominal, nominal, subject
from aligner.sample.words import (
    ENTRIES,
    FORMS,
    NOTHING,
    Phrase,
    Token,
    draw_entry,
    join,
    linked,
    pair_of,
    translation,
)


@dataclass(frozen=True)
class SentencePair:
    """The tokens of both sides, and the gold links (i, j) between them. ``possible`` contains ``sure``."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


def as_written(pair: SentencePair) -> SentencePair:
    """Return a sentence pair with marks at words, as people write; its links are those of these words."""
    words = _written(pair.source, ",."), _written(pair.target, ",.?!")
    source, target = map(match_tokens, (pair.source, pair.target), words)
    links = ({(source[i][0], target[j][0]) for i, j in links} for links in (pair.sure, pair.possible))
    return SentencePair(*words, *map(frozenset, links))


def _written(tokens: Sequence[str], marks: str) -> tuple[str, ...]:
    """Return the words of a sentence; ``marks``: those without a space before them."""
    return tuple(re.sub(rf"(?<=') | (?=(?:[{marks}]|'s) )", "", " ".join([*tokens, ""])).split())


def sentence_pair(draw: Draw) -> SentencePair:
    """Return a sentence pair."""
    kind = draw.below(40)
    if kind == 0:
        return _finish(translation(draw, draw_entry(draw, "sentence")))
    if kind < 7:
        return _finish(join(_question(draw), pair_of("?", "?")))
    make = _description if kind < 13 else _two_clauses if kind < 24 else _clause
    return _finish(join(make(draw), pair_of(".", ".")))


def _clause(draw: Draw, tense: str = "", who: Nominal | None = None) -> Phrase:
    """Return a clause; without a tense, perhaps with an adverb that fits the tense."""
    who = who or subject(draw)
    if tense or draw.chance(0.4):
        return _statement(who, predicate(draw, who, tense or _tense(draw)))
    entry = draw_entry(draw, "amid" if draw.chance(0.3) else "time")
    adverb, (tense,) = translation(draw, entry), entry.notes
    if entry in ENTRIES["amid"]:
        return _statement(who, predicate(draw, who, tense, adverb))
    clause = _statement(who, predicate(draw, who, tense, timed=True))
    if draw.chance(0.7):
        return join(clause, adverb)
    comma = pair_of(",", ",") if draw.chance(0.5) else NOTHING
    source = [*adverb.french, *comma.french, *clause.french]
    if draw.chance(0.4):
        return Phrase(source, [*clause.english, *adverb.english])
    return Phrase(source, [*adverb.english, *comma.english, *clause.english])


def _tense(draw: Draw) -> str:
    """Return a tense of a clause without an adverb."""
    return draw.one_of(["past"] * 3 + ["perfect", "imperfect", "now"] + ["present"] * 2 + ["future"])


def _statement(who: Nominal | Phrase, what: Predicate) -> Phrase:
    """Return a clause whose words follow its subject."""
    return Phrase([*who.french, *what.french], [*who.english, *what.auxiliary, *what.english])


def _description(draw: Draw) -> Phrase:
    """Return a clause that says how somebody or something is, or that something is somewhere."""
    kind = draw.one_of(["person", "person", "thing", "text", "clothes", "building", "idea", "food"])
    tense = draw.one_of(["present", "present", "past", "future"])
    if kind in ("thing", "text", "clothes", "food") and draw.chance(0.5):
        return _existence(draw, nominal(draw, kind, ["a"]), tense)
    who = subject(draw) if kind == "person" else nominal(draw, kind, DEFINITE, plain=True)
    quality = translation(draw, draw_entry(draw, FORMS["adjectives"][kind][0]))
    (adjective,), (word,) = quality
    adjective.form = french.agree(adjective.form, who.gender, who.person in (2, 4))
    if draw.chance(0.4):
        other = nominal(draw, kind, DEFINITE, plain=True)
        longer = pair_of(["plus", adjective.form], english.comparative(word.form))
        quality = join(longer, pair_of(["que"], ["than"]), other.phrase)
    elif draw.chance(0.5):
        quality = join(pair_of(*draw.one_of([(["très"], ["very"]), (["trop"], ["too"])])), quality)
    (to_be,), (be,) = pair_of(["être"], ["be"])
    return _statement(who, inflect(Verb([], to_be, be, quality), who, tense, negation(draw)))


def _existence(draw: Draw, what: Nominal, tense: str) -> Phrase:
    """Return il y a and there is, with a place."""
    il, there = Token("il"), Token("y")
    who = Nominal([il], [Token("there", [(there, True), (il, False)])], what.person, "m")
    (to_have,), (be,) = pair_of(["avoir"], ["be"])
    verb = Verb([there], to_have, be, join(what.phrase, place(draw, "furniture")))
    clause = _statement(who, inflect(verb, who, tense))
    to_have.form = french.conjugate("avoir", tense, 1)
    return clause


def _two_clauses(draw: Draw) -> Phrase:
    """Return two clauses: joined, with a claim, with a relative clause, or with a purpose."""
    who = subject(draw)
    kind = draw.below(10)
    if kind < 4:
        entry = draw_entry(draw, "join")
        tenses = entry.notes or (_tense(draw), _tense(draw))
        comma = pair_of(",", ",") if draw.chance(0.4) else NOTHING
        return join(_clause(draw, tenses[0], who), comma, translation(draw, entry), _clause(draw, tenses[1]))
    if kind < 7:
        verb = verb_of(translation(draw, draw_entry(draw, "claim")), who)
        that, tense = Token("que"), draw.one_of(["present", "past"])
        main = _statement(who, inflect(verb, who, tense))
        conjunction = Phrase([that], [linked("that", that)] * draw.chance(0.5))
        return join(main, conjunction, _clause(draw, "imperfect" if tense == "past" else _tense(draw)))
    if kind < 8:
        who = nominal(draw, "person", ["the"], plain=True)
        relative = join(who.phrase, pair_of(["qui"], ["who"]))
        aside = _statement(relative, predicate(draw, who, "now"))
        return _clause(draw, _tense(draw), who._replace(french=aside.french, english=aside.english))
    link = draw.one_of(ENTRIES["purpose"])
    verbs, form = link.notes
    purpose = infinitive(action(draw, who, verbs, *link.translations[0]), form)
    return join(_clause(draw, "past", who), link.first, purpose)


def _question(draw: Draw) -> Phrase:
    """Return a question about a clause, one of its circumstances, or its subject."""
    tense = draw.one_of(["past", "present", "now", "future"])
    if draw.chance(0.2):
        who = Nominal(*pair_of(["qui"], ["who"]), 1, "m")
        return _statement(who, predicate(draw, who, tense))
    word = translation(draw, draw_entry(draw, "asking")) if draw.chance(0.4) else NOTHING
    who, est_ce_que = subject(draw, first=1), [Token("est-ce"), Token("que")]
    what = predicate(draw, who, tense, question=True)
    if what.auxiliary:
        what.auxiliary[0].links += [(token, False) for token in est_ce_que]
    source = [*word.french, *est_ce_que, *who.french, *what.french]
    return Phrase(source, [*word.english, *what.auxiliary, *who.english, *what.english])


def _finish(sentence: Phrase) -> SentencePair:
    """Return a sentence with its words as they are spelled, and its links as positions."""
    merged = french.spell(sentence.french)
    english.spell(sentence.english)
    position = {token: i for i, token in enumerate(sentence.french)}
    links = {
        (position[merged.get(token, token)], j, sure)
        for j, word in enumerate(sentence.english)
        for token, sure in word.links
    }
    for side in sentence:
        side[0].form = side[0].form[0].upper() + side[0].form[1:]
    source, target = (tuple(token.form for token in side) for side in sentence)
    sure = frozenset((i, j) for i, j, is_sure in links if is_sure)
    return SentencePair(source, target, sure, possible=frozenset((i, j) for i, j, _ in links))
