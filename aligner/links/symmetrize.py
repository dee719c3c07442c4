"""Two alignments of a sentence pair made one: Och & Ney 2003, Koehn, Och & Marcu 2003, DeNero & Klein 2007.

`forward` links give every target position at most one source, `reverse` links every source position at most
one target, though any links are accepted. A link is (i, j), source and target position from 0. The growing
heuristics are greedy, so their result depends on the order of visits; it is that of the Moses program symal.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from itertools import chain

from aligner.errors import ConfigError
from aligner.links import alignments
from aligner.links.alignments import Alignments, Link

Symmetrizer = Callable[[Collection[Link], Collection[Link]], list[Link]]

# Steps in (target, source), in the order in which they are tried.
_BESIDE = ((-1, 0), (0, -1), (1, 0), (0, 1))
_DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """The links of both directions."""
    return sorted({*forward} & {*reverse})


def union(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """The links of either direction."""
    return sorted({*forward} | {*reverse})


def grow(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """The intersection, and links of the union beside a link held already that cover an uncovered word."""
    return _Growth(forward, reverse).grow(_BESIDE).links()


def grow_diag(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """As `grow`, where links that touch at a corner are neighbours as well."""
    return _Growth(forward, reverse).grow(_BESIDE + _DIAGONAL).links()


def grow_diag_final(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """As `grow_diag`, then any link of forward, then of reverse, that covers an uncovered word."""
    return _Growth(forward, reverse).grow(_BESIDE + _DIAGONAL).finish(1).links()


def grow_diag_final_and(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """As `grow_diag`, then any link of forward, then of reverse, both of whose words are uncovered."""
    return _Growth(forward, reverse).grow(_BESIDE + _DIAGONAL).finish(2).links()


#: Every way to combine two alignments of a sentence pair, by the name that a user gives it.
SYMMETRIZERS: dict[str, Symmetrizer] = {
    "intersection": intersection,
    "union": union,
    "grow": grow,
    "grow-diag": grow_diag,
    "grow-diag-final": grow_diag_final,
    "grow-diag-final-and": grow_diag_final_and,
}


def symmetrize(forward: Alignments, reverse: Alignments, method: str) -> Alignments:
    """Combine two alignments pair by pair; the result has no probabilities.

    ConfigError if the method is unknown, DataError if the two differ in their number of sentence pairs.
    """
    if method not in SYMMETRIZERS:
        near = "".join(f"; did you mean {name}?" for name in get_close_matches(method, SYMMETRIZERS, 1))
        raise ConfigError(f"unknown symmetrisation {method!r} (known: {', '.join(SYMMETRIZERS)}){near}")
    if method == "intersection":
        return alignments.intersection(forward, reverse)
    if method == "union":
        return alignments.union(forward, reverse)
    alignments.check_lengths(forward, reverse)
    combine = SYMMETRIZERS[method]
    return Alignments.from_lists(map(combine, forward, reverse))


class _Growth:
    """Links that grow from the intersection of two alignments towards their union.

    A link is written as the number j * width + i, whose order is the order of visits: by target, then by
    source. The width leaves a column free, so that a step off the side of the matrix meets no link.
    """

    def __init__(self, forward: Collection[Link], reverse: Collection[Link]) -> None:
        self.width = width = max((i for i, _ in chain(forward, reverse)), default=0) + 2
        first, second = ({j * width + i for i, j in links} for links in (forward, reverse))
        self.points = sorted(first & second)
        self.only = first - second, second - first
        self.left = first ^ second
        self.targets = {point // width for point in self.points}
        self.sources = {point % width for point in self.points}

    def grow(self, neighbours: Sequence[tuple[int, int]]) -> _Growth:
        """Add neighbours that cover an uncovered word until a pass over all points adds none."""
        steps = [down * self.width + right for down, right in neighbours]
        added = True
        while added and self.left:
            added = False
            visited = 0
            while visited < len(self.points):
                point = self.points[visited]
                for step in steps:
                    if point + step in self.left and self._uncovered(point + step):
                        # A point added after this one is visited in this pass, one before it in the next.
                        visited += self._add(point + step) <= visited
                        added = True
                visited += 1
        return self

    def finish(self, least: int) -> _Growth:
        """Add links of forward, then of reverse, that cover at least so many uncovered words."""
        for only in self.only:
            for point in sorted(only & self.left):
                if self._uncovered(point) >= least:
                    self._add(point)
        return self

    def links(self) -> list[Link]:
        """The links held, sorted by (i, j)."""
        return sorted((point % self.width, point // self.width) for point in self.points)

    def _uncovered(self, point: int) -> int:
        """How many of a link's two words have no link yet; with none, it can never be added."""
        uncovered = (point // self.width not in self.targets) + (point % self.width not in self.sources)
        if not uncovered:
            self.left.remove(point)
        return uncovered

    def _add(self, point: int) -> int:
        """Hold a link of the union; its place among those held."""
        place = bisect(self.points, point)
        self.points.insert(place, point)
        self.left.remove(point)
        self.targets.add(point // self.width)
        self.sources.add(point % self.width)
        return place
