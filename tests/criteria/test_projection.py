"""Projections on constraints: the enumerated solution, the ascent's invariants, slack and warm starts."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aligner.criteria import Substochastic, Symmetric
from aligner.criteria.projection import LARGEST_MULTIPLIER, ExponentialFamily, project
from aligner.kernels.constants import JUMP_SCALE
from aligner.models.variants import annealed
from tests import naive
from tests.criteria import cases
from tests.criteria.cases import (
    CONVERGED,
    TEXT,
    WIDE,
    EnumeratedProjection,
    case,
    estep,
    links_by_pair,
    projections,
    quantised,
)
from tests.support import TEXTS, oracles

CRITERIA = pytest.mark.parametrize("criterion", [Substochastic, Symmetric], ids=lambda c: c.name)
KINDS = pytest.mark.parametrize("kind", cases.KINDS)
SLACKS = pytest.mark.parametrize("slack", [0.0, 0.3])

# --------------------------------------------------------------------------- against enumeration


def assert_projected(text, kind, criterion, seed, multipliers):
    """Compare a text's projections with the enumerated ones; multipliers: their largest error allowed."""
    bitext, model, _, block = case(text, kind, seed)
    posteriors, measures, _ = estep(criterion(**CONVERGED), model, block)
    solved = projections(criterion(), model, block, **CONVERGED)
    F, R = (links_by_pair(block, posteriors.links[:, column]) for column in (0, 1))
    null_forward = np.split(posteriors.null_forward, np.cumsum(block.target_lengths)[:-1])
    null_reverse = np.split(posteriors.null_reverse, np.cumsum(block.source_lengths)[:-1])
    starts = [np.cumsum([0, *family.sizes]) for family, _ in solved]
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        exact = EnumeratedProjection(criterion, *oracles(model, source, target))
        np.testing.assert_allclose(next(F), exact.F, atol=5e-5)
        np.testing.assert_allclose(next(R), exact.R, atol=5e-5)
        np.testing.assert_allclose(null_forward[n], exact.null_forward, atol=1e-4)
        np.testing.assert_allclose(null_reverse[n], exact.null_reverse, atol=1e-4)
        assert measures["kl"][n] == pytest.approx(exact.kl, rel=1e-4, abs=1e-4)  # a sum of logs in float32
        for k, (_, projection) in enumerate(solved):
            assert projection.dual[n] == pytest.approx(exact.dual[k], abs=2e-5)
            # A cell without probability in either direction hardly constrains its multiplier.
            own = projection.multipliers[starts[k][n] : starts[k][n + 1]]
            assert np.abs(own - exact.multipliers[k]).max() <= multipliers


@CRITERIA
@KINDS
def test_projections_match_enumeration(kind, criterion):
    assert_projected(TEXT, kind, criterion, 1, multipliers=5e-3)


@pytest.mark.slow
@CRITERIA
@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "hmm"])
@settings(max_examples=3)
@given(text=TEXTS, seed=st.integers(0, 10**6))
@example(text=[("b", "a"), ("b", "b c d a")], seed=0)
def test_projections_of_any_tiny_text_match_enumeration(kind, criterion, text, seed):
    assert_projected(text[:2], kind, criterion, seed, multipliers=np.inf)


@pytest.mark.slow
@CRITERIA
@pytest.mark.parametrize("kind", ["ibm2", "hmm"])
def test_jumps_are_counted_from_the_final_posteriors_only(kind, criterion):
    bitext, model, _, block = case([TEXT[0], ("a b c d a b", "x y")], kind)
    _, _, distortion = estep(criterion(**CONVERGED), model, block)
    expected = np.zeros((2, 3 if kind == "hmm" else 1, 53))
    for source, target in zip(bitext.source, bitext.target, strict=True):
        pair = oracles(model, source, target)
        for direction, q in enumerate(EnumeratedProjection(criterion, *pair).q):
            width, height = naive.size(pair[direction])
            if kind == "hmm":
                parts = naive.hmm_statistics(q, width).values()
            else:
                parts = [naive.model2_statistics(q, width, height)]
            for n, part in enumerate(parts):
                expected[direction, n] += [*part.N, *np.ravel(part.M)]
    for counts, wanted in zip(distortion, expected, strict=True):
        np.testing.assert_allclose(counts.reshape(-1, 53) / JUMP_SCALE, wanted, atol=5e-4)


@CRITERIA
def test_annealed_models_are_projected_from_annealed_posteriors(criterion):
    bitext, model, _, block = case(TEXT, "hmm")
    posteriors, measures, _ = estep(criterion(**CONVERGED), annealed(model, 0.5), block)
    F = links_by_pair(block, posteriors.links[:, 0])
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        exact = EnumeratedProjection(
            criterion, *oracles(model, source, target), power_lex=0.5, power_dist=0.5
        )
        np.testing.assert_allclose(next(F), exact.F, atol=5e-5)
        assert measures["kl"][n] == pytest.approx(exact.kl, rel=1e-4, abs=1e-4)  # a sum of logs in float32


# --------------------------------------------------------------------------- the ascent


@CRITERIA
@KINDS
@SLACKS
def test_dual_never_decreases_and_residual_reaches_tolerance(kind, criterion, slack):
    _, model, _, block = case(TEXT + WIDE, kind)
    previous = None
    for steps in range(16):
        solved = projections(criterion(), model, block, steps=steps, tolerance=0.0, slack=slack)
        duals = [projection.dual for _, projection in solved]
        if previous is None:
            assert all((dual == 0).all() for dual in duals)
        else:
            for before, after in zip(previous, duals, strict=True):
                # The slope may accept a step where sums in float32 are too coarse to compare values.
                assert (after >= before - 2e-6).all()
        previous = duals
    for _, projection in projections(criterion(), model, block, steps=1000, tolerance=1e-3, slack=slack):
        assert (projection.residual <= 1e-3).all()


@CRITERIA
@KINDS
def test_optimality_conditions_hold_with_slack(kind, criterion):
    """KKT: a violation is slack * l where l != 0, and never positive elsewhere; primal and dual are equal."""
    slack = 0.3
    _, model, _, block = case(TEXT + WIDE, kind)
    tight = {"steps": 1000, "tolerance": 1e-5, "slack": slack}
    dual, any_active = 0.0, False
    for family, projection in projections(criterion(), model, block, **tight):
        cells = family.tilt(np.arange(len(block)), projection.multipliers)
        family.infer(cells)
        violation = family.expectations(cells) - family.bound
        active = projection.multipliers != 0
        any_active |= bool(active.any())
        np.testing.assert_allclose(violation[active], slack * projection.multipliers[active], atol=3e-5)
        assert (violation[~active] <= 3e-5).all()
        dual += projection.dual
    assert any_active
    _, measures, _ = estep(criterion(**tight), model, block)
    log_likelihood = measures["forward_log_likelihood"] + measures["reverse_log_likelihood"]
    np.testing.assert_allclose(log_likelihood - measures["penalised"], dual, atol=1e-4)
    np.testing.assert_allclose(measures["residual"], 0, atol=1e-5)
    assert (measures["kl"] >= -1e-6).all()
    assert (measures["violation"] <= slack * LARGEST_MULTIPLIER).all()


@CRITERIA
@KINDS
def test_solution_does_not_depend_on_the_start(kind, criterion):
    _, model, _, block = case(TEXT + WIDE, kind)
    tight = {"steps": 1000, "tolerance": 1e-5, "slack": 0.3}
    rng = np.random.default_rng(2)
    for family, cold in projections(criterion(), model, block, **tight):
        wild = quantised(rng.normal(0, 5, len(cold.multipliers)))
        start = wild if family.equal else np.abs(wild)
        warm = project(family, start=start, **tight)
        np.testing.assert_allclose(warm.multipliers, cold.multipliers, atol=2e-4)
        one_step = tight | {"steps": 1}
        at_once = project(family, start=quantised(cold.multipliers), **one_step | {"tolerance": 1e-2})
        assert (at_once.residual <= 1e-2).all()
        # A start that is worse than multipliers of 0 is rejected.
        assert (project(family, start=start, **one_step).dual >= -1e-6).all()


class QuadraticFamily(ExponentialFamily):
    """A family with log Z(l) = |l - centre|^2 / 2, whose maximum is known."""

    bound = 0.0
    equal = True
    first_step = 1.0

    def __init__(self, centres):
        self.centres = centres.astype(np.float32)
        self.sizes = np.full(len(centres), centres.shape[1])

    def tilt(self, pairs, multipliers):
        return (self.centres[pairs], multipliers.reshape(len(pairs), -1))

    def infer(self, cells):
        centre, point = cells
        return 0.5 * ((point - centre).astype(float) ** 2).sum(axis=1)[None]

    def expectations(self, cells):
        centre, point = cells
        return (centre - point).ravel()


def test_ascent_maximises_a_quadratic_within_bounds():
    centres = np.random.default_rng(0).normal(0, 3, (5, 4))
    centres[3] = 100.0
    family = QuadraticFamily(centres)
    found = project(family, steps=20, tolerance=1e-5)
    bounded = np.clip(centres, -LARGEST_MULTIPLIER, LARGEST_MULTIPLIER)
    np.testing.assert_allclose(found.multipliers, bounded.ravel(), atol=1e-4)
    assert (found.residual <= 1e-5).all()
    family.equal = False
    found = project(family, steps=20, tolerance=1e-5)
    bounded = np.clip(centres, 0, LARGEST_MULTIPLIER)
    np.testing.assert_allclose(found.multipliers, bounded.ravel(), atol=1e-4)
