"""Dictionaries of a text: head words with the renderings that the links give them, counts and examples.

An entry has all forms of a word. A file of lemmas says which forms these are. Other forms are grouped if they
begin alike, for at least half of the longer one, and have the same main translation: of the words linked to a
form, the most exclusive one, in any of its own forms.

Measured on the Greek New Testament with links to English (17,533 forms) by the lemmas of MorphGNT: in the
mean over occurrences, 98.5 % of a group is of the lemma, and the group has 54 % of the lemma; over forms,
96 % and 46 %. Ungrouped forms have 41 % of their lemma. Groups of the same first 4 letters have 62 %, but
87 % of such a group is of the lemma; over forms 57 %, too few for one entry.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np

from aligner.analysis.concordance import Occurrence, Occurrences, Rendering, Renderings, by_frequency
from aligner.errors import ConfigError
from aligner.files.lines import located, numbered_lines
from aligner.files.opening import PathLike
from aligner.links.linked_pairs import LinkedPair
from aligner.links.linked_text import LinkedText
from aligner.messages import excerpt
from aligner.text.lookup import BY_DEFAULT
from aligner.text.prefixes import JOINER

_HEADS_ALIKE, _TRANSLATIONS_ALIKE = (2, 0.5), (3, 0.75)
"""Forms begin alike for at least so many letters, and for this share of the longer one."""


@dataclass(frozen=True)
class Entry:
    """A head word with its renderings.

    Attributes
    ----------
    word
        The lemma, or the most frequent form.
    forms
        The forms in the spelling of the text, the most frequent first. Of forms that are equal in the lookup,
        such as those by case, it is one.
    count
        The number of occurrences of all forms.
    unlinked
        The number of occurrences without a link.
    translations
        The renderings that are frequent enough, the most frequent first.
    rare
        The renderings that are flagged as rare (see ``aligner.analysis.concordance``).
    main
        The occurrences with the first of the translations; if there are none, with any rendering.
    """

    word: str
    forms: list[str]
    count: int
    unlinked: int
    translations: list[Rendering]
    rare: list[Rendering]
    main: Occurrences

    @property
    def example(self) -> Occurrence:
        """An occurrence with the main rendering."""
        return self.main.example

    @property
    def renderings(self) -> list[Rendering]:
        """The translations, then the rare renderings that are not among them."""
        return self.translations + [each for each in self.rare if each not in self.translations]


def dictionary(
    pairs: Iterable[LinkedPair],
    *,
    side: int = 0,
    least_count: int = 2,
    least: float = 0.0,
    best: int | None = None,
    lemmas: Mapping[str, str] | None = None,
) -> list[Entry]:
    """Return the words of a text with the renderings that its links give them, the most frequent first.

    Parameters
    ----------
    pairs
        The pairs of the text with their words and links. Their names are the ids of the lines. Memory holds
        them as arrays.
    side
        The side of the head words: 0 for source, 1 for target.
    least_count
        The least number of occurrences with a translation.
    least
        The least share of the occurrences of a head word with a translation, from 0 to 1.
    best
        The largest number of translations of a word; by default there is no limit.
    lemmas
        The lemma of each form, by which it is looked up like a word of a text. Other forms are grouped by
        their beginning and their main translation.

    Returns
    -------
    list of Entry
        The entries. Words without a letter or a digit have none.

    Raises
    ------
    ConfigError
        If an argument is out of range.
    """
    for name, number in (("least_count", least_count), ("best", 1 if best is None else best)):
        if number < 1:
            raise ConfigError(f"{name} = {number}: expected a number from 1")
    if not 0 <= least <= 1:
        raise ConfigError(f"least = {least}: expected a share from 0 to 1")
    text = LinkedText.of_pairs(pairs, side)
    lemmas = {_stem(form): lemma for form, lemma in reversed([*(lemmas or {}).items()])}
    heads = _heads(text, lemmas)
    numbers = {head: k for k, head in enumerate(dict.fromkeys(filter(None, heads)))}
    entry_of = np.array([numbers.get(head, -1) for head in heads], np.int64)
    found, words = Renderings.of(text, entry_of), text.sides[0].words
    forms = [dict[str, str]() for _ in numbers]
    for k in by_frequency(text, entry_of):
        if heads[k]:
            form = _bare(words[k])
            forms[entry_of[k]].setdefault(BY_DEFAULT.key(form), form)
    counts = np.diff(found.offsets)
    is_translation = found.are_linked & (counts >= least_count) & (found.shares >= least)
    starts = np.searchsorted(found.entries, np.arange(len(numbers)))
    main = np.lexsort((~found.are_linked, ~is_translation, found.entries))[starts].tolist()
    totals, linked = (np.bincount(found.entries, own).tolist() for own in (counts, counts * found.are_linked))
    names, entries = set(lemmas.values()), []
    for k, (head, translations, rare) in enumerate(
        zip(numbers, found.by_entry(is_translation), found.by_entry(found.are_rare), strict=True)
    ):
        made = {n: found.rendering(n) for n in {*translations[:best], *rare}}
        written = [*forms[k].values()]
        entries.append(
            Entry(
                head if head in names else written[0],
                written,
                int(totals[k]),
                int(totals[k] - linked[k]),
                [made[n] for n in translations[:best]],
                [made[n] for n in rare],
                found.occurrences(main[k]),
            )
        )
    return sorted(entries, key=lambda entry: -entry.count)


def read_lemmas(path: PathLike) -> dict[str, str]:
    """Read a file of lines FORM TAB LEMMA, for ``dictionary``; DataError for other lines.

    Forms are looked up like words of a text. Further columns do not matter. The first lemma of a form counts.
    """
    lemmas: dict[str, str] = {}
    for number, line in numbered_lines(path):
        form, lemma, *_ = [*map(str.strip, line.split("\t")), ""]
        with located(path, number):
            if not (_stem(form) and lemma):
                raise ValueError(f"found {excerpt(line)}; expected FORM TAB LEMMA")
        lemmas.setdefault(_stem(form), lemma)
    return lemmas


def _bare(word: str) -> str:
    """Return a word without punctuation around it; "" for punctuation."""
    places = [place for place, letter in enumerate(word) if unicodedata.category(letter)[0] in "LMN"]
    return word[places[0] : places[-1] + 1] if places else ""


def _stem(word: str) -> str:
    """Return the longest part of a word, as the lookup has it, without punctuation. Most are one part."""
    return max(BY_DEFAULT.key(_bare(word)).split(JOINER), key=len)


def _heads(text: LinkedText, lemmas: Mapping[str, str]) -> list[str]:
    """Return the entry of each source word: its lemma, or the first stem of its group; "" for punctuation."""
    stems = [[*map(_stem, side.words)] for side in text.sides]
    names = [sorted({"", *own}) for own in stems]
    cells = []
    for side, own, known, tokens in zip(text.sides, stems, names, text.links, strict=True):
        ids = {stem: k for k, stem in enumerate(known)}
        cells.append(np.array([ids[stem] for stem in own], np.int64)[side.tokens[tokens]])
    are_words = (cells[0] > 0) & (cells[1] > 0)  # punctuation has no stem
    codes, counts = np.unique(cells[0][are_words] << 32 | cells[1][are_words], return_counts=True)
    stem, other = codes >> 32, codes & 0xFFFFFFFF
    # A word such as "of" is linked to many words. The shares of both sides rank it below what a word means.
    shares = counts * counts / (np.bincount(stem, counts)[stem] * np.bincount(other, counts)[other])
    order = np.lexsort((other, shares, stem))
    best = order[np.diff(stem[order], append=-1) != 0]
    main = {names[0][i]: names[1][j] for i, j in zip(stem[best].tolist(), other[best].tolist(), strict=True)}
    others = _grouped((("", other) for other in main.values()), *_TRANSLATIONS_ALIKE)
    heads = _grouped(((others[other], stem) for stem, other in main.items()), *_HEADS_ALIKE)
    return [lemmas.get(stem) or heads.get(stem, stem) for stem in stems[0]]


def _grouped(words: Iterable[tuple[str, str]], letters: int, share: float) -> dict[str, str]:
    """Return the first word of the group of each word. words: (class, word).

    In the order of the alphabet, a word joins the group of the word before it, if both are of one class and
    begin alike, for at least this number of letters and this share of the longer one.
    """
    heads: dict[str, str] = {}
    last_class, last = "", ""
    for own_class, word in sorted(words):
        least = max(letters, ceil(share * max(len(last), len(word))))
        is_alike = own_class == last_class and word[:least] == last[:least]
        heads[word] = heads[last] if is_alike else word
        last_class, last = own_class, word
    return heads
