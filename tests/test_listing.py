"""Links listed by the kernel against NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aligner.kernels.listing import list_links

SIZES = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=5)


@given(sizes=SIZES, often=st.sampled_from([0.0, 0.05, 0.5, 1.0]), seed=st.integers(0, 10**6))
def test_every_chosen_cell_is_listed_once_in_order(sizes, often, seed):
    rng = np.random.default_rng(seed)
    matrices = [rng.random(size) < often for size in sizes]
    chosen = np.concatenate([np.zeros(0, np.bool_), *(matrix.ravel() for matrix in matrices)])
    values = rng.random(len(chosen)).astype(np.float32)
    lengths = np.array(sizes, np.int32).reshape(-1, 2).T.copy()
    offsets = np.empty(len(sizes) + 1, np.int64)
    source, target = np.empty((2, chosen.sum()), np.int32)
    listed = np.empty(chosen.sum(), np.float32)
    list_links(chosen.view(np.uint8), values, *lengths, offsets, source, target, listed)

    expected = [np.argwhere(matrix) for matrix in matrices]
    np.testing.assert_array_equal(offsets, np.cumsum([0, *map(len, expected)]))
    np.testing.assert_array_equal(
        np.stack([source, target], axis=1), np.concatenate([np.empty((0, 2)), *expected])
    )
    np.testing.assert_array_equal(listed, values[chosen])
