"""Clauses: verbs in their tenses, with their objects, negations and adverbs."""

from __future__ import annotations

from typing import NamedTuple

from aligner.sample import english, french
from aligner.sample.draw import Draw
from aligner.sample.nominals import DEFINITE, FREQUENT, Nominal, nominal, object_pronoun
from aligner.sample.words import FORMS, NOTHING, Phrase, Token, draw_entry, join, linked, translation

REFLEXIVES = ["me", "se", "nous", "vous", "se"]
ONES_OWN = ["my", "his", "our", "your", "their"]
"""The pronouns of a subject, by its person."""

STATIVE = {*FORMS["verbs"]["stative"]}
"""English verbs whose past is an imperfect in French."""

NEVER_PROGRESSIVE = {*STATIVE, *FORMS["verbs"]["momentary"]}

VERB_NOTES = ("somewhere", "there", "to", "without", "before")
"""Notes on verbs that are no class of objects."""


class Verb(NamedTuple):
    """A verb with all that depends on it: French pronouns before it, and the words after it."""

    pronouns: list[Token]
    french: Token
    english: Token
    after: Phrase
    agreement: tuple[str, bool] | None = None  # of a participle with a pronoun: gender, and True if plural

    def then(self, phrase: Phrase) -> Verb:
        """Return the verb with further words after it."""
        return self._replace(after=join(self.after, phrase))


class Predicate(NamedTuple):
    """What follows a subject. In a question, an English subject stands between the auxiliary and the rest."""

    french: list[Token]
    auxiliary: list[Token]
    english: list[Token]


def predicate(
    draw: Draw, subject: Nominal, tense: str, adverb: Phrase = NOTHING,
    *, timed: bool = False, question: bool = False,
) -> Predicate:  # fmt: skip
    """Return a predicate of a subject; ``adverb``: one at the verb; ``timed``: True if its time is said."""
    past = tense in ("past", "perfect")
    no = NOTHING if adverb.french else negation(draw, "any" if timed or question or past else None)
    if no.english and no.english[0].form != "not":
        tense = {"now": "present", "imperfect": "past"}.get(tense, tense)
    verb = dependent = action(draw, subject, negated=bool(no.french))
    if tense in ("now", "past", "future") and draw.chance(0.2):
        verb = _modal(draw, subject, tense, dependent)
    return inflect(verb, subject, tense, no, adverb, question=question)


def negation(draw: Draw, note: str | None = None) -> Phrase:
    """Return a word that negates a clause, or mostly nothing."""
    return NOTHING if draw.chance(0.8) else translation(draw, draw_entry(draw, "negation", note))


def inflect(
    verb: Verb, subject: Nominal, tense: str, no: Phrase = NOTHING, adverb: Phrase = NOTHING,
    *, question: bool = False,
) -> Predicate:  # fmt: skip
    """Return a verb in a tense, with a negation or an adverb."""
    finite, compound = _french_tense(verb, subject, tense)
    chain = _english_tense(verb, tense, finite)
    can_invert = len(chain) > 1 or chain[0].form in english.AUXILIARIES
    is_not = [token.form for token in no.english] == ["not"]
    if not can_invert and (question or is_not):
        chain.insert(0, Token("do", [(finite, False)]))
        can_invert = True
    past = tense in ("past", "imperfect")
    chain[0].form = english.conjugate(chain[0].form, past, subject.person)
    auxiliary, rest = (chain[:1], chain[1:]) if can_invert else ([], chain)
    ne = [Token("ne")] if no.french else []
    for token in no.english:
        token.links += [(word, True) for word in ne]
    source = [*ne, *verb.pronouns, finite, *no.french, *adverb.french, *compound, *verb.after.french]
    return Predicate(source, auxiliary, [*no.english, *adverb.english, *rest, *verb.after.english])


def _french_tense(verb: Verb, subject: Nominal, tense: str) -> tuple[Token, list[Token]]:
    """Return the finite French verb, and the participle of a compound tense."""
    infinitive, lemma = verb.french.form, verb.english.form
    if tense != "perfect" and (tense != "past" or lemma in STATIVE):
        verb.french.form = french.conjugate(infinitive, tense, subject.person)
        return verb.french, []
    verb.french.form = french.participle(infinitive)
    auxiliary, agreement = "avoir", verb.agreement
    if infinitive in FORMS["verbs"]["être"] or (verb.pronouns and verb.pronouns[0].form in REFLEXIVES):
        auxiliary, agreement = "être", (subject.gender, subject.person in (2, 4))
    if agreement:
        verb.french.form = french.agree(verb.french.form, *agreement)
    return Token(french.conjugate(auxiliary, "present", subject.person)), [verb.french]


def _english_tense(verb: Verb, tense: str, finite: Token) -> list[Token]:
    """Return the English verb with its auxiliary, if it has one; the first word is not inflected yet."""
    auxiliary, form = FORMS["english tense"].get(tense, ["", ""])
    if not auxiliary or (auxiliary == "be" and verb.english.form in NEVER_PROGRESSIVE):
        if finite is not verb.french:
            verb.english.links.append((finite, False))
        return [verb.english]
    verb.english.form = english.form(verb.english.form, form)
    return [linked(auxiliary, finite), verb.english]


def infinitive(verb: Verb, form: str) -> Phrase:
    """Return a verb in the French infinitive, and in an English form."""
    verb.english.form = english.form(verb.english.form, form)
    source = [*verb.pronouns, verb.french, *verb.after.french]
    return Phrase(source, [verb.english, *verb.after.english])


def _modal(draw: Draw, subject: Nominal, tense: str, dependent: Verb) -> Verb:
    """Return a verb that another verb depends on, or that verb alone if the tense does not fit."""
    entry = draw_entry(draw, "modal")
    tenses = {"now", "past"} & {*entry.notes}
    if tenses and tense not in tenses:
        return dependent
    verb = verb_of(translation(draw, entry), subject)
    form = "ing" if "ing" in entry.notes else "base"
    if form == "ing" and dependent.english.form in NEVER_PROGRESSIVE:
        return dependent
    return verb.then(infinitive(dependent, form))


def verb_of(phrase: Phrase, subject: Nominal) -> Verb:
    """Return the verb of an entry, with the pronouns of its subject."""
    source, target = phrase
    at = 1 if source[0].form in ("se", "s'", "en") else 0
    if at and source[0].form != "en":
        source[0].form = REFLEXIVES[subject.person]
    for token in target:
        if token.form == "one's":
            token.form = "her" if subject[2:4] == (1, "f") else ONES_OWN[subject.person]
    return Verb(source[:at], source[at], target[0], Phrase(source[at + 1 :], target[1:]))


def action(
    draw: Draw, subject: Nominal, kind: str = "", note: str | None = None, *, negated: bool = False
) -> Verb:
    """Return a verb, of a class and with a note if they are given, with its objects and perhaps a place."""
    kind = kind or draw.one_of(["act"] * 11 + ["deed"] * 5 + ["move"] * 3 + ["gift"] * 2)
    entry = draw_entry(draw, kind, note)
    verb = verb_of(translation(draw, entry), subject)
    nouns = [note for note in entry.notes if note not in VERB_NOTES]
    if nouns:
        verb = _with_object(draw, verb, draw.one_of(nouns), subject, negated=negated)
    if kind == "gift":
        receiver, to = nominal(draw, "person", DEFINITE), Token("à")
        verb.after.french.extend([to, *receiver.french])
        if "_" not in entry.translations[0] and not verb.pronouns and draw.chance(0.5):
            verb.after.english[:0] = receiver.english
        else:
            verb.after.english.extend([linked("to", to), *receiver.english])
    if "there" in entry.notes:
        verb = verb.then(place(draw, "furniture"))
    elif "somewhere" in entry.notes and draw.chance(0.4):
        verb = verb.then(place(draw))
    return verb


def _with_object(draw: Draw, verb: Verb, name: str, subject: Nominal, *, negated: bool) -> Verb:
    """Return a verb with an object, which is a noun phrase or a pronoun."""
    if name == "city":
        return verb.then(translation(draw, draw_entry(draw, "city")))
    direct = not verb.after.french
    determiners = FREQUENT if direct else DEFINITE
    if subject.person == 1:
        other = "his" if subject.gender == "f" else "her"
        determiners = [determiner for determiner in determiners if determiner != other]
    noun = nominal(draw, name, ["any"] if direct and negated and draw.chance(0.4) else determiners)
    source, target = verb.after
    slot = next((k for k, token in enumerate(target) if token.form == "_"), len(target))
    others = [token for token in target if token.form != "_"]
    if direct and draw.chance(0.2):
        before, after = object_pronoun(noun)
        return verb._replace(
            pronouns=[*verb.pronouns, *before],
            after=Phrase(source, [*others[:slot], *after, *others[slot:]]),
            agreement=(noun.gender, noun.person == 4),
        )
    if draw.chance(0.6) or len(noun.english) > 3:
        slot = len(others)
    target = [*others[:slot], *noun.english, *others[slot:]]
    return verb._replace(after=Phrase([*source, *noun.french], target))


def place(draw: Draw, kind: str | None = None) -> Phrase:
    """Return a preposition and a place, of a class of nouns if one is given."""
    preposition = draw_entry(draw, "preposition", kind)
    noun = nominal(draw, kind or draw.one_of(preposition.notes), ["the"] * 5 + ["my", "our"], plain=True)
    return join(translation(draw, preposition), noun.phrase)
