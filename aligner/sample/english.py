"""Forms of English words: plurals, verbs, comparatives and articles."""

from __future__ import annotations

import re
from itertools import pairwise

from aligner.sample.words import FORMS, Token

AUXILIARIES = ("be", "can", "must", "will")

_BE = {False: ("am", "is", "are", "are", "are"), True: ("was", "was", "were", "were", "were")}


def pluralize(word: str) -> str:
    """Return the plural of a noun."""
    return FORMS["english plural"].get(word, [_with_s(word)])[0]


def _with_s(word: str) -> str:
    """Return a noun or verb with the ending -s."""
    if re.search("[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search("(s|x|z|ch|sh|o)$", word) else "s")


def _forms(verb: str) -> tuple[str, str, str]:
    """Return the past, the past participle and the present participle."""
    past = verb + "d" if verb.endswith("e") else re.sub("([^aeiou])y$", r"\1i", verb) + "ed"
    present = re.sub("ie$", "y", verb)
    present = (present[:-1] if re.search("[^eo]e$", present) else present) + "ing"
    irregular = FORMS["english verb"].get(verb, [past, past])
    return irregular[0], irregular[1], (*irregular, present)[2]


def form(verb: str, name: str) -> str:
    """Return a form that has no person: ``base``, ``participle`` or ``ing``."""
    return {"base": verb, "participle": _forms(verb)[1], "ing": _forms(verb)[2]}[name]


def conjugate(verb: str, past: bool, person: int) -> str:
    """Return the finite form of a verb; ``person``: 0 I, 1 he, 2 we, 3 you, 4 they."""
    if verb == "be":
        return _BE[past][person]
    if verb in AUXILIARIES:
        return "could" if past and verb == "can" else verb
    if past:
        return _forms(verb)[0]
    return "has" if (verb, person) == ("have", 1) else _with_s(verb) if person == 1 else verb


def comparative(adjective: str) -> list[str]:
    """Return the comparative in one word or, for long adjectives, in two."""
    return FORMS["english comparative"].get(adjective, ["more", adjective])


def spell(words: list[Token]) -> None:
    """Write a as an before a vowel."""
    for word, following in pairwise(words):
        if word.form == "a" and re.match("[aeio]|u[^ns]", following.form.lower()):
            word.form = "an"
