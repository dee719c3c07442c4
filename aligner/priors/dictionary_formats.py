"""Formats of dictionaries. The content of a file tells its format.

- Lines ``source TAB target`` or ``source TAB target TAB weight``.
- Lines of CC-CEDICT and EDICT: head words, perhaps a reading in brackets, ``/gloss/gloss/``.
- TEI files of FreeDict.
- Lines of JSON of kaikki.org, for a language that is glossed in English.
- Dictionaries of dictd, such as Debian's package ``dict-freedict-fra-eng`` installs, by their name,
  ``freedict-fra-eng``, or by their file ``.index``, ``.dict`` or ``.dict.dz``.

Notes in glosses, such as ``(coll.)``, and the English ``to`` of verbs and articles are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import reduce
from html import unescape
from itertools import chain, product
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TypeAlias

from aligner.errors import DataError
from aligner.files.json_text import parse_json
from aligner.files.lines import located, numbered_lines
from aligner.files.opening import PathLike, open_input
from aligner.messages import display_name

Entry: TypeAlias = tuple[str, str, float]
"""Source text, target text, weight."""

GREATEST_WEIGHT = 1e3
"""The greatest weight of an entry, and of a dictionary."""

_GLOSSED = re.compile(r"\s*(\S+(?: \S+)?)(?: \[[^\]]*\])? /(.*)")
_NOTE = re.compile(r"\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|EntL\w+")
_LEFT_OUT = re.compile(r"^(?:to|an?|the) (?=\S)")
_HEAD_WORD = re.compile(r"<orth\b[^>]*>([^<]+)</orth>")
_DICTD = Path("/usr/share/dictd")
_DIGITS = f"{ascii_uppercase}{ascii_lowercase}{digits}+/"
_SAID, _MARK = re.compile(r" [/<].*"), re.compile(rf"^\s*\d+\. |<[^>]*>|{_NOTE.pattern}")
_TRANSLATION = re.compile(r"<cit\b[^>]*\btype=.trans[^>]*>\s*<quote\b[^>]*>([^<]+)</quote>")


def read_entries(path: PathLike) -> Iterator[Entry]:
    """Yield the entries of a dictionary; raise DataError, with file and line, if a line has another form."""
    index = _index_of_dictd(path)
    if index is not None:
        return _dictd(index)
    lines = ((number, line) for number, line in numbered_lines(path) if line.strip())
    first = list[tuple[int, str]]()
    for number, line in lines:
        first.append((number, line))
        if "\t" in line or not line.startswith("#"):
            break
    every, begin = chain(first, lines), first[-1][1] if first else ""
    if "\t" not in begin and begin.startswith("<"):
        return _tei(path, (line for _, line in every))
    if "\t" not in begin and begin.startswith("{"):
        return _kaikki(path, every)
    if "\t" not in begin and _GLOSSED.fullmatch(begin):
        return _glossed(path, every)
    return (_entry(line, path, number) for number, line in every)


def _entry(line: str, path: PathLike, number: int) -> Entry:
    """Parse a line with TABs."""
    source, *others = line.split("\t")
    try:
        weight = float(others[1]) if len(others) > 1 else 1.0
    except ValueError:
        weight = -1.0
    source, target = source.strip(" "), others[0].strip(" ") if others else ""
    if not (source and target) or len(others) > 2 or not 0.0 <= weight <= GREATEST_WEIGHT:
        raise DataError(
            f"{display_name(path)}:{number}: found {line[:80]!r}; expected: source TAB target, or source"
            f" TAB target TAB weight, with words on both sides and a weight from 0 to {GREATEST_WEIGHT:g}"
        )
    return source, target, weight


def _glossed(path: PathLike, lines: Iterable[tuple[int, str]]) -> Iterator[Entry]:
    """Yield the entries of CC-CEDICT or EDICT, without comments."""
    for number, line in lines:
        found = _GLOSSED.fullmatch(line)
        if found is not None:
            heads = re.split("[ ;]", _NOTE.sub("", found[1]))
            yield from _entries(heads, re.split("[/;]", _NOTE.sub("", found[2])))
        elif not line.startswith("#"):
            raise DataError(
                f"{display_name(path)}:{number}: found {line[:80]!r}; expected: words [reading] /gloss/gloss/"
            )


def _tei(path: PathLike, lines: Iterable[str]) -> Iterator[Entry]:
    """Yield the entries of a TEI file; raise DataError if it has none."""
    *entries, rest = "\n".join(lines).split("</entry>")
    if not entries:
        raise DataError(
            f"{display_name(path)}: found markup without an <entry>, {rest[:80]!r}; expected a dictionary in"
            f" TEI, or lines of source TAB target"
        )
    for entry in entries:
        heads, translations = (map(unescape, own.findall(entry)) for own in (_HEAD_WORD, _TRANSLATION))
        yield from _entries(heads, (part for text in translations for part in re.split("[,;]", text)))


def _kaikki(path: PathLike, lines: Iterable[tuple[int, str]]) -> Iterator[Entry]:
    """Yield the glosses of words in lines of JSON."""
    for number, line in lines:
        with located(path, number):
            try:
                word = parse_json(line)
                glosses = [gloss for sense in word.get("senses", ()) for gloss in sense.get("glosses", ())]
                text = _NOTE.sub("", ";".join(glosses))
                head = str(word.get("word", ""))
            except (AttributeError, TypeError):
                raise ValueError(f"found {line[:80]!r}; expected an object with a word and senses") from None
        yield from _entries([head], re.split("[,;]", text))


def _index_of_dictd(path: PathLike) -> Path | None:
    """Return the index of a dictionary of dictd with this name or path, or None if it is something else."""
    stem = Path(re.sub(r"\.(index|dict|dict\.dz)$", "", os.fspath(path)))
    places = [stem] if os.fspath(path) != str(stem) else []
    if len(stem.parts) == 1 and not os.path.exists(path):
        places.append(_DICTD / stem)
    indices = (place.with_name(f"{place.name}.index") for place in places)
    return next((index for index in indices if index.exists()), None)


def _dictd(index: Path) -> Iterator[Entry]:
    """Yield the entries of a dictionary of dictd: the line of a head word, then glosses, notes indented."""
    text = index.with_suffix(".dict")
    with open_input(text if text.exists() else text.with_suffix(".dict.dz")) as file:
        data = file.read()
    articles: dict[tuple[int, int], None] = {}  # several words may lead to one
    for number, line in numbered_lines(index):
        with located(index, number):
            try:
                word, start, length = line.split("\t")[:3]
                if not word.startswith("00"):
                    articles[_number(start), _number(length)] = None
            except ValueError:
                raise ValueError(f"found {line[:80]!r}; expected word TAB offset TAB length") from None
    for begin, size in articles:
        head, *glosses = data[begin : begin + size].decode("utf-8", "replace").split("\n")
        texts = [_MARK.sub("", own) for own in glosses if not own.startswith("  ") and "see:" not in own]
        yield from _entries([_SAID.sub("", head)], re.split("[,;]", ";".join(texts)))


def _number(digits: str) -> int:
    """Return a number of dictd, in base 64; raise ValueError for another string."""
    return reduce(lambda number, digit: number * 64 + _DIGITS.index(digit), digits, 0)


def _entries(heads: Iterable[str], glosses: Iterable[str]) -> Iterator[Entry]:
    """Yield an entry for each head word and each gloss, once each."""
    words = dict.fromkeys(" ".join(head.split()) for head in heads)
    texts = dict.fromkeys(_LEFT_OUT.sub("", " ".join(gloss.split()).rstrip(".")) for gloss in glosses)
    yield from ((head, text, 1.0) for head, text in product(words, texts) if head and text)
