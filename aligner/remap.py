"""Links between other tokens of the same text: from words to subwords, from subwords to words, or characters.

Tokens of two tokenisations belong together where they share a character. What they are compared by leaves out
white space and what marks subwords, `@@` at a token's end and `▁` anywhere, and is normalised (NFKC) and
without case, as SentencePiece and aligners may have made it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise, product, zip_longest
from typing import Any, TypeAlias

from aligner.errors import DataError
from aligner.files import PathLike, display_name, open_output
from aligner.pharaoh import read_link_lines
from aligner.textio import excerpt, read_lines, words_of

Sides: TypeAlias = tuple[PathLike, PathLike]
"""Two files of one text: by the tokens that links are between, and by those that they are to be between."""

Shared: TypeAlias = list[list[int]]
"""For each token of one tokenisation, those of the other with which it shares a character."""

_Links: TypeAlias = list[tuple[int, int, float | None]]


def remap(
    links: PathLike, output: PathLike = "-", *, source: Sides | None = None, target: Sides | None = None
) -> int:
    """Write the links, `i-j` or `i-j:p`, between other tokens of a side, or both; returns how many there are.

    A link of two tokens becomes one of each two that share characters with these, with the highest of their
    probabilities if several do. One line per line of links, sorted. DataError, with file and line, if the
    files have other numbers of lines, a link is of a token that is not there, or tokenisations differ in
    more than is said above.
    """
    count = 0
    with open_output(output) as file:
        for number, (line, tokens) in enumerate(_side_by_side(links, source, target), 1):
            maps = [_map(number, *side) for side in tokens]
            found = _remapped(f"{display_name(links)}:{number}", line, *maps)
            count += len(found)
            file.write(f"{' '.join(map(_text, sorted(found.items())))}\n".encode())
    return count


def _side_by_side(
    links: PathLike, source: Sides | None, target: Sides | None
) -> Iterator[tuple[_Links, list[tuple[Sides | None, list[str]]]]]:
    """The links of each line, and for each side its files and its line in them."""
    sides = source, target
    row: tuple[Any, ...]
    paths = [links, *chain.from_iterable(side or () for side in sides)]
    lines = [chain.from_iterable(read_lines(path)) for path in paths[1:]]
    for number, row in enumerate(zip_longest(read_link_lines(links), *lines), 1):
        there = [path for path, line in zip(paths, row, strict=True) if line is not None]
        if len(there) < len(paths):
            ended = next(path for path, line in zip(paths, row, strict=True) if line is None)
            raise DataError(
                f"{display_name(there[0])}:{number}: found a line, but {display_name(ended)} ends before it;"
                f" expected as many lines in each file"
            )
        texts = iter(row[1:])
        yield row[0], [(side, list(islice(texts, len(side or ())))) for side in sides]


def _map(number: int, side: Sides | None, lines: list[str]) -> Shared | None:
    """What the tokens of a side become in a line, None if they stay as they are."""
    if side is None:
        return None
    try:
        return shared(*map(words_of, lines))
    except ValueError as error:
        raise DataError(f"{display_name(side[1])}:{number}: {error}") from None


def _remapped(
    place: str, line: _Links, source: Shared | None, target: Shared | None
) -> dict[tuple[int, int], float | None]:
    """The links that those of a line become, and their probabilities; DataError, with the place."""
    found: dict[tuple[int, int], float | None] = {}
    for i, j, probability in line:
        if not all(side is None or k < len(side) for side, k in ((source, i), (target, j))):
            raise DataError(
                f"{place}: found {i}-{j}, of a token that is not there; positions count from 0; are these"
                f" links of the old tokens?"
            )
        for pair in product([i] if source is None else source[i], [j] if target is None else target[j]):
            before = found.get(pair)
            found[pair] = probability if before is None else max(before, probability or 0.0)
    return found


def _text(link: tuple[tuple[int, int], float | None]) -> str:
    (i, j), probability = link
    return f"{i}-{j}" if probability is None else f"{i}-{j}:{probability:.4f}"


def shared(tokens: Sequence[str], others: Sequence[str]) -> Shared:
    """For each token, which of the others it shares a character with; ValueError if the texts differ.

    A token without any, such as a `▁` by itself, shares none.
    """
    ends, other_ends = ([*accumulate(map(len, map(_bare, side)), initial=0)] for side in (tokens, others))
    text, other_text = ("".join(map(_bare, side)) for side in (tokens, others))
    if text != other_text:
        at = next(k for k, (a, b) in enumerate(zip_longest(text, other_text)) if a != b)
        raise ValueError(
            f"found {excerpt(other_text[at : at + 20])} where the other tokens of this line have"
            f" {excerpt(text[at : at + 20])}; expected the same text but for spaces, case and marks of"
            f" subwords"
        )
    found = []
    first = 0
    for begin, end in pairwise(ends):
        while first < len(others) and other_ends[first + 1] <= begin:
            first += 1
        last = first
        while last < len(others) and other_ends[last] < end:
            last += 1
        found.append([k for k in range(first, last) if begin < end and other_ends[k] < other_ends[k + 1]])
    return found


@lru_cache(1 << 20)
def _bare(token: str) -> str:
    """What a token is compared by."""
    plain = unicodedata.normalize("NFKC", token.removesuffix("@@").replace("▁", "")).casefold()
    return "".join(plain.split())
