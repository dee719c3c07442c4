"""Links shown as words: text for people to read, or a table.

To add a style, write a function that formats one sentence pair and register it in ``SHOW_STYLES``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, TypeAlias

from aligner.errors import ConfigError, DataError
from aligner.links.link_lines import LinkLine, check_positions, located, read_link_lines
from aligner.registry import Registry
from aligner.text.files import PathLike, display_name, open_output
from aligner.text.lines import side_by_side, words_of
from aligner.text.pairs import read_pairs
from aligner.text.plural import counted

_LONGEST_LABEL = 20
"""The greatest number of letters of a word in a matrix."""

ShowStyle: TypeAlias = Callable[[int, list[str], list[str], LinkLine], Iterator[str]]
"""A function of (line number from 1, source words, target words, links) that yields the text to show."""

SHOW_STYLES: Registry[ShowStyle] = Registry("style")
"""Every style of ``align show``, by the name that the command line uses."""


def show(
    links: PathLike,
    source: PathLike,
    target: PathLike | None = None,
    output: PathLike = "-",
    *,
    style: str = "text",
    first: int = 1,
    last: int | None = None,
    **reading: Any,
) -> None:
    """Write the links of a text with their words.

    Parameters
    ----------
    links
        A file of links, `i-j` or `i-j:p`.
    source, target
        The text. If ``target`` is None, ``source`` holds both sides of each pair.
    output
        Where to write. "-" is standard output.
    style
        A name in ``SHOW_STYLES``.
    first, last
        The lines to show, from 1. By default, all lines.
    reading
        Keywords of ``aligner.text.pairs.read_pairs``.

    Raises
    ------
    DataError
        If links and text have different numbers of lines, if line ``first`` does not exist, or if a link has
        a position outside its sentence pair.
    ConfigError
        If the style is unknown, or if the range of lines is empty.
    """
    format_pair = SHOW_STYLES.find(style)
    if first < 1 or (last is not None and last < first):
        raise ConfigError(
            f"found lines {first} to {last}; expected a first line from 1 on, and a last line not before it"
        )
    with open_output(output) as file:
        number = 0
        for number, (words, line) in enumerate(lines_with_words(links, source, target, **reading), 1):
            if number < first:
                continue
            if last is not None and number > last:
                break
            with located(links, number):
                check_positions(line, *map(len, words))
            file.write("".join(format_pair(number, *words, line)).encode())
        if first > 1 and number < first:
            raise DataError(
                f"{display_name(source)}: found {counted(number, 'line')}; expected a line {first} to show"
            )


def lines_with_words(
    links: PathLike, source: PathLike, target: PathLike | None, **reading: Any
) -> Iterator[tuple[tuple[list[str], list[str]], LinkLine]]:
    """Yield the words of both sides and the links of each pair; DataError if text or links end early."""
    chunks = read_pairs(source, target, **reading)
    pairs = chain.from_iterable(chunk.pairs() for chunk in chunks)
    files = [(links, read_link_lines(links)), (source, pairs)]
    for line, pair in side_by_side(
        files, "one line of links for each line of the text; are these its links?"
    ):
        yield (words_of(pair[0]), words_of(pair[1])), line


def _format_text(number: int, source: list[str], target: list[str], links: LinkLine) -> Iterator[str]:
    """Yield a line for each source word with the target words linked to it, then unlinked target words."""
    linked_words: dict[int, list[str]] = {}
    for i, j, probability in sorted(links):
        word = target[j] if probability is None else f"{target[j]} {probability:.2f}"
        linked_words.setdefault(i, []).append(word)
    width = max(map(display_width, source), default=0)
    yield f"# {number}\n"
    for i, word in enumerate(source):
        translations = "  ".join(linked_words.get(i, []))
        yield f"{padded(word, width)}  {translations}".rstrip() + "\n"
    for j in sorted(set(range(len(target))) - {j for _, j, _ in links}):
        yield f"{' ' * width}  {target[j]}\n"
    yield "\n"


def _format_table(number: int, source: list[str], target: list[str], links: LinkLine) -> Iterator[str]:
    """Yield `line TAB i TAB j TAB source word TAB target word [TAB probability]` for each link."""
    for i, j, probability in sorted(links):
        end = "\n" if probability is None else f"\t{probability:.4f}\n"
        yield f"{number}\t{i}\t{j}\t{source[i]}\t{target[j]}{end}"


def _format_matrix(number: int, source: list[str], target: list[str], links: LinkLine) -> Iterator[str]:
    """Yield a matrix with a column for each source word and a row for each target word."""
    source, target = list(map(_cut, source)), list(map(_cut, target))
    marks = {(i, j): _mark(probability) for i, j, probability in links}
    margin = max(map(display_width, target), default=0)
    heads = [padded(word, 1) for word in source]  # a combining mark alone takes no column
    yield f"# {number}\n"
    yield "  ".join([" " * margin, *heads]).rstrip() + "\n"
    for j, word in enumerate(target):
        cells = (_centred(marks.get((i, j), "·"), display_width(head)) for i, head in enumerate(heads))
        yield "  ".join([padded(word, margin), *cells]).rstrip() + "\n"
    yield "\n"


def _cut(word: str) -> str:
    """Return a word of a matrix, cut if it is long."""
    return word if len(word) <= _LONGEST_LABEL else f"{word[: _LONGEST_LABEL - 1]}…"


def _mark(probability: float | None) -> str:
    """Return the mark of a link in a matrix: hollow if it is less probable than not."""
    return "■" if probability is None or probability >= 0.5 else "□"


def _centred(mark: str, width: int) -> str:
    """Return a mark in the middle of a column."""
    return padded(" " * ((width - 1) // 2) + mark, width)


def padded(text: str, width: int) -> str:
    """Return a text with spaces up to the width of a column."""
    return text + " " * (width - display_width(text))


def display_width(word: str) -> int:
    """Return the number of columns that a word takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in word)
    return len(word) + wide - sum(unicodedata.category(letter) in ("Mn", "Me", "Cf") for letter in word)


SHOW_STYLES.register("text", _format_text, "to read: each source word with the words linked to it")
SHOW_STYLES.register(
    "matrix",
    _format_matrix,
    "a picture: ■ is a link, □ a link with a probability below 0.5; source words are columns",
)
SHOW_STYLES.register("tsv", _format_table, "a table: line, i, j, source word, target word, probability")
