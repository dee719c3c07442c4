"""Dictionaries as files: a page that is searched and printed, and a table for a spreadsheet.

To add a format, write a function that yields the text of entries, and register it in ``DICTIONARY_FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from aligner.analysis.concordance import Occurrence, Rendering
from aligner.analysis.dictionary import Entry, dictionary
from aligner.files.opening import PathLike, write_texts
from aligner.links.formats.spreadsheet import csv_row
from aligner.links.linked_pairs import LinkedPair
from aligner.registry import Registry
from aligner.view.page import filled, page_file, script_json

DictionaryFormat = Callable[[Sequence[Entry]], Iterator[str]]
"""A function that yields a dictionary as text."""

DICTIONARY_FORMATS: Registry[DictionaryFormat] = Registry("dictionary format")
"""Every dictionary format, by the name that the command line uses."""

SCRIPTS = ("elements", "texts", "fold", "dictionary")
"""The scripts of the page, in their order."""


def write_dictionary(
    pairs: Iterable[LinkedPair], output: PathLike, *, format: str = "html", **settings: Any
) -> tuple[int, int]:
    """Write the dictionary of a text.

    Parameters
    ----------
    pairs, settings
        As for ``aligner.analysis.dictionary.dictionary``.
    output
        The file. "-" is standard output. The name says how it is compressed: .gz, .bz2, .xz or .zst.
    format
        A name in ``DICTIONARY_FORMATS``.

    Returns
    -------
    tuple of int
        The number of translations, and of head words.

    Raises
    ------
    ConfigError
        If the format is unknown, or if a setting is out of range.
    DataError
        If the file cannot be written.
    """
    chosen = DICTIONARY_FORMATS.find(format)
    entries = dictionary(pairs, **settings)
    write_texts(output, chosen(entries), errors="replace")
    return sum(len(entry.translations) for entry in entries), len(entries)


def _shown(rendering: Rendering) -> Sequence[Occurrence]:
    """Return the occurrences of a rendering that a dictionary shows: all if it is rare, else an example."""
    return rendering.occurrences if rendering.is_rare else [rendering.occurrences.example]


def _csv(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield a table with a header and a row for each rendering; one without, if a word has none."""
    yield csv_row(
        *("word", "forms", "count", "translation", "translation count", "share", "rare", "lines"),
        *("example", "its translation"),
    )
    for entry in entries:
        head = entry.word, ", ".join(entry.forms), entry.count
        for each in entry.renderings:
            flag, shown = "rare" if each.is_rare else "", _shown(each)
            lines = "; ".join(str(occurrence.line) for occurrence in shown)
            values = each.text, len(each.occurrences), f"{each.share:.4f}", flag, lines
            yield csv_row(*head, *values, *map(" ".join, shown[0].words))
        if not entry.renderings:
            yield csv_row(*head, "", "", "", "", entry.example.line, *map(" ".join, entry.example.words))


def _html(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield a page that works offline. It requests nothing, and runs its own script alone."""
    places: dict[int | str, int] = {}
    texts: list[str] = []

    def reference(occurrence: Occurrence) -> list[Any]:
        """Return the index of a line, which joins the lines of the page, and the positions of the words."""
        line, position, others, words = occurrence
        if line not in places:
            places[line] = len(texts)
            texts.append(script_json([line, *map(" ".join, words)]) + "\n")
        return [places[line], position, *others]

    def record(entry: Entry) -> list[Any]:
        """Return [word, count, unlinked, other forms, number of translations, renderings, example]."""
        rows = [
            [each.text, len(each.occurrences), int(each.is_rare), *map(reference, _shown(each))]
            for each in entry.renderings
        ]
        forms = [form for form in entry.forms if form != entry.word]
        example = reference(entry.example)
        return [entry.word, entry.count, entry.unlinked, forms, len(entry.translations), rows, example]

    scripts = (page_file(f"{name}.js") for name in SCRIPTS)
    records = ",\n".join(script_json(record(entry)) for entry in entries)
    parts = {"entries": ["[", records, "]"], "lines": texts}
    yield from filled("dictionary.html", page_file("dictionary.css"), scripts, parts)


DICTIONARY_FORMATS.register("html", "a page for a browser or a printer, to search")(_html)
DICTIONARY_FORMATS.register("csv", "a table for a spreadsheet, with a header")(_csv)
