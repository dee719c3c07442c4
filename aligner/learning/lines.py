"""Corrected lines: the candidates of lines with gold links, and which of them are links."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.decoding.decoder import Decoder
from aligner.decoding.learned import find_candidates
from aligner.decoding.text_block import alignable, text_blocks
from aligner.lexicon.blocks import Block
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_counts import LinkCounts, count_links
from aligner.links.link_sets import occurs_in
from aligner.models.learned import FEATURES, TextStatistics, prior_logits
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext


@dataclass(frozen=True, eq=False)
class LineCandidates:
    """The candidates of the lines of a text.

    Attributes
    ----------
    cells
        The candidates, as links.
    features
        float32 [candidates, features].
    """

    cells: Alignments
    features: NDArray[np.float32]

    @classmethod
    def of(cls, model: TrainedModel, text: Bitext, statistics: TextStatistics) -> LineCandidates:
        """Return the candidates of a text. Pairs that cannot be aligned have none."""
        text = model.encode(text)
        decoder = Decoder.of(model)
        numbers = alignable(text)
        pair, positions, features = [], [], [np.empty((0, len(FEATURES)), np.float32)]
        for block in text_blocks(model, text.select(numbers)):
            found, _ = find_candidates(decoder, block, statistics)
            of_block, *cells = _positions(block.block, found.cells)
            pair.append(numbers[block.block.start + of_block])
            positions.append(cells)
            features.append(found.features)
        columns = np.concatenate(pair or [np.empty(0, np.int64)]), *_joined(positions)
        return cls(Alignments.from_links(len(text), *columns), np.concatenate(features))

    def select(self, numbers: NDArray[np.integer]) -> LineCandidates:
        """Return the candidates of the lines with these numbers, ascending."""
        chosen = np.zeros(len(self.cells), np.bool_)
        chosen[numbers] = True
        mask = chosen[self.cells.pair]
        new_numbers = np.cumsum(chosen) - 1
        cells = self.cells
        kept = new_numbers[cells.pair[mask]], cells.source[mask], cells.target[mask]
        return LineCandidates(Alignments.from_links(int(chosen.sum()), *kept), self.features[mask])


def _positions(block: Block, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Return the pair, the source position and the target position of cells of a block."""
    first_cells = offsets_of(block.sizes)
    pair = np.searchsorted(first_cells, cells, side="right") - 1
    return pair, *np.divmod(cells - first_cells[pair], block.target_lengths[pair])


def _joined(positions: list[list[NDArray[np.int64]]]) -> list[NDArray[np.int64]]:
    """Return the source positions and the target positions of all blocks."""
    return [np.concatenate([np.empty(0, np.int64), *(cells[k] for cells in positions)]) for k in (0, 1)]


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
    def links(self) -> int:
        """The number of sure links."""
        return self.gold.sure.source.size

    @property
    def prior_logits(self) -> NDArray[np.float64]:
        """The logit of the average posterior of each candidate, float64 [candidates]."""
        return prior_logits(self.candidates.features)

    @property
    def is_link(self) -> NDArray[np.bool_]:
        """True for each candidate that is a sure link, bool [candidates]."""
        return occurs_in(self.candidates.cells, self.gold.sure)

    @property
    def teaches(self) -> NDArray[np.bool_]:
        """True for each candidate that is a sure link or no link, bool [candidates]: not a possible one."""
        return self.is_link | ~occurs_in(self.candidates.cells, self.gold.possible)

    def lines(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the mask of the candidates of chosen lines, bool [candidates]; chosen: bool [lines]."""
        return chosen[self.candidates.cells.pair]

    def count(self, linked: NDArray[np.bool_]) -> LinkCounts:
        """Return the counts of each line if these candidates are its links; linked: bool [candidates]."""
        cells = self.candidates.cells
        links = Alignments.from_links(
            len(self), cells.pair[linked], cells.source[linked], cells.target[linked]
        )
        return count_links(links, self.gold)


def with_links(gold: Gold) -> NDArray[np.int64]:
    """Return the numbers of the lines that have gold links: a line without any has not been corrected."""
    return np.flatnonzero(np.diff(gold.possible.offsets) > 0)


def select_gold(gold: Gold, numbers: NDArray[np.integer]) -> Gold:
    """Return the gold of the lines with these numbers, ascending."""
    chosen = np.zeros(len(gold), np.bool_)
    chosen[numbers] = True
    new_numbers = np.cumsum(chosen) - 1

    def selected(links: Alignments) -> Alignments:
        mask = chosen[links.pair]
        return Alignments.from_links(
            len(numbers), new_numbers[links.pair[mask]], links.source[mask], links.target[mask]
        )

    return replace(gold, sure=selected(gold.sure), possible=selected(gold.possible))
