r"""USFM: the words of verses, and the milestones `\zaln-s` ... `\zaln-e` that they stand in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

from aligner.messages import excerpt
from aligner.text.files import PathLike
from aligner.text.lines import located
from aligner.text.verses import Verse

Occurrence: TypeAlias = tuple[str, int]
"""A form, and the number, from 1, of its occurrence in a verse."""

_TOKEN = re.compile(
    r"\\(?P<unit>id|c|v)\b\s*(?P<value>\S*)"
    r"|\\\+?w\s(?P<word>.*?)\\\+?w\*"
    r"|\\(?P<milestone>[a-z]+-[se])\b(?P<attributes>[^\\]*)(?:\\\*)?"
    r"|\\\*|\\\+?(?P<marker>[a-z]+)[0-9]*(?P<end>\*?)"
    r"|(?P<text>[^\\]+)|(?P<backslash>.)"
)
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')

MAX_MILESTONES = 100
"""The largest number of source words of a target word. More are taken for damage."""

_NOTES = {"f", "fe", "ef", "x", "ex", "fig", "rq", "ca", "va", "vp"}
"""Markers of text that is not of the verse, up to their ends."""

_HEADING = re.compile(
    "usfm|ide|sts|rem|h|toca?|mte?|i(?!t$)[a-z]*|ms|mr|s|sr|sd|r|sp|cl|cp|cd|qa|periph|restore|cat"
)
"""Markers of lines that are not of the verse."""


class UsfmVerse(NamedTuple):
    """A verse: its name, its tokens, and the source words of the milestones around each token."""

    name: str
    words: list[str]
    sources: list[tuple[Occurrence, ...]]


def read_usfm(path: PathLike, lines: Iterable[str]) -> Iterator[UsfmVerse]:
    r"""Yield the verses of the lines of a file, without notes, headings and introductions.

    Marks are tokens of their own, except inside words `\w`. DataError, with file and line, for markers that
    do not fit together, and for a verse that was there before.
    """
    book = chapter = note = ""
    verse: UsfmVerse | None = None
    around: list[Occurrence] = []
    names = set[str]()
    # The end of the file ends the last verse, as the next book does.
    for number, line in enumerate(chain(lines, ["\\id"]), 1):
        with located(path, number):
            for token in _TOKEN.finditer(line):
                marker, tokens = token["marker"], list[str]()
                if token["unit"]:
                    if note or around:
                        inside = (
                            rf"\{note} ... \{note}*" if note else rf"\zaln-s ... \zaln-e of {around[-1][0]}"
                        )
                        raise ValueError(f"found the end of a verse inside {inside}; expected its end before")
                    if verse is not None:
                        yield verse
                    verse = None
                    if token["unit"] == "id":
                        book, chapter = token["value"].upper(), ""
                        break
                    if token["unit"] == "c":
                        chapter = token["value"].lstrip("0")
                        continue
                    verse = UsfmVerse(str(Verse.parse(f"{book} {chapter}:{token['value']}")), [], [])
                    if verse.name in names:
                        raise ValueError(f"found {verse.name} again; expected each verse once")
                    names.add(verse.name)
                elif note:
                    note = "" if token["end"] and marker == note else note
                elif token["milestone"] == "zaln-s":
                    if len(around) == MAX_MILESTONES:
                        raise ValueError(f"found more than {MAX_MILESTONES} milestones around a word")
                    around.append(_occurrence(token["attributes"]))
                elif token["milestone"] == "zaln-e":
                    if not around:
                        raise ValueError(r"found \zaln-e; expected \zaln-s before it, in the same verse")
                    around.pop()
                elif token["word"]:
                    tokens = _TOKEN.sub(r"\g<text>", token["word"]).partition("|")[0].split()
                elif token["text"]:
                    tokens = [*tokens_of(token["text"].partition("|")[0])]
                elif token["backslash"] or marker in ("id", "c", "v", "w"):
                    raise ValueError(
                        f"found {excerpt(line[token.start() :])}; expected a whole marker of USFM"
                    )
                elif marker in _NOTES and not token["end"]:
                    note = marker
                elif marker and _HEADING.fullmatch(marker):
                    break
                if verse is not None:
                    verse.words.extend(tokens)
                    verse.sources.extend([tuple(around)] * len(tokens))


def tokens_of(text: str) -> Iterator[str]:
    """Yield the words of a text and the marks before, between and after them, each a token."""
    for run in re.sub("([—–…/־])", r" \1 ", text).split():
        letters = [k for k, letter in enumerate(run) if unicodedata.category(letter)[0] not in "PSC"]
        first, stop = (letters[0], letters[-1] + 1) if letters else (len(run), len(run))
        yield from filter(str.isprintable, run[:first])
        if letters:
            yield run[first:stop]
        yield from filter(str.isprintable, run[stop:])


def _occurrence(attributes: str) -> Occurrence:
    """Return the source word of a milestone; ValueError if it names none."""
    found = dict(_ATTRIBUTE.findall(attributes))
    form, count = found.get("x-content", ""), found.get("x-occurrence", "")
    if not form or not re.fullmatch("[1-9][0-9]{0,2}", count):
        raise ValueError(
            rf"found \zaln-s {excerpt(attributes)}; expected x-content, a word, and x-occurrence, its count"
            " in the verse from 1 to 999"
        )
    return form, int(count)
