"""M-steps of the lexical tables: MAP and variational Bayes against their formulas in plain Python."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.recipe.config import Recipe
from aligner.errors import ConfigError
from aligner.training.estep import accumulate
from aligner.kernels import bayes
from aligner.kernels._jit import kernel
from aligner.kernels.fixed import SCALE
from aligner.lexicon.table import FLOOR
from aligner.models import DISTORTIONS
from aligner.criteria import Agreement, Independent
from aligner.criteria.base import maximise
from aligner.criteria.mstep import MAP, MaximumLikelihood, VariationalBayes
from aligner.training.loop import train
from tests.support import TEXTS, assert_same_parameters, bitext_of, index_pairs, random_pair, recipe

EULER = 0.57721566490153286
BOTH = pytest.mark.parametrize("objective", [Independent(), Agreement()], ids=lambda o: o.name)


def rows_of(pairs):
    """Every conditioning word's pair_ids, per direction."""
    by_source = [range(a, b) for a, b in pairwise(pairs.row_offsets.tolist())]
    by_target = [np.flatnonzero(pairs.columns[1:] == t) + 1 for t in range(pairs.target_types)]
    return by_source[:-1], by_target


def naive_tables(counts, pairs, before, rule):
    """t of every pair_id and direction, and of both NULL rows; ``rule`` maps a row of counts to a row."""
    table = before.table.astype(float)
    links = counts.links / SCALE
    for direction, rows in enumerate(rows_of(pairs)):
        for pair_ids in rows:
            row = rule(links[list(pair_ids), direction if links.shape[1] == 2 else 0].tolist())
            if row is not None:
                table[list(pair_ids), direction] = row
    null = [rule((c[:-1] / SCALE).tolist()) for c in (counts.null_forward, counts.null_reverse)]
    return table, null


def assert_tables(lexicon, expected):
    table, null = expected
    np.testing.assert_allclose(lexicon.table[1:], np.maximum(table[1:], FLOOR), rtol=1e-5)
    for row, wanted in zip((lexicon.null_forward, lexicon.null_reverse), null, strict=True):
        np.testing.assert_allclose(row[:-1], np.maximum(wanted, FLOOR), rtol=1e-5)
        assert row[-1] == np.float32(FLOOR)


def case(objective, text, seed):
    bitext = bitext_of(text)
    index, cells = index_pairs(bitext)
    pair = random_pair("hmm", bitext, seed)
    return index, pair, accumulate(objective, pair, cells)


@BOTH
@given(text=TEXTS, seed=st.integers(0, 10**6), alpha=st.sampled_from([1e-3, 0.1, 3.0]))
def test_map_adds_alpha_to_every_pair_of_words_that_occurs(objective, text, seed, alpha):
    def rule(counts):
        return [(c + alpha) / (sum(counts) + alpha * len(counts)) for c in counts]

    index, pair, counts = case(objective, text, seed)
    after = maximise(pair, counts, MAP(alpha))
    assert_tables(after.lexicon, naive_tables(counts, index, pair.lexicon, rule))
    np.testing.assert_array_equal(after.forward.jumps, maximise(pair, counts).forward.jumps)


@BOTH
@given(text=TEXTS, seed=st.integers(0, 10**6), alpha=st.sampled_from([1e-2, 0.5, 3.0]))
def test_variational_bayes_is_its_formula(objective, text, seed, alpha):
    def rule(counts):
        whole = slow_digamma(sum(counts) + alpha * len(counts))
        return [math.exp(slow_digamma(c + alpha) - whole) for c in counts]

    index, pair, counts = case(objective, text, seed)
    after = maximise(pair, counts, VariationalBayes(alpha))
    assert_tables(after.lexicon, naive_tables(counts, index, pair.lexicon, rule))
    for rows, direction in zip(rows_of(index), (0, 1), strict=True):
        for pair_ids in rows:
            assert after.lexicon.table[list(pair_ids), direction].sum() < 1 + 1e-6


@BOTH
@given(text=TEXTS, seed=st.integers(0, 10**6))
def test_without_a_prior_map_is_maximum_likelihood(objective, text, seed):
    _, pair, counts = case(objective, text, seed)
    assert_same_parameters(maximise(pair, counts, MAP(0.0)), maximise(pair, counts))
    assert_same_parameters(maximise(pair, counts, MaximumLikelihood()), maximise(pair, counts))


# --------------------------------------------------------------------------- digamma


@kernel
def digamma(x):
    return bayes.digamma(x)


def slow_digamma(x):
    """Ten thousand steps of the recurrence, and the first terms of the series."""
    below = math.fsum(1 / (x + k) for k in range(1000))
    x += 1000
    return math.log(x) - 1 / (2 * x) - 1 / (12 * x * x) - below


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (1.0, -EULER),
        (2.0, 1 - EULER),
        (0.5, -EULER - 2 * math.log(2)),
        (0.25, -EULER - math.pi / 2 - 3 * math.log(2)),
        (1 / 3, -EULER - math.pi / (2 * math.sqrt(3)) - 1.5 * math.log(3)),
        (10.0, -EULER + sum(1 / k for k in range(1, 10))),
        (1e9, math.log(1e9) - 0.5e-9),
        (1e-6, -1e6 - EULER + math.pi**2 / 6 * 1e-6),
    ],
)
def test_digamma_at_points_where_it_is_known(x, value):
    assert digamma(x) == pytest.approx(value, rel=1e-12)


@given(x=st.floats(1e-6, 1e8))
def test_digamma_follows_its_recurrence(x):
    assert digamma(x + 1) - digamma(x) == pytest.approx(1 / x, rel=1e-6, abs=1e-12)


# --------------------------------------------------------------------------- what may be promised


@pytest.mark.parametrize("kind", DISTORTIONS)
@pytest.mark.parametrize("alpha", [0.01, 1.0])
def test_map_never_loses_posterior_probability(kind, alpha, sample_bitext):
    """The log-likelihood plus the log prior, each direction."""
    config = recipe_from_dict({"stage": [{"model": kind, "iterations": 10, "update": "map", "alpha": alpha}]})
    steps = list(train(sample_bitext, config))
    for direction, name, tokens in [
        (0, "forward", steps[0].target_tokens),
        (1, "reverse", steps[0].source_tokens),
    ]:
        values = []
        for before, step in pairwise(steps):  # a step measures the model of the one before it
            lexicon = before.model.parameters.lexicon
            null = (lexicon.null_forward, lexicon.null_reverse)[direction]
            entries = np.concatenate([lexicon.table[1:, direction], null[:-1]]).astype(float)
            prior = alpha * np.log(entries).sum()
            values.append(step.measures[f"{name}_log_likelihood"] + prior)
        scale = tokens + alpha * len(lexicon.table)
        for before, after in pairwise(values):
            assert after >= before - 5e-7 * scale


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"update": "mpa"}, "unknown update 'mpa'; did you mean 'map'"),
        ({"update": "map"}, "alpha = 0.0 with update = 'map': expected above 0"),
        ({"update": "vb", "alpha": -1.0}, "alpha = -1.0 with update = 'vb'"),
        ({"update": "vb", "alpha": float("nan")}, "alpha = nan"),
        ({"alpha": 0.1}, "alpha = 0.1 with update = 'ml': expected 0"),
        ({"update": "map", "alpha": 0.1, "criterion": "mre"}, "update does not go with criterion 'mre'"),
    ],
)
def test_a_prior_that_means_nothing_is_refused(options, message):
    with pytest.raises(ConfigError) as caught:
        recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 2, **options}]})
    assert message in str(caught.value)


def test_a_prior_is_part_of_the_recipe_only_where_there_is_one():
    plain = recipe(("ibm1", "independent", 2))
    assert "update" not in plain.to_dict()["stage"][0]
    stage = {"model": "ibm1", "iterations": 2, "update": "vb", "alpha": 0.1}
    smoothed = recipe_from_dict({"stage": [stage]})
    assert recipe_from_dict(smoothed.to_dict()) == smoothed
    assert smoothed.stages[0].rule == VariationalBayes(0.1)
