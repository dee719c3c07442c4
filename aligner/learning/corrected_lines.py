"""Corrected lines: the candidates of lines with gold links, and which of them are links."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from aligner.arrays import Bools, Float32s, Float64s, Int64s, Integers
from aligner.decoding.batch import in_text_order, may_link, word_positions
from aligner.decoding.candidates import find_candidates
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned_decoder import to_probabilities
from aligner.decoding.methods import links_of_cells
from aligner.decoding.text_block import alignable, text_blocks
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.groups import in_groups
from aligner.links.link_counts import LinkCounts, count_links
from aligner.links.link_sets import occurs_in, select
from aligner.models.learned_links import FEATURES
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext

MOST_SLIPS = 0.005
"""Links form groups if at most this share of them joins two groups: annotators make slips."""


@dataclass(frozen=True, eq=False)
class LineCandidates:
    """The candidates of the lines of a text.

    Attributes
    ----------
    cells
        The candidates, as links of words, of which there are several if words have parts.
    features
        float32 [candidates, features].
    """

    cells: Alignments
    features: Float32s

    @classmethod
    def of(cls, model: TrainedModel, text: Bitext) -> LineCandidates:
        """Return the candidates of a text. Pairs that cannot be aligned have none."""
        text = model.encode(text)
        decoder = Decoder.of(model)
        numbers = alignable(text)
        links, features = [], [np.empty((0, len(FEATURES)), np.float32)]
        for block in text_blocks(model, text.select(numbers)):
            found = find_candidates(decoder, block)
            links.append(links_of_cells(block.block, found.cells))
            features.append(found.features)
        cells = in_text_order(Alignments.concatenate(links), numbers, len(text))
        chosen = may_link(cells, text)
        cells = select(cells, chosen)
        cells = Alignments.unchecked(cells.offsets, *word_positions(cells, text))
        return cls(cells, np.concatenate(features)[chosen])


@dataclass(frozen=True, eq=False)
class CorrectedLines:
    """Candidates of corrected lines, with gold.

    Attributes
    ----------
    candidates
        The candidates.
    gold
        The gold links of the lines.
    """

    candidates: LineCandidates
    gold: Gold

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def is_link(self) -> Bools:
        """True for each candidate that is a sure link, bool [candidates]."""
        return occurs_in(self.candidates.cells, self.gold.sure)

    @property
    def teaches(self) -> Bools:
        """True for each candidate that is a sure link or no link, bool [candidates]: not a possible one."""
        return self.is_link | ~occurs_in(self.candidates.cells, self.gold.possible)

    def lines(self, chosen: Bools) -> Bools:
        """Return the mask of the candidates of chosen lines, bool [candidates]; chosen: bool [lines]."""
        return chosen[self.candidates.cells.pair]

    @cached_property
    def groups(self) -> bool:
        """True if the gold links form groups, but for slips."""
        sure = self.gold.sure
        return len(sure.source) - len(in_groups(sure).source) <= MOST_SLIPS * len(sure.source)

    def links(self, margins: Float64s) -> Alignments:
        """Return the candidates of a logit margin of at least 0 as links, in groups if the gold links are.

        margins: float64 [candidates].
        """
        cells = self.candidates.cells
        found = Alignments.unchecked(cells.offsets, cells.source, cells.target, to_probabilities(margins))
        links = select(found, margins >= 0)
        return in_groups(links) if self.groups else links

    def count(self, margins: Float64s) -> LinkCounts:
        """Return the counts of each line if ``links`` of these margins are its links."""
        return count_links(self.links(margins), self.gold)


def with_links(gold: Gold) -> Int64s:
    """Return the numbers of the lines that have gold links: a line without any has not been corrected."""
    return np.flatnonzero(np.diff(gold.possible.offsets) > 0)


def select_gold(gold: Gold, numbers: Integers) -> Gold:
    """Return the gold of the lines with these numbers."""
    sure, possible = (
        Alignments.from_lists(links[int(n)] for n in numbers) for links in (gold.sure, gold.possible)
    )
    return replace(gold, sure=sure, possible=possible)
