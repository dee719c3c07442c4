"""Maximum reconstruction: the gradient of the enumerated objective, the ascent, and the decision rule."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import MRE
from aligner.criteria.counts import MEASURE_SCALE
from aligner.criteria.reconstruction import gradients_of, take_step
from aligner.decoding.decoder import Decoder
from aligner.decoding.text_block import TextBlock
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import HMM, IBM2, IBM2Full
from aligner.models.trained import TrainedModel
from aligner.recipe.load import recipe_from_dict
from aligner.training.loop import train
from tests import naive
from tests.criteria.cases import KINDS, block_of, expected_counts
from tests.support import (
    TEXTS,
    bitext_of,
    index_pairs,
    last_model,
    offered_progress,
    oracles,
    random_pair,
    recipe,
)

TEXT = [("a b c", "x y"), ("b", "y x x"), ("a d c b e d e", "x z"), ("c c", "z y"), ("d", "z")]
"""The seven source words of one pair reach every bucket of the forward direction."""


def enumerated(model, bitext, direction):
    """Return the objective of one direction, summed over the text."""
    return sum(naive.mre_objective(oracle) for oracle in oracles_of_direction(model, bitext, direction))


def oracles_of_direction(model, bitext, direction):
    """Return the oracle of one direction for each pair."""
    return [oracles(model, bitext.source[n], bitext.target[n])[direction] for n in range(len(bitext))]


def with_parameter(model, direction, part, k, factor):
    """Return the model with one parameter multiplied, not renormalised, and the log of the actual ratio."""
    arrays = {
        0: model.lexicon.table[1:, direction],
        1: (model.lexicon.null_forward, model.lexicon.null_reverse)[direction],
        2: distortion_values((model.forward, model.reverse)[direction]),
    }
    changed = arrays[part].copy()
    changed.ravel()[k] *= factor
    log_ratio = np.log(float(changed.ravel()[k])) - np.log(float(arrays[part].ravel()[k]))
    if part == 0:
        table = model.lexicon.table.copy()
        table[1:, direction] = changed
        return replace(model, lexicon=replace(model.lexicon, table=table)), log_ratio
    if part == 1:
        name = ("null_forward", "null_reverse")[direction]
        return replace(model, lexicon=replace(model.lexicon, **{name: changed})), log_ratio
    side = ("forward", "reverse")[direction]
    field = "table" if isinstance(getattr(model, side), IBM2Full) else "jumps"
    return replace(model, **{side: replace(getattr(model, side), **{field: changed})}), log_ratio


def distortion_values(distortion):
    """Return the parameters of a distortion, of which Model 1 has none."""
    if isinstance(distortion, IBM2Full):
        return distortion.table
    return distortion.jumps if isinstance(distortion, IBM2 | HMM) else np.zeros(0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", [0, 1])
def test_gradient_matches_differences_of_the_enumerated_objective(kind, direction):
    """Compare theta dL/dtheta of every parameter: lexical, NULL, jump buckets, cells of the full table."""
    bitext = bitext_of(TEXT if direction == 0 else [pair[::-1] for pair in TEXT])
    model = random_pair(kind, bitext, seed=3)
    counts = expected_counts(MRE(), model, bitext)
    for part, gradient in enumerate(gradients_of(model, counts, direction)):
        slopes = []
        for k in range(len(gradient.values)):
            (up, log_up), (down, log_down) = (
                with_parameter(model, direction, part, k, factor) for factor in (1.002, 0.998)
            )
            rise = enumerated(up, bitext, direction) - enumerated(down, bitext, direction)
            slopes.append(rise / (log_up - log_down))
        np.testing.assert_allclose(gradient.gains, slopes, rtol=1e-3, atol=2e-5)
        expected = np.bincount(gradient.rows, minlength=len(gradient.events))
        assert len(expected) == len(gradient.events)


@pytest.mark.parametrize("kind", KINDS)
def test_measures_match_enumeration(kind):
    bitext = bitext_of(TEXT)
    model = random_pair(kind, bitext)
    counts = expected_counts(MRE(), model, bitext)
    measures = dict(zip(MRE.measures, counts.measures / MEASURE_SCALE, strict=True))
    objectives = [enumerated(model, bitext, direction) for direction in (0, 1)]
    log_likelihoods = [
        sum(np.log(naive.total(oracle)) for oracle in oracles_of_direction(model, bitext, direction))
        for direction in (0, 1)
    ]
    expected = [sum(objectives), *objectives, *log_likelihoods]
    np.testing.assert_allclose([measures[name] for name in MRE.measures], expected, rtol=1e-5, atol=1e-5)


def unmeasured(criterion, model):
    """Return the state before the first iteration of a stage. It does not depend on the text."""
    return criterion.initial_state(None, model)


def normalised(model):
    """Return the model with lexical rows that sum to 1."""
    lexicon = model.lexicon
    table = lexicon.table.copy()
    for direction in (0, 1):
        values, rows = lexicon.table[1:, direction].astype(float), lexicon.rows(direction)
        table[1:, direction] = values / np.bincount(rows, weights=values)[rows]
    null = [row.copy() for row in (lexicon.null_forward, lexicon.null_reverse)]
    for row in null:
        row[:-1] /= row[:-1].sum()
    return replace(model, lexicon=Lexicon(lexicon.index, table, *null))


@given(pairs=TEXTS, kind=st.sampled_from(KINDS), seed=st.integers(0, 1000))
def test_a_short_step_never_descends_at_any_rates(pairs, kind, seed):
    """Centred slopes make every step an ascent to first order, for any positive rates."""
    bitext = bitext_of(pairs)
    model = normalised(random_pair(kind, bitext, seed))
    rng = np.random.default_rng(seed)
    start = unmeasured(MRE(), model)
    _, climbs = MRE().mstep(model, expected_counts(MRE(), model, bitext), start)
    short = []
    for climb in climbs:
        parts = [replace(p, rates=(rng.random(len(p.rates)) * 0.01).astype(np.float32)) for p in climb.parts]
        short.append(replace(climb, parts=tuple(parts)))
    after = take_step(model, *short)
    for direction in (0, 1):
        assert enumerated(after, bitext, direction) >= enumerated(model, bitext, direction) - 1e-5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [0.5, 10.0])
def test_objective_of_the_best_point_never_decreases(kind, rate, sample_bitext):
    """A rate of 10 overshoots: the ascent goes on from the best point with half the rates."""
    stages = recipe(("ibm1", "independent", 3), (kind, "independent", 2))
    model = last_model(sample_bitext, stages).pair
    criterion = MRE(rate=rate, greatest_rate=max(rate, 2.0))
    start = expected_counts(criterion, model, sample_bitext).measures
    state = unmeasured(criterion, model)
    best = [-np.inf, -np.inf]
    rejected = 0
    for _ in range(12):
        counts = expected_counts(criterion, model, sample_bitext)
        model, next_state = criterion.mstep(model, counts, state)
        for direction in (0, 1):
            objective = int(counts.measures[1 + direction])
            climb = next_state[direction]
            if objective >= best[direction]:
                best[direction] = objective
            else:
                rejected += 1
                for part, before in zip(climb.parts, state[direction].parts, strict=True):
                    np.testing.assert_array_equal(part.values, before.values)
                    np.testing.assert_array_equal(part.rates, before.rates / 2)
            assert climb.objective == best[direction]
        state = next_state
    assert best[0] > start[1]
    assert best[1] > start[2]
    assert rejected > 0 or rate == 0.5


def test_every_row_stays_a_distribution(sample_bitext):
    stages = recipe(("ibm1", "independent", 2), ("hmm", "mre", 3))
    model = last_model(sample_bitext, stages).pair
    lexicon = model.lexicon
    for direction in (0, 1):
        values = lexicon.table[1:, direction].astype(float)
        np.testing.assert_allclose(np.bincount(lexicon.rows(direction), weights=values), 1.0, rtol=1e-5)
    for row in (lexicon.null_forward, lexicon.null_reverse):
        assert row[:-1].sum(dtype=float) == pytest.approx(1.0, rel=1e-5)
        assert row[-1] == np.float32(FLOOR)
    assert lexicon.table.min() == np.float32(FLOOR)
    np.testing.assert_allclose(model.forward.jumps.sum(axis=1), 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairs", [[("a", "x")], [("a", "x"), ("b", "y")], [("a a", "x"), ("a", "x x x")]])
def test_rows_with_one_entry_stay_certain(kind, pairs):
    bitext = bitext_of(pairs)
    for step in train(bitext, recipe((kind, "mre", 4))):
        model = step.model.pair
        assert (model.lexicon.table[1:] == 1.0).all()
        assert all(np.isfinite(value) for value in step.measures.values())
        assert np.isfinite(distortion_values(model.forward)).all()


def test_pruning_starts_a_new_climb(sample_bitext):
    """The climb after pruning is over the remaining word pairs."""
    stage = {"model": "hmm", "criterion": "mre", "iterations": 4, "prune": 1e-3}
    stages = recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 1}, stage]})
    *between, last = offered_progress(sample_bitext, stages)
    sizes = [len(state.pair.lexicon.index) for state in between]
    assert sizes[0] == sizes[1] > sizes[2] == sizes[3]
    for state, size in zip(between[1:], sizes[1:], strict=True):
        climbs = state.criterion_state
        assert [len(climb.parts[0].values) for climb in climbs] == [size, size]
    climbs = between[2].criterion_state
    for climb, start in zip(climbs, unmeasured(MRE(), between[2].pair), strict=True):
        assert climb.objective == start.objective
        for part, start_part in zip(climb.parts, start.parts, strict=True):
            np.testing.assert_array_equal(part.slopes, start_part.slopes)
            np.testing.assert_array_equal(part.rates, start_part.rates)
    later = between[3].criterion_state
    assert [climb.objective for climb in later] > [climb.objective for climb in climbs]
    assert np.isfinite(last.measures["objective"])


@given(pairs=TEXTS, kind=st.sampled_from(KINDS), seed=st.integers(0, 1000))
def test_decision_rule_squares_the_lexical_probabilities(pairs, kind, seed):
    """Eq. (7): argmax_z P(x | z) P(z | x)."""
    bitext = bitext_of(pairs)
    model = random_pair(kind, bitext, seed)
    _, source = index_pairs(bitext)
    vocabularies = bitext.vocabularies
    block, trained = block_of(source), TrainedModel(*vocabularies, model, {"stage": []})
    for direction, combine in enumerate(("forward", "reverse")):
        decoder, text = Decoder("viterbi", combine, lexical_power=2.0), TextBlock(trained, block, bitext)
        found = decoder.links(text, decoder.infer(text)[0])
        for n in range(len(bitext)):
            oracle = oracles(model, bitext.source[n], bitext.target[n])[direction]
            alignment = [0] * len((bitext.target, bitext.source)[direction][n])
            for i, j in found[n]:
                alignment[(j, i)[direction]] = (i, j)[direction] + 1
            best, score = naive.viterbi(oracle, power_lex=2.0)
            assert tuple(alignment) in best or np.isclose(
                naive.joint(oracle, tuple(alignment), power_lex=2.0), score, rtol=1e-5
            )
