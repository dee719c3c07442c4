"""The prior of an existing model: pseudo-counts from its lexical tables, NULL rows and jumps.

A row of a lexical table, t(f | e), is drawn towards the row t'(f | e) of the existing model: its Dirichlet
prior has the pseudo-counts k_e t'(f | e). The model knows e from N(e) occurrences, and k_e = k N(e) / (k +
N(e)): about the weight k for frequent words, and never more than N(e). Words and word pairs that the model
does not know have no pseudo-counts. The directions have priors and weights of their own.

A model to go on from has an infinite weight, and N(e) is the number of links of e in its last M-step, if the
model knows that: N(e) t'(f | e) are then the counts that gave its row, of its text and of its priors. By
occurrences, words that are often unlinked, such as function words, would count for up to 2.5 times as much.
By the links of the text alone, rows would count for too little: for 50,000 and 50,000 pairs of the Hansards,
AER is 4.93 then, 4.90 by occurrences, 4.80 by all links, and 4.56 for both texts at once.

NULL is such a word, too. Its N is the number of NULL links in the model's text, if these are as frequent
there as in this text. Jumps get the pseudo-counts that the model's jumps would have from the same origins as
the jumps of this text, k N / (k + N) of them, where N is the number of tokens in the model's text. They get
none in a stage whose distortion is of another kind than the model's.

By default, k is learned from the expected counts in every M-step, for the rows and for the jumps of each
direction (see ``priors.concentration``). Given the pseudo-counts, the M-step of a direction maximises the
expected log-likelihood plus the sum of pseudo-count log t and pseudo-count log p_d. A step of independent EM
therefore never lowers the log-likelihood plus this log prior.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int64s, inverse
from aligner.criteria import Counts
from aligner.criteria.counts import PseudoCounts
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import AlignmentModel, ModelPair
from aligner.models.alignment_model import JumpCounts
from aligner.models.trained import TrainedModel
from aligner.priors.concentration import candidates_to, concentrations, crossing, slopes_of
from aligner.priors.existing_models import Prior
from aligner.priors.knowledge import Knowledge
from aligner.priors.prior_means import PriorRows
from aligner.priors.source import PseudoCountSource
from aligner.recipe.config import Stage
from aligner.system.threads import for_rows
from aligner.text.facts import TextFacts

GREATEST_WEIGHT = 2.0**20
"""The greatest weight that is learned."""

MOST_OCCURRENCES = 1 << 30
"""The most occurrences that a row counts for. Added to expected counts, they fit into 64 bits."""


class ModelPrior(PseudoCountSource):
    """A prior in the word ids of a text.

    Attributes
    ----------
    model
        The existing model.
    weight
        The weight of all parameters, or None if weights are learned.
    """

    def __init__(self, prior: Prior, facts: TextFacts, threads: int = 1, by_links: bool = False) -> None:
        """Find the words of a text in the model.

        by_links: True to count the links of a word, False to count its occurrences.
        """
        self.model, self.weight, self.threads = prior.model, prior.weight, threads
        self._sources = facts.source_vocabulary.ids_in(self.model.source_vocabulary)
        self._targets = self.model.target_vocabulary.ids_in(facts.target_vocabulary)
        self._directions = _directions_of(self.model, facts, by_links)
        self._found: WeakKeyDictionary[CooccurrenceIndex, NDArray[np.uint32]] = WeakKeyDictionary()

    @classmethod
    def of_prior(cls, facts: TextFacts, knowledge: Knowledge, threads: int = 1) -> ModelPrior | None:
        """Return the existing model that is the prior of a text, or None."""
        return None if knowledge.prior is None else cls(knowledge.prior, facts, threads)

    @classmethod
    def of_init(cls, facts: TextFacts, knowledge: Knowledge, threads: int = 1) -> ModelPrior | None:
        """Return the model from which training goes on, which counts as if its text were trained on."""
        init = knowledge.init
        return None if init is None else cls(Prior(init, math.inf), facts, threads, by_links=True)

    def extend(self, index: CooccurrenceIndex) -> CooccurrenceIndex:
        """Return an index that has the word pairs of the model, too."""
        return index.joined_with(self.model.pair.lexicon.index, self._sources, self._targets)

    def pair_ids(self, index: CooccurrenceIndex) -> NDArray[np.uint32]:
        """Return the model's pair_id of each word pair, or 0. They are found anew only for a new index."""
        if index not in self._found:
            other = self.model.pair.lexicon.index
            self._found[index] = index.pair_ids_in(other, self._sources, self._targets, self.threads)
        return self._found[index]

    def start(self, uniform: Lexicon) -> Lexicon:
        """Compute the tables of the model's counts and one more occurrence of each word, spread evenly."""
        means = self._means(uniform.index)
        sizes = (direction.sizes for direction in self._directions)
        uniform.index.for_rows(kernels.tables.scale_rows, *sizes, means, threads=self.threads)
        links = np.zeros(means.shape, np.int64)
        for amounts in (means, uniform.table):
            kernels.counts.add_to_all(amounts, links)
        even = uniform.null_forward, uniform.null_reverse
        rows = zip(self._directions, even, strict=True)
        null = [_to_fixed(direction.tokens * direction.null + row) for direction, row in rows]
        return Lexicon.of_counts(uniform.index, links, null[0], null[1], self.threads)

    def pseudo_counts(self, pair: ModelPair, counts: Counts, stage: Stage) -> PseudoCounts:
        index = pair.lexicon.index
        means = self._means(index)
        weights = self._row_weights(index, counts.links, means)
        rows = list(zip(self._directions, weights, strict=True))
        factors = (damped(direction.sizes, weight) for direction, weight in rows)
        index.for_rows(kernels.tables.scale_rows, *factors, means, threads=self.threads)
        found = counts.null_forward, counts.null_reverse
        null = [direction.null_counts(n, weight) for (direction, weight), n in zip(rows, found, strict=True)]
        moves = zip(self._directions, pair.directions, counts.distortion, strict=True)
        jumps = [direction.jump_counts(distortion, n, self.weight) for direction, distortion, n in moves]
        names = "forward", "reverse", "forward_jumps", "reverse_jumps"
        learned = dict(zip(names, [*weights, *(weight for _, weight in jumps)], strict=True))
        notes = {} if self.weight is not None else {"prior_weights": learned}
        others = *null, *(n for n, _ in jumps)
        return PseudoCounts(everywhere=means, others=others, notes=notes)

    def _means(self, index: CooccurrenceIndex) -> Float32s:
        """Return the model's probabilities of all word pairs, or 0, float32 [pair_ids + 1, 2]."""
        means, rows = np.zeros((len(index) + 1, 2), np.float32), index.row_offsets
        arguments = rows, self.pair_ids(index), self.model.pair.lexicon.table, FLOOR, means
        for_rows(rows, self.threads, kernels.priors.gather_probabilities, *arguments)
        return means

    def _row_weights(self, index: CooccurrenceIndex, links: Int64s, means: Float32s) -> list[float]:
        """Return the weight of each direction's rows: the given one, or a learned one."""
        if self.weight is not None:
            return [self.weight, self.weight]
        rows = PriorRows.of(index, links, means, self.threads)
        forward, reverse = self._directions
        variances = inverse(forward.sizes), inverse(reverse.sizes)
        limit = GREATEST_WEIGHT
        return concentrations(index, links, means, rows, variances, limit, self.threads)


class _Direction(NamedTuple):
    """One direction of the model, in the word ids of the text.

    Attributes
    ----------
    sizes
        float64 [conditioning types + 1], the occurrences of each word in the model's text, or its links.
    null
        float32 [emitted types + 1], the model's NULL row; 0 for unknown words.
    tokens, own_tokens
        The emitted tokens of the model's text, and of the text.
    distortion
        The distortion of the model.
    """

    sizes: Float64s
    null: Float32s
    tokens: float
    own_tokens: int
    distortion: AlignmentModel

    def null_counts(self, counts: Int64s, weight: float) -> Int64s:
        """Return the pseudo-counts of the NULL row; counts: int64 fixed point [emitted types + 1]."""
        size = self.tokens * counts.sum(dtype=np.float64) / COUNT_SCALE / self.own_tokens
        return _to_fixed(damped(size, weight) * self.null)

    def jump_counts(
        self, distortion: AlignmentModel, counts: Int64s, weight: float | None
    ) -> tuple[Int64s, float]:
        """Return the pseudo-counts of jumps, of the shape of ``counts``, and their weight.

        distortion: the current one of the text; weight: None to learn it.
        """
        jumps = self.distortion.expect_jumps(counts) if type(distortion) is type(self.distortion) else None
        total = 0.0 if jumps is None else jumps.found.sum()
        if jumps is None or total == 0.0:
            return np.zeros_like(counts), 0.0
        if weight is None:
            weight = _jump_weight(jumps, self.tokens)
        return np.rint(jumps.as_counts * (damped(self.tokens, weight) / total)).astype(np.int64), weight


def _jump_weight(jumps: JumpCounts, tokens: float) -> float:
    """Return the learned weight of jumps, which are one row; tokens: of the model's text."""
    candidates, known = candidates_to(GREATEST_WEIGHT), jumps.expected > 0
    found, total = jumps.found[known], jumps.found.sum()
    row = slopes_of(np.array([total]), np.ones(1), np.array([1 / tokens]), candidates)
    means, variances = jumps.expected[known] / total, np.full(len(found), 1 / tokens)
    return crossing(row - slopes_of(found, means, variances, candidates), candidates)


def damped(sizes: Any, weight: float) -> Any:
    """Return the occurrences that rows of these sizes count for: k N / (k + N), or N for an infinite k."""
    return sizes / (1.0 + sizes / weight) if weight else 0.0 * sizes


def _directions_of(model: TrainedModel, facts: TextFacts, by_links: bool) -> tuple[_Direction, _Direction]:
    """Return both directions of a model in the word ids of a text; by_links: see ``ModelPrior``."""
    lexicon, vocabularies = model.pair.lexicon, model.vocabularies
    counts = vocabularies[0].counts, vocabularies[1].counts
    weights: tuple[NDArray[Any], ...] = model.links if by_links and model.links else counts
    sides = zip(
        facts.vocabularies, vocabularies, (lexicon.null_reverse, lexicon.null_forward), weights, strict=True
    )
    sizes, null, tokens = [], [], []
    for own, other, row, weight in sides:
        ids = own.ids_in(other)
        known = ids >= 0  # -1 is an index of the entry of out-of-vocabulary words
        sizes.append(np.where(known, np.minimum(np.append(weight, [0])[ids], MOST_OCCURRENCES), 0.0))
        null.append(np.where(known & (row[ids] > FLOOR), row[ids], np.float32(0)))
        tokens.append(min(float(other.counts.sum()), MOST_OCCURRENCES))
    return (
        _Direction(sizes[0], null[1], tokens[1], facts.target_tokens, model.pair.forward),
        _Direction(sizes[1], null[0], tokens[0], facts.source_tokens, model.pair.reverse),
    )


def _to_fixed(counts: NDArray[np.floating]) -> Int64s:
    """Return counts in fixed point."""
    return np.rint(counts * COUNT_SCALE).astype(np.int64)
