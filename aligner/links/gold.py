"""Gold: links made by hand, sure and possible, against which other links are scored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from operator import is_
from typing import NamedTuple

import numpy as np

from aligner.arguments import check_types
from aligner.files.lines import FileLines, located, read_file_lines
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments, Link
from aligner.links.formats import LINK_FORMATS
from aligner.links.link_arrays import parse_plain
from aligner.links.link_sets import occurs_in, union
from aligner.links.link_tokens import GOLD, ONE_BASED_GOLD, LinkTokens
from aligner.links.linked_pairs import LinkedPair, alignments_of
from aligner.messages import counted
from aligner.registry import check_known


class Reading(NamedTuple):
    """How a gold file was read.

    Attributes
    ----------
    format
        Name of the format.
    one_based
        True if positions were taken to count from 1.
    reversed
        True if target was taken to come before source.
    null_links
        Number of links to NULL that were dropped.
    """

    format: str = "pharaoh"
    one_based: bool = False
    reversed: bool = False
    null_links: int = 0


@dataclass(frozen=True)
class Gold:
    """Links made by hand, which alignments are scored against.

    Parameters
    ----------
    sure
        The sure links S.
    possible
        The possible links P. The sure links are added to them (Och & Ney 2003).
    reading
        How the links were read from a file. Equality does not compare it.
    """

    sure: Alignments
    possible: Alignments
    reading: Reading = field(default=Reading(), compare=False)

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        if self.possible is not self.sure:
            object.__setattr__(self, "possible", union(self.sure, self.possible))

    @classmethod
    def from_lists(
        cls, sure: Iterable[Iterable[Link]], possible: Iterable[Iterable[Link]] | None = None
    ) -> Gold:
        """Construct from lists of links (i, j), positions from 0, one list for each sentence pair.

        Parameters
        ----------
        sure
            The sure links.
        possible
            The possible links, to which the sure links are added; none by default.

        Raises
        ------
        DataError
            If a link is not a pair of positions, or if there are lists of different numbers of pairs.
        """
        links = Alignments.from_lists(sure)
        return cls(links, links if possible is None else Alignments.from_lists(possible))

    @classmethod
    def of_pairs(cls, pairs: Sequence[LinkedPair], reading: Reading, sentences: int | None) -> Gold:
        """Construct from the pairs of a file, whose links may be reversed (see ``alignments_of``)."""
        reading = reading._replace(null_links=sum(pair.null_links for pair in pairs))
        sure, possible = (alignments_of(pairs, field, sentences) for field in ("sure", "links"))
        return cls.of_links(sure, possible, reading)

    @classmethod
    def of_links(cls, sure: Alignments, possible: Alignments, reading: Reading) -> Gold:
        """Construct from the links of a file, which may be reversed."""
        if not reading.reversed:
            return cls(sure, possible, reading)
        return cls(sure.reversed(), possible.reversed(), reading)

    def __len__(self) -> int:
        return len(self.sure)

    def __repr__(self) -> str:
        sure, possible = (f"{links.source.size:,}" for links in (self.sure, self.possible))
        return f"Gold({counted(len(self), 'pair')}, {sure} sure and {possible} possible links)"


def read_gold(
    path: PathLike,
    *,
    format: str = "auto",
    one_based: bool = False,
    reversed: bool = False,
    sentences: int | None = None,
) -> Gold:
    """Read gold links.

    Parameters
    ----------
    path
        The file, plain or compressed. "-" is standard input.
    format
        The name of a format (see ``aligner.links.formats.LINK_FORMATS``), or "auto": "wa" if the first line
        that is not empty begins with three numbers, else "pharaoh".
        "pharaoh": one line for each sentence pair, of `i-j` (sure) and `i?j` or `ipj` (possible), or of
        `i-jS` and `i-jP`, as in the gold of Ugarit.
        "wa" (NAACL 2003): one line for each link, `sentence i j [S|P] [confidence]`, sure unless marked P.
        Sentences and positions count from 1, and sentences come in any order. A sentence without a line has
        no links. A link to position 0, NULL, is dropped and counted.
        All links of a format without `?` are sure.
    one_based
        True if positions count from 1. No effect on formats that define this themselves, such as "wa".
    reversed
        The file gives the target position before the source position.
    sentences
        The number of sentence pairs, if lines name their sentence, as in "wa". By default, the largest
        sentence number in the file.

    Returns
    -------
    Gold
        Sure and possible links, and how they were read.

    Raises
    ------
    DataError
        If a line is not of the format, with the file and the line, or if the file cannot be read.
    ConfigError
        If the format is unknown.
    """
    read: Iterator[FileLines] = (own for own, _ in read_file_lines(path))
    if format == "auto":
        format, read = _detect(read)
    check_known(format, LINK_FORMATS, "gold format")
    how = LINK_FORMATS[format]
    one_based = one_based if how.base is None else how.base == 1
    tokens, reading = ONE_BASED_GOLD if one_based else GOLD, Reading(format, one_based, reversed)
    if format == "pharaoh":
        return Gold.of_links(*_sure_and_possible(path, read, tokens), reading)
    sentences = None if how.lines_per_pair else sentences
    lines = chain.from_iterable(map(FileLines.lines, read))
    return Gold.of_pairs(list(how.read(path, tokens, lines=lines, sentences=sentences)), reading, sentences)


def _sure_and_possible(
    path: PathLike, read: Iterable[FileLines], tokens: LinkTokens
) -> tuple[Alignments, Alignments]:
    """Return the sure and the possible links of a Pharaoh file, the same object if all links are sure."""
    sure, possible = [], []
    for own in read:
        plain = parse_plain(own.data, tokens.separators, tokens.base)
        if plain is None:
            pairs = []
            for number, line in enumerate(own.lines(), own.lines_before + 1):
                with located(path, number):
                    pairs.append(tokens.parse(line))
            sure.append(alignments_of(pairs, "sure"))
            possible.append(alignments_of(pairs))
            continue
        possible.append(plain.separated_by(tokens.separators))
        certain = (plain.separators == ord("-")).all()
        sure.append(possible[-1] if certain else plain.separated_by("-"))
    links = Alignments.concatenate(sure)
    return links, links if all(map(is_, sure, possible)) else Alignments.concatenate(possible)


def format_gold(gold: Gold) -> str:
    """Return gold as text: `i-j` sure, `i?j` possible, from 0, sorted by (i, j), one line for each pair."""
    separators = np.where(occurs_in(gold.possible, gold.sure), "-", "?").tolist()
    links = zip(gold.possible.source.tolist(), separators, gold.possible.target.tolist(), strict=True)
    texts = [f"{i}{separator}{j}" for i, separator, j in links]
    return "".join([" ".join(texts[a:b]) + "\n" for a, b in pairwise(gold.possible.offsets.tolist())])


def _detect(read: Iterator[FileLines]) -> tuple[str, Iterator[FileLines]]:
    """Return the name of the format of a file, "wa" if it begins with three numbers, and all its lines."""
    seen = []
    for own in read:
        seen.append(own)
        if line := own.data.lstrip().partition(b"\n")[0]:
            format = "wa" if re.match(rb"\d+\s+\d+\s+\d", line) else "pharaoh"
            return format, chain(seen, read)
    return "pharaoh", iter(seen)
