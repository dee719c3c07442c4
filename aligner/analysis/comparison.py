"""Comparison of two alignments of one text: the lines where each is better, and the links that differ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from aligner.links.alignments import Alignments, Link
from aligner.links.gold import Gold
from aligner.links.link_counts import count_links
from aligner.links.link_sets import occurs_in, select
from aligner.links.significance import aer, aer_terms


@dataclass(frozen=True)
class LineComparison:
    """A line on which two alignments differ.

    Attributes
    ----------
    line
        Number of the line, from 1.
    first_aer, second_aer
        Alignment error rates of the line, in 0..1.
    first_only, second_only
        The links that the other alignment does not have, each with True if the gold has it as possible.
    """

    line: int
    first_aer: float
    second_aer: float
    first_only: tuple[tuple[Link, bool], ...]
    second_only: tuple[tuple[Link, bool], ...]


@dataclass(frozen=True)
class Comparison:
    """Two alignments of one text, compared line by line.

    Attributes
    ----------
    first_better, second_better, equal
        Number of lines on which the first has the lower AER, on which the second has it, and of the others.
    first_only, second_only
        Number of links that the other alignment does not have.
    first_only_possible, second_only_possible
        Of these, the number of links in the possible links of the gold.
    lines
        The lines that differ, by the difference in AER, the greatest first.
    """

    first_better: int
    second_better: int
    equal: int
    first_only: int
    first_only_possible: int
    second_only: int
    second_only_possible: int
    lines: tuple[LineComparison, ...]


def compare_lines(first: Alignments, second: Alignments, gold: Gold) -> Comparison:
    """Compare two alignments of one text line by line.

    Parameters
    ----------
    first, second
        The links.
    gold
        Sure and possible links of the same sentence pairs.

    Returns
    -------
    Comparison
        Counts, and the lines that differ.

    Raises
    ------
    DataError
        If the numbers of sentence pairs differ.
    """
    first_aer, second_aer = (aer(aer_terms(count_links(links, gold))) for links in (first, second))
    change = second_aer - first_aer
    only = [select(own, ~occurs_in(own, other)) for own, other in ((first, second), (second, first))]
    is_possible = [occurs_in(links, gold.possible) for links in only]
    differing = np.flatnonzero(sum(np.diff(links.offsets) for links in only))
    order = differing[np.argsort(-np.abs(change[differing]), kind="stable")].tolist()
    return Comparison(
        first_better=int(np.count_nonzero(change > 0)),
        second_better=int(np.count_nonzero(change < 0)),
        equal=int(np.count_nonzero(change == 0)),
        first_only=len(only[0].source),
        first_only_possible=int(is_possible[0].sum()),
        second_only=len(only[1].source),
        second_only_possible=int(is_possible[1].sum()),
        lines=tuple(
            LineComparison(
                n + 1, float(first_aer[n]), float(second_aer[n]), *map(_judged, only, is_possible, repeat(n))
            )
            for n in order
        ),
    )


def _judged(links: Alignments, is_possible: NDArray[np.bool_], n: int) -> tuple[tuple[Link, bool], ...]:
    """Return the links of a line, each with True if the gold has it."""
    span = slice(links.offsets[n], links.offsets[n + 1])
    return tuple(zip(links[n], is_possible[span].tolist(), strict=True))
