"""Variants of inference: best alignments, annealed posteriors, and alignments that are known in part.

Criteria infer through a model pair's ``potentials`` and ``posteriors``. A variant is a model pair that
overrides one of these methods or both, so every criterion works with every variant. The M-step receives the
plain pair. Variants can be nested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.lexicon.blocks import Block
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import AlignmentModel, DirectionalCells, ModelPair
from aligner.models.pair import AddedTo


@dataclass(frozen=True, eq=False)
class Variant(ModelPair):
    """A model pair that infers through another pair, ``inner``, with the same parameters."""

    inner: ModelPair

    @classmethod
    def of(cls, inner: ModelPair, *options: Any) -> ModelPair:
        """Return a variant of a pair; options: the fields that the subclass adds."""
        return cls(inner.lexicon, inner.forward, inner.reverse, inner, *options)

    def plain(self, release: bool = False) -> ModelPair:
        return self.inner.plain(release)

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        return self.inner.potentials(block)

    def posteriors(
        self, direction: int, cells: DirectionalCells, counts: AddedTo = None, power: float = 1.0
    ) -> NDArray[np.float64]:
        return self.inner.posteriors(direction, cells, counts, power)


@dataclass(frozen=True, eq=False)
class _Tempered(Variant):
    """Inference with p(t, a | s)^beta in place of p(t, a | s); see ``Annealed``.

    The lexicon is raised to beta already: once for each word pair, not for each of its cells. The table that
    it had before is not kept, since it takes as much memory as all counts.

    null: both NULL rows before; threads: the number of threads that restore the table.
    """

    beta: float
    null: tuple[NDArray[np.float32], NDArray[np.float32]]
    threads: int

    def plain(self, release: bool = False) -> ModelPair:
        """Return the pair of which it is a variant, whose table is restored up to rounding, or freed."""
        lexicon = self.lexicon.without_table() if release else self._restored()
        return replace(self.inner, lexicon=lexicon.with_tables(lexicon.table, *self.null))

    def _restored(self) -> Lexicon:
        """Return the lexicon with the table before."""
        lexicon = self.lexicon.to_power(1.0 / self.beta, self.threads)
        np.clip(lexicon.table, FLOOR, 1.0, out=lexicon.table)
        return lexicon

    def posteriors(
        self, direction: int, cells: DirectionalCells, counts: AddedTo = None, power: float = 1.0
    ) -> NDArray[np.float64]:
        return self.inner.posteriors(direction, cells, counts, power * self.beta)


@dataclass(frozen=True, eq=False)
class _BestOnly(Variant):
    """Posteriors of the best alignment alone; see ``Viterbi``."""

    def posteriors(
        self, direction: int, cells: DirectionalCells, counts: AddedTo = None, power: float = 1.0
    ) -> NDArray[np.float64]:
        _keep_best(self.directions[direction], cells, power)
        return self.inner.posteriors(direction, cells, counts, power)


def _keep_best(distortion: AlignmentModel, cells: DirectionalCells, power: float) -> None:
    """Replace potentials by the potentials of the best alignment alone, in place; all others become 0.

    The distortion factors are raised to ``power``.
    """
    # lexical * distortion^power has its maximum where lexical^(1 / power) * distortion has it.
    alignment = distortion.viterbi(cells.to_power(1.0 / power))
    linked = alignment >= 0
    rows = offsets_of(np.repeat(cells.conditioning, cells.emitted))[:-1]
    dropped = np.ones(len(cells.links), np.bool_)
    dropped[rows[linked] + alignment[linked]] = False
    cells.links[dropped] = 0.0
    cells.null[linked] = 0.0


class CellSet(NamedTuple):
    """Known and forbidden links of a text: pair n has the links offsets[n] <= k < offsets[n + 1].

    offsets: int64 [pairs + 1]; source, target: int32 [links], positions; known: bool [links], True for a
    known link, False for a forbidden one.
    """

    offsets: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    known: NDArray[np.bool_]

    def report(self) -> dict[str, int]:
        """Return the numbers of known and of forbidden links."""
        known = int(np.count_nonzero(self.known))
        return {"known_links": known, "forbidden_links": len(self.known) - known}


@dataclass(frozen=True, eq=False)
class Restricted(Variant):
    """Inference over the alignments that respect known and forbidden links.

    This is the method of Pereira & Schabes 1992, applied to alignments. A forbidden cell has probability 0 in
    both directions. A word with known links has no other links: forward, a target word with known links is
    generated by one of their source words; reverse, a source word with known links is generated by one of
    their target words. The log-likelihood counts the text and its known links together.
    """

    cells: CellSet

    def potentials(self, block: Block) -> tuple[DirectionalCells, DirectionalCells]:
        forward, reverse = self.inner.potentials(block)
        lengths = block.source_lengths, block.target_lengths
        kernels.cells.restrict(
            block.start, *self.cells, *lengths, forward.links, forward.null, reverse.links, reverse.null
        )
        return forward, reverse


@dataclass(frozen=True)
class Inference:
    """The inference of one iteration: by default the posteriors of plain EM."""

    def __call__(self, pair: ModelPair, threads: int = 1) -> ModelPair:
        """Return the pair that criteria infer through; pair: the current model, not a variant of it."""
        return pair

    def notes(self) -> dict[str, float]:
        """Return figures on the iteration for the history of the model."""
        return {}


@dataclass(frozen=True)
class Viterbi(Inference):
    """Hard EM: posteriors are 1 on the best alignment ("mode instead of expectation", Smith, lecture 19).

    With independent EM, the joint probability of the text and its best alignments never decreases. The
    reported log-likelihoods are of the best alignments alone.
    """

    def __call__(self, pair: ModelPair, threads: int = 1) -> ModelPair:
        return _BestOnly.of(pair)


@dataclass(frozen=True)
class Annealed(Inference):
    """Annealed EM: posteriors are proportional to p(t, a | s)^beta, 0 < beta <= 1.

    See Ueda & Nakano 1998, and Smith & Eisner 2004. Lexical, NULL and distortion factors are raised to beta
    before a criterion combines them. A weight of the criterion itself (``ProductDomain.null_weight``) is not.
    The reported log-likelihoods are log sum_a p^beta.
    """

    beta: float

    def __call__(self, pair: ModelPair, threads: int = 1) -> ModelPair:
        if self.beta == 1.0:
            return pair
        lexicon = pair.lexicon
        null = lexicon.null_forward, lexicon.null_reverse
        tempered = replace(pair, lexicon=lexicon.to_power(self.beta, threads))
        return _Tempered.of(tempered, self.beta, null, threads)

    def notes(self) -> dict[str, float]:
        return {"inverse_temperature": self.beta}


def annealing(beta: float, iterations: int) -> list[Annealed]:
    """Return inferences whose exponents rise from ``beta`` to 1 by equal factors (Ueda & Nakano 1998).

    The last iteration is plain EM, also if it is the only one.
    """
    return [Annealed(beta ** (k / max(iterations - 1, 1))) for k in reversed(range(iterations))]
