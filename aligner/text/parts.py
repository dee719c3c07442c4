"""Parts of words: the cells of words as the cells of all of their parts, or pieces."""

from __future__ import annotations

import numpy as np

from aligner.arrays import Int64s, Integers, offsets_of
from aligner.text.rows import Rows
from aligner.text.side import TextSide


def cells_of_words(
    sides: tuple[TextSide, TextSide], pair: Int64s, i: Integers, j: Integers
) -> tuple[Int64s, Int64s, Int64s]:
    """Return the cells of all parts of words (i, j) that may have links.

    Returns the number of the cell of words, and both positions.
    """
    source, target = sides
    if source.parts is None and target.parts is None:
        return np.arange(len(pair)), i.astype(np.int64), j.astype(np.int64)
    (first_i, rows), (first_j, columns) = _parts_of(source, pair, i), _parts_of(target, pair, j)
    cells = rows * columns
    number = np.repeat(np.arange(len(cells)), cells)
    rest = np.arange(len(number)) - offsets_of(cells)[number]
    positions = first_i[number] + rest // columns[number], first_j[number] + rest % columns[number]
    tokens = (side.offsets[pair[number]] + own for side, own in zip(sides, positions, strict=True))
    may_link = np.logical_and(*(side.may_link[own] for side, own in zip(sides, tokens, strict=True)))
    return number[may_link], positions[0][may_link], positions[1][may_link]


def _parts_of(side: TextSide, pair: Int64s, position: Integers) -> tuple[Int64s, Int64s]:
    """Return the first part of words, and the number of their parts, int64 each."""
    parts = side.parts or Rows(np.ones(len(side.tokens), np.int32), side.offsets)
    ends, first = offsets_of(parts.values), parts.offsets[pair]
    word = first + position
    return ends[word] - ends[first], parts.values[word].astype(np.int64)
