"""Versifications: how translations divide the Bible into chapters and verses, as files .vrs tell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aligner.errors import DataError
from aligner.scripture.book_files import read_settings
from aligner.scripture.books import Scripture, load_usfmtc
from aligner.scripture.verses import Verse, renamed

_NUMBERS = {"1": "org", "2": "lxx", "3": "vul", "4": "eng", "5": "rsc", "6": "rso"}
"""The names of versifications by their numbers in the settings of Paratext projects."""


def find_versification(books: Sequence[Path], name: str | None = None) -> list[Path]:
    """Return the files .vrs of a text, of which later ones amend earlier ones; none if it names none.

    books: the files of its books. name: org, eng or a file; by default, the settings of a Paratext project
    and its custom.vrs, or the versification.vrs of a bundle.
    """
    folder = books[0].parent
    number = read_settings(folder).findtext("Versification", "")
    files = [folder / "custom.vrs", folder / "versification.vrs", folder.parent / "versification.vrs"]
    name, files = (_NUMBERS.get(number), files) if name is None else (name, [])
    shipped = Path(str(load_usfmtc().__file__)).parent / f"{name}.vrs"
    first = shipped if name in _NUMBERS.values() else Path(name or "")
    return [first] * bool(name) + [file for file in files if file.is_file()]


def renumber(text: Scripture, old: Sequence[Path], new: Sequence[Path]) -> int:
    """Give verses the numbers of another versification, and return how many have others than before.

    Verses that the other one joins are joined. A verse that it divides into two chapters is bad.
    """
    refer = load_usfmtc().reference.Ref
    own, other = _read(old), _read(new)
    names: dict[str, str] = {}
    for name in [*text.verses]:
        verse = Verse.parse(name)
        first, last = (
            own.remap(refer(book=verse.book, chapter=verse.chapter, verse=number), other)
            for number in (verse.verse, verse.last or verse.verse)
        )
        start, end = first.first, last.last
        if (start.book, start.chapter) != (end.book, end.chapter):
            text.bad.append(f"found {name}, which is {start} to {end}; expected verses of one chapter")
            del text.verses[name]
            continue
        until = end.verse if end.verse > start.verse or verse.last_part else 0
        names[name] = str(Verse(start.book, start.chapter, start.verse, verse.part, until, verse.last_part))
    text.verses = renamed(text.verses, names)
    return sum(name != found for name, found in names.items())


def _read(paths: Sequence[Path]) -> Any:
    """Read a versification; DataError if a file is none."""
    versification = load_usfmtc().versification.Versification()
    for path in paths:
        try:
            versification.readFile(str(path))
        except (OSError, SyntaxError, ValueError, LookupError) as error:
            raise DataError(
                f"{path}: cannot be read ({error!r}); expected a versification: org, eng or a file .vrs, such"
                " as that of a Paratext project; name it (--versification)"
            ) from None
    return versification
