"""Verses of the Bible: references such as `MAT 1:1`, `GAL 1:1-2` or `ESG 1:1a`, and their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from aligner.messages import excerpt

T = TypeVar("T")

_BOOKS = re.findall(
    r"\w+",
    """GEN EXO LEV NUM DEU JOS JDG RUT 1SA 2SA 1KI 2KI 1CH 2CH EZR NEH EST JOB PSA PRO ECC SNG ISA JER LAM EZK
    DAN HOS JOL AMO OBA JON MIC NAM HAB ZEP HAG ZEC MAL MAT MRK LUK JHN ACT ROM 1CO 2CO GAL EPH PHP COL 1TH
    2TH 1TI 2TI TIT PHM HEB JAS 1PE 2PE 1JN 2JN 3JN JUD REV TOB JDT ESG WIS SIR BAR LJE S3Y SUS BEL 1MA 2MA
    3MA 4MA 1ES 2ES MAN PS2 ODA PSS JSA JDB TBS SST DNT BLE""",
)
"""The codes of books in USFM, by their numbers from 1, the deuterocanonical books as in Paratext."""

_REFERENCE = re.compile(
    r"([1-4A-Z][A-Z0-9]{2}) ([1-9][0-9]{0,2}):([0-9]{1,3})([a-z]?)(?:-([0-9]{1,3})([a-z]?))?"
)


class Verse(NamedTuple):
    """A verse, a part of one, or several verses that a translation joins.

    Attributes
    ----------
    book
        The code of the book.
    chapter
        The chapter, from 1.
    verse
        The first verse. Verse 0 comes before verse 1, such as the title of a psalm.
    part
        A letter for a part of the first verse, or empty.
    last
        The last verse, or 0 for ``verse`` itself.
    last_part
        A letter for a part of the last verse, or empty.
    """

    book: str
    chapter: int
    verse: int
    part: str = ""
    last: int = 0
    last_part: str = ""

    @classmethod
    def parse(cls, reference: str) -> Verse:
        """Parse a reference such as `MAT 1:1`; ValueError for any other text."""
        match = _REFERENCE.fullmatch(reference)
        if match is None or match[1] not in _BOOKS or (match[5] and int(match[5]) < int(match[3])):
            raise ValueError(
                f"found the id {excerpt(reference)}; expected a verse such as MAT 1:1, GAL 1:1-2 or ESG 1:1a"
            )
        book, chapter, verse, part, last, last_part = match.groups("")
        return cls(book, int(chapter), int(verse), part, int(last or 0), last_part)

    @classmethod
    def of_number(cls, number: str) -> Verse:
        """Return the verse of 8 digits, BBCCCVVV; ValueError if there is no such book."""
        book = int(number[:2])
        if not 1 <= book <= len(_BOOKS):
            raise ValueError(f"found book {book} in {excerpt(number)}; expected 1 to {len(_BOOKS)}")
        return cls(_BOOKS[book - 1], int(number[2:5]), int(number[5:]))

    @property
    def number(self) -> str:
        """The first verse as 8 digits, BBCCCVVV, where Genesis is 01 and Matthew 40."""
        return f"{_BOOKS.index(self.book) + 1:02}{self.chapter:03}{self.verse:03}"

    @property
    def label(self) -> str:
        """The verse without its chapter, such as `1-2`."""
        last = f"-{self.last}{self.last_part}" if self.last else ""
        return f"{self.verse}{self.part}{last}"

    def __str__(self) -> str:
        return f"{self.book} {self.chapter}:{self.label}"


def joined(texts: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return texts by id where verses are joined that another text has as one, such as `GAL 1:1-2`.

    Other ids, and verses that all texts have alike, stay as they are.
    """
    names = joined_names(texts)
    parts = ({name: [line] for name, line in text.items()} for text in texts)
    found = (renamed(text, names) for text in parts)
    return [{name: " ".join(filter(None, lines)) for name, lines in text.items()} for text in found]


def joined_names(texts: Sequence[Collection[str]]) -> dict[str, str]:
    """Return the names of joined verses by the names of the verses, of texts of which one has them as one."""
    verses: dict[Verse, str] = {}
    for name in dict.fromkeys(name for text in texts for name in text):
        with suppress(ValueError):
            verses[Verse.parse(name)] = name
    clusters: list[list[Verse]] = []
    end = 0
    for verse in sorted(verses):
        if clusters and clusters[-1][0][:2] == verse[:2] and verse.verse <= end:
            clusters[-1].append(verse)
            end = max(end, verse.last)
        else:
            clusters.append([verse])
            end = max(verse.verse, verse.last)
    names: dict[str, str] = {}
    for cluster in clusters:
        members = [verses[verse] for verse in cluster]
        if len({present for text in texts if (present := tuple(n for n in members if n in text))}) > 1:
            first, last = cluster[0].verse, max(max(verse.verse, verse.last) for verse in cluster)
            whole = cluster[0]._replace(part="", last=last if last > first else 0, last_part="")
            names |= dict.fromkeys(members, str(whole))
    return names


def renamed(text: Mapping[str, Sequence[T]], names: Mapping[str, str]) -> dict[str, list[T]]:
    """Return a text with other names of some lines; the parts of all lines of a name become one line."""
    found: dict[str, list[T]] = {}
    for name, parts in text.items():
        found.setdefault(names.get(name, name), []).extend(parts)
    return found


def name_some(names: Sequence[str]) -> str:
    """Return the number of names and the first of them, for messages."""
    return f"{len(names):,} ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})"
