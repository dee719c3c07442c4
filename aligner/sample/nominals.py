"""Noun phrases and pronouns: articles and adjectives agree with nouns, and possessors may change sides."""

from __future__ import annotations

from typing import NamedTuple

from aligner.sample import english, french
from aligner.sample.draw import Draw
from aligner.sample.words import (
    ENTRIES,
    FORMS,
    NOTHING,
    Phrase,
    Token,
    draw_entry,
    linked,
    pair_of,
    translation,
)


class Nominal(NamedTuple):
    """A noun phrase or pronoun with its agreement; ``person``: 0 I, 1 he or she, 2 we, 3 you, 4 they."""

    french: list[Token]
    english: list[Token]
    person: int
    gender: str
    kind: str = "person"

    @property
    def phrase(self) -> Phrase:
        """Its words alone."""
        return Phrase(self.french, self.english)


POSSESSIVES = ["my", "his", "her", "our", "their"]
DEFINITE = ["the"] * 8 + ["this", "my", *POSSESSIVES]
FREQUENT = DEFINITE + ["a"] * 5


def subject(draw: Draw, first: int = 0) -> Nominal:
    """Return one of the pronouns from number ``first``, or a person."""
    if draw.chance(0.4):
        pronoun = draw.one_of(ENTRIES["pronoun"][first:])
        person, gender = pronoun.notes
        return Nominal(*pronoun.first, int(person), gender)
    return nominal(draw, "person")


def object_pronoun(of: Nominal) -> Phrase:
    """Return the pronoun of an object."""
    source = "les" if of.person == 4 else "la" if of.gender == "f" else "le"
    is_it = source != "les" and of.kind not in ("person", "animal")
    target = "it" if is_it else {"le": "him", "la": "her", "les": "them"}[source]
    return pair_of([source], [target])


def nominal(draw: Draw, name: str, determiners: list[str] = FREQUENT, *, plain: bool = False) -> Nominal:
    """Return a noun phrase of a class of nouns, or of one French noun; ``plain``: no adjective or owner."""
    if name == "person" and determiners != ["the"] and draw.chance(0.25):
        entry = draw_entry(draw, "name")
        return Nominal(*translation(draw, entry), 1, entry.notes[0])
    if name in ENTRIES:
        kind, entry = name, draw_entry(draw, name)
    else:
        kind, entry = next((k, e) for k in FORMS["adjectives"] for e in ENTRIES[k] if e.french[0] == name)
    gender = entry.notes[0]
    plural = kind not in ("mass", "drink", "building", "way") and draw.chance(0.25)
    plural = plural and "single" not in entry.notes
    noun = translation(draw, entry)
    if plural:
        noun.french[0].form = french.pluralize(noun.french[0].form)
        noun.english[-1].form = english.pluralize(noun.english[-1].form)
    before, after = (
        _adjectives(draw, kind, gender, plural) if not plain and draw.chance(0.3) else (NOTHING, NOTHING)
    )
    if before.french and (gender, plural) == ("m", False):
        before.french[0].form = french.before_noun(before.french[0].form, noun.french[0].form)
    determiner = draw.one_of(determiners)
    can_be_owned = "own" in entry.notes or kind not in ("person", "animal", "building", "way")
    if determiner in POSSESSIVES and not can_be_owned:
        determiner = "the"
    if "kin" in entry.notes and determiner in ("a", "this"):
        determiner = "my"
    article = _determiner(draw, determiner, gender, plural, kind in ("mass", "drink"))
    if before.french and article.french[0].form == "des":
        article.french[0].form = "de"
    source = [*article.french, *before.french, *noun.french, *after.french]
    target = [*before.english, *after.english, *noun.english]
    determined = article.english
    if not plain and can_be_owned and determiner == "the" and draw.chance(0.2):
        owner = nominal(draw, "person", DEFINITE, plain=True)
        of = Token("de")
        source += [of, *owner.french]
        if owner.person == 1 and draw.chance(0.6):
            determined = [*owner.english, linked("'s", of)]
        else:
            target += [linked("of", of), *owner.english]
    return Nominal(source, [*determined, *target], 4 if plural else 1, gender, kind)


def _adjectives(draw: Draw, kind: str, gender: str, plural: bool) -> tuple[Phrase, Phrase]:
    """Return what stands before the noun in French, and what stands after it: one of them is an adjective."""
    adjective = draw_entry(draw, draw.one_of(FORMS["adjectives"][kind]))
    phrase = translation(draw, adjective)
    phrase.french[0].form = french.agree(phrase.french[0].form, gender, plural)
    return (phrase, NOTHING) if "before" in adjective.notes else (NOTHING, phrase)


def _determiner(draw: Draw, name: str, gender: str, plural: bool, is_mass: bool) -> Phrase:
    """Return a determiner, which is partitive before a noun of mass."""
    row = FORMS["determiner"][name]
    word, target = french.Article(row[2 if plural else gender == "f"]), row[4 if plural else 3]
    if is_mass and name in ("a", "any"):
        of = Token("de")
        source = [of, french.Article("la" if gender == "f" else "le")][: 2 if name == "a" else 1]
        return Phrase(source, [linked("some" if name == "a" else "any", of)] * draw.chance(0.5))
    if plural and name == "a":
        if draw.chance(0.3):
            return draw.one_of(ENTRIES["numeral"]).first
        if draw.chance(0.5):
            return Phrase([word], [])
    return Phrase([word], [linked(target, word)])
