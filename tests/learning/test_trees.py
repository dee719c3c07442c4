"""Trees as arrays: a walk from root to leaf, and any damage is an error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DamagedError
from aligner.models.learned_links import FEATURES
from aligner.models.trees import Trees
from tests.learning.cases import random_trees
from tests.refusals import refused


def walk(trees, x):
    """Return the sum of the leaves that a cell comes to, one node after another."""
    total = 0.0
    for node in trees.roots[:-1].tolist():
        while trees.features[node] >= 0:
            node = int(trees.left[node]) + bool(x[trees.features[node]] > trees.thresholds[node])
        total += float(trees.values[node])
    return total


@pytest.mark.plain_python
@given(trees=st.integers(0, 8), rows=st.integers(0, 40), seed=st.integers(0, 10**6))
def test_sums_are_those_of_walks(trees, rows, seed):
    made = random_trees(trees, seed)
    x = np.random.default_rng(seed).random((rows, len(FEATURES))).astype(np.float32)
    sums = np.zeros(rows)
    made.add_to(sums, x)
    assert sums.tolist() == [walk(made, row) for row in x]


@pytest.mark.plain_python
@given(trees=st.integers(1, 30), least=st.floats(-20, 20), seed=st.integers(0, 10**6))
def test_sums_that_reach_the_least_one_are_exact(trees, least, seed):
    made = random_trees(trees, seed)
    x = np.random.default_rng(seed).random((300, len(FEATURES))).astype(np.float32)
    exact, sums = np.zeros((2, 300))
    made.add_to(exact, x)
    made.add_to(sums, x, least)
    reached = exact >= least + 1e-9
    assert sums[reached].tolist() == exact[reached].tolist()
    assert (sums[~reached] <= exact[~reached]).all()


@given(parts=st.lists(st.integers(0, 4), max_size=3), first=st.integers(0, 12))
def test_joined_trees_are_the_sum(parts, first):
    made = [random_trees(trees, seed) for seed, trees in enumerate(parts)] or [Trees.none()]
    x = np.random.default_rng(1).random((5, len(FEATURES))).astype(np.float32)
    joined = Trees.joined(made)
    sums, expected = np.zeros(5), np.zeros(5)
    joined.add_to(sums, x)
    for part in made:
        part.add_to(expected, x)
    np.testing.assert_allclose(sums, expected, atol=1e-12)
    some, rest = joined.first(first), joined.times(2.0)
    assert len(some) == min(first, len(joined))
    assert [walk(rest, row) for row in x] == pytest.approx(2 * expected)


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("roots", 0, 1),
        ("roots", 1, 0),
        ("roots", -1, 5),
        ("features", 0, len(FEATURES)),
        ("features", 0, -2),
        ("left", 0, 0),
        ("left", 0, 1 << 30),
        ("left", 0, 10),
        ("thresholds", 0, np.nan),
        ("thresholds", 0, np.inf),
        ("values", 1, np.nan),
        ("values", 1, 1e300),
    ],
)
def test_damaged_trees_are_refused(name, position, value):
    arrays = {key: array.copy() for key, array in random_trees(2).arrays().items()}
    assert len(Trees.take(arrays, len(FEATURES))) == 2
    arrays[name][position] = value
    refused("", Trees.take, arrays, len(FEATURES), error=DamagedError)


def test_endless_chain_is_refused():
    nodes = 2 * 600 + 1
    chain = Trees(
        np.array([0, nodes], np.int32),
        np.where(np.arange(nodes) % 2, -1, 0).astype(np.int16),
        np.zeros(nodes, np.float32),
        np.minimum(np.arange(nodes) + 1, nodes - 2).astype(np.int32),
        np.zeros(nodes),
    )
    chain.features[-1] = -1
    refused("too large a tree", Trees.take, chain.arrays(), len(FEATURES), error=DamagedError)
