"""Links between other tokens of the same text: from words to subwords, from subwords to words, or characters.

Tokens of two tokenisations belong together where they share a character. What they are compared by is without
case, compatible characters are the same (NFKD), and white space, what is not seen, and what marks subwords is
left out: `▁` anywhere, and `@@` at a token's end, unless texts are the same only with it. SentencePiece's
bytes, such as `<0xE2>`, are the characters that they make together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, product, zip_longest
from typing import NamedTuple, TypeAlias

from aligner.errors import DataError
from aligner.links.pharaoh import LinkLine, read_link_lines
from aligner.text.files import PathLike, display_name, open_output
from aligner.text.lines import read_lines, side_by_side, words_of

Sides: TypeAlias = tuple[PathLike, PathLike]
"""Two files of one text: by the tokens that links are between, and by those that they are to be between."""

Shared: TypeAlias = list[list[int]]
"""For each token of one tokenisation, those of the other with which it shares a character."""

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")

_UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}
"""Kinds of characters that are left out: spaces, and what SentencePiece makes spaces, or nothing, of."""


def remap(
    links: PathLike,
    output: PathLike = "-",
    *,
    source: Sides | None = None,
    target: Sides | None = None,
    skip_bad: bool = False,
    report: Callable[[str], object] | None = None,
) -> tuple[int, int]:
    """Write the links, `i-j` or `i-j:p`, between other tokens of a side, or both.

    Returns how many links there are, and how many lines were skipped. A link of two tokens becomes one of
    each two that share characters with these, with the highest of their probabilities if several do. One line
    per line of links, sorted. DataError, with file and line, if the files have other numbers of lines, a link
    is of a token that is not there, or tokenisations differ in more than is said above; with skip_bad such a
    line gets no links, and ``report`` is told why.
    """
    count = skipped = 0
    with open_output(output) as file:
        for number, (line, tokens) in enumerate(_with_texts(links, source, target), 1):
            try:
                maps = [_map(number, *side) for side in tokens]
            except DataError as error:
                if not skip_bad:
                    raise
                if report is not None:
                    report(str(error))
                skipped += 1
                line, maps = [], [None, None]
            found = _remapped(f"{display_name(links)}:{number}", line, *maps)
            count += len(found)
            file.write(f"{' '.join(map(_text, sorted(found.items())))}\n".encode())
    return count, skipped


def _with_texts(
    links: PathLike, source: Sides | None, target: Sides | None
) -> Iterator[tuple[LinkLine, list[tuple[Sides | None, list[str]]]]]:
    """The links of each line, and for each side its files and its line in them."""
    sides = source, target
    paths = chain.from_iterable(side or () for side in sides)
    files = [
        (links, read_link_lines(links)),
        *((path, chain.from_iterable(read_lines(path))) for path in paths),
    ]
    for line, *lines in side_by_side(files, "as many lines in each file"):
        texts = iter(lines)
        yield line, [(side, list(islice(texts, len(side or ())))) for side in sides]


def _map(number: int, side: Sides | None, lines: list[str]) -> Shared | None:
    """What the tokens of a side become in a line, None if they stay as they are."""
    if side is None:
        return None
    try:
        return shared(*map(words_of, lines))
    except ValueError as error:
        raise DataError(f"{display_name(side[1])}:{number}: {error}") from None


def _remapped(
    place: str, line: LinkLine, source: Shared | None, target: Shared | None
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
    side, other = _compared(tokens, others)
    if side.text != other.text:
        at = next(k for k, (a, b) in enumerate(zip_longest(side.text, other.text)) if a != b)
        raise ValueError(
            f"found {other.text[at : at + 20]!a} where the other tokens of this line have"
            f" {side.text[at : at + 20]!a}; expected the same text but for spaces, case and marks of"
            f" subwords; repair the line, or use --skip-bad to give it no links"
        )
    found = []
    first = 0
    for begin, end in side.spans:
        while first < len(others) and other.spans[first][1] <= begin:
            first += 1
        last = first
        while last < len(others) and other.spans[last][0] < end:
            last += 1
        if begin == end:
            last = first
        found.append([k for k in range(first, last) if other.spans[k][0] < other.spans[k][1]])
    return found


class _Side(NamedTuple):
    """A text's characters, and for each of its tokens where its own begin and end among them."""

    text: str
    spans: list[tuple[int, int]]

    @classmethod
    def of(cls, tokens: Sequence[str], marked: bool) -> _Side:
        """See ``_bare``."""
        spans: list[tuple[int, int]] = []
        parts: list[str] = []
        at = 0
        for part, count in _characters(tokens, marked):
            spans += [(at, at + len(part))] * count
            parts.append(part)
            at += len(part)
        return cls("".join(parts), spans)


def _compared(tokens: Sequence[str], others: Sequence[str]) -> tuple[_Side, _Side]:
    """Both sides, with as many marks left out as leave the same text, or with all if none does."""
    ways = (
        (_Side.of(tokens, one), _Side.of(others, other)) for one, other in product((True, False), repeat=2)
    )
    first = next(ways)
    return next((way for way in chain([first], ways) if way[0].text == way[1].text), first)


def _characters(tokens: Sequence[str], marked: bool) -> Iterator[tuple[str, int]]:
    """What tokens are compared by, in order; of bytes of a character, `<0xE2>`, what so many are together."""
    k = 0
    while k < len(tokens):
        lead = _BYTE.fullmatch(tokens[k])
        count = 1
        if lead:
            count = 1 + sum(int(lead[1], 16) >= least for least in (0xC0, 0xE0, 0xF0))
            matches = [_BYTE.fullmatch(token) for token in tokens[k : k + count]]
            data = bytes(int(match[1], 16) for match in matches if match)
            with suppress(UnicodeDecodeError):
                yield _bare(data.decode("utf-8"), False), len(data)
                k += len(data)
                continue
        yield _bare(tokens[k], marked), 1
        k += 1


@lru_cache(1 << 20)
def _bare(token: str, marked: bool) -> str:
    """What a token is compared by; marked: whether `@@` at its end is a mark."""
    if marked:
        token = token.removesuffix("@@")
    plain = unicodedata.normalize("NFKD", token.replace("▁", "").replace("\ufffd", ""))
    plain = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(letter for letter in plain if unicodedata.category(letter) not in _UNSEEN)
