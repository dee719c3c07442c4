"""Posterior-constrained EM: limits, invariants, state between iterations, pruning and decoding."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from aligner.criteria import Independent, Substochastic, Symmetric
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.lexicon.block_sources import BlockSource
from aligner.recipe.load import recipe_from_dict
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from tests.criteria import cases
from tests.criteria.cases import TEXT, WIDE, block_of, case, estep, links_by_pair, projections, quantised
from tests.support import assert_same_parameters, offered_progress

CRITERIA = pytest.mark.parametrize("criterion", [Substochastic, Symmetric], ids=lambda c: c.name)
KINDS = pytest.mark.parametrize("kind", cases.KINDS)
SLACKS = pytest.mark.parametrize("slack", [0.0, 0.3])


@CRITERIA
@KINDS
def test_zero_steps_are_independent_em(kind, criterion):
    _, model, source, _ = case(TEXT + WIDE, kind)
    plain = BlockEStep(source)(Independent(), model)
    zero_steps = criterion(steps=0)
    counts = BlockEStep(source)(zero_steps, model, zero_steps.initial_state(source, model))
    np.testing.assert_array_equal(counts.links, plain.links)
    np.testing.assert_array_equal(counts.null_forward, plain.null_forward)
    np.testing.assert_array_equal(counts.null_reverse, plain.null_reverse)
    for constrained, independent in zip(counts.distortion, plain.distortion, strict=True):
        np.testing.assert_array_equal(constrained, independent)
    np.testing.assert_array_equal(counts.measures[:2], plain.measures)
    assert counts.measures[zero_steps.measures.index("kl")] == 0


@KINDS
def test_satisfied_constraints_change_nothing(kind):
    """A single target word has at most one link, so no source word exceeds its fertility."""
    _, model, _, block = case([("a b c", "x"), ("a", "y"), ("b b b", "z")], kind)
    constrained, *_ = estep(Substochastic(), model, block)
    plain, *_ = estep(Independent(), model, block)
    np.testing.assert_array_equal(constrained.links[:, 0], plain.links[:, 0])


@CRITERIA
@KINDS
@SLACKS
def test_penalised_log_likelihood_never_decreases(kind, criterion, slack, sample_bitext):
    """Proposition 2.1, if the projections are solved."""
    options = {"steps": 400, "tolerance": 2e-4, "slack": slack}
    stages = [
        {"model": "ibm1", "criterion": "independent", "iterations": 2},
        {"model": kind, "criterion": criterion.name, "iterations": 4, **options},
    ]
    bitext = sample_bitext.select(np.arange(30))
    steps = list(train(bitext, recipe_from_dict({"stage": stages})))[2:]
    assert all(step.measures["residual"] <= 2e-4 * step.pairs for step in steps)
    values = [step.measures["penalised"] for step in steps]
    assert values[0] < values[-1]
    for before, after in pairwise(values):
        assert after >= before - 2e-3


@CRITERIA
def test_default_options_converge_and_ascend(criterion, sample_bitext):
    """Five steps an iteration bring the mean residual to the tolerance, with slack and a warm start."""
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
def test_threads_and_blocks_change_no_bit(kind, criterion):
    """Nor do they in a second iteration, which starts from the multipliers of the first."""
    _, model, source, _ = case(TEXT + WIDE + TEXT, kind)

    def two_iterations(*divisions):
        state, pair = criterion().initial_state(source, model), model
        for threads, block_cells in divisions:
            counts = BlockEStep(source, threads, block_cells)(criterion(), pair, state)
            pair, state = criterion().mstep(pair, counts, state)
        return pair

    whole = two_iterations((1, 1 << 20), (1, 1 << 20))
    for divisions in [((1, 1), (1, 1)), ((3, 20), (2, 1)), ((2, 1 << 20), (8, 20))]:
        assert_same_parameters(two_iterations(*divisions), whole)


@CRITERIA
def test_posteriors_of_a_pair_do_not_depend_on_other_pairs(criterion):
    _, model, source, block = case(TEXT + WIDE, "hmm")
    together, *_ = estep(criterion(), model, block)
    for n, links in enumerate(links_by_pair(block, together.links[:, 0])):
        alone, *_ = estep(criterion(), model, replace(block_of(source, n, n + 1), start=0))
        np.testing.assert_array_equal(alone.links[:, 0], links.ravel())


@CRITERIA
def test_state_holds_the_multipliers(criterion):
    _, model, source, block = case(TEXT + WIDE, "hmm")
    options = {"steps": 50, "tolerance": 1e-3, "slack": 0.3}
    state = criterion(**options).initial_state(source, model)
    assert not any(memory.values.any() for memory in state)
    _, cold, _ = estep(criterion(**options), model, block, state)
    solved = projections(criterion(**options), model, block, **options)
    for memory, (_, projection) in zip(state, solved, strict=True):
        np.testing.assert_array_equal(memory.values, quantised(projection.multipliers))
    # With the same model, the one step that tries the remembered multipliers is enough.
    _, warm, _ = estep(criterion(steps=1, tolerance=1e-3), model, block, state)
    np.testing.assert_allclose(warm["penalised"], cold["penalised"], atol=1e-2)
    assert criterion(warm_start=False).initial_state(source, model) is None


@CRITERIA
@KINDS
@SLACKS
def test_extreme_pairs_have_finite_posteriors(kind, criterion, slack):
    """Sharp lexicons, one word against many, and long sentences: posteriors stay distributions."""
    long = " ".join("abcdefgh"[k % 8] for k in range(150))
    _, model, _, block = case([("a", "x " * 40), ("a " * 40, "x"), (long, long[::-1]), ("a", "a")], kind)
    rng = np.random.default_rng(0)
    table = (10.0 ** rng.uniform(-12, 0, model.lexicon.table.shape)).astype(np.float32)
    model = replace(model, lexicon=replace(model.lexicon, table=table))
    posteriors, measures, _ = estep(criterion(steps=30, tolerance=1e-3, slack=slack), model, block)
    assert np.isfinite(posteriors.links).all()
    assert (posteriors.links >= 0).all()
    assert all(np.isfinite(values).all() for values in measures.values())
    null_by_pair = np.split(posteriors.null_forward, np.cumsum(block.target_lengths)[:-1])
    for n, F in enumerate(links_by_pair(block, posteriors.links[:, 0])):
        np.testing.assert_allclose(F.sum(axis=0) + null_by_pair[n], 1.0, atol=1e-3, err_msg=str(n))


@CRITERIA
@pytest.mark.parametrize("steps", [0, 1, 3, 30])
def test_link_posteriors_are_those_of_tilted_potentials(criterion, steps):
    """Take more steps for some pairs than for others, and have some trials rejected."""
    _, model, _, block = case(TEXT + WIDE, "hmm")
    sharp = criterion(steps=steps, slack=0.01)
    found, log_likelihoods = sharp.link_posteriors(model, model.potentials(block))
    forward, reverse = cells = sharp.tilt(model, model.potentials(block))
    model.infer(cells)
    np.testing.assert_array_equal(found, [forward.links, reverse.links])
    np.testing.assert_array_equal(log_likelihoods, model.infer(model.potentials(block)))
    posteriors, *_ = estep(sharp, model, block)
    np.testing.assert_array_equal(block.source_major(forward.links), posteriors.links[:, 0])
    np.testing.assert_array_equal(reverse.links, posteriors.links[:, 1])


@CRITERIA
def test_multipliers_outlast_pruning(criterion, sample_bitext):
    """Multipliers belong to words and positions, and pruning drops neither."""
    stage = {"model": "hmm", "criterion": criterion.name, "iterations": 3, "prune": 1e-3}
    *between, _ = offered_progress(sample_bitext, recipe_from_dict({"stage": [stage]}))
    before, after = (state.pair.lexicon.index for state in between)
    assert len(after) < len(before)
    memories = between[1].criterion_state
    assert all(memory.values.any() for memory in memories)


@CRITERIA
def test_any_model_can_be_decoded_under_constraints(criterion, tiny_model, sample_bitext):
    index = tiny_model.pair.lexicon.index
    source = BlockSource.of(sample_bitext)
    block = block_of(source.searched(index, source.cells))
    posteriors, *_ = estep(criterion(), tiny_model.pair, block)
    for column, combine in enumerate(("forward", "reverse")):
        decoder = Decoder("posterior", combine, threshold=0.4, constraint=criterion.name)
        found = decode(tiny_model, sample_bitext, decoder)
        expected = posteriors.links[:, column] >= np.float32(0.4)
        assert len(found.source) == expected.sum()
        np.testing.assert_array_equal(found.probabilities, posteriors.links[expected, column])
        unconstrained = decode(tiny_model, sample_bitext, replace(decoder, constraint=""))
        assert len(found.source) != len(unconstrained.source)
    best = decode(tiny_model, sample_bitext, Decoder("viterbi", "union", constraint=criterion.name))
    assert len(best.source)
