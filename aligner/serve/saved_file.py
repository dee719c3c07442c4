"""Saved files: what the page saves of a text, in which format, and what that format cannot have."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.formats.usfm import books_of, is_word
from aligner.links.linked_pairs import LinkedLines
from aligner.serve.served_text import ServedText

_ENDS = {"usfm": "aligned.usfm", "burrito": "burrito.json", "clear": "clear.json"}
"""The ends of the names of files, where they are not the name of the format."""


@dataclass(frozen=True, eq=False)
class SavedFile:
    """A file that has not been written yet.

    Attributes
    ----------
    facts
        The name of the file, how many lines and links it has, and what is left out, as plain data.
    write
        Returns the text of the file. Its argument receives messages.
    """

    facts: dict[str, Any]
    write: Callable[[Callable[[str], object]], str]

    def content(self, report: Callable[[str], object]) -> bytes:
        """Return the bytes of the file: of an archive, with a file for each book, if its name says so."""
        text = self.write(report)
        return archive(books_of(text)) if self.facts["name"].endswith(".zip") else text.encode()


def links_file(
    text: ServedText, links: Alignments, kept: Alignments, lines: int, format: str, part: str = ""
) -> SavedFile:
    """Return the file of links of a text.

    Parameters
    ----------
    text
        The text.
    links, kept
        The links, and the links that fit the format.
    lines
        The number of lines that have these links.
    format
        The name of the format.
    part
        What is saved, for the name of the file; "" for all links.
    """
    chosen = text.formats.find(format)
    torn = np.diff(links.offsets) - np.diff(kept.offsets)
    marks = _links_of_marks(text, kept) if format == "usfm" else 0
    facts = {
        "name": name_of(text, format, part),
        "lines": lines,
        "links": len(kept.source) - marks,
        "left_out": int(torn.sum()),
        "left_out_lines": int(np.count_nonzero(torn)),
        "marks": marks,
    }
    own = LinkedLines(kept, 1, [*zip(*text.words, strict=True)], text.ids.ids if text.ids else ())

    def write(report: Callable[[str], object]) -> str:
        try:
            return "".join(chosen.write([own], ids=text.ids, report=report))
        except DataError as error:  # the format cannot hold this text
            raise ConfigError(str(error)) from None

    return SavedFile(facts, write)


def edits_file(text: ServedText, known_links: str, links: int) -> SavedFile:
    """Return the file of edits, given its text and its number of links."""
    facts = {"name": name_of(text, "known-links.tsv"), "lines": known_links.count("\n"), "links": links}
    return SavedFile(facts, lambda _: known_links)


def name_of(text: ServedText, format: str, part: str = "") -> str:
    """Return the name of a file. USFM has the name of the translation, and is an archive of several books."""
    sides = ("target",) if format == "usfm" else ("source", "target")
    stems = dict.fromkeys(Path(text.names[side]).stem for side in sides if side in text.names)
    books = {name.partition(" ")[0] for name in text.ids.ids} if text.ids else set()
    end = "aligned.zip" if format == "usfm" and len(books) > 1 else _ENDS.get(format, format)
    return ".".join(filter(None, ["-".join(stems), part, end]))


def archive(files: dict[str, str]) -> bytes:
    """Return an archive of texts by the names of their files."""
    content = io.BytesIO()
    with ZipFile(content, "w") as made:
        for name, text in files.items():
            made.writestr(ZipInfo(name), text, ZIP_DEFLATED)
    return content.getvalue()


def _links_of_marks(text: ServedText, links: Alignments) -> int:
    """Return how many links are not of two words with letters or digits."""
    lines = zip(links, *text.words, strict=True)
    return sum(
        not (is_word(source[i]) and is_word(target[j])) for own, source, target in lines for i, j in own
    )
