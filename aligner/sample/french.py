"""Forms of French words: plurals, agreement, conjugation, contractions and elisions."""

from __future__ import annotations

from aligner.sample.words import FORMS, Token

VOWELS = "aeiouyhàâéèêëîïôœ"
"""First letters before which words lose a vowel. The sample has no word with an aspirated h."""


def pluralize(word: str) -> str:
    """Return the plural of a noun or masculine adjective."""
    if irregular := FORMS["french plural"].get(word):
        return irregular[0]
    return word if word[-1] in "sxz" else word + ("x" if word.endswith(("eau", "eu")) else "s")


def agree(adjective: str, gender: str, plural: bool) -> str:
    """Return the form of an adjective or a participle."""
    if gender == "f" and not adjective.endswith("e"):
        (adjective,) = FORMS["french feminine"].get(adjective, [adjective + "e"])
    return pluralize(adjective) if plural else adjective


def _parts(verb: str) -> list[str]:
    """Return the present of je, il, nous and ils, the participle, and the stem of the future."""
    if irregular := FORMS["french verb"].get(verb):
        return irregular
    stem = verb[:-2]
    if verb.endswith("er"):
        soft = stem[:-1] + "ç" if stem.endswith("c") else stem + "e" * stem.endswith("g")
        return [stem + "e", stem + "e", soft + "ons", stem + "ent", stem + "é", verb]
    if verb.endswith("ir"):
        return [stem + "is", stem + "it", stem + "issons", stem + "issent", stem + "i", verb]
    return [stem + "s", stem, stem + "ons", stem + "ent", stem + "u", verb[:-1]]


def participle(verb: str) -> str:
    """Return the past participle."""
    return _parts(verb)[4]


def conjugate(verb: str, tense: str, person: int) -> str:
    """Return the form of a verb; ``person``: 0 je, 1 il, 2 nous, 3 vous, 4 ils. The past is the imperfect."""
    i, he, we, they, _, future = _parts(verb)
    endings = FORMS["french tense"].get(tense)
    if endings is None:
        you = {"êtr": "êtes", "fair": "faites", "dir": "dites"}.get(verb[:-1], we[:-3] + "ez")
        return (i, he, we, you, they)[person]
    stem = future if tense == "future" else "ét" if verb == "être" else we[:-3]
    if tense != "future" and person in (2, 3):
        stem = stem.removesuffix("e") if stem.endswith("ge") else stem.replace("ç", "c")
    return stem + endings[person]


_CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
_ELIDED = {*["le", "la", "de", "ne", "que", "puisque", "je", "se", "me"]}
_BEFORE_VOWEL = {"ma": "mon", "sa": "son", "ce": "cet"}


class Article(Token):
    """An article, which merges with a preposition. The pronouns le and les do not."""


def spell(words: list[Token]) -> dict[Token, Token]:
    """Contract articles and elide vowels in a sentence; return the preposition of each merged article."""
    merged = {}
    for k in range(len(words) - 2, -1, -1):
        word, following = words[k : k + 2]
        if begins_with_vowel(following.form):
            if word.form in _ELIDED:
                word.form = word.form[:-1] + "'"
            word.form = _BEFORE_VOWEL.get(word.form, word.form)
        contracted = _CONTRACTED.get((word.form, following.form))
        if contracted and isinstance(following, Article):
            word.form = contracted
            merged[words.pop(k + 1)] = word
    return merged


def before_noun(adjective: str, noun: str) -> str:
    """Return the form of a masculine adjective before a noun."""
    forms = {"vieux": "vieil", "nouveau": "nouvel", "beau": "bel"}
    return forms.get(adjective, adjective) if begins_with_vowel(noun) else adjective


def begins_with_vowel(word: str) -> bool:
    """Return True if a word begins with a vowel or a mute h."""
    return word[0].lower() in VOWELS
