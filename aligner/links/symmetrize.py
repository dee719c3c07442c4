"""Symmetrisation: combining the forward and the reverse alignment of a sentence pair into one.

A forward alignment links each target position to at most one source position. A reverse alignment links each
source position to at most one target position. Any other links are accepted, too. Either direction alone is
the simplest combination. The growing heuristics are greedy: their result depends on the order in
which links are visited. It is the order of the Moses program symal, but for names with ``atools``.

To add a method, write a function of two collections of links and decorate it with
``SYMMETRIZATIONS.register``.

References
----------
F. J. Och and H. Ney, 2003: A systematic comparison of various statistical alignment models.
P. Koehn, F. J. Och and D. Marcu, 2003: Statistical phrase-based translation.
J. DeNero and D. Klein, 2007: Tailoring word alignments to syntactic machine translation.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Sequence

from aligner.links import link_sets
from aligner.links.alignments import Alignments, Link
from aligner.registry import Registry

Symmetrizer = Callable[[Collection[Link], Collection[Link]], list[Link]]
"""A function of the forward and the reverse links of one pair. It returns links sorted by (i, j)."""

SYMMETRIZATIONS: Registry[Symmetrizer] = Registry("symmetrisation")
"""Every symmetrisation, by the name that recipes and the command line use."""

# Steps in (target, source), in the order in which they are tried.
_ADJACENT = ((-1, 0), (0, -1), (1, 0), (0, 1))
_DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@SYMMETRIZATIONS.register("forward", "links of forward alone")
def forward_alone(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the forward links."""
    return sorted({*forward})


@SYMMETRIZATIONS.register("reverse", "links of reverse alone")
def reverse_alone(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the reverse links."""
    return sorted({*reverse})


@SYMMETRIZATIONS.register("intersection", "links of both directions")
def intersection(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links that both directions have."""
    return sorted({*forward} & {*reverse})


@SYMMETRIZATIONS.register("union", "links of either direction")
def union(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links that either direction has."""
    return sorted({*forward} | {*reverse})


@SYMMETRIZATIONS.register(
    "grow", "intersection, and adjacent links of the union that cover an uncovered word"
)
def grow(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the intersection, grown by links of the union.

    A link is added if it lies beside a link of the result and covers an uncovered word.
    """
    return _grow(forward, reverse, _ADJACENT)


@SYMMETRIZATIONS.register("grow-diag", "grow, where links that touch at a corner are adjacent, too")
def grow_diag(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links of ``grow`` if links that touch at a corner are neighbours, too."""
    return _grow(forward, reverse, _ADJACENT + _DIAGONAL)


@SYMMETRIZATIONS.register("grow-diag-final", "grow-diag, then any link that covers an uncovered word")
def grow_diag_final(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links of ``grow_diag``, and further links of forward, then of reverse.

    A link is added if it covers an uncovered word.
    """
    return _grow(forward, reverse, _ADJACENT + _DIAGONAL, 1)


@SYMMETRIZATIONS.register("grow-diag-final-and", "grow-diag, then any link between two uncovered words")
def grow_diag_final_and(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links of ``grow_diag``, and further links of forward, then of reverse.

    A link is added if it covers two uncovered words.
    """
    return _grow(forward, reverse, _ADJACENT + _DIAGONAL, 2)


def grow_diag_atools(forward: Collection[Link], reverse: Collection[Link], final: int = 0) -> list[Link]:
    """Return the links of ``grow_diag`` that atools finds: it visits links by source, then target, in passes.

    With ``final``, links of forward, then of reverse, are added that cover at least so many uncovered words.
    """
    growth = Growth({*forward}, {*reverse})
    grown = True
    while grown:
        grown = False
        for i, j in sorted(growth.candidates):
            if growth.newly_covered((i, j)) and any(
                (i + di, j + dj) in growth.result for di, dj in _ADJACENT + _DIAGONAL
            ):
                growth.add((i, j))
                grown = True
    if final:
        growth.finish(final)
    return sorted(growth.result)


SYMMETRIZATIONS.register("grow-diag-atools", "grow-diag in the order of atools of fast_align")(
    grow_diag_atools
)


# The same results as the functions above, for a whole text at once.
_ON_ARRAYS: dict[str, Callable[[Alignments, Alignments], Alignments]] = {
    "forward": lambda forward, reverse: _links_alone(forward),
    "reverse": lambda forward, reverse: _links_alone(reverse),
    "intersection": link_sets.intersection,
    "union": link_sets.union,
}


def symmetrize(forward: Alignments, reverse: Alignments, method: str) -> Alignments:
    """Combine two alignments pair by pair. The result has no probabilities.

    Raises
    ------
    ConfigError
        If the method is unknown.
    DataError
        If the two alignments differ in their number of sentence pairs.
    """
    combine = SYMMETRIZATIONS.find(method)
    link_sets.check_lengths(forward, reverse)
    if method in _ON_ARRAYS:
        return _ON_ARRAYS[method](forward, reverse)
    return Alignments.from_lists(map(combine, forward, reverse))


def _links_alone(alignments: Alignments) -> Alignments:
    """Return alignments without probabilities and scores."""
    return Alignments.unchecked(alignments.offsets, alignments.source, alignments.target)


class Growth:
    """The links of a growing result, from the intersection of two alignments towards their union.

    Parameters
    ----------
    first, second
        The links of both as cells (row, column). Cells are visited by row, then by column.
    """

    def __init__(self, first: set[Link], second: set[Link]) -> None:
        self.result = first & second
        self.candidates = first ^ second
        self._one_sided = first - second, second - first
        self._rows = {row for row, _ in self.result}
        self._columns = {column for _, column in self.result}

    def newly_covered(self, cell: Link) -> int:
        """Return how many uncovered words a candidate covers. If it covers none, drop it for good."""
        count = (cell[0] not in self._rows) + (cell[1] not in self._columns)
        if not count:
            self.candidates.remove(cell)
        return count

    def add(self, cell: Link) -> None:
        """Add a candidate to the result."""
        self.result.add(cell)
        self.candidates.remove(cell)
        self._rows.add(cell[0])
        self._columns.add(cell[1])

    def finish(self, minimum: int) -> None:
        """Add links of the first, then of the second, that cover at least ``minimum`` uncovered words."""
        for links in self._one_sided:
            for cell in sorted(links & self.candidates):
                if self.newly_covered(cell) >= minimum:
                    self.add(cell)


def _grow(
    forward: Collection[Link],
    reverse: Collection[Link],
    neighbours: Sequence[Link],
    minimum: int | None = None,
) -> list[Link]:
    """Return the links that grow by neighbours, and by others that cover at least ``minimum`` words."""
    growth = Growth(*({(j, i) for i, j in links} for links in (forward, reverse)))
    added = True
    while added and growth.candidates:
        added = False
        cells, visited = sorted(growth.result), 0
        while visited < len(cells):
            j, i = cells[visited]
            for down, right in neighbours:
                cell = j + down, i + right
                if cell in growth.candidates and growth.newly_covered(cell):
                    growth.add(cell)
                    index = bisect(cells, cell)
                    cells.insert(index, cell)
                    # A link inserted behind this one is visited in this pass, one before it in the next.
                    visited += index <= visited
                    added = True
            visited += 1
    if minimum is not None:
        growth.finish(minimum)
    return sorted((i, j) for j, i in growth.result)
