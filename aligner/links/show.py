"""Links shown as words: text for people to read, or a table.

To add a style, write a function that formats one sentence pair and decorate it with
``SHOW_STYLES.register``.
"""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, TypeAlias

from aligner.errors import ConfigError, DataError
from aligner.files.lines import located, side_by_side
from aligner.files.opening import PathLike, open_output
from aligner.links.alignments import Link
from aligner.links.formats import LINK_FORMATS
from aligner.links.linked_pairs import LinkedPair
from aligner.messages import counted, display_name
from aligner.registry import Registry
from aligner.text.line_ids import LineIds
from aligner.text.pairs import read_words

_LONGEST_LABEL = 20
"""The greatest number of letters of a word in a matrix."""

ShowStyle: TypeAlias = Callable[[int | str, LinkedPair, int], Iterator[str]]
"""A function of (line, linked pair with its words, width) that yields text to show. Line: its id or number.
Width: the columns of the terminal, or very many if the text goes elsewhere."""

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
    ids: LineIds | None = None,
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
    ids
        The ids of the lines, to be shown in place of their numbers.
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
    rows = _side_by_side(links, source, target, **reading)
    is_terminal = output == "-" and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else sys.maxsize
    with open_output(output) as file:
        number = 0
        for number, (pair, (s, t)) in enumerate(rows, 1):
            if last is not None and number > last:
                break
            if number >= first:
                with located(links, number):
                    pair = pair.with_words(s, t)
                line = number if ids is None else ids.of_lines(number, 1)[0]
                file.write("".join(format_pair(line, pair, width)).encode())
        check_first_line(first, number, source)


def pairs_with_words(
    links: PathLike, source: PathLike, target: PathLike | None, ids: LineIds | None = None, **reading: Any
) -> Iterator[LinkedPair]:
    """Yield the pairs of a text with their words and links, and with their ids as names.

    Raises DataError if text, links or ids end early, or if a link is outside its pair.
    """
    number = 0
    for number, (pair, (s, t)) in enumerate(_side_by_side(links, source, target, **reading), 1):
        with located(links, number):
            pair = pair.with_words(s, t)
        yield pair if ids is None else pair._replace(id=ids.of_lines(number, 1)[0])
    if ids is not None:
        ids.check_end(number)


def _side_by_side(
    links: PathLike, source: PathLike, target: PathLike | None, **reading: Any
) -> Iterator[tuple[LinkedPair, tuple[list[str], list[str]]]]:
    """Yield the links and the words of each pair; DataError if text or links end early."""
    files = [(links, LINK_FORMATS["pharaoh"].read(links)), (source, read_words(source, target, **reading))]
    return side_by_side(files, "one line of links for each line of the text; are these its links?")


def check_first_line(first: int, lines: int, path: PathLike) -> None:
    """Raise DataError if the first line to show comes after the lines of a text."""
    if lines < first > 1:
        raise DataError(
            f"{display_name(path)}: found {counted(lines, 'line')}; expected a line {first} to show"
        )


@SHOW_STYLES.register("text", "to read: each source word with the words linked to it")
def _format_text(line: int | str, pair: LinkedPair, width: int) -> Iterator[str]:
    """Yield a line for each source word with the target words linked to it, then unlinked target words."""
    source, target = pair.words
    linked_words: dict[int, list[str]] = {}
    for (i, j), probability in _sorted(pair, " {:.2f}"):
        linked_words.setdefault(i, []).append(target[j] + probability)
    margin = max(map(display_width, source), default=0)
    yield f"# {line}\n"
    for i, word in enumerate(source):
        translations = "  ".join(linked_words.get(i, []))
        yield f"{padded(word, margin)}  {translations}".rstrip() + "\n"
    linked = {j for _, j in pair.links}
    yield from (f"{' ' * margin}  {word}\n" for j, word in enumerate(target) if j not in linked)
    yield "\n"


@SHOW_STYLES.register(
    "matrix", "a picture: ■ is a link, □ a link with a probability below 0.5; source words are columns"
)
def _format_matrix(line: int | str, pair: LinkedPair, width: int) -> Iterator[str]:
    """Yield a matrix with a column for each source word and a row for each target word.

    Columns that do not fit the terminal follow in further matrices.
    """
    source, target = (list(map(_cut, words)) for words in pair.words)
    linked = zip(pair.links, pair.probabilities or repeat(1.0), strict=False)
    marks = {link: "■" if probability >= 0.5 else "□" for link, probability in linked}
    margin = max(map(display_width, target), default=0)
    heads = [padded(word, 1) for word in source]  # a combining mark alone takes no column
    widths = list(map(display_width, heads))
    yield f"# {line}\n"
    for first, stop in _bands(widths, width - margin):
        yield "  ".join([" " * margin, *heads[first:stop]]).rstrip() + "\n"
        own = widths[first:stop]
        for j, word in enumerate(target):
            cells = [f"{' ' * ((k - 1) // 2)}{marks.get((i, j), '·')}" for i, k in enumerate(own, first)]
            yield "  ".join(map(padded, [word, *cells], [margin, *own])).rstrip() + "\n"
        yield "\n"


def _bands(widths: Sequence[int], width: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last column + 1 of each run of columns that fits a width, one at least."""
    first = used = 0
    for k, own in enumerate(widths):
        used += 2 + own
        if used > width and k > first:
            yield first, k
            first, used = k, 2 + own
    yield first, len(widths)


@SHOW_STYLES.register("tsv", "a table: line, i, j, source word, target word, probability")
def _format_table(line: int | str, pair: LinkedPair, width: int) -> Iterator[str]:
    """Yield `line TAB i TAB j TAB source word TAB target word [TAB probability]` for each link."""
    source, target = pair.words
    for (i, j), probability in _sorted(pair, "\t{:.4f}"):
        yield f"{line}\t{i}\t{j}\t{source[i]}\t{target[j]}{probability}\n"


def _sorted(pair: LinkedPair, template: str) -> list[tuple[Link, str]]:
    """Return the links by position, each with its formatted probability; without probabilities, with ""."""
    texts = [template.format(probability) for probability in pair.probabilities]
    return sorted(zip(pair.links, texts or repeat(""), strict=False))


def _cut(word: str) -> str:
    """Return a word of a matrix, cut if it is long."""
    return word if len(word) <= _LONGEST_LABEL else f"{word[: _LONGEST_LABEL - 1]}…"


def padded(text: str, width: int) -> str:
    """Return a text with spaces up to the width of a column."""
    return text + " " * (width - display_width(text))


@lru_cache(1 << 16)
def display_width(word: str) -> int:
    """Return the number of columns that a word takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in word)
    return len(word) + wide - sum(unicodedata.category(letter) in ("Mn", "Me", "Cf") for letter in word)
