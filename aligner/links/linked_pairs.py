"""Linked pairs: the records that every format of links and gold is read as, and their view as arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np

from aligner.errors import DataError
from aligner.links.alignments import Alignments, Link
from aligner.links.link_sets import describe_outside
from aligner.messages import display_name, excerpt
from aligner.text.files import PathLike
from aligner.text.token_table import Token

PairWords: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The source words and the target words of a sentence pair."""

PairLines: TypeAlias = tuple[str, str]
"""The source line and the target line of a sentence pair, as the words stand in them."""


PairTokens: TypeAlias = tuple[Sequence[Sequence[Token]], Sequence[Sequence[Token]]]
"""The rows of each source word and of each target word in tables of tokens, or empty sequences."""


class LinkedPair(NamedTuple):
    """The links of a sentence pair, and whatever else a file tells about it.

    Attributes
    ----------
    links
        The links (i, j), positions from 0, in the order of the file.
    sure
        The links that are sure. All of them, except in gold with possible links.
    probabilities
        The probability of each link, or empty.
    forbidden
        Cells (i, j) that are known to be no links.
    complete
        True if all other cells are known to be no links.
    null_links
        Number of links to NULL, which are left out.
    words
        The words of the pair, or two empty sequences.
    lines
        The lines that the words are from, or two empty strings.
    scores
        Forward score, reverse score and gain (see ``Alignments``), or empty.
    name
        Name of the sentence pair in the file, or empty.
    tokens
        The rows of each word in tables of tokens (see ``aligner.links.line_tokens``), or empty sequences.
    id
        Number of the sentence pair, from 1, in formats that number it. Elsewhere None: pairs are in order.
    line_number
        Number of the line in the file, from 1.
    """

    links: list[Link]
    sure: list[Link]
    probabilities: Sequence[float] = ()
    forbidden: Sequence[Link] = ()
    complete: bool = False
    null_links: int = 0
    words: PairWords = ((), ())
    scores: Sequence[float] = ()
    name: str = ""
    id: int | None = None
    line_number: int = 0
    lines: PairLines = ("", "")
    tokens: PairTokens = ((), ())

    def reversed(self) -> LinkedPair:
        """Return the pair with source and target exchanged."""
        links, sure, forbidden = (
            [(j, i) for i, j in cells] for cells in (self.links, self.sure, self.forbidden)
        )
        words, lines = self.words[::-1], self.lines[::-1]
        return self._replace(links=links, sure=sure, forbidden=forbidden, words=words, lines=lines)

    def with_words(self, source: Sequence[str], target: Sequence[str]) -> LinkedPair:
        """Return the pair with its words; ValueError if a cell has a position outside them."""
        self.check_positions(len(source), len(target))
        return self._replace(words=(source, target))

    def check_positions(
        self,
        source_length: int | None,
        target_length: int | None,
        advice: str = "are these the links of this text?",
    ) -> None:
        """Raise ValueError if a cell has a position outside the pair. A length may be unknown, None."""
        for i, j in chain(self.links, self.forbidden):
            for position, length in ((i, source_length), (j, target_length)):
                if length is not None and position >= length:
                    found = describe_outside(i, j, source_length, target_length)
                    raise ValueError(f"{found}; {advice}")


def alignments_of(
    pairs: Iterable[LinkedPair], field: str = "links", sentences: int | None = None
) -> Alignments:
    """Return the cells of pairs as arrays, with probabilities if all links have one.

    Parameters
    ----------
    pairs
        The pairs. Those with an id may come in any order.
    field
        "links", "sure" or "forbidden".
    sentences
        The number of sentence pairs. By default, the number of the last one.
    """
    numbers, lengths, probabilities = array("q"), array("q"), array("f")

    def cells_of_pairs() -> Iterator[Sequence[Link]]:
        number = 0
        for pair in pairs:
            number = pair.id or number + 1
            cells: Sequence[Link] = getattr(pair, field)
            numbers.append(number)
            lengths.append(len(cells))
            probabilities.extend(pair.probabilities)
            yield cells

    positions = np.fromiter(chain.from_iterable(chain.from_iterable(cells_of_pairs())), np.int64)
    source, target = positions.reshape(-1, 2).T.copy()
    return Alignments.from_links(
        max(numbers, default=0) if sentences is None else sentences,
        np.repeat(np.array(numbers) - 1, lengths),
        source,
        target,
        probabilities if field == "links" and 0 < len(probabilities) == len(source) else None,
    )


def pairs_of(
    alignments: Alignments,
    first_id: int,
    words: Sequence[PairWords],
    names: Sequence[str] = (),
    lines: Sequence[PairLines] = (),
) -> Iterator[LinkedPair]:
    """Yield the pairs of alignments, with sorted links.

    Parameters
    ----------
    alignments
        The links.
    first_id
        The id of the first pair. Ids increase by 1.
    words
        The words of each pair, or empty.
    names
        The name of each pair, or empty.
    lines
        The lines of each pair, or empty.
    """
    bounds = alignments.offsets.tolist()
    probabilities = [] if alignments.probabilities is None else alignments.probabilities.tolist()
    scores = [()] * len(alignments) if alignments.scores is None else alignments.scores.tolist()
    for n, links in enumerate(alignments):
        yield LinkedPair(
            links,
            links,
            probabilities[bounds[n] : bounds[n + 1]],
            words=words[n] if words else ((), ()),
            scores=scores[n],
            name=names[n] if names else "",
            id=first_id + n,
            lines=lines[n] if lines else ("", ""),
        )


def by_id(path: PathLike, pairs: Iterable[LinkedPair]) -> dict[int, LinkedPair]:
    """Return the pairs with an id by their ids; DataError if two pairs of the file have the same id."""
    found: dict[int, LinkedPair] = {}
    for pair in pairs:
        if pair.id in found:
            again = f"found {excerpt(pair.name)} again; expected each line once"
            raise DataError(f"{display_name(path)}:{pair.line_number}: {again}")
        if pair.id is not None:
            found[pair.id] = pair
    return found


def in_order(
    path: PathLike, pairs: Iterable[LinkedPair], sentences: int | None = None
) -> Iterator[LinkedPair]:
    """Yield each sentence pair of a file once, also pairs that a format with ids leaves out.

    Parameters
    ----------
    path
        The file, for messages.
    pairs
        The pairs. Several may have the same id.
    sentences
        The number of sentence pairs of a format with ids. By default, the last one is the last with a link.

    Raises
    ------
    DataError
        If ids decrease.
    """
    number, links = 1, list[Link]()
    for pair in pairs:
        if pair.id is None:
            yield pair
            continue
        if pair.id < number:
            raise DataError(
                f"{display_name(path)}:{pair.line_number}: found sentence {pair.id} after sentence {number};"
                f" expected sentences in order; sort the file by its first column (sort -s -n -k 1,1)"
            )
        while number < pair.id:
            yield LinkedPair(links, links)
            number, links = number + 1, []
        links += pair.links
    while links or number <= (sentences or 0):
        yield LinkedPair(links, links)
        number, links = number + 1, []
