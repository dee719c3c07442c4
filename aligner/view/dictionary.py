"""Dictionaries of a model: head words with translations, probabilities, counts and examples.

To add a format, write a function that yields the text of entries, and register it in ``DICTIONARY_FORMATS``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from sys import maxsize
from typing import Any

from aligner.links.formats.spreadsheet import csv_row
from aligner.links.linked_pairs import PairWords
from aligner.models.export import translations
from aligner.models.pair import DIRECTIONS
from aligner.models.trained import TrainedModel
from aligner.registry import Registry
from aligner.text.files import PathLike, open_output
from aligner.text.forms import written_words
from aligner.text.lookup import Lookup
from aligner.view.page import page_file, policy_hash

_LEAST_WORDS = 3
"""The least number of words of a side of an example, if there is such a line."""


@dataclass(frozen=True)
class Translation:
    """A translation of a head word.

    Attributes
    ----------
    word
        The word.
    probability
        Its probability given the head word.
    count
        Its frequency in the training text.
    example
        The words of both sides of a line that has both words, the side of the head word first, or None.
    """

    word: str
    probability: float
    count: int
    example: PairWords | None


@dataclass(frozen=True)
class Entry:
    """A head word, its frequency in the training text, and its translations, the most probable first."""

    word: str
    count: int
    translations: list[Translation]


DictionaryFormat = Callable[[Iterable[Entry]], Iterator[str]]
"""A function that yields a dictionary as text."""

DICTIONARY_FORMATS: Registry[DictionaryFormat] = Registry("dictionary format")
"""Every dictionary format, by the name that the command line uses."""


def write_dictionary(
    model: TrainedModel,
    output: PathLike,
    direction: str = "forward",
    *,
    format: str = "html",
    **settings: Any,
) -> tuple[int, int]:
    """Write the dictionary of a model.

    Parameters
    ----------
    model, direction, settings
        As for ``dictionary``.
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
        If the file cannot be written, or the text cannot be read.
    """
    chosen = DICTIONARY_FORMATS.find(format)
    entries = dictionary(model, direction, **settings)
    with open_output(output) as file:
        for part in chosen(entries):
            file.write(part.encode())
    return sum(len(entry.translations) for entry in entries), len(entries)


def dictionary(
    model: TrainedModel,
    direction: str = "forward",
    *,
    least: float = 0.01,
    best: int | None = None,
    text: Iterable[PairWords] | None = None,
) -> list[Entry]:
    """Return the head words of a model with their translations, the most frequent first.

    Parameters
    ----------
    model
        A trained model.
    direction
        "forward" for source words with target words, "reverse" for target words with source words.
    least
        The least probability of a translation, from 1e-7 to 1.
    best
        The largest number of translations of a word; by default there is no limit.
    text
        The lines to take examples from, or None for no examples. The example of a translation is the
        shortest line with both words.

    Returns
    -------
    list of Entry
        The head words.

    Raises
    ------
    ConfigError
        If an argument is out of range.
    DataError
        If the text cannot be read.
    """
    own, other, sides = model.source_vocabulary, model.target_vocabulary, text or ()
    if direction == DIRECTIONS[1]:
        own, other, sides = other, own, ((target, source) for source, target in sides)
    found = translations(model, direction, least=least, best=best)
    rows = list(zip(*(column.tolist() for column in found), strict=True))
    pairs = ((own.words[word], other.words[translation]) for word, translation, _ in rows)
    examples = _shortest_lines(pairs, sides, model.lookup)

    heads, translated = (written_words(words, model.lookup) for words in (own, other))

    def translation(word: int, number: int, probability: float) -> Translation:
        example = examples.get((own.words[word], other.words[number]))
        return Translation(translated[number], probability, int(other.counts[number]), example)

    return [
        Entry(heads[word], int(own.counts[word]), [translation(*row) for row in group])
        for word, group in groupby(rows, lambda row: row[0])
    ]


def _shortest_lines(
    pairs: Iterable[tuple[str, str]], text: Iterable[PairWords], lookup: Lookup
) -> dict[tuple[str, str], PairWords]:
    """Return the shortest line of a text that has both words, for each pair of words that has one."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for head, word in pairs:
        wanted[head].add(word)
    found: dict[tuple[str, str], PairWords] = {}
    costs: dict[tuple[str, str], tuple[bool, int]] = {}
    for words in text:
        own, other = ({lookup.form(word) for word in side} for side in words)
        cost = (min(map(len, words)) < _LEAST_WORDS, len(words[0]) + len(words[1]))
        for head in own & wanted.keys():
            for word in wanted[head] & other:
                if cost < costs.get((head, word), (True, maxsize)):
                    costs[head, word], found[head, word] = cost, words
    return found


def _csv(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a table with a header and a row for each translation."""
    yield csv_row(
        "word", "count", "translation", "probability", "translation count", "example", "its translation"
    )
    for entry in entries:
        for each in entry.translations:
            example = [" ".join(side) for side in each.example or ([], [])]
            yield csv_row(entry.word, entry.count, each.word, f"{each.probability:.6f}", each.count, *example)


def _html(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a page that can be printed. It has no script, and requests nothing."""
    style = page_file("dictionary.css")
    head, tail = (
        page_file("dictionary.html").replace("{{style-hash}}", policy_hash(style)).split("{{entries}}")
    )
    yield head.replace("{{style}}", style)
    for entry in entries:
        yield _html_entry(entry)
    yield tail


def _html_entry(entry: Entry) -> str:
    """Return an entry with its translations, and the example of the first translation that has one."""
    parts = [
        f'<section><h2><bdi>{escape(entry.word)}</bdi> <span class="count">{entry.count:,}×</span></h2><ol>'
    ]
    for each in entry.translations:
        share = f"{100 * each.probability:.1f} %"
        parts.append(
            f'<li><bdi>{escape(each.word)}</bdi> <span class="share">{share}</span>'
            f' <span class="count">{each.count:,}×</span></li>'
        )
    parts.append("</ol>")
    example = next((each for each in entry.translations if each.example), None)
    if example is not None and example.example is not None:
        own, other = example.example
        parts.append(
            f'<p class="example"><bdi>{_marked(own, entry.word)}</bdi><br>'
            f"<bdi>{_marked(other, example.word)}</bdi></p>"
        )
    return "".join([*parts, "</section>\n"])


def _marked(words: Sequence[str], marked: str) -> str:
    """Return words as HTML, with those equal to a word, but for case, in a mark."""
    return " ".join(
        f"<mark>{escape(word)}</mark>" if marked in (word, word.lower()) else escape(word) for word in words
    )


DICTIONARY_FORMATS.register("html", "a page for a browser or a printer, with counts and examples")(_html)
DICTIONARY_FORMATS.register("csv", "a table for a spreadsheet, with a header, counts and examples")(_csv)
