"""Linked pairs: the records that every format of links and gold is read as, and their view as arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from aligner.errors import DataError
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments, Link
from aligner.links.link_sets import describe_outside
from aligner.messages import display_name, excerpt
from aligner.scripture.token_table import Token

PairWords: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The source words and the target words of a sentence pair."""

PairTexts: TypeAlias = tuple[str, str]
"""The source line and the target line of a sentence pair, with the words as they stand in them."""


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
    texts
        The lines that the words are from, or two empty strings.
    scores
        Forward score, reverse score and gain (see ``Alignments``), or empty.
    number
        Number of the sentence pair, from 1, in formats that have it. Elsewhere None: pairs are in order.
    id
        Id of the sentence pair in the file, or empty.
    tokens
        The rows of each word in tables of tokens (see ``aligner.links.line_tokens``), or empty sequences.
    file_line
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
    number: int | None = None
    id: str = ""
    file_line: int = 0
    texts: PairTexts = ("", "")
    tokens: PairTokens = ((), ())

    def reversed(self) -> LinkedPair:
        """Return the pair with source and target exchanged."""
        links, sure, forbidden = (
            [(j, i) for i, j in cells] for cells in (self.links, self.sure, self.forbidden)
        )
        words, texts = self.words[::-1], self.texts[::-1]
        return self._replace(links=links, sure=sure, forbidden=forbidden, words=words, texts=texts)

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
        source_end, target_end = (inf if own is None else own for own in (source_length, target_length))
        for i, j in chain(self.links, self.forbidden):
            if i >= source_end or j >= target_end:
                raise ValueError(f"{describe_outside(i, j, source_length, target_length)}; {advice}")


def alignments_of(
    pairs: Iterable[LinkedPair], field: str = "links", sentences: int | None = None
) -> Alignments:
    """Return the cells of pairs as arrays, with probabilities if all links have one.

    Parameters
    ----------
    pairs
        The pairs. Those with a number may come in any order.
    field
        "links", "sure" or "forbidden".
    sentences
        The number of sentence pairs. By default, the number of the last one.
    """
    numbers, lengths, probabilities = array("q"), array("q"), array("f")

    def cells_of_pairs() -> Iterator[Sequence[Link]]:
        number = 0
        for pair in pairs:
            number = pair.number or number + 1
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


class LinkedLines(NamedTuple):
    """Lines of a text with their links.

    Attributes
    ----------
    links
        The links.
    first
        The number of the first line, from 1.
    words, ids, texts
        The words, the id and the texts of each pair (see ``LinkedPair``), or empty.
    """

    links: Alignments
    first: int
    words: Sequence[PairWords] = ()
    ids: Sequence[str] = ()
    texts: Sequence[PairTexts] = ()

    def pairs(self) -> Iterator[LinkedPair]:
        """Yield the pairs, with sorted links."""
        bounds, p, scores = self.links.offsets.tolist(), self.links.probabilities, self.links.scores
        probabilities = [] if p is None else p.tolist()
        of_pairs = [()] * len(self.links) if scores is None else scores.tolist()
        for n, links in enumerate(self.links):
            yield LinkedPair(
                links,
                links,
                probabilities[bounds[n] : bounds[n + 1]],
                words=self.words[n] if self.words else ((), ()),
                scores=of_pairs[n],
                number=self.first + n,
                id=self.ids[n] if self.ids else "",
                texts=self.texts[n] if self.texts else ("", ""),
            )


def by_number(path: PathLike, pairs: Iterable[LinkedPair]) -> dict[int, LinkedPair]:
    """Return the pairs with a number by it; DataError if two pairs of the file have the same number."""
    found: dict[int, LinkedPair] = {}
    for pair in pairs:
        if pair.number in found:
            again = f"found {excerpt(pair.id)} again; expected each line once"
            raise DataError(f"{display_name(path)}:{pair.file_line}: {again}")
        if pair.number is not None:
            found[pair.number] = pair
    return found


def in_order(
    path: PathLike, pairs: Iterable[LinkedPair], sentences: int | None = None
) -> Iterator[LinkedPair]:
    """Yield each sentence pair of a file once, also pairs that a format with numbers leaves out.

    Parameters
    ----------
    path
        The file, for messages.
    pairs
        The pairs. Several may have the same number.
    sentences
        The number of sentence pairs of a format with numbers. By default, the last is the last with a link.

    Raises
    ------
    DataError
        If numbers decrease.
    """
    number, links = 1, list[Link]()
    for pair in pairs:
        if pair.number is None:
            yield pair
            continue
        if pair.number < number:
            raise DataError(
                f"{display_name(path)}:{pair.file_line}: found sentence {pair.number} after sentence"
                f" {number}; expected sentences in order; sort the file by its first column (sort -s -n -k"
                f" 1,1)"
            )
        while number < pair.number:
            yield LinkedPair(links, links)
            number, links = number + 1, []
        links += pair.links
    while links or number <= (sentences or 0):
        yield LinkedPair(links, links)
        number, links = number + 1, []
