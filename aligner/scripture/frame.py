r"""Frames: what USFM has around its verses: headers, chapters, headings and marks of paragraphs.

A frame is USFM whose verses are empty. What stands inside a verse is not in it, such as a note, or the mark
of a line of a poem.
"""

from __future__ import annotations

import re
from collections import defaultdict

from aligner.scripture.verses import Verse

_MARK = r"(?:p[cmor]?|pm[ocr]|pi|ph|cls|m|mi|nb|b|q[rcdm]?|l[hf]|lim?|pb|ts)\d?(?:\\\*)?"
_HEADING = r"(?:m?s|m?r|sr|sp|sd|qa|rem|c[ld]|mte?)\d?(?:[^\S\n][^\n]*(?:\n(?!\\)[^\n]*)*)?"
_PIECE = re.compile(rf"(\\(?:{_HEADING}|{_MARK})\s+)|[^\\]+|\\")
"""A mark or a heading, which is a group, or other text."""


def frame_of(text: str) -> str:
    """Return the frame of USFM."""
    return "".join(map(_without_text, re.split(r"(?=\\(?:v|c|id)\s)", text)))


def _without_text(part: str) -> str:
    """Return a verse without its text; the marks and headings at its end are of the next verse."""
    number = re.match(r"\\v\s+(\S+)", part)
    if number is None:
        return part
    ends = [piece.end() for piece in _PIECE.finditer(part, number.end()) if not piece[1]]
    return f"\\v {number[1]}\n{part[max(ends, default=number.end()) :]}"


class Frame:
    """A frame, to write verses into. An empty one gives them the least that USFM needs."""

    def __init__(self, text: str = "") -> None:
        self._heads: dict[str, str] = {}
        self._places: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
        for book in re.split(r"(?=\\id\s)", text)[1:]:
            head, *chapters = re.split(r"(?=\\c\s)", book)
            code, title, rest = re.findall(r"(?s)\\id\s+(\w*)([^\n]*)\s*(.*)", head)[0]
            rest = re.sub(r"\\usfm\b[^\n]*\n|(?s:\\v\s.*)", "", rest)
            self._heads[code.upper()] = f"\\id {code.upper()}{title}\n\\usfm 3.0\n{rest}"
            before = ""
            for chapter in chapters:
                parts = re.split(r"\\v (\d+)\S*\n", before + chapter)
                place = code.upper(), int(re.findall(r"\\c\s+(\d+)|$", chapter)[0] or 0)
                numbers = [*map(int, parts[1::2])]
                if place not in self._places:  # before any verse of the chapter, in whatever order they come
                    numbers[:1] = [0]
                self._places[place] += zip(numbers, parts[::2], strict=False)
                before = parts[-1] if len(parts) > 1 else ""

    def before(self, verse: Verse, last: Verse | None) -> str:
        """Return what stands before a verse, after the one that was written last."""
        head, start = "", -1
        if last is None or last.book != verse.book:
            head = self._heads.get(verse.book, f"\\id {verse.book}\n\\usfm 3.0\n")
        elif last.chapter == verse.chapter:
            start = last.verse
        places = self._places.get((verse.book, verse.chapter), ())
        text = "".join(before for number, before in places if start < number <= verse.verse)
        if start < 0 and re.fullmatch(r"(\\c\s+\d+\s*)?", text):
            text = f"\\c {verse.chapter}\n\\p\n"
        return head + text
