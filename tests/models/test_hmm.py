"""The HMM as a value that threads share, and the order in which it infers sentence pairs side by side."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aligner import kernels
from aligner.kernels.intrinsics import LANES
from aligner.models.hmm import order_by_size
from tests.kernels.cases import make_block

LENGTHS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=200)


def test_sets_survive_another_thread_that_asks_for_the_first_time():
    """Two threads may each make the cached dictionary. The second dictionary then replaces the first."""
    model = make_block("hmm", [(2, 3)], 1)[1]

    class Overtaken(dict):
        def __setitem__(self, power, sets):
            super().__setitem__(power, sets)
            vars(model)["_sets"] = {}  # as ``cached_property`` does on the other thread

    vars(model)["_sets"] = Overtaken()
    assert model.sets(2.0).jumps is model.jumps


@given(LENGTHS)
def test_emitted_lengths_ascend_and_descend_in_turn(lengths):
    conditioning, emitted = np.array(lengths, np.int32).reshape(-1, 2).T.copy()
    order = order_by_size(conditioning, emitted)
    turns = np.where(conditioning & 1, emitted, -emitted)
    np.testing.assert_array_equal(order, np.lexsort((turns, conditioning)))


def test_pairs_are_ordered_while_another_process_compiles_the_hmm(monkeypatch):
    monkeypatch.setattr(kernels, "hmm", None)
    assert order_by_size(np.array([3, 1]), np.array([1, 1])).tolist() == [1, 0]


def test_groups_of_neighbours_waste_few_lanes():
    rng = np.random.default_rng(1)
    conditioning = rng.integers(1, 50, 20_000)
    emitted = np.maximum(1, conditioning + rng.integers(-6, 7, 20_000))
    order = order_by_size(conditioning, emitted)
    groups = conditioning[order].reshape(-1, LANES), emitted[order].reshape(-1, LANES)
    padded = LANES * np.multiply(*(lengths.max(axis=1) for lengths in groups)).sum()
    assert padded < 1.1 * np.multiply(conditioning, emitted).sum()
