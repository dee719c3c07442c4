"""The directional models: hand-computed cases, distributions, degenerate siblings and derivatives."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

import math
import random

import pytest

from tests import naive
from tests.naive import BUCKETS
from tests.naive.random_models import positive


def test_one_by_one_by_hand():
    model = naive.model1([[0.6]], [0.2], p0=0.5)
    assert naive.total(model) == pytest.approx(0.5 * 0.6 + 0.5 * 0.2)
    assert naive.link_posteriors(model) == ([[pytest.approx(0.75)]], [pytest.approx(0.25)])
    assert naive.viterbi(model) == ({(1,)}, pytest.approx(0.3))
    assert naive.mre_objective(model) == pytest.approx(math.log((0.5 * 0.36 + 0.5 * 0.04) / 0.4))


def test_two_by_two_model1_by_hand():
    emit, null = [[1.0, 3.0], [2.0, 2.0]], [0.5, 1.0]
    model = naive.model1(emit, null, p0=1 / 3)
    # Model 1 factors over j: (1/3)(1 + 3 + 1/2) and (1/3)(2 + 2 + 1).
    assert naive.total(model) == pytest.approx(4.5 / 3 * 5 / 3)
    links, nulls = naive.link_posteriors(model)
    assert links[0] == pytest.approx([1 / 4.5, 3 / 4.5])
    assert links[1] == pytest.approx([2 / 5, 2 / 5])
    assert nulls == pytest.approx([0.5 / 4.5, 1 / 5])
    best, value = naive.viterbi(model)
    assert best == {(2, 1), (2, 2)}
    assert value == pytest.approx(6 / 9)


def test_two_by_two_hmm_by_hand():
    first, inside, last = [0.0] * 11, [0.0] * 11, [0.0] * 11
    first[6], first[7] = 3.0, 1.0  # offsets 1, 2: 3/4, 1/4
    inside[4], inside[5], inside[6] = 1.0, 1.0, 3.0  # from 1: 1/4, 3/4; from 2: 1/2, 1/2
    last[6], last[7] = 4.0, 1.0  # left from 2 with 4/5, from 1 with 1/5
    emit, null = [[2.0, 3.0], [5.0, 7.0]], [11.0, 13.0]
    model = naive.hmm(emit, null, 1 / 4, first, inside, last)
    half = 3 / 4  # 1 - p0
    by_hand = {
        (0, 0): 11 * 13 * (1 / 4) ** 2 / 2,
        (0, 1): 11 * 5 * (1 / 4) * half * (3 / 4) * (1 / 5),
        (0, 2): 11 * 7 * (1 / 4) * half * (1 / 4) * (4 / 5),
        (1, 0): 2 * 13 * half * (3 / 4) * (1 / 4) * (1 / 5),
        (2, 0): 3 * 13 * half * (1 / 4) * (1 / 4) * (4 / 5),
        (1, 1): 2 * 5 * half * (3 / 4) * half * (1 / 4) * (1 / 5),
        (1, 2): 2 * 7 * half * (3 / 4) * half * (3 / 4) * (4 / 5),
        (2, 1): 3 * 5 * half * (1 / 4) * half * (1 / 2) * (1 / 5),
        (2, 2): 3 * 7 * half * (1 / 4) * half * (1 / 2) * (4 / 5),
    }
    assert {a: naive.joint(model, a) for a in naive.alignments(2, 2)} == pytest.approx(by_hand)
    squared = {a: naive.joint(model, a, power_lex=2.0) for a in by_hand}
    assert squared[1, 2] == pytest.approx(by_hand[1, 2] * 14)
    assert naive.joint(model, (1, 2), power_dist=2.0) == pytest.approx(by_hand[1, 2] ** 2 / 14)


def test_outer_buckets_share_their_mass():
    c = [float(b + 1) for b in range(11)]
    weights = naive.position_weights(
        c, 0, 12
    )  # offsets 1..12: buckets 6..9, then eight positions in bucket 10
    Z = 7 + 8 + 9 + 10 + 11
    assert weights == pytest.approx([7 / Z, 8 / Z, 9 / Z, 10 / Z] + [11 / 8 / Z] * 8)
    assert naive.last_weights(c, 12) == pytest.approx(weights[::-1])
    weights = naive.position_weights(c, 7, 7)  # offsets -6..0: two positions in bucket 0, then 1..5
    Z = 1 + 2 + 3 + 4 + 5 + 6
    assert weights == pytest.approx([x / Z for x in (0.5, 0.5, 2, 3, 4, 5, 6)])


def test_centre_rounds_half_up():
    assert [naive.centre(j, 3, 2) for j in (1, 2)] == [2, 3]  # 1.5 -> 2
    assert [naive.centre(j, 1, 3) for j in (1, 2, 3)] == [0, 1, 1]
    assert [naive.centre(j, 5, 5) for j in range(1, 6)] == [1, 2, 3, 4, 5]


def test_weights_are_distributions_and_the_reach_class_determines_the_normaliser():
    c = positive(random.Random(2), BUCKETS)
    for I in range(1, 16):
        for origin in range(I + 1):
            assert sum(naive.position_weights(c, origin, I)) == pytest.approx(1)
            here = {naive.bucket(i - origin) for i in range(1, I + 1)}
            left, right = naive.reach_class(origin, I)
            assert 0 <= left < naive.LEFTS
            assert 0 <= right < naive.RIGHTS
            assert naive.reachable(left, right) == here
            assert naive.normaliser(c, left, right) == pytest.approx(sum(c[b] for b in here))
        leaving = {naive.bucket(I + 1 - i) for i in range(1, I + 1)}
        assert naive.reachable(*naive.reach_class(0, I)) == leaving


@pytest.mark.parametrize("I", [1, 2, 3, 5])
def test_flat_siblings_are_model1(I):
    rng = random.Random(I)
    emit, null = [positive(rng, I) for _ in range(3)], positive(rng, 3)
    one = naive.model1(emit, null, 0.15)
    flat = naive.hmm(emit, null, 0.15, [1.0] * 11, [2.0] * 11, [3.0] * 11)  # up to I = 5 no bucket is shared
    table = naive.model2_table(emit, null, 0.15, [[1 / I] * I] * 3)
    for a in naive.alignments(I, 3):
        assert naive.joint(table, a) == pytest.approx(naive.joint(one, a))
        assert naive.joint(flat, a) == pytest.approx(naive.joint(one, a) / I)
    assert naive.posterior(flat) == pytest.approx(naive.posterior(one))
