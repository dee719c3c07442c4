"""A small text in French and English, made from patterns of sentences, with gold links."""

from __future__ import annotations

import random

PEOPLE = [
    ("le roi", "the king"), ("la reine", "the queen"), ("un voisin", "a neighbour"), ("la fille", "the girl"),
    ("le chat", "the cat"), ("une femme", "a woman"), ("le facteur", "the postman"),
    ("la voisine", "the neighbour"),
]  # fmt: skip
THINGS = [
    ("le livre", "the book"), ("la lettre", "the letter"), ("un pain", "a loaf"), ("une clef", "a key"),
    ("le chapeau", "the hat"), ("la robe", "the dress"), ("une bague", "a ring"), ("le panier", "the basket"),
]  # fmt: skip
COLOURS = [("bleu", "blue"), ("noir", "black"), ("vert", "green"), ("rond", "round"), ("lourd", "heavy")]
VERBS = [
    ("cherche", ["seek", "look for"]), ("regarde", ["watch", "look at"]), ("trouve", ["find", "discover"]),
    ("voit", ["see"]), ("garde", ["keep", "hold on to"]), ("perd", ["lose"]),
    ("porte", ["carry", "take along"]),
]  # fmt: skip
PLACES = [
    ("dans le jardin", "in the garden"), ("devant la maison", "in front of the house"),
    ("sous le pont", "under the bridge"), ("sur la table", "on the table"), ("au marché", "at the market"),
]  # fmt: skip
TIMES = [("souvent", "often"), ("ce matin", "this morning"), ("aujourd'hui", "today"), ("encore", "again")]


def side_by_side(french, english):
    """Return French words, English words and links; surplus English words link to the first French word."""
    source, target = french.split(), english.split()
    more = len(target) - len(source)
    return source, target, [(max(k - more, 0), k) for k in range(len(target))]


def thing(chance):
    """Return a noun phrase, perhaps with an adjective, which follows the noun in French."""
    french, english = chance.choice(THINGS)
    (article, noun), (own, name) = french.split(), english.split()
    if chance.random() < 0.4:
        return [article, noun], [own, name], [(0, 0), (1, 1)]
    adjective, colour = chance.choice(COLOURS)
    feminine = "e" if article in ("la", "une") else ""
    return [article, noun, adjective + feminine], [own, colour, name], [(0, 0), (1, 2), (2, 1)]


def verb(chance):
    """Return a verb, perhaps negated: `ne` and `pas` both mean `not`."""
    french, translations = chance.choice(VERBS)
    first, *rest = chance.choice(translations).split()
    if chance.random() < 0.4:
        english = ["does", "not", first, *rest]
        return ["ne", french, "pas"], english, [(0, 1), (2, 1), *((1, j) for j in range(2, len(english)))]
    third = f"{first}es" if first == "watch" else "carries" if first == "carry" else f"{first}s"
    english = [third, *rest]
    return [french], english, [(0, j) for j in range(len(english))]


def pair(chance):
    """Return a sentence pair and its links."""
    phrases = [side_by_side(*chance.choice(PEOPLE)), verb(chance), thing(chance)]
    phrases += [side_by_side(*chance.choice(PLACES))] * (chance.random() < 0.6)
    phrases += [side_by_side(*chance.choice(TIMES))] * (chance.random() < 0.5)
    source, target, links = [], [], []
    for french, english, own in [*phrases, (["."], ["."], [(0, 0)])]:
        links += [(len(source) + i, len(target) + j) for i, j in own]
        source += french
        target += english
    return " ".join(source), " ".join(target), sorted(links)


def write_small_text(folder, lines):
    """Write text.fr and text.en, and return the gold links of their lines."""
    chance = random.Random(1)
    pairs = [pair(chance) for _ in range(lines)]
    for k, name in enumerate(("text.fr", "text.en")):
        (folder / name).write_text("".join(pair[k] + "\n" for pair in pairs), "utf-8")
    return [links for _, _, links in pairs]
