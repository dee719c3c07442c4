"""Attachment, learned from corrected lines: which frequent words join the next linked word.

The *gain* of a link that a word would add is its sure hits plus its possible hits, less 1 - AER of the lines:
on average, AER falls if it is above 0. Words of one side and direction that stand at edges about as strongly
form a group. Pseudo-links shrink the mean gain of a group towards a loss, and the mean gain of a word towards
its group's, so that a rare word follows words of its kind. A word joins if its mean is clearly
above 0, and if links of its group hit in several lines: in few lines, the links of one are no evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aligner.arrays import Bools, Int64s, Integers
from aligner.decoding.attachment import Attached, Attachment, joining_words
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_counts import count_links
from aligner.links.link_sets import occurs_in
from aligner.links.significance import aer_terms
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.edges import Edges, count_edges

PSEUDO_LINKS = 10
"""The pseudo-links of a group, and those of a word."""

PSEUDO_GAIN = -0.4
"""The gain of the pseudo-links of a group."""

LEAST_GAIN = 0.2
"""A word joins if its mean gain is above this."""

LEAST_LINES = 3
"""The least number of lines in which links of a group hit."""

STRENGTHS = (1.0, 3.0)
"""The bounds between groups: how strongly words tend to edges."""

_GROUPS = 4 * (len(STRENGTHS) + 1)


LEAST_TEXT = 1000
"""The least number of lines in which words at edges are counted."""


def with_edges(model: TrainedModel, text: Bitext) -> TrainedModel:
    """Return the model, with edges by a text if it is of an earlier version and the text is long enough."""
    if model.edges is not None or len(text) < LEAST_TEXT:
        return model
    source, target = (Edges.of(count_edges(side)) for side in text.sides)
    return replace(model, edges=(source, target))


@dataclass(frozen=True, eq=False)
class AttachedLines:
    """The links that frequent words would add to the links of corrected lines.

    Attributes
    ----------
    model, text
        The model, which has edges, and the lines.
    pair, words
        The line of each of these links, and its word among the frequent words of both sides, int64.
    hits
        The sure and the possible hits of each, 0 to 2, int64.
    terms
        The terms of AER of each line without them, int64 [lines, 2].
    groups
        The group of each frequent word, int64.
    """

    model: TrainedModel
    text: Bitext
    pair: Int64s
    words: Int64s
    hits: Int64s
    terms: Int64s
    groups: Int64s

    @classmethod
    def of(cls, model: TrainedModel, text: Bitext, links: Alignments, gold: Gold) -> AttachedLines:
        """Return what frequent words would add to links of lines with gold; the model has edges."""
        found, words = _find(model, text, links)
        order = np.lexsort((found.target, found.source, found.pair))
        found, words = found.of(order), words[order]
        new = Alignments.from_links(len(links), found.pair, found.source, found.target)
        hits = occurs_in(new, gold.sure).astype(np.int64) + occurs_in(new, gold.possible)
        tendencies = [edges.tendencies for edges in _edges_of(model)]
        groups = [
            (2 * side + (own > 0)) * (len(STRENGTHS) + 1) + np.digitize(np.abs(own), STRENGTHS)
            for side, own in enumerate(tendencies)
        ]
        terms = aer_terms(count_links(links, gold))
        return cls(model, text, found.pair, words, hits, terms, np.concatenate(groups))

    def joining(self, chosen: Bools | bool = True) -> Bools:
        """Return True for each frequent word that joins, by chosen lines, bool [lines]; by default by all."""
        lines = np.broadcast_to(chosen, len(self.terms))
        own = lines[self.pair]
        hits, words = self.hits[own], self.words[own]
        right, links = self.terms[lines].sum(axis=0)
        gains = hits - right / max(links, 1)
        sums, counts = (np.bincount(words, of, len(self.groups)) for of in (gains, None))
        of_groups, many = (np.bincount(self.groups, of, _GROUPS) for of in (sums, counts))
        means = ((of_groups + PSEUDO_LINKS * PSEUDO_GAIN) / (many + PSEUDO_LINKS))[self.groups]
        hit = np.unique((self.groups[words] * len(lines) + self.pair[own])[hits > 0]) // len(lines)
        is_evident = np.bincount(hit, minlength=_GROUPS) >= LEAST_LINES
        means = (sums + PSEUDO_LINKS * means) / (counts + PSEUDO_LINKS)
        return (means > LEAST_GAIN) & is_evident[self.groups]

    def cross_validated(self, links: Alignments, fold: Integers) -> Alignments:
        """Return the links of the lines and those that words add, which join by the lines of other folds."""
        found, words = _find(self.model, self.text, links)
        kept = np.zeros(len(words), np.bool_)
        for k in range(int(fold.max()) + 1):
            kept |= (fold == k)[found.pair] & self.joining(fold != k)[words]
        return found.of(kept).added_to(links)


def _find(model: TrainedModel, text: Bitext, links: Alignments) -> tuple[Attached, Int64s]:
    """Return the links that all frequent words would add, and the number of the word that adds each."""
    found = Attachment.of(model, joining_words(model)).find(links, text)
    source, target = (np.searchsorted(edges.words, found.word) for edges in _edges_of(model))
    return found, np.where(found.side == 0, source, len(_edges_of(model)[0].words) + target)


def _edges_of(model: TrainedModel) -> tuple[Edges, Edges]:
    assert model.edges is not None
    return model.edges
