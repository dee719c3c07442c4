"""The words of the sample, as words.txt lists them, and the pairs of phrases that they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import NamedTuple

from aligner.sample.draw import Draw


@dataclass(eq=False)
class Token:
    """A word in its sentence, compared by identity, because its position is known only at the end.

    ``links`` are those of an English word: French words, each with True if the link is sure.
    """

    form: str
    links: list[tuple[Token, bool]] = field(default_factory=list)


class Phrase(NamedTuple):
    """A phrase in both languages, each in its own word order."""

    french: list[Token]
    english: list[Token]


class Entry(NamedTuple):
    """A line of words.txt: French words, their translations, and notes for the grammar."""

    french: tuple[str, ...]
    translations: list[tuple[str, ...]]
    notes: tuple[str, ...]

    @property
    def first(self) -> Phrase:
        """The entry with its first translation."""
        return pair_of(self.french, self.translations[0])


ENTRIES: dict[str, list[Entry]] = {}
"""The entries of each class of words, by falling frequency."""

FORMS: dict[str, dict[str, list[str]]] = {}
"""Irregular forms, by class and word."""


def _read() -> None:
    """Read words.txt into ``ENTRIES`` and ``FORMS``."""
    text = files(__package__).joinpath("words.txt").read_text("utf-8")
    for name, body in re.findall(r"^\[(.*)\]\n((?:.+\n)*)", text, re.M):
        for line in body.splitlines():
            french, equals, english = line.partition(" = ")
            english, _, notes = english.partition(" : ")
            if equals:
                translations = [tuple(words.split()) for words in english.split(" ; ")]
                entry = Entry(tuple(french.split()), translations, tuple(notes.split()))
                ENTRIES.setdefault(name, []).append(entry)
            else:
                word, *forms = line.split()
                FORMS.setdefault(name, {})[word] = forms


_read()


@cache
def _choices(name: str, note: str | None) -> tuple[list[Entry], list[float]]:
    """Return the entries of a class that have a note, and the running sums of their frequencies.

    Frequencies are proportional to 1 / (rank + 2), ranks from 0: the Zipf-Mandelbrot law.
    """
    entries = [entry for entry in ENTRIES[name] if note is None or note in entry.notes]
    return entries, list(accumulate(1 / (rank + 2) for rank in range(len(entries))))


def draw_entry(draw: Draw, name: str, note: str | None = None) -> Entry:
    """Draw an entry of a class, which has the note if one is given."""
    return draw.weighted(*_choices(name, note))


def translation(draw: Draw, entry: Entry) -> Phrase:
    """Return an entry and one of its translations, mostly the first.

    Phrases of equal length without a reflexive pronoun are linked word by word. A single word has a sure link
    to each of several. Otherwise, a sure link joins the main words, and all others are possible.
    """
    english = entry.translations[0] if draw.chance(0.65) else draw.one_of(entry.translations)
    return pair_of(entry.french, english)


def pair_of(french: Sequence[str], english: Sequence[str]) -> Phrase:
    """Return the phrase of two sides (see ``translation``)."""
    phrase = Phrase(*([Token(word.removeprefix("*")) for word in side] for side in (french, english)))
    words = [token for token in phrase.english if token.form != "_"]
    starred = [[word.startswith("*") for word in side if word != "_"] for side in (french, english)]
    reflexive = french[0] in ("se", "s'", "en")
    main = [side.index(True) if True in side else 0 for side in starred]
    main[0] = main[0] or int(reflexive)
    aligned = len(words) == len(french) and main[0] == main[1] and not reflexive
    free = min(len(words), len(french)) > 1
    for j, token in enumerate(words):
        for i, other in enumerate(phrase.french):
            if not aligned or i == j:
                token.links.append((other, aligned or not free or [i, j] == main))
    return phrase


def linked(english: str, french: Token) -> Token:
    """Return an English word with a sure link to a French word."""
    return Token(english, [(french, True)])


def join(*phrases: Phrase) -> Phrase:
    """Return phrases one after another, in the same order in both languages."""
    return Phrase(*([token for phrase in phrases for token in phrase[side]] for side in (0, 1)))


NOTHING = Phrase([], [])
