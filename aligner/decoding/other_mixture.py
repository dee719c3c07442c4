"""Mixture of the links of other aligners into the posteriors of a model.

Of a link with the mass o, the sum of weight x probability over the aligners, and of a line whose aligners
weigh w, the posterior F becomes (F + o) / (1 + w), in both directions. The mixture comes after the constraint
and the pieces. What decides on links then decides on both kinds of evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aligner.arrays import Float32s, offsets_of
from aligner.decoding.text_block import TextBlock
from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.link_sets import check_lengths, check_positions
from aligner.messages import counted
from aligner.text.bitext import Bitext, OtherLinks
from aligner.text.rows import Rows

WEIGHT = 2.0
"""The weight of the links of another aligner against both directions of the model together."""


def join_other_links(parts: Sequence[Alignments], weight: float = WEIGHT) -> OtherLinks:
    """Return the links of several aligners of the same lines.

    Raises DataError if they have different numbers of lines, or if there are none, ConfigError if the weight
    is no positive number.
    """
    if not len(parts):
        raise DataError("found no links of other aligners; expected those of one or more; leave them out")
    if not 0 < weight < np.inf:
        raise ConfigError(f"weight = {weight}: expected a number above 0")
    for other in parts[1:]:
        check_lengths(parts[0], other, "the links of two aligners")
    half, lines = np.float32(weight / 2), len(parts[0])
    having = np.stack([np.diff(links.offsets) > 0 for links in parts])
    weights = half * having.sum(axis=0).astype(np.float32)
    cells = np.concatenate([np.stack([links.pair, links.source, links.target]) for links in parts], axis=1)
    masses = half * np.concatenate(
        [np.ones(len(p.source), np.float32) if p.probabilities is None else p.probabilities for p in parts]
    )
    order = np.lexsort(cells[::-1])
    cells, masses = cells[:, order], masses[order]
    is_new = np.append(True, (cells[:, 1:] != cells[:, :-1]).any(axis=0))[: len(masses)]
    sums: Float32s = np.bincount(np.cumsum(is_new) - 1, masses).astype(np.float32)
    pair, source, target = cells[:, is_new]
    offsets = np.searchsorted(pair, np.arange(lines + 1)).astype(np.int64)
    return OtherLinks(
        Rows(source.astype(np.int32), offsets),
        Rows(target.astype(np.int32), offsets),
        Rows(sums, offsets),
        Rows(weights.astype(np.float32), np.arange(lines + 1)),
    )


def with_lines_of(others: OtherLinks, bitext: Bitext, first: int = 0) -> Bitext:
    """Return a part of a text with the links of its lines; first: its first line, from 0.

    Raises DataError if there are no links of a line, or if one is outside its sentence pair.
    """
    stop = first + len(bitext)
    if stop > len(others):
        raise DataError(
            f"found {counted(len(others), 'line')} of links of another aligner, and more lines of text;"
            " expected a line of links for each line of the text"
        )
    own = others.map(lambda rows: rows.slice(first, stop))
    links = Alignments.unchecked(own.source.offsets, own.source.values, own.target.values)
    check_positions(links, bitext.lengths, "the links of another aligner:", first + 1)
    return replace(bitext, others=own)


def mix_in_others(text: TextBlock, posteriors: Sequence[Float32s]) -> None:
    """Mix the links of other aligners into both directions' posteriors, float32 [cells], if there are any."""
    others, block = text.bitext.others, text.block
    if others is None:
        return
    masses, shares = others.masses.values, (1 / (1 + others.weights.values)).astype(np.float32)
    pair = np.repeat(np.arange(len(others)), others.source.lengths)
    words = others.source.values.astype(np.int64), others.target.values.astype(np.int64)
    number, i, j = text.bitext.cells_of_words(pair, *words)
    pair, masses = pair[number], masses[number]
    first = offsets_of(block.sizes)[pair]
    rows, columns = block.source_lengths.astype(np.int64)[pair], block.target_lengths.astype(np.int64)[pair]
    for own, cells in zip(posteriors, (first + j * rows + i, first + i * columns + j), strict=True):
        own *= np.repeat(shares, block.sizes)
        own[cells] += masses * shares[pair]
