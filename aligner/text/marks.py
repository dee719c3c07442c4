"""Marks: punctuation and clitics that are split off the words of untokenised text, inside the program.

    marks = Marks.find(vocabulary.words, vocabulary.counts)     # None for tokenised text
    marks.split("l'eau,")                                       # ["l'", "eau", ","]

The counts of a text decide, for each side, which marks are split off. The decisions are kept, so that new
words are split alike. A word is leading marks, a stem from its first to its last letter or digit, and
trailing marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aligner.arrays import Bools, Int64s
from aligner.errors import DamagedError

_LISTED = {
    "'": "'\u2019\u2018\uff07\u1fbd`\xb4",  # apostrophes; okina and U+02BC are letters
    "-": "-\u2010\u2011\u05be",
    ".": ".",
    "(": "([{",
    ")": ")]}",
    "?": "#@&*+_=<>^|~\\\xa7\u2020\u2021",  # signs that may belong to a word, as in #tag
    "/": "/\u2026\u200b",
    "$": "%\u2030\xb7\u2027\u30fb\u05c0\u05c3",
    "a": "\u05f3\u05f4",  # geresh and gershayim
}
"""The kinds of characters that Unicode's categories do not tell."""

_OF_CATEGORY = {"L": "a", "Co": "a", "N": "0", "M": "m", "Cf": "m", "P": "!"}
"""The kinds of others: letters, digits, signs on the letter before, punctuation; "$" is the rest."""

_CLEAR = frozenset("!()")
"""The kinds of marks that show whether a text is tokenised: they stand alone, or at words."""


class _Kinds(dict[int, str]):
    """The kind of each character, for ``str.translate``; it is found on first use."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        listed = (kind for kind, letters in _LISTED.items() if chr(code) in letters)
        kind = next(listed, _OF_CATEGORY.get(category, _OF_CATEGORY.get(category[0], "$")))
        self[code] = kind
        return kind


_KINDS = _Kinds()
_PLAIN = str.maketrans(dict.fromkeys(_LISTED["'"], "'"))

_STEM = re.compile(r"[a0](?:.*[a0])?m*")
"""The stem, in the kinds of a word."""

_INNER = re.compile(r"(?<=[a0m])'?((?!')[^a0m]*?(?:[!/]|--|\.\.)[^a0m]*)(?=[a0])")
"""Marks between letters that part words: punctuation but brackets, and repeated hyphens and full stops."""

_MARKED = re.compile(r"\.[^.].*|[-+\u2212]\d.*|.*[^\W\d]\.[^\W\d]+\.", re.DOTALL)
"""Words to which their first or last mark belongs: .net, -5, u.s."""

_RUN = re.compile(r"(.)(?:\1|\ufe0f)*", re.DOTALL)
"""Equal marks, each with a variation selector or without."""

_WHOLE = re.compile(r"&[a-z#0-9]+;|-[a-z]{3}-", re.IGNORECASE)
"""Words of other programs, such as &quot; and -lrb-."""

_ADDRESS = re.compile(r"://|^www\.|\w@\w+\.|^[\w-]+\.(?:com|org|net|gov|edu)\b", re.IGNORECASE)

_PARTNERS = dict(zip("([{)]}", ")]}([{", strict=True))

_LEAST_GLUED, _LEAST_SHARE = 5, 0.02
"""The least number of words at which clear marks stand, and their least share of these and of marks alone.

Of 58 sides of tokenised texts, the greatest share is 0.007 (three Greek texts that are raw apart); of 15 raw
texts, the least is 0.51.
"""

_LEAST_KEPT = 3
"""The least frequency of a word that keeps a mark which may be a part of it, such as 'tis: rarer words are
split, as new ones are."""

_MOST_PARTS = 16
"""A word with more parts, such as a line of a table without spaces, stays whole."""

_MOST_LETTERS = 4
"""The most letters of a clitic at the end of a word."""

_LEAST_LETTERS_OF_EXAMPLE = 4

_LEAST_EXPLAINED, _LEAST_EXPLAINED_BESIDE_FINAL = 0.6, 0.75
"""The least share of the types with an apostrophe inside that clitics explain. Elsewhere it is a letter.

More is needed if over ``_FINAL_SHARE`` of the words end with an apostrophe of their own."""

_FINAL_SHARE = 0.01


@dataclass(frozen=True)
class Marks:
    """The decisions by which marks and clitics are split off the words of one side of a text.

    Attributes
    ----------
    clitics
        The clitics that are split off, with apostrophes as "'": l', dell', 's, n't.
    kept
        The stems that keep a mark before or after them, with it: 'tis, po'.
    examples
        The most frequent words that are split at a mark and at a clitic, if there are any.
    """

    clitics: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    examples: tuple[str, ...] = ()

    @classmethod
    def find(cls, words: Sequence[str], counts: Int64s) -> Marks | None:
        """Return what is split off words with these frequencies; None if marks stand alone already."""
        if not _has_marks_at_words(words, counts):
            return None
        stems: Counter[str] = Counter()
        marked: Counter[tuple[str, str]] = Counter()
        for word, count in zip(words, counts.tolist(), strict=True):
            kind = word.translate(_KINDS)
            if found := _STEM.search(kind):
                begin, end = found.span()
                stem = word[begin:end]
                stems[stem.translate(_PLAIN)] += count
                if kind[begin - 1 : begin] in ("'", "-", "?"):
                    marked[stem, word[begin - 1 : end]] += count
                is_initial = kind[end : end + 1] == "." and len(stem) == 1 and stem.isalpha()
                if is_initial or kind[end : end + 1] in ("'", "-", "?"):
                    marked[stem, word[begin : end + 1]] += count
        kept = frozenset(
            own
            for (stem, own), count in marked.items()
            if count >= _LEAST_KEPT and 2 * count > stems[stem.translate(_PLAIN)]
        )
        final = sum(count for (_, own), count in marked.items() if own in kept and own[-1] in _LISTED["'"])
        marks = cls(_find_clitics(stems, final > _FINAL_SHARE * counts.sum()), kept)
        return replace(marks, examples=marks._examples(words))

    def _examples(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the first longer words in two parts: one split at a mark, and one at a clitic."""
        found: dict[bool, str] = {}
        for word in words:
            parts = self.split(word)
            if len(parts) == 2 and max(map(len, parts)) >= _LEAST_LETTERS_OF_EXAMPLE:
                found.setdefault(bool(letters_in(parts).all()), word)
            if len(found) == 1 + bool(self.clitics):
                break
        return tuple(found[kind] for kind in sorted(found))

    def to_lists(self) -> list[list[str]]:
        """Return the clitics, what is kept, and the examples."""
        return [sorted(self.clitics), sorted(self.kept), list(self.examples)]

    @classmethod
    def from_lists(cls, lists: Sequence[Sequence[str]]) -> Marks:
        """Return the marks of ``to_lists``; raise DamagedError if these are none."""
        if len(lists) != 3:
            raise DamagedError(f"its vocabulary has {len(lists)} lists of marks in place of 3")
        clitics, kept, examples = ([word for word in own if word] for own in lists)
        return cls(frozenset(clitics), frozenset(kept), tuple(examples))

    def split(self, word: str) -> list[str]:
        """Return the parts of a word. Joined, they are the word."""
        kinds = word.translate(_KINDS)
        if not kinds.strip("a"):
            return [word]
        found = _STEM.search(kinds)
        if found is None or _WHOLE.fullmatch(word) or word.translate(_PLAIN) in self.clitics:
            return [word]
        begin, end = found.span()
        before, stem, after = _runs(word[:begin]), word[begin:end], _runs(word[end:])
        if _ADDRESS.search(stem):
            parts = [stem]
        else:
            parts = self._stem_parts(word, kinds, begin, end)
            is_quoted = kinds[begin - 1 : begin] == kinds[end : end + 1] == "'"
            if before and not is_quoted and self._belongs(before[-1], stem, before[-1] + stem):
                parts[0] = before.pop() + parts[0]
            if after and not is_quoted and self._belongs(after[0], stem, stem + after[0]):
                parts[-1] += after.pop(0)
        parts = [*before, *parts, *after]
        return parts if len(parts) <= _MOST_PARTS else [word]

    def _belongs(self, mark: str, stem: str, marked: str) -> bool:
        """Return True if a mark before or after a stem is a part of the word; marked: both."""
        partner = _PARTNERS.get(mark)
        is_paired = partner is not None and partner in stem and mark not in stem
        return is_paired or marked in self.kept or _MARKED.fullmatch(marked) is not None

    def _stem_parts(self, word: str, kinds: str, begin: int, end: int) -> list[str]:
        """Return the parts of the stem of a word, from begin to end."""
        parts: list[str] = []
        for marks in _INNER.finditer(kinds, begin, end):
            first, last = marks.span(1)
            if kinds[first - 1] != "0" or kinds[last] != "0":
                parts += [*self._without_clitics(word[begin:first]), *_runs(word[first:last])]
                begin = last
        return [*parts, *self._without_clitics(word[begin:end])]

    def _without_clitics(self, word: str) -> list[str]:
        """Return a word apart from the clitics before and after it."""
        plain, begin, end = word.translate(_PLAIN), 0, len(word)
        before, after = list[str](), list[str]()
        while (cut := plain.find("'", begin + 1, end - 1) + 1) and plain[begin:cut] in self.clitics:
            before.append(word[begin:cut])
            begin = cut
        while (at := plain.rfind("'", begin + 1, end - 1)) > 0:
            cuts = [cut for cut in (at, at - 1) if cut > begin and plain[cut:end] in self.clitics]
            if not cuts:
                break
            after.insert(0, word[cuts[0] : end])
            end = cuts[0]
        return [*before, word[begin:end], *after]


def letters_in(words: Iterable[str]) -> Bools:
    """Return True for each word with a letter or a digit, bool [words]."""
    return np.array([_STEM.search(word.translate(_KINDS)) is not None for word in words], np.bool_)


def _has_marks_at_words(words: Sequence[str], counts: Int64s) -> bool:
    """Return True if clear marks stand at words, not alone as in tokenised text."""
    ends = ((_KINDS[ord(word[0])], _KINDS[ord(word[-1])]) for word in words)
    is_clear = np.array([not _CLEAR.isdisjoint(kinds) for kinds in ends], np.bool_)
    has_stem = letters_in(words[k] for k in np.flatnonzero(is_clear).tolist())
    glued = counts[is_clear][has_stem].sum()
    return bool(glued >= max(_LEAST_GLUED, _LEAST_SHARE * counts[is_clear].sum()))


def _runs(marks: str) -> list[str]:
    """Return the runs of equal marks."""
    return [run[0] for run in _RUN.finditer(marks)]


def _find_clitics(stems: Iterable[str], apostrophe_is_final: bool) -> frozenset[str]:
    """Return the clitics: strings before or after apostrophes of words that also occur without them.

    stems: with apostrophes as "'"; apostrophe_is_final: True if many words end with an apostrophe. The
    numbers were settled on 73 sides of texts: they tell l' and n't from c'h (Breton), where it is a letter.
    """
    cuts = [
        (stem, at)
        for stem in stems
        if "'" in stem
        for at in range(1, len(stem) - 1)
        if stem[at] == "'" and stem[at - 1 : at + 2 : 2].isalpha()
    ]
    rests = Counter(stem[at + 1 :] for stem, at in cuts)
    sides: tuple[defaultdict[str, list[tuple[str, bool]]], ...] = defaultdict(list), defaultdict(list)
    for stem, at in cuts:
        rest = stem[at + 1 :]
        sides[0][stem[: at + 1]].append((rest[0], rest in stems or rests[rest] > 1))
        if len(rest) <= _MOST_LETTERS:
            for cut in range(at, max(at - 2, 0), -1):
                sides[1][stem[cut:]].append((stem[cut - 1], stem[:cut] in stems))

    def accepted(side: int, types: int, letters: int, known: float) -> set[str]:
        """Return the candidates with at least these types, letters beside them, and share of known words."""
        return {
            own
            for own, found in sides[side].items()
            if len(found) >= types
            and len({letter for letter, _ in found}) >= letters
            and sum(is_known for _, is_known in found) >= known * len(found)
        }

    own = [accepted(side, 5, 4, 0.4) for side in (0, 1)]
    types = [sum(len(sides[side][clitic]) for clitic in own[side]) for side in (0, 1)]
    main = int(types[1] > types[0])
    if types[main] >= 20:
        own[main] |= accepted(main, 2, 2, 0.75) | accepted(main, 5, 4, 0.2)
    own[1 - main] = {clitic for clitic in own[1 - main] if len(sides[1 - main][clitic]) >= 20}
    clitics = Marks(frozenset(own[0] | own[1]))
    types_with = {stem for stem, _ in cuts}
    explained = sum(len(clitics._without_clitics(stem)) > 1 for stem in types_with)
    least = _LEAST_EXPLAINED_BESIDE_FINAL if apostrophe_is_final else _LEAST_EXPLAINED
    return clitics.clitics if explained >= least * len(types_with) else frozenset()
