"""Links of lines that a file names by ids: `ID TAB links`, aligned USFM, or Scripture Burrito."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from aligner.errors import DataError
from aligner.links.alignments import Link
from aligner.links.formats import DOCUMENT_FORMATS, LINK_FORMATS
from aligner.links.link_tokens import LinkTokens
from aligner.links.linked_pairs import LinkedPair, PairWords, by_id
from aligner.messages import counted, display_name
from aligner.text.files import PathLike
from aligner.text.line_ids import LineIds

TextWords: TypeAlias = Callable[[], Iterable[PairWords]] | None
"""A function that reads the words of all lines of a text, or None if the text is not known."""

_DOCUMENTS = {"\\": "usfm", "{": "burrito"}
"""The document formats that are recognised, by the first character of a file."""


def read_named(
    path: PathLike,
    lines: Sequence[str],
    tokens: LinkTokens,
    ids: LineIds,
    words: TextWords = None,
    report: Callable[[str], object] = lambda _: None,
) -> tuple[dict[int, LinkedPair], int]:
    """Return the pairs of a file by the numbers of their lines, and the number of pairs of other lines.

    Parameters
    ----------
    path, lines
        The file and its lines.
    tokens
        The parser of links of the form `ID TAB links`.
    ids
        The ids of the lines of the text.
    words
        A function that reads the words of the text, or None.
    report
        Receives messages about what is left out.

    Raises
    ------
    DataError
        If the file is of none of these formats, if it names a line twice, if none of its verses or words is
        in the text, or if the words of the text are needed and not known.
    """
    name = _DOCUMENTS.get(next(filter(str.strip, lines), "").lstrip()[:1])
    if name is None:
        pairs = list(LINK_FORMATS["named"].read(path, tokens, lines=lines))
        pairs = [pair._replace(id=ids.numbers.get(pair.name.strip())) for pair in pairs]
        found = by_id(path, pairs)
        return found, len(pairs) - len(found)
    pairs = list(DOCUMENT_FORMATS[name].read(path, lines, report))
    return in_lines(path, pairs, ids, None if words is None else list(words()), report)


def is_named(lines: Iterable[str]) -> bool:
    """Return True if the first of the lines that is not blank is of a document or has a TAB."""
    first = next(filter(str.strip, lines), "")
    return first.lstrip()[:1] in _DOCUMENTS or "\t" in first


def in_lines(
    path: PathLike,
    pairs: Sequence[LinkedPair],
    ids: LineIds,
    words: Sequence[PairWords] | None = None,
    report: Callable[[str], object] = lambda _: None,
) -> tuple[dict[int, LinkedPair], int]:
    """Return the pairs of a document by line, with positions in the text, and the number of other pairs.

    Links of words that the text does not have are left out and reported. DataError as for ``read_named``.
    """
    needed = any(pair.words[0] or pair.words[1] for pair in pairs)
    if needed and words is None:
        raise DataError(
            f"{display_name(path)}: found words without positions; expected the text that they are of, in"
            f" files; name them (--source, --target)"
        )
    if words is not None:
        ids.of_lines(1, len(words))  # raises if there are fewer ids
        ids.check_end(len(words))
    found: dict[int, LinkedPair] = {}
    lost = 0
    for pair in pairs:
        number = ids.number_of(pair.name, within=not needed)
        if number is not None:
            placed = pair if words is None else _placed(pair, words[number - 1])
            lost += len(pair.links) + len(pair.forbidden) - len(placed.links) - len(placed.forbidden)
            found[number] = placed._replace(id=number)
    if any(map(_has_cells, pairs)) and not any(map(_has_cells, found.values())):
        raise DataError(
            f"{display_name(path)}: found no link of a line that the ids name, in"
            f" {counted(len(pairs), 'verse')}; expected links of this text; name the ids and the text that they are of"
        )
    if lost:
        report(f"{display_name(path)}: {counted(lost, 'link')} left out, of words that the text lacks")
    return found, len(pairs) - len(found)


def _has_cells(pair: LinkedPair) -> bool:
    """Return True if a pair has links or forbidden cells."""
    return bool(pair.links or pair.forbidden)


def _placed(pair: LinkedPair, words: PairWords) -> LinkedPair:
    """Return a pair with the positions of its words in a text, without links of other words."""
    if pair.words[0] or pair.words[1]:
        maps = [_matches(own, other) for own, other in zip(pair.words, words, strict=True)]
    else:
        maps = [dict(enumerate(range(len(side)))) for side in words]

    def moved(cells: Iterable[Link]) -> list[Link]:
        return [(maps[0][i], maps[1][j]) for i, j in cells if i in maps[0] and j in maps[1]]

    kept = [cell for cell in pair.links if cell[0] in maps[0] and cell[1] in maps[1]]
    probability = dict(zip(pair.links, pair.probabilities, strict=False))
    return pair._replace(
        links=moved(pair.links),
        sure=moved(pair.sure),
        forbidden=moved(pair.forbidden),
        probabilities=[probability[cell] for cell in kept] if probability else (),
        words=words,
    )


def _matches(words: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """Return the position in other words of each word: the same occurrence of the same form."""
    places = {occurrence: k for k, occurrence in enumerate(_occurrences(others))}
    return {k: places[word] for k, word in enumerate(_occurrences(words)) if word in places}


def _occurrences(words: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the form of each word, and how often it has occurred."""
    counts = Counter[str]()
    for word in words:
        form = unicodedata.normalize("NFC", word)
        counts[form] += 1
        yield form, counts[form]
