"""Competitive thresholding against the oracle, which decides cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aligner import kernels
from tests import naive

pytestmark = pytest.mark.plain_python


def competitive(posterior, threshold, source, target):
    """Return the links of a pair, by the kernel, in a block with two other pairs."""
    small = np.full((1, 2), 0.9, np.float32)
    matrices = [small, np.asarray(posterior, np.float32), small]
    sizes = np.array([matrix.shape for matrix in matrices], np.int32)
    cells = np.concatenate([matrix.ravel() for matrix in matrices])
    marks = np.zeros(len(cells), np.uint8)
    words = (np.array(side, np.int32) for side in ([0, *source, 0], [0, 1, *target, 0, 1]))
    lengths = sizes[:, 0].copy(), sizes[:, 1].copy()
    bits = int(np.float32(threshold).view(np.int32))
    kernels.links.compete(cells.view(np.int32), *words, *lengths, bits, marks)
    own = marks[2:-2].reshape(np.shape(posterior))
    return [tuple(cell) for cell in np.argwhere(own == kernels.links.CHOSEN).tolist()]


WORDS = st.lists(st.integers(0, 2), min_size=9, max_size=9)
SHAPES = st.tuples(st.integers(0, 9), st.integers(0, 9))
VALUES = st.sampled_from(np.float32([0.0, 0.2, 0.5, 0.8, 1.0]).tolist())


@given(arrays(np.float32, SHAPES, elements=VALUES), st.sampled_from([0.1, 0.5, 0.6]), WORDS, WORDS)
def test_competitive_matches_the_oracle(posterior, threshold, source, target):
    case = posterior, threshold, source[: len(posterior)], target[: posterior.shape[1]]
    assert competitive(*case) == naive.competitive_links(*case)


def test_competitive_breaks_distributed_links_of_a_frequent_word():
    # Source 0, such as an article, reaches the threshold at targets 0, 1 and 3. Target 0 is its best link and
    # target 1 is adjacent. Target 3 repeats the word of target 0, and target 2 lies between them.
    posterior = np.array([[0.9, 0.6, 0.1, 0.5], [0.4, 0.1, 0.7, 0.1]])
    assert competitive(posterior, 0.5, [5, 6], [7, 7, 8, 7]) == [(0, 0), (0, 1), (1, 2)]
    # The same holds for source 1 and target 0 if target 2 is the same word as target 0.
    assert competitive(posterior, 0.4, [5, 6], [7, 7, 7, 7]) == [(0, 0), (0, 1), (1, 2)]
    assert competitive(posterior, 0.4, [5, 6], [7, 7, 8, 7]) == [(0, 0), (0, 1), (1, 0), (1, 2)]


def test_competitive_keeps_separate_parts_of_a_translation():
    # Source 0, such as a verb, is translated by target 0 and by targets 3 and 4. Target 6 is too far away.
    row = np.full((1, 8), 0.1)
    row[0, [0, 3, 4, 6]] = 0.9, 0.8, 0.8, 0.7
    assert competitive(row, 0.5, [5], range(8)) == [(0, 0), (0, 3), (0, 4)]
    assert competitive(row, 0.5, [5], [0, 1, 1, 0, 2, 1, 2, 1]) == [(0, 0), (0, 4)]


def test_competitive_of_pairs_without_cells():
    for shape in ((0, 3), (2, 0)):
        assert competitive(np.zeros(shape), 0.5, range(shape[0]), range(shape[1])) == []
