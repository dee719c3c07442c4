"""M-steps of the lexical tables: MAP and variational Bayes against their formulas in plain Python."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import kernels
from aligner.criteria import Agreement, Counts, Independent
from aligner.criteria.base import maximise
from aligner.criteria.mstep import keep_uncounted, maximum_a_posteriori, maximum_likelihood, variational_bayes
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import MODELS
from aligner.recipe.load import recipe_from_dict
from aligner.training.loop import train
from tests.criteria.cases import expected_counts
from tests.support import TEXTS, bitext_of, random_pair

EULER = 0.57721566490153286
BOTH = pytest.mark.parametrize("criterion", [Independent(), Agreement()], ids=lambda c: c.name)


def rows_of(index):
    """Return the pair_ids of every conditioning word, for each direction."""
    by_source = [range(a, b) for a, b in pairwise(index.row_offsets.tolist())]
    by_target = [np.flatnonzero(index.columns[1:] == t) + 1 for t in range(index.target_types)]
    return by_source[:-1], by_target


def naive_tables(counts, before, rule):
    """Return the table and both NULL rows; ``rule`` maps a row of counts to a row of probabilities."""
    table = before.table.astype(float)
    links = counts.links / COUNT_SCALE
    for direction, rows in enumerate(rows_of(before.index)):
        for pair_ids in rows:
            column = direction if links.shape[1] == 2 else 0
            row = rule(links[list(pair_ids), column].tolist())
            table[list(pair_ids), direction] = row
    null = [rule((c[:-1] / COUNT_SCALE).tolist()) for c in (counts.null_forward, counts.null_reverse)]
    return table, null


def assert_tables(lexicon, expected):
    table, null = expected
    np.testing.assert_allclose(lexicon.table[1:], np.maximum(table[1:], FLOOR), rtol=1e-5)
    for row, wanted in zip((lexicon.null_forward, lexicon.null_reverse), null, strict=True):
        np.testing.assert_allclose(row[:-1], np.maximum(wanted, FLOOR), rtol=1e-5)
        assert row[-1] == np.float32(FLOOR)


def counted(criterion, text, seed):
    """Return a random HMM of a text, and its expected counts."""
    bitext = bitext_of(text)
    model = random_pair("hmm", bitext, seed)
    return model, expected_counts(criterion, model, bitext)


@BOTH
@given(text=TEXTS, seed=st.integers(0, 10**6), alpha=st.sampled_from([1e-3, 0.1, 3.0]))
def test_map_adds_alpha_to_every_entry_of_a_row(criterion, text, seed, alpha):
    def rule(counts):
        return [(c + alpha) / (sum(counts) + alpha * len(counts)) for c in counts]

    model, counts = counted(criterion, text, seed)
    after = maximise(model, counts, partial(maximum_a_posteriori, alpha=alpha))
    assert_tables(after.lexicon, naive_tables(counts, model.lexicon, rule))
    np.testing.assert_array_equal(after.forward.jumps, maximise(model, counts).forward.jumps)


@BOTH
@given(text=TEXTS, seed=st.integers(0, 10**6), alpha=st.sampled_from([1e-2, 0.5, 3.0]))
def test_variational_bayes_matches_its_formula(criterion, text, seed, alpha):
    def rule(counts):
        whole = slow_digamma(sum(counts) + alpha * len(counts))
        return [math.exp(slow_digamma(c + alpha) - whole) for c in counts]

    model, counts = counted(criterion, text, seed)
    after = maximise(model, counts, partial(variational_bayes, alpha=alpha))
    assert_tables(after.lexicon, naive_tables(counts, model.lexicon, rule))
    for direction, rows in enumerate(rows_of(model.lexicon.index)):
        for pair_ids in rows:
            assert after.lexicon.table[list(pair_ids), direction].sum() < 1 + 1e-6


def test_hard_em_keeps_the_rows_of_words_that_it_does_not_link():
    before = Lexicon.uniform(CooccurrenceIndex.of(bitext_of([("a b", "x y")])))
    links = np.array([[0], [3], [1], [0], [0]]) * COUNT_SCALE  # 3 of a and x, 1 of a and y, none of b
    null = np.array([2, 6, 0]) * COUNT_SCALE, np.zeros(3, np.int64)
    counts = Counts(links, *null, distortion=None, measures=None, pairs=1)
    after = maximum_likelihood(before.index, counts)
    np.testing.assert_allclose(after.table[1:, 0], [0.75, 0.25, FLOOR, FLOOR])
    np.testing.assert_allclose(after.table[1:, 1], [1, 1, FLOOR, FLOOR])
    np.testing.assert_allclose(after.null_forward, [0.25, 0.75, FLOOR])
    after = keep_uncounted(before, after, counts)
    np.testing.assert_allclose(after.table[1:, 0], [0.75, 0.25, 0.5, 0.5])
    np.testing.assert_allclose(after.table[1:, 1], [1, 1, FLOOR, FLOOR])
    np.testing.assert_array_equal(after.null_reverse, before.null_reverse)


# --------------------------------------------------------------------------- digamma


def digamma(x):
    return kernels.tables.digamma(x)


def slow_digamma(x):
    """Return psi(x) by 1,000 steps of the recurrence and the first terms of the series."""
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
def test_digamma_at_known_values(x, value):
    assert digamma(x) == pytest.approx(value, rel=1e-12)


@given(x=st.floats(1e-6, 1e8))
def test_digamma_follows_its_recurrence(x):
    assert digamma(x + 1) - digamma(x) == pytest.approx(1 / x, rel=1e-6, abs=1e-12)


# --------------------------------------------------------------------------- training


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("alpha", [0.01, 1.0])
def test_log_likelihood_plus_log_prior_never_decreases(kind, alpha, sample_bitext):
    """MAP-EM raises the log posterior of each direction's parameters."""
    stage = {"model": kind, "iterations": 10, "update": "map", "alpha": alpha}
    steps = list(train(sample_bitext, recipe_from_dict({"stage": [stage]})))
    for direction, name, tokens in [
        (0, "forward", steps[0].target_tokens),
        (1, "reverse", steps[0].source_tokens),
    ]:
        values = []
        for before, step in pairwise(steps):  # a step measures the model of the previous step
            lexicon = before.model.pair.lexicon
            null = (lexicon.null_forward, lexicon.null_reverse)[direction]
            entries = np.concatenate([lexicon.table[1:, direction], null[:-1]]).astype(float)
            log_prior = alpha * np.log(entries).sum()
            values.append(step.measures[f"{name}_log_likelihood"] + log_prior)
        scale = tokens + alpha * len(lexicon.table)
        for before, after in pairwise(values):
            assert after >= before - 5e-7 * scale
