"""The oracle checks itself: hand-computed cases, derivatives by differences, degenerate siblings."""

# ruff: noqa: E741 (I is the papers' name for the length of the conditioning side)

import itertools
import math
import random

import pytest

from tests import naive
from tests.naive import BUCKETS, Directional

KINDS = ("model1", "model2", "model2_table", "hmm")


def positive(rng, n):
    return [0.1 + rng.random() for _ in range(n)]


def random_model(rng, I, J, kind, p0=None):
    emit = [positive(rng, I) for _ in range(J)]
    null = positive(rng, J)
    p0 = naive.default_p0(I) if p0 is None else p0
    if kind == "model1":
        return naive.model1(emit, null, p0)
    if kind == "model2":
        return naive.model2(emit, null, p0, positive(rng, BUCKETS))
    if kind == "model2_table":
        rows = [positive(rng, I) for _ in range(J)]
        return naive.model2_table(emit, null, p0, [[x / sum(row) for x in row] for row in rows])
    return naive.hmm(emit, null, p0, *(positive(rng, BUCKETS) for _ in range(3)))


# --------------------------------------------------------------------------- by hand


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


# --------------------------------------------------------------------------- what must sum to one


@pytest.mark.parametrize("kind", KINDS)
def test_posteriors_sum_to_one(kind):
    rng = random.Random(1)
    for I, J in [(1, 1), (1, 3), (3, 1), (2, 3), (4, 3)]:
        model = random_model(rng, I, J, kind, p0=0.2)
        for power in ({}, {"power_lex": 2.0}, {"power_lex": 2.0, "power_dist": 2.0}):
            links, nulls = naive.link_posteriors(model, **power)
            assert [sum(row) + null for row, null in zip(links, nulls, strict=True)] == pytest.approx([1] * J)
            assert sum(naive.posterior(model, **power).values()) == pytest.approx(1)


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


def test_a_model_with_distributions_as_potentials_is_a_distribution():
    # With t(.|e) a distribution over two words, Model 2's likelihoods sum to one over all sentences.
    rng = random.Random(3)
    t = [x / 10 for x in (3, 6, 8)]  # p(word 0 | position 1, position 2, NULL)
    c = positive(rng, BUCKETS)
    mass = 0.0
    for words in [(x, y) for x in (0, 1) for y in (0, 1)]:
        rows = [[p if w == 0 else 1 - p for p in t] for w in words]
        mass += naive.total(naive.model2([row[:2] for row in rows], [row[2] for row in rows], 0.3, c))
    assert mass == pytest.approx(1)


# --------------------------------------------------------------------------- degenerate siblings


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


def test_power_two_is_the_product_with_itself():
    rng = random.Random(4)
    model = random_model(rng, 2, 2, "hmm")
    squared = {a: naive.joint(model, a) ** 2 for a in naive.alignments(2, 2)}
    both = {a: naive.joint(model, a, power_lex=2.0, power_dist=2.0) for a in squared}
    assert both == pytest.approx(squared)


# --------------------------------------------------------------------------- statistics are derivatives


def derivative(f, x, step=1e-5):
    """d f / d log x_k for each k, by central differences."""
    out = []
    for k in range(len(x)):
        up, down = list(x), list(x)
        up[k] *= math.exp(step)
        down[k] *= math.exp(-step)
        out.append((f(up) - f(down)) / (2 * step))
    return out


def expected_slope(c, counts):
    """N_b - c_b sum M r_b / Z: the derivative of the log-likelihood, by Fisher's identity."""
    classes = [(left, right) for left in range(naive.LEFTS) for right in range(naive.RIGHTS)]
    return [
        counts.N[b]
        - sum(
            counts.M[left][right] * c[b] / naive.normaliser(c, left, right)
            for left, right in classes
            if b in naive.reachable(left, right)
        )
        for b in range(BUCKETS)
    ]


@pytest.mark.parametrize(("I", "J"), [(3, 3), (7, 2), (1, 3)])
def test_hmm_statistics_are_the_gradient(I, J):
    rng = random.Random(5)
    emit, null = [positive(rng, I) for _ in range(J)], positive(rng, J)
    sets = {name: positive(rng, BUCKETS) for name in ("first", "inside", "last")}
    counts = naive.hmm_statistics(naive.posterior(naive.hmm(emit, null, 0.2, **sets)), I)
    for name, c in sets.items():

        def log_total(c, name=name):
            return math.log(naive.total(naive.hmm(emit, null, 0.2, **{**sets, name: c})))

        slope = derivative(log_total, c)
        assert slope == pytest.approx(expected_slope(c, counts[name]), abs=1e-8)
        assert slope == pytest.approx(
            derivative(lambda c, n=counts[name]: naive.mstep_objective(c, *n), c), abs=1e-8
        )
        assert sum(counts[name].N) == pytest.approx(sum(map(sum, counts[name].M)))


@pytest.mark.parametrize(("I", "J"), [(3, 3), (8, 2), (2, 4)])
def test_model2_statistics_are_the_gradient(I, J):
    rng = random.Random(6)
    emit, null, c = [positive(rng, I) for _ in range(J)], positive(rng, J), positive(rng, BUCKETS)
    counts = naive.model2_statistics(naive.posterior(naive.model2(emit, null, 0.2, c)), I, J)
    slope = derivative(lambda c: math.log(naive.total(naive.model2(emit, null, 0.2, c))), c)
    assert slope == pytest.approx(expected_slope(c, counts), abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_link_posteriors_are_the_gradient(kind):
    model = random_model(random.Random(7), 3, 2, kind)
    for power in (1.0, 2.0):
        links, _ = naive.link_posteriors(model, power_lex=power)
        flat = [x for row in model.emit for x in row]

        def log_total(x, power=power):
            return math.log(naive.total(model._replace(emit=[x[:3], x[3:]]), power_lex=power))

        slope = derivative(log_total, flat)
        assert slope == pytest.approx([power * p for row in links for p in row], abs=1e-8)


# --------------------------------------------------------------------------- the distortion M-step


@pytest.mark.parametrize("seed", range(4))
def test_mm_rounds_raise_the_objective_to_a_stationary_point(seed):
    rng = random.Random(seed)
    N, M = naive.no_jumps()
    for I, J in [(2, 3), (4, 3), (7, 2), (9, 2)]:
        counts = naive.hmm_statistics(naive.posterior(random_model(rng, I, J, "hmm")), I)["inside"]
        N = [x + y for x, y in zip(N, counts.N, strict=True)]
        M = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(M, counts.M, strict=True)]
    c = [1 / BUCKETS] * BUCKETS
    values = [naive.mstep_objective(c, N, M)]
    for _ in range(50):
        c = naive.mstep_round(c, N, M)
        values.append(naive.mstep_objective(c, N, M))
    assert all(new >= old - 1e-12 for old, new in itertools.pairwise(values))
    best = naive.mstep(c, N, M)
    assert expected_slope(best, naive.JumpCounts(N, M)) == pytest.approx([0] * BUCKETS, abs=1e-7)
    value = naive.mstep_objective(best, N, M)
    assert value > naive.mstep_objective(
        [n / sum(N) for n in N], N, M
    )  # the usual heuristic is not the maximiser
    for _ in range(20):
        other = [x * math.exp(rng.uniform(-0.1, 0.1)) for x in best]
        assert naive.mstep_objective(other, N, M) <= value + 1e-12


def test_a_bucket_never_reached_keeps_its_share():
    N, M = naive.no_jumps()
    N[5] = N[6] = 1.0
    M[1][1] = 2.0  # offsets 0 and 1 only
    c = naive.mstep([1 / BUCKETS] * BUCKETS, N, M)
    assert c[5] == pytest.approx(c[6])
    assert all(x > 0 for x in c)
    assert sum(c) == pytest.approx(1)


# --------------------------------------------------------------------------- product EM


def test_product_by_hand():
    forward, reverse = naive.model1([[0.6]], [0.2], 0.5), naive.model1([[0.3]], [0.4], 0.5)
    links, log_total = naive.product_exact(forward, reverse)
    linked, unlinked = 0.5 * 0.6 * 0.5 * 0.3, 0.5 * 0.2 * 0.5 * 0.4
    assert log_total == pytest.approx(math.log(linked + unlinked))
    assert links == [[pytest.approx(linked / (linked + unlinked))]]


def test_product_runs_over_partial_matchings():
    assert sum(naive.reverse_alignment(a, 2) is not None for a in naive.alignments(2, 2)) == 7
    assert naive.reverse_alignment((0, 3, 1), 3) == (3, 0, 2)
    assert naive.reverse_alignment((2, 2), 2) is None
    rng = random.Random(8)
    links, _ = naive.product_exact(random_model(rng, 3, 2, "hmm"), random_model(rng, 2, 3, "hmm"))
    assert all(sum(row) <= 1 for row in links)
    assert all(sum(column) <= 1 for column in zip(*links, strict=True))


# --------------------------------------------------------------------------- constraints


def test_substochastic_by_hand():
    # One conditioning word, two emitted ones, each linked with probability 0.8: both come down to a half.
    projection = naive.substochastic(naive.model1([[4.0], [4.0]], [1.0, 1.0], 0.5))
    assert projection.links == [[pytest.approx(0.5)], [pytest.approx(0.5)]]
    assert projection.lambdas == [pytest.approx(math.log(4))]
    assert projection.kl == pytest.approx(2 * (0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.2)))


def test_symmetric_by_hand():
    # 1 x 1 with link odds 3 forward and 1/2 in reverse: meet at the geometric mean of the odds.
    forward, reverse = naive.model1([[3.0]], [1.0], 0.5), naive.model1([[0.5]], [1.0], 0.5)
    agreement = naive.symmetric(forward, reverse)
    odds = math.sqrt(3.0 * 0.5)
    assert agreement.forward_links == [[pytest.approx(odds / (1 + odds))]]
    assert agreement.lambdas == [[pytest.approx(math.log(0.5 / 3.0) / 2)]]


def feasible_elsewhere(rng, q, satisfied):
    """Another distribution over the same alignments that satisfies the constraints."""
    while True:
        noisy = {a: p * math.exp(rng.uniform(-0.3, 0.3)) for a, p in q.items()}
        noisy = {a: p / sum(noisy.values()) for a, p in noisy.items()}
        if satisfied(noisy):
            return noisy


@pytest.mark.parametrize("kind", KINDS)
def test_substochastic_is_the_closest_feasible_distribution(kind):
    rng = random.Random(9)
    I, J = 2, 3
    model = random_model(rng, I, J, kind, p0=0.05)
    p = naive.posterior(model)
    projection = naive.substochastic(model)

    def used(q):
        return [sum(column) for column in zip(*naive.marginals(q, I, J)[0], strict=True)]

    assert max(used(p)) > 1  # the constraint has something to do
    for mass, multiplier in zip(used(projection.q), projection.lambdas, strict=True):
        assert mass <= 1 + 1e-9
        assert multiplier * (1 - mass) == pytest.approx(0, abs=1e-8)
    assert projection.kl == pytest.approx(projection.dual, abs=1e-8)
    factors = [[math.exp(-x) for x in projection.lambdas]] * J
    assert naive.posterior(naive.tilted(model, factors)) == pytest.approx(projection.q)
    for _ in range(5):
        other = feasible_elsewhere(rng, projection.q, lambda q: max(used(q)) <= 1)
        assert naive.kl_divergence(other, p) >= projection.kl


@pytest.mark.parametrize("kind", KINDS)
def test_symmetric_agrees_with_no_duality_gap(kind):
    rng = random.Random(10)
    forward, reverse = random_model(rng, 2, 3, kind), random_model(rng, 3, 2, kind)
    agreement = naive.symmetric(forward, reverse)
    for ours, theirs in zip(agreement.forward_links, agreement.reverse_links, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    assert agreement.kl == pytest.approx(agreement.dual, abs=1e-8)
    assert agreement.kl > 0
    up = [[math.exp(x) for x in row] for row in agreement.lambdas]
    down = [[math.exp(-agreement.lambdas[j][i]) for j in range(3)] for i in range(2)]
    assert naive.posterior(naive.tilted(forward, up)) == pytest.approx(agreement.forward_q)
    assert naive.posterior(naive.tilted(reverse, down)) == pytest.approx(agreement.reverse_q)


def test_constraints_already_met_change_nothing():
    model = naive.model1([[0.1, 0.1]], [1.0], 0.5)
    projection = naive.substochastic(model)
    assert projection.lambdas == [0.0, 0.0]
    assert projection.q == pytest.approx(naive.posterior(model))


def test_infeasible_constraints_are_an_error():
    impossible = Directional([[1.0], [1.0]], [0.0, 0.0], lambda a: 1.0)  # two words, no NULL, one place to go
    with pytest.raises(ArithmeticError, match="cannot be met"):
        naive.substochastic(impossible)


# --------------------------------------------------------------------------- MRE and AER


def test_mre_of_model1_factors_over_words():
    emit, null, p0 = [[0.2, 0.5], [0.3, 0.9]], [0.1, 0.4], 0.25
    by_word = sum(
        math.log((sum(0.375 * x * x for x in row) + p0 * n * n) / (sum(0.375 * x for x in row) + p0 * n))
        for row, n in zip(emit, null, strict=True)
    )
    assert naive.mre_objective(naive.model1(emit, null, p0)) == pytest.approx(by_word)


def test_aer_by_hand():
    answer = [{(0, 0), (1, 1), (2, 1)}, set()]
    sure, possible = [{(0, 0)}, {(0, 0)}], [{(1, 1)}, set()]
    assert naive.aer(answer, sure, possible) == pytest.approx(1 - (1 + 2) / (3 + 2))
    assert naive.aer(sure, sure, possible) == 0
    assert naive.aer([set()], [set()], [set()]) == 0
    assert naive.aer([set()], [{(0, 0)}], [set()]) == 1
