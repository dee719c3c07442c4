"""Parts of words: the cells of words as the cells of all of their parts, or pieces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.text.rows import Rows
from aligner.text.sentences import WordParts
from aligner.text.side import TextSide


def cells_of_words(
    sides: tuple[TextSide, TextSide],
    pair: NDArray[np.int64],
    i: NDArray[np.integer],
    j: NDArray[np.integer],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the cells of words (i, j) as those of their parts that may have links, as ``cells_of_parts``."""
    source, target = sides
    if source.parts is None and target.parts is None:
        return np.arange(len(pair)), i.astype(np.int64), j.astype(np.int64)
    number, *positions = cells_of_parts(pair, i, j, *map(_counts_of, sides))
    tokens = (side.offsets[pair[number]] + own for side, own in zip(sides, positions, strict=True))
    may_link = np.logical_and(*(side.may_link[own] for side, own in zip(sides, tokens, strict=True)))
    return number[may_link], positions[0][may_link], positions[1][may_link]


def _counts_of(side: TextSide) -> WordParts:
    """Return the number of parts of each word; 1 each if there are no parts."""
    return side.parts or Rows(np.ones(len(side.tokens), np.int32), side.offsets)


def cells_of_parts(
    pair: NDArray[np.int64],
    i: NDArray[np.integer],
    j: NDArray[np.integer],
    source: WordParts,
    target: WordParts,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the cells of all parts of the words of cells (i, j): the cell's number, and both positions.

    source, target: the number of parts of each word.
    """
    (first_i, rows), (first_j, columns) = _parts_of(source, pair, i), _parts_of(target, pair, j)
    cells = rows * columns
    number = np.repeat(np.arange(len(cells)), cells)
    rest = np.arange(len(number)) - offsets_of(cells)[number]
    return number, first_i[number] + rest // columns[number], first_j[number] + rest % columns[number]


def _parts_of(
    side: WordParts, pair: NDArray[np.int64], position: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first part of words, and the number of their parts, int64 each."""
    ends, first = offsets_of(side.values), side.offsets[pair]
    word = first + position
    return ends[word] - ends[first], side.values[word].astype(np.int64)
