"""Links as words: who is linked to whom, for people to read, or as a table."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import Any

from aligner.errors import ConfigError, DataError
from aligner.links.pharaoh import LinkLine, read_link_lines
from aligner.text.files import PathLike, display_name, open_output
from aligner.text.lines import side_by_side, words_of
from aligner.text.pairs import read_pairs

STYLES = ("text", "tsv")
"""text: a line for each source word, with all that is linked to it, then a line for each other target word.

tsv: a line for each link, `line TAB i TAB j TAB source word TAB target word [TAB probability]`, lines of the
text from 1, positions from 0.
"""


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
    """Write the links of the lines first to last of a text, or of all from first on, with their words.

    style: one of ``STYLES``; reading: keywords of ``read_pairs``. DataError, with the line, if there are more
    lines on one side, no first one at all, or a link of a word that is not there; ConfigError for what has no
    meaning.
    """
    if style not in STYLES:
        raise ConfigError(f"unknown style {style!r} (known: {', '.join(STYLES)})")
    if first < 1 or (last is not None and last < first):
        raise ConfigError(f"found lines {first} to {last}; expected a first from 1 on, and a last not before")
    write = _as_text if style == "text" else _as_table
    with open_output(output) as file:
        number = 0
        for number, (sides, of_line) in enumerate(_with_words(links, source, target, **reading), 1):
            if number < first:
                continue
            if last is not None and number > last:
                break
            _check(links, number, sides, of_line)
            file.write("".join(write(number, *sides, of_line)).encode())
        if first > 1 and number < first:
            raise DataError(f"{display_name(source)}: found {number} lines; expected a line {first} to show")


def _with_words(
    links: PathLike, source: PathLike, target: PathLike | None, **reading: Any
) -> Iterator[tuple[tuple[list[str], list[str]], LinkLine]]:
    """The words of each pair, and its links; DataError unless both end together."""
    chunks = read_pairs(source, target, **reading)
    pairs = chain.from_iterable(chunk.pairs() for chunk in chunks)
    files = [(links, read_link_lines(links)), (source, pairs)]
    for of_line, pair in side_by_side(files, "the links of each line of the text; are they of another?"):
        yield (words_of(pair[0]), words_of(pair[1])), of_line


def _check(links: PathLike, number: int, sides: tuple[list[str], list[str]], of_line: LinkLine) -> None:
    for i, j, _ in of_line:
        if i >= len(sides[0]) or j >= len(sides[1]):
            raise DataError(
                f"{display_name(links)}:{number}: found {i}-{j} in a pair of {len(sides[0])} and"
                f" {len(sides[1])} words; positions count from 0"
            )


def _as_text(number: int, source: list[str], target: list[str], links: LinkLine) -> Iterator[str]:
    linked: dict[int, list[str]] = {}
    for i, j, probability in sorted(links):
        word = target[j] if probability is None else f"{target[j]} {probability:.2f}"
        linked.setdefault(i, []).append(word)
    width = max(map(_width, source), default=0)
    yield f"# {number}\n"
    for i, word in enumerate(source):
        others = "  ".join(linked.get(i, []))
        yield f"{word}{' ' * (width - _width(word))}  {others}".rstrip() + "\n"
    for j in sorted(set(range(len(target))) - {j for _, j, _ in links}):
        yield f"{' ' * width}  {target[j]}\n"
    yield "\n"


def _as_table(number: int, source: list[str], target: list[str], links: LinkLine) -> Iterator[str]:
    for i, j, probability in sorted(links):
        end = "\n" if probability is None else f"\t{probability:.4f}\n"
        yield f"{number}\t{i}\t{j}\t{source[i]}\t{target[j]}{end}"


def _width(word: str) -> int:
    """How many columns a word takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in word)
    return len(word) + wide - sum(unicodedata.category(letter) in ("Mn", "Me", "Cf") for letter in word)
