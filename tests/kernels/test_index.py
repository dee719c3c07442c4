"""Indices of compressed rows in larger ones, and rows that are added and taken by index."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import kernels
from aligner.arrays import offsets_of

ROWS = st.lists(st.sets(st.integers(0, 9)).map(sorted), min_size=4, max_size=4)


def compressed(rows):
    """Return the offsets and the columns of rows."""
    return offsets_of(np.array([len(row) for row in rows])), np.array([*chain(*rows)], np.int32)


@pytest.mark.plain_python
@given(ROWS, ROWS, st.integers(1, 5))
def test_places_of_rows_in_the_chunks_of_larger_rows(rows, others, size):
    large = [sorted({*row, *other}) for row, other in zip(rows, others, strict=True)]
    all_offsets, all_columns = compressed(large)
    offsets, columns = compressed(rows)
    indices = np.full(len(columns), 99, np.uint32)
    for begin in range(0, len(all_columns), size):
        chunk = all_columns[begin : begin + size]
        kernels.index.find_indices(begin, chunk, all_offsets, offsets, columns, indices)
    expected = [int(all_offsets[n]) + large[n].index(column) for n, row in enumerate(rows) for column in row]
    assert indices.tolist() == expected


@pytest.mark.plain_python
@given(st.sets(st.integers(0, 20)).map(sorted), st.integers(1, 9))
def test_rows_are_taken_from_the_chunks_of_a_table(indices, size):
    table = np.arange(42, dtype=np.float32).reshape(21, 2)
    rows = np.full((len(indices), 2), -1, np.float32)
    for begin in range(0, len(table), size):
        chunk = table[begin : begin + size]
        kernels.tables.take_rows(begin, chunk, np.array(indices, np.uint32), rows)
    np.testing.assert_array_equal(rows, table[indices])
