"""Symmetrisation: combining the forward and the reverse alignment of a sentence pair into one.

A forward alignment links each target position to at most one source position. A reverse alignment links each
source position to at most one target position. Any other links are accepted, too. Either direction alone is
the simplest combination. The growing heuristics are greedy: their result depends on the order in
which links are visited. It is the order of the Moses program symal.

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
from itertools import chain

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
    return _Growth(forward, reverse).grow(_ADJACENT).links()


@SYMMETRIZATIONS.register("grow-diag", "grow, where links that touch at a corner are adjacent, too")
def grow_diag(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links of ``grow`` if links that touch at a corner are neighbours, too."""
    return _Growth(forward, reverse).grow(_ADJACENT + _DIAGONAL).links()


@SYMMETRIZATIONS.register("grow-diag-final", "grow-diag, then any link that covers an uncovered word")
def grow_diag_final(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links of ``grow_diag``, and further links of forward, then of reverse.

    A link is added if it covers an uncovered word.
    """
    return _Growth(forward, reverse).grow(_ADJACENT + _DIAGONAL).finish(1).links()


@SYMMETRIZATIONS.register("grow-diag-final-and", "grow-diag, then any link between two uncovered words")
def grow_diag_final_and(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
    """Return the links of ``grow_diag``, and further links of forward, then of reverse.

    A link is added if it covers two uncovered words.
    """
    return _Growth(forward, reverse).grow(_ADJACENT + _DIAGONAL).finish(2).links()


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


class _Growth:
    """The links of a growing result, from the intersection of two alignments towards their union.

    A link is represented by its code, j * width + i. Links are visited in the order of their codes: by
    target, then by source. The width leaves one column free, so that a step off the side of the matrix meets
    no link.
    """

    def __init__(self, forward: Collection[Link], reverse: Collection[Link]) -> None:
        self.width = width = max((i for i, _ in chain(forward, reverse)), default=0) + 2
        first, second = ({j * width + i for i, j in links} for links in (forward, reverse))
        self.codes = sorted(first & second)
        self.one_sided = first - second, second - first
        self.candidates = first ^ second
        self.covered_targets = {code // width for code in self.codes}
        self.covered_sources = {code % width for code in self.codes}

    def grow(self, neighbours: Sequence[tuple[int, int]]) -> _Growth:
        """Add neighbours that cover an uncovered word, until a pass over all links adds none."""
        steps = [down * self.width + right for down, right in neighbours]
        added = True
        while added and self.candidates:
            added = False
            visited = 0
            while visited < len(self.codes):
                code = self.codes[visited]
                for step in steps:
                    if code + step in self.candidates and self._newly_covered(code + step):
                        # A link inserted behind this one is visited in this pass, one before it in the next.
                        visited += self._add(code + step) <= visited
                        added = True
                visited += 1
        return self

    def finish(self, minimum: int) -> _Growth:
        """Add links of forward, then of reverse, that cover at least ``minimum`` uncovered words."""
        for links in self.one_sided:
            for code in sorted(links & self.candidates):
                if self._newly_covered(code) >= minimum:
                    self._add(code)
        return self

    def links(self) -> list[Link]:
        """Return the links of the result, sorted by (i, j)."""
        return sorted((code % self.width, code // self.width) for code in self.codes)

    def _newly_covered(self, code: int) -> int:
        """Return how many uncovered words a candidate covers. If it covers none, drop it for good."""
        count = (code // self.width not in self.covered_targets) + (
            code % self.width not in self.covered_sources
        )
        if not count:
            self.candidates.remove(code)
        return count

    def _add(self, code: int) -> int:
        """Add a candidate to the result, and return its index there."""
        index = bisect(self.codes, code)
        self.codes.insert(index, code)
        self.candidates.remove(code)
        self.covered_targets.add(code // self.width)
        self.covered_sources.add(code % self.width)
        return index
