"""Competitive thresholding against its definition, cell by cell."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aligner.kernels.competitive import CHOSEN, compete


def naive_competitive(posterior, threshold: float) -> list[tuple[int, int]]:
    """Cells from which one can walk over the threshold to the best of the row, and to that of the column."""

    def reaches_best(line, place):
        best = max(range(len(line)), key=lambda k: line[k])
        between = line[min(best, place) : max(best, place) + 1]
        return all(value >= threshold for value in between)

    return [
        (i, j)
        for i, row in enumerate(posterior)
        for j in range(len(row))
        if reaches_best(list(row), j) and reaches_best([other[j] for other in posterior], i)
    ]


def competitive(posterior, threshold):
    """The kernel on one pair among others."""
    small = np.full((1, 2), 0.9, np.float32)
    matrices = [small, np.asarray(posterior, np.float32), small]
    sizes = np.array([matrix.shape for matrix in matrices], np.int32)
    cells = np.concatenate([matrix.ravel() for matrix in matrices])
    marks = np.zeros(len(cells), np.uint8)
    lengths = sizes[:, 0].copy(), sizes[:, 1].copy()
    compete(cells.view(np.int32), *lengths, np.float32(threshold).view(np.int32), marks)
    own = marks[2:-2].reshape(np.shape(posterior))
    return [tuple(cell) for cell in np.argwhere(own == CHOSEN).tolist()]


matrices = st.tuples(st.integers(0, 5), st.integers(0, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    ).map(lambda rows: np.array(rows, np.float32).reshape(shape))
)


@given(matrices, st.sampled_from([0.1, 0.5, 0.6]))
def test_competitive_agrees_with_its_naive_twin(posterior, threshold):
    assert competitive(posterior, threshold) == naive_competitive(posterior, threshold)


def test_competitive_breaks_distributed_links_of_a_frequent_word():
    # Source 0, say an article, is over the threshold at targets 0, 1 and 3. Its best is target 0, target 1 is
    # next to it, and target 3 is cut off by target 2, as source 1 is from target 0 at the lower threshold.
    posterior = np.array([[0.9, 0.6, 0.1, 0.5], [0.4, 0.1, 0.7, 0.1]])
    assert competitive(posterior, 0.5) == [(0, 0), (0, 1), (1, 2)]
    assert competitive(posterior, 0.4) == [(0, 0), (0, 1), (1, 2)]


def test_competitive_without_cells():
    assert competitive(np.zeros((0, 3)), 0.5) == competitive(np.zeros((2, 0)), 0.5) == []
