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
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil

from aligner.analysis.concordance import Occurrence, Rendering, concordances
from aligner.errors import ConfigError
from aligner.links.linked_pairs import LinkedPair
from aligner.messages import excerpt
from aligner.text.files import PathLike
from aligner.text.lines import located, numbered_lines
from aligner.text.lookup import BY_DEFAULT
from aligner.text.prefixes import JOINER

_HEADS_ALIKE, _TRANSLATIONS_ALIKE = (2, 0.5), (3, 0.75)
"""Forms begin alike for at least so many letters, and for this share of the longer one."""

_LEAST_WORDS = 3
"""The least number of words of a side of an example, if there is such a line."""


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
    example
        An occurrence with the first of the translations; if there are none, with any rendering.
    """

    word: str
    forms: list[str]
    count: int
    unlinked: int
    translations: list[Rendering]
    rare: list[Rendering]
    example: Occurrence

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
        all of them.
    side
        The side of the head words: 0 for source, 1 for target.
    least_count
        The least number of occurrences with a translation.
    least
        The least share of the occurrences of a head word with a translation, from 0 to 1.
    best
        The largest number of translations of a word; by default there is no limit.
    lemmas
        The lemma of each form (see ``read_lemmas``). Other forms are grouped by their beginning and their
        main translation.

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
    pairs = [pair if side == 0 else pair.reversed() for pair in pairs]
    lemmas = lemmas or {}
    names, entries = set(lemmas.values()), []
    for head, found in concordances(pairs, _heads(pairs, lemmas).get).items():
        linked = [rendering for rendering in found.renderings if rendering.text]
        translations = [
            each for each in linked if len(each.occurrences) >= least_count and each.share >= least
        ][:best]
        rare = [rendering for rendering in linked if rendering.is_rare]
        forms: dict[str, str] = {}
        for form in map(_bare, found.forms):
            forms.setdefault(BY_DEFAULT.form(form), form)
        count = found.occurrences
        unlinked = count - sum(len(rendering.occurrences) for rendering in linked)
        first = (translations or linked or found.renderings)[0]
        written = [*forms.values()]
        title = head if head in names else written[0]
        entries.append(Entry(title, written, count, unlinked, translations, rare, example_of(first)))
    return sorted(entries, key=lambda entry: -entry.count)


def example_of(rendering: Rendering) -> Occurrence:
    """Return the occurrence of a rendering in the shortest line, but for lines of very few words."""

    def cost(occurrence: Occurrence) -> tuple[bool, int]:
        lengths = [len(words) for words in occurrence.words]
        return min(lengths) < _LEAST_WORDS, sum(lengths)

    return min(rendering.occurrences, key=cost)


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
    return max(BY_DEFAULT.form(_bare(word)).split(JOINER), key=len)


def _heads(pairs: list[LinkedPair], lemmas: Mapping[str, str]) -> dict[str, str]:
    """Return the entry of each source word: its lemma, or the first stem of its group."""
    stem_of = cache(_stem)
    words = dict.fromkeys(word for pair in pairs for word in pair.words[0])
    cells = ((stem_of(pair.words[0][i]), stem_of(pair.words[1][j])) for pair in pairs for i, j in pair.links)
    counts = Counter(cell for cell in cells if all(cell))  # punctuation has no stem
    totals: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for cell, count in counts.items():
        for total, stem in zip(totals, cell, strict=True):
            total[stem] += count
    # A word such as "of" is linked to many words. The shares of both sides rank it below what a word means.
    main: dict[str, tuple[float, str]] = {}
    for (stem, other), count in counts.items():
        share = count * count / (totals[0][stem] * totals[1][other])
        main[stem] = max(main.get(stem, (0.0, "")), (share, other))
    others = _grouped((("", other) for _, other in main.values()), *_TRANSLATIONS_ALIKE)
    heads = _grouped(((others[other], stem) for stem, (_, other) in main.items()), *_HEADS_ALIKE)
    stems = {word: stem_of(word) for word in words}
    return {word: lemmas.get(stem) or heads.get(stem, stem) for word, stem in stems.items() if stem}


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
