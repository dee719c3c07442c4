"""Links of lines that a file names by ids: `ID TAB links`, aligned USFM, or Scripture Burrito."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import NamedTuple

from aligner.errors import DataError
from aligner.files.opening import PathLike
from aligner.links.alignments import Link
from aligner.links.formats import DOCUMENT_FORMATS, LINK_FORMATS, Format
from aligner.links.line_tokens import LineTokens, report_lost
from aligner.links.link_tokens import LinkTokens
from aligner.links.linked_pairs import LinkedPair, PairWords, by_number
from aligner.messages import counted, display_name
from aligner.scripture.verse_tokens import occurrences
from aligner.text.line_ids import LineIds

_DOCUMENTS = {"\\": "usfm", "{": "burrito", "[": "burrito"}
"""The document formats that are recognised, by the first character of a file."""


class NamedText(NamedTuple):
    """A text whose lines have ids.

    Attributes
    ----------
    ids
        The ids of the lines.
    words
        A function that reads the words of all lines, or None if they are not known.
    report
        Receives messages about links that are left out.
    """

    ids: LineIds
    words: Callable[[], Iterable[PairWords]] | None = None
    report: Callable[[str], object] = lambda _: None


def is_named(lines: Iterable[str]) -> bool:
    """Return True if the first of the lines that is not blank is of a document or has a TAB."""
    first = next(filter(str.strip, lines), "")
    return first.lstrip()[:1] in _DOCUMENTS or "\t" in first


def read_named(
    path: PathLike, lines: Sequence[str], tokens: LinkTokens, text: NamedText
) -> tuple[dict[int, LinkedPair], int]:
    """Return the pairs of a file by line of a text, and the number of pairs of other lines.

    lines: the lines of the file. tokens: the parser of links of the form `ID TAB links`. Raises DataError if
    the file is of none of these formats, if it names a line twice, if nothing of a document is in the text,
    or if the document needs the words of the text and they are not known.
    """
    name = _DOCUMENTS.get(next(filter(str.strip, lines), "").lstrip()[:1])
    if name is not None:
        return in_lines(path, DOCUMENT_FORMATS[name], text, lines), 0
    pairs = list(LINK_FORMATS["named"].read(path, tokens, lines=lines))
    pairs = [pair._replace(number=text.ids.numbers.get(pair.id.strip())) for pair in pairs]
    found = by_number(path, pairs)
    return found, len(pairs) - len(found)


def in_lines(
    path: PathLike, document: Format, text: NamedText, lines: Sequence[str] | None = None
) -> dict[int, LinkedPair]:
    """Return the pairs of a document by line of a text, with positions in it.

    Pairs of other lines and links of other words are left out and reported. lines: the lines of the document,
    if they have been read already. DataError as for ``read_named``, and if the document does not fit: if more
    than 10 links, and more than 10 % of them, are of words that the text lacks; or if ids are of parts of
    words, no table has them, and the last word of a line is not the last one of the text.
    """
    sides = LineTokens(text.ids, 0), LineTokens(text.ids, 1)
    pairs = list(document.read(path, lines=lines, report=text.report, sides=sides))
    has_words = any(pair.words[0] or pair.words[1] for pair in pairs)
    if has_words and text.words is None:
        raise DataError(
            f"{display_name(path)}: found words without positions; expected the text that they are of, in"
            f" files; name them (--source, --target)"
        )
    words = None if text.words is None else list(text.words())
    if words is not None:
        text.ids.check(len(words))
    found: dict[int, LinkedPair] = {}
    links = lost = lines_of_others = 0
    for pair in pairs:
        number = text.ids.number_of(pair.id, is_first=not has_words)
        if number is not None:
            if words is not None:
                places = _places(pair, words[number - 1], sides)
                links, lost = links + len(places), lost + [*places.values()].count([])
                lines_of_others += _has_others(places, words[number - 1], sides)
                pair = _placed(pair, places)._replace(words=words[number - 1])
            found[number] = pair._replace(number=number)
    if any(pair.links for pair in pairs) and not any(pair.links for pair in found.values()):
        raise DataError(
            f"{display_name(path)}: found no link of a line that the ids name, in"
            f" {counted(len(pairs), 'verse')}; expected links of this text; check the ids and the text"
        )
    if lines_of_others:
        raise DataError(
            f"{display_name(path)}: found ids of parts of words, and another number of words in"
            f" {lines_of_others:,} of {counted(len(found), 'line')}; expected tables that tell what ids are,"
            f" source.tokens.tsv and target.tokens.tsv, beside the ids, as align verses writes them"
        )
    if len(found) < len(pairs):
        verses = counted(len(pairs) - len(found), "verse")
        text.report(f"{display_name(path)}: {verses} left out, which the ids do not name")
    report_lost(text.report, display_name(path), lost, links)
    return found


def _places(pair: LinkedPair, words: PairWords, sides: Sequence[LineTokens]) -> dict[Link, list[Link]]:
    """Return the cells in a text of each cell of a pair; none for words that the text lacks."""
    source, target = (
        match(own, other) if own else dict(enumerate(side.places(pair.id, other)))
        for own, other, side, match in zip(pair.words, words, sides, (_of_forms, _by_diff), strict=True)
    )
    cells = dict.fromkeys((*pair.links, *pair.forbidden))
    return {(i, j): [*product(source.get(i, ()), target.get(j, ()))] for i, j in cells}


def _has_others(places: Iterable[Link], words: PairWords, sides: Sequence[LineTokens]) -> bool:
    """Return True if ids of parts of words, without a table, are of another number of words than the text."""
    last = (max(own) + 1 for own in zip(*places, strict=True))
    return any(side.has_parts and end != len(own) for end, own, side in zip(last, words, sides, strict=False))


def _placed(pair: LinkedPair, places: Mapping[Link, Sequence[Link]]) -> LinkedPair:
    """Return a pair with other cells in place of its own. A link has the highest probability of them."""
    probabilities: dict[Link, float] = {}
    for cell, p in zip(pair.links, pair.probabilities, strict=False):
        probabilities |= {place: max(p, probabilities.get(place, 0)) for place in places[cell]}
    links, sure, forbidden = (
        [*dict.fromkeys(place for cell in cells for place in places[cell])]
        for cells in (pair.links, pair.sure, pair.forbidden)
    )
    forbidden = [cell for cell in forbidden if cell not in links]
    return pair._replace(links=links, sure=sure, forbidden=forbidden, probabilities=[*probabilities.values()])


def _by_diff(words: Sequence[str], others: Sequence[str]) -> dict[int, list[int]]:
    """Return the position in a text of each word that it has, by the differences of the two."""
    own, other = ([unicodedata.normalize("NFC", word) for word in side] for side in (words, others))
    blocks = SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks()
    return {block.a + k: [block.b + k] for block in blocks for k in range(block.size)}


def _of_forms(words: Sequence[str], others: Sequence[str]) -> dict[int, list[int]]:
    """Return the position in a text of each word of a form that is as frequent there, in any order."""
    places = {word: k for k, word in enumerate(occurrences(others))}
    return {k: [places[word]] for k, word in enumerate(occurrences(words)) if word in places}
