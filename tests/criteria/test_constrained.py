"""Posterior-constrained EM: projections against the oracle's, their invariants, and training with them."""

# ruff: noqa: E741 (I is the papers' name for the length of the conditioning side)

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aligner.lexicon.block_sources import BlockSource
from aligner.recipe.config import Recipe
from aligner.decoding.decoder import Decoder
from aligner.decoding.batch import decode
from aligner.errors import ConfigError
from aligner.training.estep import MEASURE_SCALE, accumulate
from aligner.kernels.fixed import JUMP_SCALE
from aligner.criteria import Independent, Substochastic, Symmetric
from aligner.criteria.base import DistortionCounts, maximise
from aligner.criteria.projection import LIMIT, Family, ascend
from aligner.training.loop import train
from aligner.models.variants import Annealed
from tests import naive
from tests.support import TEXTS, assert_same_parameters, bitext_of, index_pairs, offered, oracles, random_pair

TEXT = [
    ("a b c", "x y"),
    ("b", "y z y"),
    ("a a", "x"),
    ("c b a", "z y x"),
    ("d", "w"),
    ("a b b", "x y y w"),
    ("d d d d", "x"),
]
WIDE = [("a b c d a b c d", "x y"), ("x", "a b c"), ("d c b a d c", "w z")]

CRITERIA = pytest.mark.parametrize("criterion", [Substochastic, Symmetric], ids=lambda c: c.name)
KINDS = pytest.mark.parametrize("kind", ["ibm1", "ibm2", "ibm2-full", "hmm"])
SLACKS = pytest.mark.parametrize("slack", [0.0, 0.3])

EXACT = {"steps": 3000, "tolerance": 2e-6, "slack": 0.0}


def case(text, kind, seed=1):
    """A random model of a text, the text with pair_ids, and all of it as one block."""
    bitext = bitext_of(text)
    _, cells = index_pairs(bitext)
    return bitext, random_pair(kind, bitext, seed), cells, cells.block(0, len(bitext))


def estep(criterion, model, block, state=None):
    """The expectation of a block, its measures by name, and the distortion statistics."""
    statistics = DistortionCounts(model.forward.new_counts(), model.reverse.new_counts())
    expectation = criterion.estep(model, block, statistics, state)
    return expectation, dict(zip(criterion.measures, expectation.measures, strict=True)), statistics


def projections(criterion, model, block, **options):
    """The families of a block and where an ascent on each arrives."""
    families = criterion.families(model, model.potentials(block))
    return [(family, ascend(family, **options)) for family in families]


def by_pair(block, links):
    """The links of each pair, [I, J]."""
    at = 0
    for I, J in zip(block.source_lengths, block.target_lengths, strict=True):
        yield links[at : at + I * J].reshape(I, J)
        at += I * J


def coarse(multipliers):
    """Multipliers in the units that they are remembered in."""
    return np.rint(np.asarray(multipliers) * 1024).astype(np.int16)


class Exact:
    """The oracle's projection of one pair, in the shapes used here: F and R [I, J], NULL posteriors."""

    def __init__(self, criterion, pair, **power):
        forward, reverse = pair
        if criterion.name == "substochastic":
            one, other = naive.substochastic(forward, **power), naive.substochastic(reverse, **power)
            self.F, self.R = np.array(one.links).T, np.array(other.links)
            self.q = one.q, other.q
            self.multipliers = [one.lambdas, other.lambdas]
            self.dual, self.kl = [one.dual, other.dual], one.kl + other.kl
        else:
            both = naive.symmetric(forward, reverse, **power)
            self.F, self.R = np.array(both.forward_links).T, np.array(both.reverse_links).T
            self.q = both.forward_q, both.reverse_q
            self.multipliers = [np.array(both.lambdas).T.ravel()]
            self.dual, self.kl = [both.dual], both.kl
        self.null_forward = 1 - self.F.sum(axis=0)
        self.null_reverse = 1 - self.R.sum(axis=1)


# --------------------------------------------------------------------------- against the oracle


def assert_projected(text, kind, criterion, seed, multipliers):
    bitext, model, _, block = case(text, kind, seed)
    expectation, measures, _ = expect(criterion(**EXACT), model, block)
    solved = projections(criterion(), model, block, **EXACT)
    F, R = (by_pair(block, expectation.links[:, c]) for c in (0, 1))
    i = j = 0
    at = [0] * len(solved)
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        exact = Exact(criterion, oracles(model, source, target))
        np.testing.assert_allclose(next(F), exact.F, atol=5e-5)
        np.testing.assert_allclose(next(R), exact.R, atol=5e-5)
        np.testing.assert_allclose(
            expectation.null_forward[j : j + len(target)], exact.null_forward, atol=1e-4
        )
        np.testing.assert_allclose(
            expectation.null_reverse[i : i + len(source)], exact.null_reverse, atol=1e-4
        )
        assert measures["kl"][n] == pytest.approx(exact.kl, rel=1e-4, abs=1e-4)  # a sum of logs in float32
        for k, (family, projection) in enumerate(solved):
            assert projection.dual[n] == pytest.approx(exact.dual[k], abs=2e-5)
            own = slice(at[k], at[k] + family.sizes[n])
            # Where nothing is expected, neither way, a multiplier hardly matters, and is known as badly.
            distance = np.abs(projection.multipliers[own] - exact.multipliers[k])
            assert distance.max() <= multipliers
            at[k] += family.sizes[n]
        i += len(source)
        j += len(target)


@CRITERIA
@KINDS
def test_projections_are_the_oracle_s(kind, criterion):
    assert_projected(TEXT, kind, criterion, 1, multipliers=5e-3)


@CRITERIA
@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "hmm"])
@settings(max_examples=15)
@given(text=TEXTS, seed=st.integers(0, 10**6))
@example(text=[("b", "a"), ("b", "b c d a")], seed=0)
def test_projections_of_any_tiny_text(kind, criterion, text, seed):
    assert_projected(text[:2], kind, criterion, seed, multipliers=np.inf)


@CRITERIA
@pytest.mark.parametrize("kind", ["ibm2", "hmm"])
def test_jumps_are_counted_from_the_final_posteriors_only(kind, criterion):
    bitext, model, _, block = case([*TEXT[:4], ("a b c d a b", "x y")], kind)
    _, _, statistics = expect(criterion(**EXACT), model, block)
    expected = np.zeros((2, 3 if kind == "hmm" else 1, 53))
    for source, target in zip(bitext.source, bitext.target, strict=True):
        pair = oracles(model, source, target)
        for direction, q in enumerate(Exact(criterion, pair).q):
            width, height = naive.size(pair[direction])
            if kind == "hmm":
                parts = naive.hmm_statistics(q, width).values()
            else:
                parts = [naive.model2_statistics(q, width, height)]
            for n, part in enumerate(parts):
                expected[direction, n] += [*part.N, *np.ravel(part.M)]
    for found, wanted in zip(statistics, expected, strict=True):
        np.testing.assert_allclose(found.reshape(-1, 53) / JUMP_SCALE, wanted, atol=5e-4)


@CRITERIA
def test_what_is_projected_is_what_the_pair_infers(criterion):
    """A pair that anneals is projected from its annealed posteriors."""
    bitext, model, _, block = case(TEXT, "hmm")
    warm = Annealed(0.5)(model)
    expectation, measures, _ = expect(criterion(**EXACT), warm, block)
    F = by_pair(block, expectation.links[:, 0])
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        exact = Exact(criterion, oracles(model, source, target), power_lex=0.5, power_dist=0.5)
        np.testing.assert_allclose(next(F), exact.F, atol=5e-5)
        assert measures["kl"][n] == pytest.approx(exact.kl, rel=1e-4, abs=1e-4)  # a sum of logs in float32


# --------------------------------------------------------------------------- invariants of an ascent


@CRITERIA
@KINDS
@SLACKS
def test_the_dual_never_falls_and_the_residual_ends_below_the_tolerance(kind, criterion, slack):
    _, model, _, block = case(TEXT + WIDE, kind)
    before = None
    for steps in range(16):
        duals = [
            p.dual for _, p in projections(criterion(), model, block, steps=steps, tolerance=0.0, slack=slack)
        ]
        if before is None:
            assert all((dual == 0).all() for dual in duals)
        else:
            for one, other in zip(before, duals, strict=True):
                # A step may also be taken by its slope, where sums of float32 are too coarse to tell.
                assert (other >= one - 2e-6).all()
        before = duals
    for _, projection in projections(criterion(), model, block, steps=1000, tolerance=1e-3, slack=slack):
        assert (projection.residual <= 1e-3).all()


@CRITERIA
@KINDS
def test_slack_is_what_the_multipliers_pay_for(kind, criterion):
    """KKT: the worst violation is slack * l where l > 0, never more; then primal and dual are equal."""
    slack = 0.3
    _, model, _, block = case(TEXT + WIDE, kind)
    tight = {"steps": 1000, "tolerance": 1e-5, "slack": slack}
    primal, some = 0.0, False
    for family, projection in projections(criterion(), model, block, **tight):
        cells = family.tilt(np.arange(len(block)), projection.multipliers)
        family.infer(cells)
        missed = family.expectations(cells) - family.bound
        held = projection.multipliers != 0
        some |= bool(held.any())
        np.testing.assert_allclose(missed[held], slack * projection.multipliers[held], atol=3e-5)
        assert (missed[~held] <= 3e-5).all()
        primal += projection.dual
    assert some
    _, measures, _ = expect(criterion(**tight), model, block)
    total = measures["forward_log_likelihood"] + measures["reverse_log_likelihood"]
    np.testing.assert_allclose(total - measures["penalised"], primal, atol=1e-4)
    np.testing.assert_allclose(measures["residual"], 0, atol=1e-5)
    assert (measures["kl"] >= -1e-6).all()
    assert (measures["violation"] <= slack * LIMIT).all()


@CRITERIA
@KINDS
def test_slack_vanishes_continuously(kind, criterion):
    _, model, _, block = case(TEXT, kind)
    exact, *_ = expect(criterion(**EXACT), model, block)
    nearly, *_ = expect(criterion(**EXACT | {"slack": 1e-4}), model, block)
    np.testing.assert_allclose(nearly.links, exact.links, atol=2e-3)


@CRITERIA
@KINDS
def test_a_start_changes_the_way_not_the_end(kind, criterion):
    _, model, _, block = case(TEXT + WIDE, kind)
    tight = {"steps": 1000, "tolerance": 1e-5, "slack": 0.3}
    rng = np.random.default_rng(2)
    for family, cold in projections(criterion(), model, block, **tight):
        wild = coarse(rng.normal(0, 5, len(cold.multipliers)))
        start = wild if family.equal else np.abs(wild)
        warm = ascend(family, start=start, **tight)
        np.testing.assert_allclose(warm.multipliers, cold.multipliers, atol=2e-4)
        at_once = ascend(family, start=coarse(cold.multipliers), **tight | {"steps": 1, "tolerance": 1e-2})
        assert (at_once.residual <= 1e-2).all()
        # Where the start is worse than no multipliers at all, it is not taken.
        assert (ascend(family, start=start, **tight | {"steps": 1}).dual >= -1e-6).all()


class Quadratic(Family):
    """log Z(l) = |l - centre|^2 / 2, a family in form only: more than that the solver does not know."""

    bound = 0.0
    equal = True

    def __init__(self, centres):
        self.centres = centres.astype(np.float32)
        self.sizes = np.full(len(centres), centres.shape[1])

    def tilt(self, pairs, multipliers):
        return (self.centres[pairs], multipliers.reshape(len(pairs), -1))

    def infer(self, cells):
        centre, at = cells
        return 0.5 * ((at - centre).astype(float) ** 2).sum(axis=1)[None]

    def expectations(self, cells):
        centre, at = cells
        return (centre - at).ravel()


def test_the_solver_knows_nothing_of_its_constraints():
    centres = np.random.default_rng(0).normal(0, 3, (5, 4))
    centres[3] = 100.0
    family = Quadratic(centres)
    found = ascend(family, steps=20, tolerance=1e-5)
    np.testing.assert_allclose(found.multipliers, np.clip(centres, -LIMIT, LIMIT).ravel(), atol=1e-4)
    assert (found.residual <= 1e-5).all()
    family.equal = False
    found = ascend(family, steps=20, tolerance=1e-5)
    np.testing.assert_allclose(found.multipliers, np.clip(centres, 0, LIMIT).ravel(), atol=1e-4)


# --------------------------------------------------------------------------- criteria


@CRITERIA
@KINDS
def test_no_steps_are_independent_em(kind, criterion):
    _, model, cells, _ = case(TEXT + WIDE, kind)
    plain = accumulate(Independent(), model, cells)
    objective = criterion(steps=0)
    counts = accumulate(objective, model, cells, objective.begin(cells))
    np.testing.assert_array_equal(counts.links, plain.links)
    np.testing.assert_array_equal(counts.null_forward, plain.null_forward)
    np.testing.assert_array_equal(counts.null_reverse, plain.null_reverse)
    for one, other in zip(counts.distortion, plain.statistics, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(counts.measures[:2], plain.measures)
    assert counts.measures[objective.measures.index("kl")] == 0


@KINDS
def test_pairs_that_satisfy_the_constraints_are_left_alone(kind):
    """One target word cannot use a source word twice."""
    _, model, _, block = case([("a b c", "x"), ("a", "y"), ("b b b", "z")], kind)
    found, *_ = expect(Substochastic(), model, block)
    plain, *_ = expect(Independent(), model, block)
    np.testing.assert_array_equal(found.links[:, 0], plain.links[:, 0])


@CRITERIA
@KINDS
@SLACKS
def test_the_penalised_log_likelihood_never_falls(kind, criterion, slack, sample_bitext):
    """Proposition 2.1, when projections are solved."""
    options = {"steps": 400, "tolerance": 2e-4, "slack": slack}
    first = {"model": "ibm1", "criterion": "independent", "iterations": 2}
    then = {"model": kind, "criterion": criterion.name, "iterations": 4, **options}
    bitext = sample_bitext.select(np.arange(30))
    steps = list(train(bitext, recipe_from_dict({"stage": [first, then]})))[2:]
    assert all(step.measures["residual"] <= 2e-4 * step.pairs for step in steps)
    values = [step.measures["penalised"] for step in steps]
    assert values[0] < values[-1]
    for one, other in pairwise(values):
        assert other >= one - 2e-3


@CRITERIA
def test_a_few_steps_do_for_the_default(criterion, sample_bitext):
    """With slack and a warm start, most pairs rest after five steps, and the objective rises all the same."""
    stages = [
        {"model": "ibm1", "criterion": "independent", "iterations": 3},
        {"model": "hmm", "criterion": criterion.name, "iterations": 4},
    ]
    steps = list(train(sample_bitext, recipe_from_dict({"stage": stages})))[3:]
    residuals = [step.measures["residual"] / step.pairs for step in steps]
    assert residuals[-1] <= criterion().tolerance
    values = [step.measures["penalised"] for step in steps]
    assert values == sorted(values)


@CRITERIA
@pytest.mark.parametrize("kind", ["ibm2-full", "hmm"])
def test_the_division_of_labour_changes_no_bit(kind, criterion):
    """Nor does it over iterations that start where the last one ended, each divided in its own way."""
    _, model, cells, _ = case(TEXT + WIDE + TEXT, kind)
    objective = criterion()

    def two_iterations(*ways):
        state, pair = objective.begin(cells), model
        for threads, block_cells in ways:
            counts = accumulate(objective, pair, cells, state, threads=threads, block_cells=block_cells)
            pair, state = objective.update(pair, counts, state)
        return pair

    whole = two_iterations((1, 1 << 20), (1, 1 << 20))
    for ways in [((1, 1), (1, 1)), ((3, 20), (2, 1)), ((2, 1 << 20), (8, 20))]:
        assert_same_parameters(two_iterations(*ways), whole)


@CRITERIA
def test_a_pair_does_not_see_its_neighbours(criterion):
    _, model, cells, block = case(TEXT + WIDE, "hmm")
    together, *_ = expect(criterion(), model, block)
    for n, links in enumerate(by_pair(block, together.links[:, 0])):
        alone, *_ = expect(criterion(), model, replace(cells.block(n, n + 1), start=0))
        np.testing.assert_array_equal(alone.links[:, 0], links.ravel())


@CRITERIA
def test_what_is_remembered_is_the_multipliers(criterion):
    _, model, cells, block = case(TEXT + WIDE, "hmm")
    options = {"steps": 50, "tolerance": 1e-3, "slack": 0.3}
    objective = criterion(**options)
    state = objective.begin(cells)
    assert not any(memory.values.any() for memory in state)
    _, cold, _ = expect(objective, model, block, state)
    solved = projections(objective, model, block, **options)
    for memory, (_, projection) in zip(state, solved, strict=True):
        np.testing.assert_array_equal(memory.values, coarse(projection.multipliers))
    # The same model again needs no more than the one step that tries them.
    _, warm, _ = expect(criterion(steps=1, tolerance=1e-3), model, block, state)
    np.testing.assert_allclose(warm["penalised"], cold["penalised"], atol=1e-2)
    assert criterion(warm_start=False).begin(cells) is None


@CRITERIA
@KINDS
@SLACKS
def test_impossible_and_extreme_pairs_give_numbers(kind, criterion, slack):
    """Sharp lexicons, one word against many, long sentences: posteriors stay distributions."""
    long = " ".join("abcdefgh"[k % 8] for k in range(150))
    _, model, _, block = case([("a", "x " * 40), ("a " * 40, "x"), (long, long[::-1]), ("a", "a")], kind)
    rng = np.random.default_rng(0)
    table = (10.0 ** rng.uniform(-12, 0, model.lexicon.table.shape)).astype(np.float32)
    model = replace(model, lexicon=replace(model.lexicon, table=table))
    found, measures, _ = expect(criterion(steps=30, tolerance=1e-3, slack=slack), model, block)
    assert np.isfinite(found.links).all()
    assert (found.links >= 0).all()
    assert all(np.isfinite(values).all() for values in measures.values())
    target = 0
    for n, F in enumerate(by_pair(block, found.links[:, 0])):
        null = found.null_forward[target : target + F.shape[1]]
        np.testing.assert_allclose(F.sum(axis=0) + null, 1.0, atol=1e-3, err_msg=str(n))
        target += F.shape[1]


@CRITERIA
def test_tilted_potentials_have_the_projected_posteriors(criterion):
    _, model, _, block = case(TEXT + WIDE, "hmm")
    objective = criterion()
    found, *_ = expect(objective, model, block)
    forward, reverse = objective.tilt(model, model.potentials(block))
    model.forward_posteriors(forward, model.forward.new_counts())
    model.reverse_posteriors(reverse, model.reverse.new_counts())
    np.testing.assert_array_equal(block.source_major(forward.links), found.links[:, 0])
    np.testing.assert_array_equal(reverse.links, found.links[:, 1])


@CRITERIA
def test_options_are_checked(criterion):
    for wrong in ({"steps": -1}, {"tolerance": -0.1}, {"slack": -1.0}, {"slack": float("inf")}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            criterion(**wrong)


def test_measures_are_sums_over_the_text():
    _, model, cells, block = case(TEXT, "hmm")
    counts = accumulate(Symmetric(), model, cells)
    _, measures, _ = expect(Symmetric(), model, block)
    for name, total in zip(Symmetric.measures, counts.measures / MEASURE_SCALE, strict=True):
        assert total == pytest.approx(measures[name].sum(), abs=1e-5)
    assert_same_parameters(maximise(model, counts), Symmetric().update(model, counts, None)[0])


@CRITERIA
def test_multipliers_outlast_pruning(criterion, sample_bitext):
    """They go by words and positions, of which none are dropped."""
    stage = {"model": "hmm", "criterion": criterion.name, "iterations": 3, "prune": 1e-3}
    *between, _ = offered(sample_bitext, recipe_from_dict({"stage": [stage]}))
    before, after = (progress.model.parameters.lexicon.index for progress in between)
    assert len(after) < len(before)
    (memories, _) = between[1].remembered
    assert all(memory.values.any() for memory in memories)


# --------------------------------------------------------------------------- decoding


@CRITERIA
def test_decoding_under_constraints_needs_no_constrained_training(criterion, tiny_model, sample_bitext):
    cells = BlockSource.of(sample_bitext)
    block = tiny_model.parameters.lexicon.index.find(cells.block(0, len(sample_bitext)))
    expectation, *_ = expect(criterion(), tiny_model.parameters, block)
    for column, combine in enumerate(("forward", "reverse")):
        decoder = Decoder(combine=combine, threshold=0.4, constraint=criterion.name)
        found = decode(tiny_model, sample_bitext, decoder)
        kept = expectation.links[:, column] >= np.float32(0.4)
        assert len(found.source) == kept.sum()
        np.testing.assert_array_equal(found.probabilities, expectation.links[kept, column])
        assert len(found.source) != len(
            decode(tiny_model, sample_bitext, replace(decoder, constraint="")).source
        )
    # The best alignment of the projected distribution.
    assert len(
        decode(tiny_model, sample_bitext, Decoder("viterbi", "union", constraint=criterion.name)).source
    )


def test_an_unknown_constraint_is_refused():
    with pytest.raises(ConfigError, match="stochastic"):
        Decoder(constraint="stochastic")
