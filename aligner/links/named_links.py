"""Links of lines that a file names by ids: `ID TAB links`, aligned USFM, or Scripture Burrito."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from aligner.errors import DataError
from aligner.links.formats import DOCUMENT_FORMATS, LINK_FORMATS
from aligner.links.link_tokens import LinkTokens
from aligner.links.linked_pairs import LinkedPair, PairWords, by_id
from aligner.messages import counted, display_name
from aligner.text.files import PathLike
from aligner.text.line_ids import LineIds

_DOCUMENTS = {"\\": "usfm", "{": "burrito"}
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
        return in_lines(path, list(DOCUMENT_FORMATS[name].read(path, lines, text.report)), text), 0
    pairs = list(LINK_FORMATS["named"].read(path, tokens, lines=lines))
    pairs = [pair._replace(id=text.ids.numbers.get(pair.name.strip())) for pair in pairs]
    found = by_id(path, pairs)
    return found, len(pairs) - len(found)


def in_lines(path: PathLike, pairs: Sequence[LinkedPair], text: NamedText) -> dict[int, LinkedPair]:
    """Return the pairs of a document by line of a text, with positions in it.

    Pairs of other lines and links of other words are left out and reported. DataError as for ``read_named``.
    """
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
    lost = 0
    for pair in pairs:
        number = text.ids.number_of(pair.name, is_first=not has_words)
        if number is not None:
            placed = pair if words is None else _placed(pair, words[number - 1])
            lost += len({*pair.links, *pair.forbidden}) - len({*placed.links, *placed.forbidden})
            found[number] = placed._replace(id=number)
    if any(pair.links for pair in pairs) and not any(pair.links for pair in found.values()):
        raise DataError(
            f"{display_name(path)}: found no link of a line that the ids name, in"
            f" {counted(len(pairs), 'verse')}; expected links of this text; check the ids and the text"
        )
    if len(found) < len(pairs):
        verses = counted(len(pairs) - len(found), "verse")
        text.report(f"{display_name(path)}: {verses} left out, which the ids do not name")
    if lost:
        text.report(f"{display_name(path)}: {counted(lost, 'link')} left out, of words that the text lacks")
    return found


def _placed(pair: LinkedPair, words: PairWords) -> LinkedPair:
    """Return a pair with the positions of its words in a text, without links of other words."""
    source = _matches_of_forms(pair.words[0] or words[0], words[0])
    target = _matches(pair.words[1] or words[1], words[1])
    place = {
        (i, j): (source[i], target[j])
        for i, j in (*pair.links, *pair.forbidden)
        if i in source and j in target
    }
    links, sure, forbidden = (
        [place[cell] for cell in cells if cell in place] for cells in (pair.links, pair.sure, pair.forbidden)
    )
    known = zip(pair.links, pair.probabilities, strict=False)
    probabilities = [p for cell, p in known if cell in place]
    return pair._replace(
        links=links, sure=sure, forbidden=forbidden, probabilities=probabilities, words=words
    )


def _matches(words: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """Return the position in a text of each word that it has, by the differences of the two."""
    own, other = ([unicodedata.normalize("NFC", word) for word in side] for side in (words, others))
    blocks = SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks()
    return {block.a + k: block.b + k for block in blocks for k in range(block.size)}


def _matches_of_forms(words: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """Return the position in a text of each word of a form that is as frequent there, in any order."""
    places = {occurrence: k for k, occurrence in enumerate(_occurrences(others))}
    found = [*_occurrences(words)]
    totals = dict(found), dict(places.keys())
    return {
        k: places[word]
        for k, word in enumerate(found)
        if word in places and totals[0][word[0]] == totals[1][word[0]]
    }


def _occurrences(words: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the form of each word, and how often it has occurred."""
    counts = Counter[str]()
    for word in words:
        form = unicodedata.normalize("NFC", word)
        counts[form] += 1
        yield form, counts[form]
