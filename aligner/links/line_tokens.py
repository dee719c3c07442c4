"""Tokens of lines: the rows of a token table that the words of a text are made of, and what their ids name.

Words and tokens need not be the same: Hebrew tables have morphemes, and the text may have them or whole
words. A word has the tokens that share a letter with it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, compress

from aligner.errors import DataError
from aligner.files.lines import located
from aligner.links.linked_pairs import LinkedPair, PairWords
from aligner.links.token_matching import TokenMap, match_tokens
from aligner.messages import counted
from aligner.scripture.token_table import Token
from aligner.scripture.verses import Verse
from aligner.text.line_ids import LineIds

_MOST_LOST = 10
"""Links of other words, and percent of all links: a file with more of both does not fit the text."""

_ID = re.compile(r"[a-z]?([0-9]{8})(?!000)([0-9]{3})([0-9]?)(?:\|.*)?", re.DOTALL)


class LineTokens:
    """The tokens of one side of a text by line, if there is a table.

    Parameters
    ----------
    ids
        The ids of the lines, beside which the table is. None: there is none.
    side
        0 for source, 1 for target.

    Attributes
    ----------
    file
        The name of the table, or "" without one, or if its tokens have no ids.
    has_parts
        True if ids of parts of words have been looked up without a table, as if they were of the words.
    """

    def __init__(self, ids: LineIds | None = None, side: int = 0) -> None:
        self._names = ids.ids if ids else ()
        file, self._table = [*ids.tables.items()][side] if ids else ("", {})
        self.file = file if any(token.id for token in chain.from_iterable(self._table.values())) else ""
        self.has_parts = False

    def of_line(self, name: str) -> Sequence[Token]:
        """Return the tokens of a line, which may join several verses of the table."""
        with suppress(ValueError):
            if self._table and name not in self._table:
                verse = Verse.parse(name)
                singles = (verse._replace(verse=k, last=0) for k in range(verse.verse, verse.last + 1))
                return [token for single in singles for token in self._table.get(str(single), ())]
        return self._table.get(name, ())

    def place(self, id: str) -> tuple[str, int] | None:
        """Return the line of an id BBCCCVVVWWWP and the position there, of a token or else of a word."""
        match = _ID.fullmatch(id)
        if match and self.file:
            return self._places.get(_key(match))
        with suppress(ValueError):  # an unknown book
            if match:
                self.has_parts |= match[3] > "1"
                return str(Verse.of_number(match[1])), int(match[2]) - 1
        return None

    @cached_property
    def _places(self) -> dict[str, tuple[str, int]]:
        """The line and the position in its tokens of each id."""
        rows = ((name, k, token.id) for name in self._names for k, token in enumerate(self.of_line(name)))
        return {_key(match): (name, k) for name, k, id in rows if (match := _ID.fullmatch(id))}

    def places(self, name: str, words: Sequence[str]) -> TokenMap:
        """Return the positions of words that each position of ``place`` stands for."""
        return self.positions(name, words) if self.file else [[k] for k in range(len(words))]

    def positions(self, name: str, words: Sequence[str]) -> TokenMap:
        """Return the positions of the words of a line that each of its tokens is in."""
        texts = [token.text for token in self.of_line(name)]
        if texts == [*words]:
            return [[k] for k in range(len(texts))]
        try:
            return match_tokens(texts, words)
        except ValueError:
            return match_tokens(texts, words, partly=True)

    def of_words(self, name: str, words: Sequence[str]) -> list[list[Token]]:
        """Return the tokens of each word of a line."""
        found: list[list[Token]] = [[] for _ in words]
        for token, positions in zip(self.of_line(name), self.positions(name, words), strict=True):
            for k in positions:
                found[k].append(token)
        return found


def with_tokens(
    pairs: Iterable[LinkedPair], ids: LineIds, report: Callable[[str], object] | None = None
) -> Iterator[LinkedPair]:
    """Yield pairs with the tokens of their words. Pairs without words get those of the tables.

    report: receives the number of links that are left out, of words without an id in a table. None: all stay.
    DataError if a side has no words, if a link is outside its line, or if too many are left out.
    """
    sides = LineTokens(ids, 0), LineTokens(ids, 1)
    links = lost = 0
    for pair in pairs:
        words = [
            own or [token.text for token in side.of_line(pair.id)]
            for own, side in zip(pair.words, sides, strict=True)
        ]
        if pair.links and not any(pair.words) and not all(words):
            lacking = " and ".join(file for own, file in zip(words, ids.tables, strict=True) if not own)
            raise DataError(
                f"{ids.file}:{pair.number}: found links of {pair.id}, and no tokens of it in {lacking};"
                f" expected those of both sides; name the text (--source, --target)"
            )
        with located(ids.file, pair.number or 0):
            pair = pair.with_words(*words)
        source, target = (side.of_words(pair.id, own) for side, own in zip(sides, words, strict=True))
        if report is not None:
            places = (zip(sides, (source[i], target[j]), strict=True) for i, j in pair.links)
            kept = [all(any(one.id for one in own) for side, own in place if side.file) for place in places]
            links, lost = links + len(kept), lost + kept.count(False)
            probabilities = [*compress(pair.probabilities, kept)]
            pair = pair._replace(links=[*compress(pair.links, kept)], probabilities=probabilities)
        yield pair._replace(tokens=(source, target))
    if report is not None:
        report_lost(report, ids.file, lost, links, "the tables lack")


def lemmas_of(words: Iterable[PairWords], ids: LineIds) -> list[dict[str, list[str]]]:
    """Return, for each side, the names of each form of a text: its lemma, then all others.

    The lemma is the most frequent one, of the longest token of a word; "" if there is none. The other names
    are other lemmas, and Strong's numbers without the prefixes before a colon, as in b:H7225.
    """
    sides = [LineTokens(ids, side) for side in (0, 1)]
    found = [defaultdict[str, Counter[str]](Counter) for _ in sides]
    for name, pair in zip(ids.ids, words, strict=False):
        for side, own, forms in zip(sides, pair, found, strict=True):
            for word, tokens in zip(own, side.of_words(name, own), strict=True):
                longest = max(tokens, key=lambda token: len(token.text), default=None)
                for token in tokens:
                    forms[word][token.lemma] += token is longest
                    forms[word][token.strong.rpartition(":")[2]] += 0
    return [{word: _in_order(names) for word, names in forms.items() if any(names)} for forms in found]


def _in_order(names: Counter[str]) -> list[str]:
    """Return the most frequent name, and the others that are not empty."""
    first, *others = (name for name, _ in names.most_common())
    return [first, *filter(None, others)]


def report_lost(
    report: Callable[[str], object], name: str, lost: int, links: int, lacking: str = "the text lacks"
) -> None:
    """Report lost links, if there are any; DataError if they are more than 10, and more than 10 %."""
    if lost > max(_MOST_LOST, links * _MOST_LOST / 100):
        raise DataError(
            f"{name}: found {lost:,} of {counted(links, 'link')} of words that {lacking}; expected links of"
            f" this text; check the ids, the text and the tables of its tokens"
        )
    if lost:
        report(f"{name}: {counted(lost, 'link')} left out, of words that {lacking}")


def _key(match: re.Match[str]) -> str:
    """Return an id as all of its spellings have it: `01001001001` is `o010010010011`."""
    return f"{match[1]}{match[2]}{match[3] or 1}"
