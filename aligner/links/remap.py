"""Remapping of links to another tokenisation of the same text, for example from words to subwords."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice, product
from typing import TypeAlias

from aligner.errors import DataError
from aligner.links.link_lines import LinkLine, read_link_lines
from aligner.links.token_matching import TokenMap, match_tokens
from aligner.text.files import PathLike, display_name, open_output
from aligner.text.lines import read_lines, side_by_side, words_of

Tokenisations: TypeAlias = tuple[PathLike, PathLike]
"""Two files of one side of a text: in the tokens of the links, and in the tokens to remap the links to."""


def remap(
    links: PathLike,
    output: PathLike = "-",
    *,
    source: Tokenisations | None = None,
    target: Tokenisations | None = None,
    skip_bad: bool = False,
    report: Callable[[str], object] | None = None,
) -> tuple[int, int]:
    """Write links between the tokens of another tokenisation of one side or both.

    A link (i, j) becomes links between all new tokens that share characters with token i and all new tokens
    that share characters with token j (see ``token_matching``). If several old links become the same new
    link, the new link has the highest of their probabilities.

    Parameters
    ----------
    links
        A file of links, `i-j` or `i-j:p`.
    output
        Where to write, one line for each line of links, sorted. "-" is standard output.
    source, target
        The old and the new tokenisation of each side. A side that is None keeps its tokens.
    skip_bad
        Write no links for a line whose tokenisations differ in their text, instead of raising DataError.
    report
        Receives the message about each skipped line.

    Returns
    -------
    tuple of int
        The number of links written, and the number of lines skipped.

    Raises
    ------
    DataError
        If the files have different numbers of lines, if a link has a position outside its line, or if two
        tokenisations of a line differ in their text. The message names the file and the line.
    """
    count = skipped = 0
    with open_output(output) as file:
        for number, (line, sides) in enumerate(_with_texts(links, source, target), 1):
            try:
                maps = [_token_map(number, *side) for side in sides]
            except DataError as error:
                if not skip_bad:
                    raise
                if report is not None:
                    report(str(error))
                skipped += 1
                line, maps = [], [None, None]
            remapped = _remap_line(f"{display_name(links)}:{number}", line, *maps)
            count += len(remapped)
            file.write(f"{' '.join(map(_format_link, sorted(remapped.items())))}\n".encode())
    return count, skipped


def _with_texts(
    links: PathLike, source: Tokenisations | None, target: Tokenisations | None
) -> Iterator[tuple[LinkLine, list[tuple[Tokenisations | None, list[str]]]]]:
    """Yield the links of each line, and for each side its files and its line in each of them."""
    sides = source, target
    paths = chain.from_iterable(side or () for side in sides)
    files = [
        (links, read_link_lines(links)),
        *((path, chain.from_iterable(read_lines(path))) for path in paths),
    ]
    for line, *texts in side_by_side(files, "as many lines in each file"):
        remaining = iter(texts)
        yield line, [(side, list(islice(remaining, len(side or ())))) for side in sides]


def _token_map(number: int, side: Tokenisations | None, texts: list[str]) -> TokenMap | None:
    """Return the map from old to new tokens of a line, or None if the side keeps its tokens."""
    if side is None:
        return None
    try:
        return match_tokens(*map(words_of, texts))
    except ValueError as error:
        raise DataError(f"{display_name(side[1])}:{number}: {error}") from None


def _remap_line(
    location: str, line: LinkLine, source: TokenMap | None, target: TokenMap | None
) -> dict[tuple[int, int], float | None]:
    """Return the new links of a line with their probabilities; DataError names the location."""
    remapped: dict[tuple[int, int], float | None] = {}
    for i, j, probability in line:
        if not all(side is None or k < len(side) for side, k in ((source, i), (target, j))):
            raise DataError(
                f"{location}: found {i}-{j}, of a token that is not there; positions count from 0; expected"
                f" links between the old tokens; check the order of OLD and NEW"
            )
        for link in product([i] if source is None else source[i], [j] if target is None else target[j]):
            previous = remapped.get(link)
            remapped[link] = probability if previous is None else max(previous, probability or 0.0)
    return remapped


def _format_link(link: tuple[tuple[int, int], float | None]) -> str:
    (i, j), probability = link
    return f"{i}-{j}" if probability is None else f"{i}-{j}:{probability:.4f}"
