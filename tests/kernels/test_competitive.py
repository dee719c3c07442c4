"""Competitive thresholding against its definition, cell by cell."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aligner.kernels.competitive import CHOSEN, NEAR, compete


def naive_competitive(posterior, threshold: float, source, target) -> list[tuple[int, int]]:
    """DirectionalCells over the threshold that may be beside the best of the row, and beside that of the column."""

    def beside_best(line, place, words):
        best = max(range(len(line)), key=lambda k: line[k])
        between = line[min(best, place) : max(best, place) + 1]
        together = all(value >= threshold for value in between)
        near = abs(best - place) <= NEAR and words[best] != words[place]
        return line[place] >= threshold and line[best] >= threshold and (together or near)

    return [
        (i, j)
        for i, row in enumerate(posterior)
        for j in range(len(row))
        if beside_best(list(row), j, target) and beside_best([other[j] for other in posterior], i, source)
    ]


def competitive(posterior, threshold, source, target):
    """The kernel on one pair among others."""
    small = np.full((1, 2), 0.9, np.float32)
    matrices = [small, np.asarray(posterior, np.float32), small]
    sizes = np.array([matrix.shape for matrix in matrices], np.int32)
    cells = np.concatenate([matrix.ravel() for matrix in matrices])
    marks = np.zeros(len(cells), np.uint8)
    words = (np.array(side, np.int32) for side in ([0, *source, 0], [0, 1, *target, 0, 1]))
    lengths = sizes[:, 0].copy(), sizes[:, 1].copy()
    compete(cells.view(np.int32), *words, *lengths, np.float32(threshold).view(np.int32), marks)
    own = marks[2:-2].reshape(np.shape(posterior))
    return [tuple(cell) for cell in np.argwhere(own == CHOSEN).tolist()]


WORDS = st.lists(st.integers(0, 2), min_size=9, max_size=9)
matrices = st.tuples(st.integers(0, 9), st.integers(0, 9)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    ).map(lambda rows: np.array(rows, np.float32).reshape(shape))
)


@given(matrices, st.sampled_from([0.1, 0.5, 0.6]), WORDS, WORDS)
def test_competitive_agrees_with_its_naive_twin(posterior, threshold, source, target):
    case = posterior, threshold, source[: len(posterior)], target[: posterior.shape[1]]
    assert competitive(*case) == naive_competitive(*case)


def test_competitive_breaks_distributed_links_of_a_frequent_word():
    # Source 0, say an article, is over the threshold at targets 0, 1 and 3. Its best is target 0, target 1 is
    # next to it, and target 3, the same word again, is cut off by target 2.
    posterior = np.array([[0.9, 0.6, 0.1, 0.5], [0.4, 0.1, 0.7, 0.1]])
    assert competitive(posterior, 0.5, [5, 6], [7, 7, 8, 7]) == [(0, 0), (0, 1), (1, 2)]
    # So is source 1 from target 0, were target 2 the same.
    assert competitive(posterior, 0.4, [5, 6], [7, 7, 7, 7]) == [(0, 0), (0, 1), (1, 2)]
    assert competitive(posterior, 0.4, [5, 6], [7, 7, 8, 7]) == [(0, 0), (0, 1), (1, 0), (1, 2)]


def test_competitive_keeps_the_parts_of_what_translates_one_word():
    # Source 0, say a verb, is two words of the target, with others between them; far away, it is another's.
    row = np.full((1, 8), 0.1)
    row[0, [0, 3, 4, 6]] = 0.9, 0.8, 0.8, 0.7
    assert competitive(row, 0.5, [5], range(8)) == [(0, 0), (0, 3), (0, 4)]
    assert competitive(row, 0.5, [5], [0, 1, 1, 0, 2, 1, 2, 1]) == [(0, 0), (0, 4)]


def test_competitive_without_cells():
    for shape in ((0, 3), (2, 0)):
        assert competitive(np.zeros(shape), 0.5, range(shape[0]), range(shape[1])) == []
