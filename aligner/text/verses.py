"""Verses of the Bible: references such as `MAT 1:1`, and their numbers."""

from __future__ import annotations

import re
from typing import NamedTuple

from aligner.messages import excerpt

_BOOKS = re.findall(
    r"\w+",
    """GEN EXO LEV NUM DEU JOS JDG RUT 1SA 2SA 1KI 2KI 1CH 2CH EZR NEH EST JOB PSA PRO ECC SNG ISA JER LAM EZK
    DAN HOS JOL AMO OBA JON MIC NAM HAB ZEP HAG ZEC MAL MAT MRK LUK JHN ACT ROM 1CO 2CO GAL EPH PHP COL 1TH
    2TH 1TI 2TI TIT PHM HEB JAS 1PE 2PE 1JN 2JN 3JN JUD REV""",
)
"""The codes of books in USFM, by their numbers from 1."""

_REFERENCE = re.compile(r"([1-3A-Z][A-Z]{2}) ([1-9][0-9]{0,2}):([1-9][0-9]{0,2})")


class Verse(NamedTuple):
    """A book, by its code, a chapter and a verse, from 1."""

    book: str
    chapter: int
    verse: int

    @classmethod
    def parse(cls, reference: str) -> Verse:
        """Parse a reference such as `MAT 1:1`; ValueError for any other text."""
        match = _REFERENCE.fullmatch(reference)
        if match is None or match[1] not in _BOOKS:
            raise ValueError(f"found the id {excerpt(reference)}; expected a verse such as MAT 1:1")
        return cls(match[1], int(match[2]), int(match[3]))

    @classmethod
    def of_number(cls, number: str) -> Verse:
        """Return the verse of 8 digits, BBCCCVVV; ValueError if there is no such book."""
        book = int(number[:2])
        if not 1 <= book <= len(_BOOKS):
            raise ValueError(f"found book {book} in {excerpt(number)}; expected 1 to {len(_BOOKS)}")
        return cls(_BOOKS[book - 1], int(number[2:5]), int(number[5:]))

    @property
    def number(self) -> str:
        """The verse as 8 digits, BBCCCVVV, where Genesis is 01 and Matthew 40."""
        return f"{_BOOKS.index(self.book) + 1:02}{self.chapter:03}{self.verse:03}"

    def __str__(self) -> str:
        return f"{self.book} {self.chapter}:{self.verse}"
