"""Known and forbidden links of lines of a text, imposed on the links that a model finds.

A file of known links has a line for each line of the text, or ``LINE TAB links``, counted from 1, for some of
them. ``i-j`` is a link, ``i!j`` is none, from 0. The mark ``=`` says that the line is complete: all of its
other cells are no links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from aligner.arguments import check_types
from aligner.arrays import Bools, Int64s
from aligner.errors import DataError
from aligner.files.lines import lines_of
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS
from aligner.links.link_sets import (
    check_lengths,
    check_positions,
    columns_of,
    intersection,
    occurs_in,
    select,
)
from aligner.links.link_tokens import KNOWN_LINKS
from aligner.links.linked_pairs import LinkedPair, alignments_of, by_number
from aligner.links.named_links import NamedText, read_named
from aligner.messages import counted, display_name
from aligner.storage.codec import checksum


@dataclass(frozen=True)
class KnownLinks:
    """Cells that are known to be links, and cells that are known to be none, of lines of a text.

    Attributes
    ----------
    known, forbidden
        The cells of each entry that are links, and the cells that are not.
    name
        The name of the file, for messages.
    complete
        bool [entries], True where all cells that are not known are forbidden. By default, nowhere.
    lines
        int64 [entries], the line of each entry, from 0, ascending. None if entry n is of line n and every
        line has one.
    unmatched
        The number of further entries, which name no line of the text.

    Raises
    ------
    DataError
        If a cell is both known and forbidden, or if the numbers of entries differ.
    """

    known: Alignments
    forbidden: Alignments
    name: str = "known links"
    complete: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    lines: Int64s | None = None
    unmatched: int = 0

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        check_lengths(self.known, self.forbidden, f"{self.name}: known and forbidden links")
        if not len(self.complete):
            object.__setattr__(self, "complete", np.zeros(len(self.known), np.bool_))
        both = intersection(self.known, self.forbidden)
        if len(both.source):
            n, i, j = self._numbers[both.pair[0]], both.source[0], both.target[0]
            raise DataError(f"{self.name}:{n + 1}: found {i}-{j} and {i}!{j}; expected at most one of them")

    @property
    def checksum(self) -> int:
        """A CRC-32 of the links."""
        arrays = [
            a for links in (self.known, self.forbidden) for a in (links.offsets, links.source, links.target)
        ]
        return checksum([*arrays, self.complete, *([] if self.lines is None else [self.lines])])

    def of_text(self, lines: int) -> KnownLinks:
        """Return an entry for every line of a text; entries of other lines are counted as unmatched.

        Raises DataError if the file has a line for each line of another text.
        """
        if self.lines is None:
            if len(self.known) != lines:
                raise DataError(
                    f"{self.name}: found {counted(len(self.known), 'line')}; expected {lines:,}, one for each"
                    f" line of the text, or LINE TAB links for some lines"
                )
            return self
        return replace(self._slice(0, lines), unmatched=self._unmatched(lines))

    def impose(self, alignments: Alignments, first: int = 0) -> Alignments:
        """Return alignments with all known links, of probability 1, and without forbidden ones.

        alignments: of the lines from ``first`` on, counted from 0.
        """
        own = self._slice(first, first + len(alignments))
        kept = ~(own.complete[alignments.pair] | occurs_in(alignments, own.forbidden))
        found = select(alignments, kept)
        values = found.probabilities
        if values is not None:
            values = np.concatenate([values, np.ones(len(own.known.source), np.float32)])
        imposed = Alignments.from_links(len(alignments), *columns_of(found, own.known), values)
        return replace(imposed, scores=alignments.scores)

    def check_positions(
        self, source_lengths: Int64s, target_lengths: Int64s, first: int = 0, checked: Bools | None = None
    ) -> None:
        """Raise DataError for the first cell that its line does not have.

        The lengths are of the lines from ``first`` on. checked: bool [lines], the lines to check; by default
        all.
        """
        own = self._slice(first, first + len(source_lengths))
        for links, separator in ((own.known, "-"), (own.forbidden, "!")):
            if checked is not None:
                links = select(links, checked[links.pair])
            lengths = source_lengths, target_lengths
            check_positions(links, lengths, f"{self.name}:", first + 1, separator=separator)

    def describe(self, lines: int) -> str:
        """Return how many links and lines of a text of this many lines are known, for messages."""
        own = self._slice(0, lines)
        entries = np.diff(own.known.offsets) + np.diff(own.forbidden.offsets) + own.complete
        beyond = self._unmatched(lines)
        parts = [
            f"{counted(len(own.known.source), 'known link')} and"
            f" {counted(len(own.forbidden.source), 'forbidden link')} in"
            f" {counted(int(np.count_nonzero(entries)), 'line')},"
            f" {int(own.complete.sum()):,} of them complete"
        ]
        if beyond:
            parts.append(f"{counted(beyond, 'entry', 'entries')} of no line of the text")
        return "; ".join(parts)

    @property
    def _numbers(self) -> Int64s:
        """The line of each entry, from 0."""
        return np.arange(len(self.known)) if self.lines is None else self.lines

    def _unmatched(self, lines: int) -> int:
        """Return the number of entries of no line of a text of this many lines."""
        return self.unmatched + int(np.count_nonzero(self._numbers >= lines))

    def _slice(self, first: int, stop: int) -> KnownLinks:
        """Return an entry for each of these lines; lines beyond the last entry are empty."""
        numbers = self._numbers
        begin, end = np.searchsorted(numbers, [first, stop])
        numbers = numbers[begin:end] - first
        complete = np.zeros(stop - first, np.bool_)
        complete[numbers] = self.complete[begin:end]

        def spread(links: Alignments) -> Alignments:
            part = links[begin:end]
            return Alignments.from_links(stop - first, numbers[part.pair], part.source, part.target)

        return replace(
            self, known=spread(self.known), forbidden=spread(self.forbidden), complete=complete, lines=None
        )


def read_known_links(
    path: PathLike, text: NamedText | None = None, *, lines: Iterable[str] | None = None
) -> KnownLinks:
    """Read known links: ``i-j`` (a link), ``i!j`` (no link) and ``=`` (a complete line), from 0.

    Parameters
    ----------
    path
        A file with a line for each line of the text, which may be blank, or with ``LINE TAB links`` for some
        lines, counted from 1, in any order. The first line that is not blank tells which.
    text
        The text, if ``path`` names its lines by ids: it has ``ID TAB links``, or is aligned USFM or an
        alignment of Scripture Burrito, whose sure links are known.
    lines
        The lines of the file, if they have been read already.

    Raises
    ------
    DataError
        With file and line, if a token has another form, if a cell is both known and forbidden, or if a line
        is named twice.
    """
    lines = list(lines_of(path) if lines is None else lines)
    if text is None and not is_numbered(lines):
        return _from_pairs(path, list(LINK_FORMATS["pharaoh"].read(path, KNOWN_LINKS, lines=lines)))
    if text is None:
        named, unmatched = by_number(path, LINK_FORMATS["lines"].read(path, KNOWN_LINKS, lines=lines)), 0
    else:
        named, unmatched = read_named(path, lines, KNOWN_LINKS, text)
    numbers = sorted(named)
    entries = [named[number]._replace(number=None) for number in numbers]
    return _from_pairs(path, entries, np.array(numbers, np.int64) - 1, unmatched)


def is_numbered(lines: Iterable[str]) -> bool:
    """Return True if the first of the lines that is not blank is ``LINE TAB links``."""
    return re.match(r"[0-9]{1,9}\t", next(filter(str.strip, lines), "")) is not None


def _from_pairs(
    path: PathLike, pairs: list[LinkedPair], lines: Int64s | None = None, unmatched: int = 0
) -> KnownLinks:
    """Return the known links of pairs. lines: the line of each pair, from 0, or None if pair n is line n."""
    known, forbidden = (alignments_of(pairs, field, len(pairs)) for field in ("sure", "forbidden"))
    complete = np.array([pair.complete for pair in pairs], np.bool_)
    return KnownLinks(known, forbidden, display_name(path), complete, lines, unmatched)
