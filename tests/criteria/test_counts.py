"""Counts as values: sums do not depend on order or grouping, and neither sums nor M-steps change operands."""

from copy import deepcopy
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import CRITERIA
from aligner.criteria.counts import PseudoCounts
from aligner.criteria.mstep import MSTEPS
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource
from aligner.storage.codec import encode
from aligner.training.estep import BlockEStep
from tests.criteria.cases import KINDS, TEXT, WIDE, case
from tests.support import assert_same_parameters

EVERY_CRITERION = pytest.mark.parametrize("criterion", CRITERIA)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def arrays_of(counts):
    """Return every array of counts by name, and the number of pairs."""
    arrays = {}
    encode(counts, arrays)
    return arrays | {"pairs": counts.pairs}


def assert_counts(counts, expected):
    """Compare counts with a copy of counts, bit for bit."""
    for name, array in arrays_of(counts).items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)


def counts_of_pairs(criterion, model, bitext, numbers):
    """Return the expected counts of some pairs of a text, as a machine that has only these computes them."""
    shard = bitext.select(np.array(numbers))
    source = BlockSource.of(shard).searched(model.lexicon.index, 1 << 20)
    return BlockEStep(source)(criterion, model, criterion.initial_state(source, model))


@EVERY_CRITERION
@EVERY_KIND
@given(data=st.data())
def test_counts_of_shards_add_up_to_those_of_the_whole(kind, criterion, data):
    """Assign pairs to shards at random, and add their counts in random order and grouping, bit for bit."""
    bitext, model, _, _ = case(TEXT + WIDE, kind)
    chosen = CRITERIA[criterion]()
    shard_numbers = st.lists(st.integers(0, 3), min_size=len(bitext), max_size=len(bitext))
    shard_of_pair = np.array(data.draw(shard_numbers))
    shards = [np.flatnonzero(shard_of_pair == shard).tolist() for shard in np.unique(shard_of_pair)]
    counts = [counts_of_pairs(chosen, model, bitext, numbers) for numbers in shards]
    while len(counts) > 1:
        left = counts.pop(data.draw(st.integers(0, len(counts) - 1)))
        right = counts.pop(data.draw(st.integers(0, len(counts) - 1)))
        before = arrays_of(deepcopy(left)), arrays_of(deepcopy(right))
        counts.append(left + right)
        assert_counts(left, before[0])
        assert_counts(right, before[1])
    whole = counts_of_pairs(chosen, model, bitext, range(len(bitext)))
    assert_counts(counts[0], arrays_of(whole))


@EVERY_CRITERION
def test_pseudo_counts_are_added_to_every_column(criterion):
    bitext, model, _, _ = case(TEXT, "hmm")
    counts = counts_of_pairs(CRITERIA[criterion](), model, bitext, range(len(bitext)))
    before = arrays_of(deepcopy(counts))
    one, two = int(COUNT_SCALE), 2 * int(COUNT_SCALE)
    pseudo = PseudoCounts(np.array([2, 5]), np.array([one, two]))
    pseudo = pseudo.joined_with(PseudoCounts(np.array([2]), np.array([two])))
    total = counts + pseudo + PseudoCounts()
    assert_counts(counts, before)
    expected = before | {"links": before["links"].copy()}
    expected["links"][2] += one + two
    expected["links"][5] += two
    assert_counts(total, expected)


@EVERY_CRITERION
@EVERY_KIND
@pytest.mark.parametrize("update", MSTEPS)
def test_msteps_leave_their_counts_unchanged(kind, criterion, update):
    """The same counts give the same model again, on any number of threads."""
    bitext, model, source, _ = case(TEXT + WIDE, kind)
    chosen = CRITERIA[criterion]()
    counts = counts_of_pairs(chosen, model, bitext, range(len(bitext)))
    before = arrays_of(deepcopy(counts))
    state, rule = chosen.initial_state(source, model), partial(MSTEPS[update], alpha=0.1)
    first, _ = chosen.mstep(model, counts, state, rule, threads=1)
    assert_counts(counts, before)
    second, _ = chosen.mstep(model, counts, state, rule, threads=3)
    assert_counts(counts, before)
    assert_same_parameters(second, first)


@pytest.mark.parametrize("criterion", ["agreement", "independent"])
def test_pseudo_counts_of_each_direction_are_added(criterion):
    """Pseudo-counts of both directions make two columns of links that the directions shared."""
    bitext, model, _, _ = case(TEXT, "hmm")
    counts = counts_of_pairs(CRITERIA[criterion](), model, bitext, range(len(bitext)))
    before, rng = arrays_of(deepcopy(counts)), np.random.default_rng(1)
    amounts = rng.random((len(counts.links), 2)).astype(np.float32)
    shared = rng.random((len(counts.links), 1)).astype(np.float32)
    others = counts.null_forward, counts.null_reverse, *counts.distortion
    pseudo = PseudoCounts(everywhere=amounts, others=others)
    total = counts + pseudo.joined_with(PseudoCounts(everywhere=shared)).joined_with(pseudo)
    added = np.rint((amounts + shared + amounts).astype(float) * COUNT_SCALE)
    np.testing.assert_allclose(total.links[1:], (before["links"] + added)[1:], atol=2)
    for array, own in zip((total.null_forward, total.null_reverse, *total.distortion), others, strict=True):
        np.testing.assert_array_equal(array, 3 * own)
    assert_counts(counts, before)


def test_pseudo_counts_of_counted_pairs_are_chosen():
    pseudo = PseudoCounts(np.array([1, 2, 2]), np.array([5, 6, 7]), np.ones((4, 1), np.float32))
    bitext, model, _, _ = case([("a b", "x y")], "ibm1")
    counts = replace(
        counts_of_pairs(CRITERIA["agreement"](), model, bitext, [0]), links=np.array([[0], [0], [3], [1]])
    )
    chosen = pseudo.of_counted(counts)
    assert chosen.pair_ids.tolist() == [2, 2]
    assert chosen.amounts.tolist() == [6, 7]
    assert chosen.everywhere[:, 0].tolist() == [0, 0, 1, 1]
