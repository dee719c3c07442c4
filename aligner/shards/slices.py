"""Slices of the lexicon: each has the rows of some source words, so that no iteration needs all rows at once.

Source words with the same first letters are in one slice, where the word-form prior finds all counts of
their forms. Sums over all source words are added up over the slices (see ``lexicon.sums``).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.prefix_classes import prefix_lengths
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.shards.limits import check_word_pairs
from aligner.text.vocabulary import Vocabulary


def slices_of(vocabulary: Vocabulary, slices: int) -> NDArray[np.int32]:
    """Return the slice of each source word, from 1, int32 [source types]."""
    if slices == 1:
        return np.ones(len(vocabulary), np.int32)
    length = prefix_lengths(vocabulary)[0]
    checksums = (zlib.crc32(word[:length].encode()) for word in vocabulary.words)
    return np.array([1 + checksum % slices for checksum in checksums], np.int32)


def divide(index: CooccurrenceIndex, slice_of_word: NDArray[np.int32], slices: int) -> list[SliceRows]:
    """Return the rows of an index by slice; slice_of_word: int32 [source types]."""
    sizes = np.diff(index.row_offsets)[:-1]  # the last row, of the out-of-vocabulary word, is empty
    occurring = np.flatnonzero(sizes)
    if slices == 1:
        return [SliceRows(slice(1, None), occurring.astype(np.int32), sizes[occurring])]
    slice_of_pair = np.repeat(slice_of_word, sizes)
    rows = []
    for number in range(1, slices + 1):
        words = occurring[slice_of_word[occurring] == number].astype(np.int32)
        pair_ids = 1 + np.flatnonzero(slice_of_pair == number).astype(np.uint32)
        rows.append(SliceRows(pair_ids, words, sizes[words]))
    return rows


class SliceRows(NamedTuple):
    """The rows of an index that are in one slice.

    pair_ids: uint32 [n], ascending, or slice(1, None) for all; words: int32 [rows], source types, ascending;
    sizes: int64 [rows].
    """

    pair_ids: slice | NDArray[np.uint32]
    words: NDArray[np.int32]
    sizes: NDArray[np.int64]


def join(slices: Iterable[Lexicon]) -> Lexicon:
    """Return the lexicon of all slices, which have the same NULL rows."""
    parts = list(slices)
    if len(parts) == 1:
        return parts[0]
    index = parts[0].index
    sizes = sum(np.diff(part.index.row_offsets) for part in parts)
    row_offsets = 1 + offsets_of(np.asarray(sizes))
    check_word_pairs(int(row_offsets[-1]), "the trained model")
    columns = np.full(row_offsets[-1], -1, np.int32)
    table = np.full((row_offsets[-1], 2), FLOOR, np.float32)
    for part in parts:
        own = part.index.row_offsets
        pair_ids = np.repeat(row_offsets[:-1] - own[:-1], np.diff(own)) + np.arange(1, own[-1])
        columns[pair_ids], table[pair_ids] = part.index.columns[1:], part.table[1:]
    whole = CooccurrenceIndex(row_offsets, columns, index.target_types)
    return Lexicon(whole, table, parts[0].null_forward, parts[0].null_reverse)
