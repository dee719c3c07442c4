"""Symmetrisation: combining the forward and the reverse alignment of a sentence pair into one.

A forward alignment links each target position to at most one source position. A reverse alignment links each
source position to at most one target position. Any other links are accepted, too. Either direction alone is
the simplest combination. The growing heuristics are greedy: their result depends on the order in
which links are visited. It is the order of the Moses program symal, but for names with ``atools``.

To add a method, write a function of two collections of links and decorate it with
``SYMMETRIZATIONS.register``. Those below are functions of the links of a whole text.

References
----------
F. J. Och and H. Ney, 2003: A systematic comparison of various statistical alignment models.
P. Koehn, F. J. Och and D. Marcu, 2003: Statistical phrase-based translation.
J. DeNero and D. Klein, 2007: Tailoring word alignments to syntactic machine translation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import numpy as np

from aligner import kernels
from aligner.links import link_sets
from aligner.links.alignments import Alignments, Link
from aligner.registry import Registry

Symmetrizer = Callable[[Collection[Link], Collection[Link]], list[Link]]
"""A function of the forward and the reverse links of one pair. It returns links sorted by (i, j)."""

SYMMETRIZATIONS: Registry[Symmetrizer] = Registry("symmetrisation")
"""Every symmetrisation, by the name that recipes and the command line use."""

_OfTexts = Callable[[Alignments, Alignments], Alignments]

_OF_TEXTS: dict[Symmetrizer, _OfTexts] = {}
"""The functions of the links of a whole text, by those of a pair."""

# Steps in (source, target), in the order in which they are tried.
_ADJACENT = ((0, -1), (-1, 0), (0, 1), (1, 0))
_AROUND = (*_ADJACENT, (-1, -1), (1, -1), (-1, 1), (1, 1))


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
    if combine in _OF_TEXTS:
        return _OF_TEXTS[combine](forward, reverse)
    return Alignments.from_lists(map(combine, forward, reverse))


def _register(name: str, summary: str, combine: _OfTexts) -> None:
    """Register a function of the links of a text."""

    def of_pair(forward: Collection[Link], reverse: Collection[Link]) -> list[Link]:
        return combine(Alignments.from_lists([forward]), Alignments.from_lists([reverse]))[0]

    _OF_TEXTS[of_pair] = combine
    SYMMETRIZATIONS.register(name, summary)(of_pair)


def _grow(
    forward: Alignments,
    reverse: Alignments,
    *,
    steps: tuple[Link, ...] = _AROUND,
    least: int = 0,
    in_passes: bool = False,
) -> Alignments:
    """Return the links of both, grown by neighbouring links of either that cover an uncovered word.

    With ``least``, further links of forward, then of reverse, are added that cover at least so many uncovered
    words. Links are visited by target, then by source, as by symal; in_passes: by source, as by atools.
    """
    either, origins = link_sets.merge(forward, reverse)
    chosen = np.empty(len(origins), np.bool_)
    kernel = kernels.growth.grow_in_passes if in_passes else kernels.growth.grow
    kernel(either.offsets, either.source, either.target, origins, np.array(steps), least, chosen)
    return link_sets.select(either, chosen)


def grow_diag_atools(forward: Alignments, reverse: Alignments, least: int = 0) -> Alignments:
    """Return the links of grow-diag that atools finds.

    With ``least``, further links are added that cover at least so many uncovered words, as of final (1) and
    final-and (2).
    """
    return _grow(forward, reverse, least=least, in_passes=True)


def _alone(alignments: Alignments) -> Alignments:
    """Return alignments without probabilities and scores."""
    return Alignments.unchecked(alignments.offsets, alignments.source, alignments.target)


_register("forward", "links of forward alone", lambda forward, reverse: _alone(forward))
_register("reverse", "links of reverse alone", lambda forward, reverse: _alone(reverse))
_register("intersection", "links of both directions", link_sets.intersection)
_register("union", "links of either direction", link_sets.union)
_register(
    "grow",
    "intersection, and adjacent links of the union that cover an uncovered word",
    partial(_grow, steps=_ADJACENT),
)
_register("grow-diag", "grow, where links that touch at a corner are adjacent, too", _grow)
_register(
    "grow-diag-final", "grow-diag, then any link that covers an uncovered word", partial(_grow, least=1)
)
_register(
    "grow-diag-final-and", "grow-diag, then any link between two uncovered words", partial(_grow, least=2)
)
_register("grow-diag-atools", "grow-diag in the order of atools of fast_align", grow_diag_atools)
