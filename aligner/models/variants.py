"""Variants of inference: best alignments, annealed posteriors, and alignments that are known in part.

Criteria infer through a model pair's ``potentials`` and ``posteriors``. A variant is a model pair that
overrides one of these methods or both, so every criterion works with every variant. Variants can be
nested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from aligner import kernels
from aligner.arrays import Bools, Float64s, Int32s, Int64s, Integers, offsets_of
from aligner.lexicon.blocks import Block
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.links.link_sets import columns_of, occurs_in, select
from aligner.models import DirectionalCells, ModelPair
from aligner.models.cells import AddedTo, CellPair
from aligner.text.bitext import Bitext


@dataclass(frozen=True, eq=False)
class Variant(ModelPair):
    """A model pair that infers through another pair, ``inner``, with the same parameters."""

    inner: ModelPair

    @classmethod
    def of(cls, inner: ModelPair, *options: Any) -> ModelPair:
        """Return a variant of a pair; options: the fields that the subclass adds."""
        return cls(inner.lexicon, inner.forward, inner.reverse, inner, *options)

    def potentials(self, block: Block) -> CellPair:
        return self.inner.potentials(block)

    def posteriors(
        self, direction: int, cells: DirectionalCells, counts: AddedTo = None, power: float = 1.0
    ) -> Float64s:
        return self.inner.posteriors(direction, cells, counts, power)


@dataclass(frozen=True, eq=False)
class _Tempered(Variant):
    """Inference with p(t, a | s)^beta in place of p(t, a | s); see ``annealed``.

    The lexicon is raised to beta already: once for each word pair, not for each of its cells.
    """

    beta: float

    def posteriors(
        self, direction: int, cells: DirectionalCells, counts: AddedTo = None, power: float = 1.0
    ) -> Float64s:
        return self.inner.posteriors(direction, cells, counts, power * self.beta)


@dataclass(frozen=True, eq=False)
class BestOnly(Variant):
    """Inference of hard EM: posteriors are 1 on the best alignment.

    This is "mode instead of expectation" (Smith, lecture 19). With independent EM, the joint probability of
    the text and its best alignments never decreases. The reported log-likelihoods are of the best alignments
    alone.
    """

    def posteriors(
        self, direction: int, cells: DirectionalCells, counts: AddedTo = None, power: float = 1.0
    ) -> Float64s:
        # lexical * distortion^power has its maximum where lexical^(1 / power) * distortion has it.
        alignment = self.directions[direction].viterbi(cells.to_power(1.0 / power))
        linked = alignment >= 0
        rows = offsets_of(np.repeat(cells.conditioning, cells.emitted))[:-1]
        dropped = np.ones(len(cells.links), np.bool_)
        dropped[rows[linked] + alignment[linked]] = False
        cells.links[dropped] = 0.0
        cells.null[linked] = 0.0
        return self.inner.posteriors(direction, cells, counts, power)


class CellSet(NamedTuple):
    """Known and forbidden links of a text: pair n has the links offsets[n] <= k < offsets[n + 1].

    offsets: int64 [pairs + 1]; source, target: int32 [links], positions; known: bool [links], True for a
    known link, False for a forbidden one.
    """

    offsets: Int64s
    source: Int32s
    target: Int32s
    known: Bools

    @classmethod
    def of(cls, links: KnownLinks, bitext: Bitext, numbers: Integers) -> CellSet:
        """Return the known and the forbidden cells of the pairs with these numbers, in this order.

        All cells of a complete line that are not known are forbidden. Raises DataError if the text has
        another number of lines, or if a position is outside its sentence.
        """
        links = links.of_text(len(bitext))
        places = np.full(len(bitext), -1)
        places[numbers] = np.arange(len(numbers))
        links.check_positions(*bitext.lengths, checked=places >= 0)
        free = _cells_of(bitext, np.flatnonzero(links.complete & (places >= 0)))
        free = select(free, ~(occurs_in(free, links.known) | occurs_in(free, links.forbidden)))
        pair, source, target = columns_of(links.known, links.forbidden, free)
        number, *cells = bitext.cells_of_words(pair, source, target)
        pair, known = places[pair[number]], number < len(links.known.source)
        order = np.argsort(pair, kind="stable")
        order = order[pair[order] >= 0]
        offsets = np.searchsorted(pair[order], np.arange(len(numbers) + 1))
        source, target = (np.ascontiguousarray(own[order], np.int32) for own in cells)
        return cls(offsets.astype(np.int64), source, target, known[order])

    def report(self) -> dict[str, int]:
        """Return the numbers of known and of forbidden links."""
        known = int(np.count_nonzero(self.known))
        return {"known_links": known, "forbidden_links": len(self.known) - known}


def _cells_of(bitext: Bitext, numbers: Int64s) -> Alignments:
    """Return all cells of the words of some pairs of a text, as links."""
    heights, widths = (lengths[numbers] for lengths in bitext.lengths)
    sizes = heights * widths
    cells = np.arange(sizes.sum()) - np.repeat(offsets_of(sizes)[:-1], sizes)
    source, target = np.divmod(cells, np.repeat(widths, sizes))
    return Alignments.from_links(len(bitext), np.repeat(numbers, sizes), source, target)


@dataclass(frozen=True, eq=False)
class Restricted(Variant):
    """Inference over the alignments that respect known and forbidden links.

    This is the method of Pereira & Schabes 1992, applied to alignments. A forbidden cell has probability 0 in
    both directions. A word with known links has no other links: forward, a target word with known links is
    generated by one of their source words; reverse, a source word with known links is generated by one of
    their target words. The log-likelihood counts the text and its known links together.
    """

    cells: CellSet

    def potentials(self, block: Block) -> CellPair:
        forward, reverse = self.inner.potentials(block)
        of_both = forward.links, forward.null, reverse.links, reverse.null
        kernels.cells.restrict(block.start, *self.cells, *block.lengths, *of_both)
        return forward, reverse


def annealed(pair: ModelPair, beta: float, threads: int = 1) -> ModelPair:
    """Return a pair whose posteriors are proportional to p(t, a | s)^beta, 0 < beta <= 1: annealed EM.

    See Ueda & Nakano 1998, and Smith & Eisner 2004. Lexical, NULL and distortion factors are raised to beta
    before a criterion combines them. A weight of the criterion itself (``ProductDomain.null_weight``) is not.
    The reported log-likelihoods are log sum_a p^beta.

    pair: the current model, not a variant of it.
    """
    if beta == 1.0:
        return pair
    return _Tempered.of(replace(pair, lexicon=pair.lexicon.to_power(beta, threads)), beta)
