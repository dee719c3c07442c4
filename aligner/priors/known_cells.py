"""Known and forbidden links of a training text, as the cells that inference is restricted by."""

from __future__ import annotations

import numpy as np

from aligner.arrays import Bools, Int64s, Integers
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.links.link_sets import select
from aligner.models.variants import CellSet
from aligner.text.bitext import Bitext


def cell_set(links: KnownLinks, bitext: Bitext, numbers: Integers) -> CellSet:
    """Return the known and the forbidden cells of the pairs with these numbers, in this order.

    All cells of a complete line that are not known are forbidden.

    Raises
    ------
    DataError
        If the text has another number of lines, or if a position is outside its sentence.
    """
    links = links.of_text(len(bitext))
    new_numbers = np.full(len(bitext), -1)
    new_numbers[numbers] = np.arange(len(numbers))
    links.check_positions(*bitext.lengths, checked=new_numbers >= 0)
    parts = [
        (links.known.pair, links.known.source, links.known.target, True),
        (links.forbidden.pair, links.forbidden.source, links.forbidden.target, False),
        *_other_cells(links, bitext, new_numbers),
    ]
    pair, source, target = (
        np.concatenate([np.asarray(part[k], np.int64) for part in parts]) for k in range(3)
    )
    known = np.concatenate([np.full(len(part[0]), part[3], np.bool_) for part in parts])
    number, source, target = bitext.cells_of_words(pair, source, target)
    pair, known = pair[number], known[number]
    order = np.argsort(new_numbers[pair], kind="stable")
    order = order[new_numbers[pair[order]] >= 0]
    offsets = np.searchsorted(new_numbers[pair[order]], np.arange(len(numbers) + 1))
    return CellSet(
        offsets.astype(np.int64),
        np.ascontiguousarray(source[order], np.int32),
        np.ascontiguousarray(target[order], np.int32),
        known[order],
    )


def _other_cells(
    links: KnownLinks, bitext: Bitext, new_numbers: Int64s
) -> list[tuple[Int64s, Int64s, Int64s, bool]]:
    """Return the cells of complete lines that are neither known nor named as forbidden, as forbidden."""
    parts = []
    source_lengths, target_lengths = bitext.lengths
    for n in np.flatnonzero(links.complete & (new_numbers >= 0)).tolist():
        free = np.ones((source_lengths[n], target_lengths[n]), np.bool_)
        for named in (links.known[n], links.forbidden[n]):
            for i, j in named:
                free[i, j] = False
        source, target = np.nonzero(free)
        parts.append((np.full(len(source), n), source, target, False))
    return parts


def links_of_pieces(links: KnownLinks, chosen: Bools, words: Bitext, pieces: Bitext) -> KnownLinks:
    """Return known links of words as known links of all of their pieces.

    links: of every line of a text of words; chosen: bool [lines], the lines of a text of pieces, in this
    order; words, pieces: these lines as words, and as pieces.
    """
    numbers = np.cumsum(chosen) - 1

    def expanded(own: Alignments) -> Alignments:
        own = select(own, chosen[own.pair])
        pair = numbers[own.pair]
        number, i, j = words.cells_of_words(pair, own.source, own.target)
        pair = pair[number]
        number, i, j = pieces.cells_of_words(pair, i, j)
        return Alignments.from_links(int(chosen.sum()), pair[number], i, j)

    return KnownLinks(expanded(links.known), expanded(links.forbidden), links.name, links.complete[chosen])
