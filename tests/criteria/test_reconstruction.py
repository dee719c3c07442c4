"""Maximum reconstruction: the gradient against the enumerated objective, the climb, and the decision rule."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.recipe.config import Recipe
from aligner.decoding.decoder import Decoder
from aligner.errors import ConfigError
from aligner.training.estep import MEASURE_SCALE, accumulate
from aligner.kernels import ascent as kernels
from aligner.kernels.fixed import SCALE
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import HMM, IBM2, Gradient, IBM2Full
from aligner.criteria import MRE
from aligner.criteria.exponentiated_gradient import Multinomials, Rates
from aligner.criteria.reconstruction import gradients, stepped
from aligner.training.loop import train
from tests import naive
from tests.support import (
    TEXTS,
    assert_same_parameters,
    bitext_of,
    index_pairs,
    offered,
    oracles,
    random_pair,
    recipe,
    pair_ids_by_words,
)

KINDS = ["ibm1", "ibm2", "ibm2-full", "hmm"]
TEXT = [("a b c", "x y"), ("b", "y x x"), ("a d c b e d e", "x z"), ("c c", "z y"), ("d", "z")]
"""Seven source words make every bucket of the forward direction reachable, and keep enumeration small."""


def enumerated(model, bitext, direction):
    """The objective of one direction, summed over the text."""
    return sum(naive.mre_objective(oracle) for oracle in directional(model, bitext, direction))


def directional(model, bitext, direction):
    """The oracle of one direction of each pair."""
    return [oracles(model, bitext.source[n], bitext.target[n])[direction] for n in range(len(bitext))]


def measured(model, bitext, **options):
    _, text = index_pairs(bitext)
    return accumulate(MRE(), model, text, (None, None), **options)


def with_parameter(model, direction, part, k, factor):
    """The model with one parameter multiplied, nothing renormalised; and the log of the ratio that it got."""
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
    if isinstance(distortion, IBM2Full):
        return distortion.table
    return distortion.jumps if isinstance(distortion, IBM2 | HMM) else np.zeros(0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", [0, 1])
def test_gradient_is_that_of_the_enumerated_objective(kind, direction):
    """theta dL/dtheta of every parameter: lexical, NULL, buckets of each set, cells of the full table."""
    bitext = bitext_of(TEXT if direction == 0 else [pair[::-1] for pair in TEXT])
    model = random_pair(kind, bitext, seed=3)
    counts = measured(model, bitext)
    for part, gradient in enumerate(gradients(model, counts, direction)):
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
def test_measures_are_the_enumerated_sums(kind):
    bitext = bitext_of(TEXT)
    model = random_pair(kind, bitext)
    measures = dict(zip(MRE.measures, measured(model, bitext).measures / MEASURE_SCALE, strict=True))
    parts = [enumerated(model, bitext, direction) for direction in (0, 1)]
    likelihoods = [
        sum(np.log(naive.total(oracle)) for oracle in directional(model, bitext, direction))
        for direction in (0, 1)
    ]
    expected = [sum(parts), *parts, *likelihoods]
    np.testing.assert_allclose([measures[name] for name in MRE.measures], expected, rtol=1e-5, atol=1e-5)


@given(pairs=TEXTS, kind=st.sampled_from(KINDS), seed=st.integers(0, 1000))
def test_counts_are_those_of_both_distributions(pairs, kind, seed):
    """Pass 0 counts under Q, lexical probabilities squared, pass 1 under the posterior."""
    bitext = bitext_of(pairs)
    model = random_pair(kind, bitext, seed)
    counts = measured(model, bitext)
    pair_ids = pair_ids_by_words(model.lexicon.index)
    links = np.zeros((len(model.lexicon.index) + 1, 2, 2))
    null = [np.zeros(counts.null_forward.shape), np.zeros(counts.null_reverse.shape)]
    for n in range(len(bitext)):
        source, target = bitext.source[n], bitext.target[n]
        for direction, oracle in enumerate(oracles(model, source, target)):
            for number, power in enumerate((2.0, 1.0)):
                matrix, unlinked = naive.link_posteriors(oracle, power_lex=power)
                cells = np.array(matrix).T if direction == 0 else np.array(matrix)
                for (i, j), value in np.ndenumerate(cells):
                    links[pair_ids[source[i], target[j]], number, direction] += value
                np.add.at(null[direction][number], (target, source)[direction], unlinked)
    np.testing.assert_allclose(counts.links / SCALE, links.reshape(-1, 4), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(counts.null_forward / SCALE, null[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(counts.null_reverse / SCALE, null[1], rtol=1e-4, atol=1e-6)


def normalised(model):
    """A model pair whose lexical rows are distributions: what a step starts from."""
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
def test_a_short_step_never_descends_whatever_the_individual_rates(pairs, kind, seed):
    """The centred slope makes every step an ascent to first order, for any positive rates."""
    bitext = bitext_of(pairs)
    model = normalised(random_pair(kind, bitext, seed))
    rng = np.random.default_rng(seed)
    _, climbs = MRE().update(model, measured(model, bitext), (None, None))
    moved = []
    for climb in climbs:
        parts = [replace(p, rates=(rng.random(len(p.rates)) * 0.01).astype(np.float32)) for p in climb.parts]
        moved.append(replace(climb, parts=tuple(parts)))
    after = stepped(model, *moved)
    for direction in (0, 1):
        assert enumerated(after, bitext, direction) >= enumerated(model, bitext, direction) - 1e-5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [0.5, 10.0])
def test_objective_never_falls_over_accepted_steps(kind, rate, sample_bitext):
    """With a rate that overshoots, too: the climb goes back and on from the best point, at half the rates."""
    config = recipe(("ibm1", "independent", 3), (kind, "independent", 2))
    pair = list(train(sample_bitext, config))[-1].model.parameters
    _, text = index_pairs(sample_bitext)
    criterion = MRE(rate=rate, greatest_rate=max(rate, 2.0))
    state, points = (None, None), [pair]
    best = [-np.inf, -np.inf]
    falls = 0
    for _ in range(12):
        counts = accumulate(criterion, pair, text, state)
        pair, following = criterion.update(pair, counts, state)
        for direction in (0, 1):
            found = int(counts.measures[1 + direction])
            climb = following[direction]
            if found >= best[direction]:
                best[direction] = found
            else:
                falls += 1
                for part, before in zip(climb.parts, state[direction].parts, strict=True):
                    np.testing.assert_array_equal(part.values, before.values)
                    np.testing.assert_array_equal(part.rates, before.rates / 2)
            assert climb.objective == best[direction]
        state = following
        points.append(pair)
    start = accumulate(criterion, points[0], text, (None, None)).measures
    assert best[0] > start[1]
    assert best[1] > start[2]
    assert falls > 0 or rate == 0.5


def test_every_row_stays_a_distribution(sample_bitext):
    config = recipe(("ibm1", "independent", 2), ("hmm", "mre", 3))
    pair = list(train(sample_bitext, config))[-1].model.parameters
    for direction in (0, 1):
        values = pair.lexicon.table[1:, direction].astype(float)
        np.testing.assert_allclose(np.bincount(pair.lexicon.rows(direction), weights=values), 1.0, rtol=1e-5)
    for row in (pair.lexicon.null_forward, pair.lexicon.null_reverse):
        assert row[:-1].sum(dtype=float) == pytest.approx(1.0, rel=1e-5)
        assert row[-1] == np.float32(FLOOR)
    assert pair.lexicon.table.min() == np.float32(FLOOR)
    np.testing.assert_allclose(pair.forward.jumps.sum(axis=1), 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairs", [[("a", "x")], [("a", "x"), ("b", "y")], [("a a", "x"), ("a", "x x x")]])
def test_rows_with_one_entry_stay_certain(kind, pairs):
    bitext = bitext_of(pairs)
    for step in train(bitext, recipe((kind, "mre", 4))):
        pair = step.model.parameters
        assert (pair.lexicon.table[1:] == 1.0).all()
        assert all(np.isfinite(value) for value in step.measures.values())
        assert np.isfinite(distortion_values(pair.forward)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_result_is_the_same_for_any_threads_and_blocks(kind, sample_bitext):
    config = recipe(("ibm1", "independent", 1), (kind, "mre", 3))
    one, two = (list(train(sample_bitext, config, threads=threads))[-1].model for threads in (1, 3))
    assert_same_parameters(one.parameters, two.parameters)
    assert one.history == two.history
    few, many = (
        measured(one.parameters, sample_bitext, block_cells=cells, threads=2) for cells in (1 << 20, 64)
    )
    np.testing.assert_array_equal(few.links, many.links)
    np.testing.assert_array_equal(few.null_forward, many.null_forward)
    np.testing.assert_array_equal(few.statistics.reverse, many.statistics.reverse)
    np.testing.assert_array_equal(few.measures, many.measures)


def test_pruned_training_goes_on(sample_bitext):
    """Pruning starts a new climb over the word pairs that are left."""
    stage = {"model": "hmm", "criterion": "mre", "iterations": 4, "prune": 1e-3}
    config = recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 1}, stage]})
    *between, last = offered(sample_bitext, config)
    sizes = [len(progress.model.parameters.lexicon.index) for progress in between]
    assert sizes[0] == sizes[1] > sizes[2] == sizes[3]
    (forward, reverse), _ = between[1].remembered
    assert len(forward.parts[0].values) == len(reverse.parts[0].values) == sizes[1]
    assert between[2].remembered == ((None, None), None)
    (forward, reverse), _ = between[3].remembered
    assert len(forward.parts[0].values) == len(reverse.parts[0].values) == sizes[3]
    assert np.isfinite(last.measures["objective"])


def test_slopes_are_centred_and_flat_without_events():
    values = np.array([[0.5], [0.25], [0.25], [0.9], [0.1]], np.float32)
    rows = np.array([0, 0, 0, 1, 1], np.int32)
    gains = np.array([1.0, 0.5, 0.0, 3.0, 1.0])
    out = np.empty(5, np.float32)
    kernels.slopes(values, 0, rows, gains, np.array([2.0, 0.0]), 5.0, out)
    np.testing.assert_allclose(out, [0.25, 0.25, -0.75, 0.0, 0.0], atol=1e-7)
    assert values[:3, 0] @ out[:3] == pytest.approx(0.0, abs=1e-7)
    kernels.slopes(values, 0, rows, 100 * gains, np.array([2.0, 1.0]), 5.0, out)
    np.testing.assert_array_equal(out, np.array([5.0, 5.0, -5.0, -5.0, 5.0], np.float32))


def test_a_row_at_rest_stays_at_rest_at_any_rates():
    """Gains in proportion to the values are a stationary point of the simplex."""
    values = np.array([[0.5], [0.3], [0.2]], np.float32)
    rows = np.zeros(3, np.int32)
    slopes, after = np.empty(3, np.float32), np.empty_like(values)
    kernels.slopes(values, 0, rows, 7.0 * values[:, 0].astype(float), np.array([3.0]), 5.0, slopes)
    rates = np.array([2.0, 0.1, 0.5], np.float32)
    kernels.exponentiate(values, 0, rows, slopes, rates, 1, np.float32(0.0), after)
    np.testing.assert_allclose(after, values, rtol=1e-6)


@given(seed=st.integers(0, 10**6))
def test_every_step_ascends_to_first_order(seed):
    """sum gains dlog(values) >= 0 for any gains and any rates: without centring it often is not."""
    rng = np.random.default_rng(seed)
    values = rng.dirichlet(np.ones(6)).astype(np.float32)[:, None]
    rows = np.zeros(6, np.int32)
    gains = values[:, 0] * rng.normal(3.0, 1.0, 6)
    slopes, after = np.empty(6, np.float32), np.empty_like(values)
    rates = (1e-2 * rng.random(6)).astype(np.float32)
    kernels.slopes(values, 0, rows, gains, np.ones(1), 5.0, slopes)
    kernels.exponentiate(values, 0, rows, slopes, rates, 1, np.float32(0.0), after)
    assert gains @ np.log(after / values.astype(float))[:, 0] >= -1e-4


def test_rates_grow_and_shrink_within_bounds():
    now = np.array([1.0, -1.0, 1.0, 0.0, 1.0, -1.0], np.float32)
    before = np.array([2.0, 1.0, 2.0, 1.0, -1.0, -1.0], np.float32)
    rates = np.array([0.5, 0.5, 1.9, 0.5, 0.012, 0.001], np.float32)
    out = np.empty(6, np.float32)
    kernels.adapt(now, before, rates, 1.2, 0.5, 0.01, 2.0, out)
    np.testing.assert_allclose(out, [0.6, 0.25, 2.0, 0.5, 0.01, 0.0012], rtol=1e-6)


@pytest.mark.parametrize(
    "options", [{"rate": 0.0}, {"rate": 3.0}, {"greatest_rate": 20.0}, {"shrink": 1.5}, {"growth": 0.5}]
)
def test_options_are_checked(options):
    with pytest.raises(ConfigError, match="expected"):
        MRE(**options)


def test_an_option_that_is_none_of_its_own_is_refused():
    with pytest.raises(ConfigError, match="rate"):
        recipe_from_dict({"stage": [{"model": "ibm1", "criterion": "mre", "iterations": 1, "rates": 0.5}]})


@given(pairs=TEXTS, kind=st.sampled_from(KINDS), seed=st.integers(0, 1000))
def test_decision_rule_squares_the_lexical_probabilities(pairs, kind, seed):
    """Eq. (7): argmax_z P(x | z) P(z | x)."""
    bitext = bitext_of(pairs)
    model = random_pair(kind, bitext, seed)
    _, text = index_pairs(bitext)
    block = text.block(0, len(bitext))
    for direction, combine in enumerate(("forward", "reverse")):
        found = Decoder("viterbi", combine, lexical_power=2.0).align(model, block)
        for n in range(len(bitext)):
            oracle = oracles(model, bitext.source[n], bitext.target[n])[direction]
            alignment = [0] * len((bitext.target, bitext.source)[direction][n])
            for i, j in found[n]:
                alignment[(j, i)[direction]] = (i, j)[direction] + 1
            best, score = naive.viterbi(oracle, power_lex=2.0)
            assert tuple(alignment) in best or np.isclose(
                naive.joint(oracle, tuple(alignment), power_lex=2.0), score, rtol=1e-5
            )


@pytest.mark.parametrize("power", [0.0, -1.0, 4.0])
def test_lexical_power_is_checked(power):
    with pytest.raises(ConfigError, match="lexical_power"):
        Decoder(lexical_power=power)


def test_a_step_writes_its_own_column_and_floors_it():
    values = np.array([[0.5, 7.0], [0.5, 8.0], [1.0, 9.0]], np.float32)
    rows = np.array([0, 0, 1], np.int32)
    gradient = Gradient(values, 0, rows, np.array([3.0, -3.0, 1.0]), np.ones(2))
    part = Multinomials.at(gradient, None, Rates(start=10.0, greatest=10.0))
    out = np.full_like(values, 5.0)
    part.step(out, FLOOR)
    np.testing.assert_array_equal(out[:, 1], 5.0)
    np.testing.assert_allclose(out[:, 0], [1.0, FLOOR, 1.0])
    np.testing.assert_array_equal(values[:, 1], [7.0, 8.0, 9.0])
