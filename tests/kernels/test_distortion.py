"""The M-step of jump buckets against the oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner.kernels.constants import JUMP_SCALE
from aligner.models.jumps import WORD_STRENGTH, mstep_of_jumps, mstep_of_word_jumps, uniform_jumps
from tests import naive
from tests.kernels.cases import WIDE, make_case


def expected_log_likelihood(jumps, counts):
    """Return the objective of the M-step of jumps."""
    values = counts / JUMP_SCALE
    return naive.mstep_objective(jumps.tolist(), values[:11].tolist(), values[11:].reshape(7, 6).tolist())


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_mstep_reaches_the_maximum_of_the_oracle(seed):
    rng = np.random.default_rng(seed)
    cells, model, _ = make_case("hmm", WIDE, seed)
    counts = model.new_counts()
    model.posteriors(cells, counts)
    for k in range(3):
        start = rng.dirichlet(np.ones(11))
        found = mstep_of_jumps(start, counts[k])
        assert found.sum() == pytest.approx(1.0)
        assert expected_log_likelihood(found, counts[k]) >= expected_log_likelihood(start, counts[k]) - 1e-6
        values = counts[k] / JUMP_SCALE
        best = naive.mstep(
            start.tolist(), values[:11].tolist(), values[11:].reshape(7, 6).tolist(), rounds=200
        )
        best = np.maximum(best, 1e-7)
        reachable = expected_log_likelihood(best / best.sum(), counts[k])
        gain = reachable - expected_log_likelihood(start, counts[k])
        assert reachable - expected_log_likelihood(found, counts[k]) <= 0.02 * gain + 1e-6


@settings(max_examples=60, deadline=None)
@given(
    uses=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 10), st.integers(1, 9)),
        min_size=1,
        max_size=6,
    )
)
def test_mstep_never_lowers_its_objective(uses):
    """The M-step also ascends if the best shares differ by more than the floor allows."""
    counts = np.zeros(53, np.int64)
    for left, right, choice, times in uses:
        right = max(right, 1 - left)  # at least one bucket is within reach
        counts[6 - left + choice % (left + right)] += times * int(JUMP_SCALE)
        counts[11 + 6 * left + right] += times * int(JUMP_SCALE)
    jumps = uniform_jumps()
    for _ in range(20):
        following = mstep_of_jumps(jumps, counts)
        assert expected_log_likelihood(following, counts) >= expected_log_likelihood(jumps, counts) - 1e-9
        jumps = following


@pytest.mark.plain_python
def test_mstep_of_huge_counts():
    """1e11 jumps give the same shares as 100."""
    jumps = uniform_jumps()
    counts = np.zeros(53, np.int64)
    counts[[4, 5, 6, 7]] = 5, 20, 55, 20
    counts[11 + 6 * 6 + 5] = 100
    few, many = (mstep_of_jumps(jumps, counts * int(JUMP_SCALE) * times) for times in (1, 10**9))
    np.testing.assert_allclose(many, few, rtol=1e-9)
    assert few.argmax() == 6


@pytest.mark.plain_python
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_mstep_of_words_never_lowers_likelihood_and_prior(seed, scale):
    rng = np.random.default_rng(seed)
    cells, model, _ = make_case("hmm, words", WIDE, seed)
    counts = model.new_counts()
    model.posteriors(cells, counts)
    counts = np.rint(counts * scale).astype(np.int64)
    mean = rng.dirichlet(np.ones(11))
    start = model.jumps[3:]
    found = mstep_of_word_jumps(start, counts[3:], mean)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for before, after, own in zip(start, found, counts[3:], strict=True):
        objectives = [
            expected_log_likelihood(jumps, own) + WORD_STRENGTH * mean @ np.log(jumps)
            for jumps in (before, after)
        ]
        assert objectives[1] >= objectives[0] - 1e-9 * abs(objectives[0])


def test_jumps_of_words_between_mean_and_counts():
    """A word without jumps takes the mean; a word with many takes its own shares, whatever the mean."""
    mean = np.random.default_rng(1).dirichlet(np.ones(11))
    counts = np.zeros((2, 53), np.int64)
    counts[1, [4, 5, 6, 7]] = np.array([5, 20, 55, 20]) * 10**7 * int(JUMP_SCALE)
    counts[1, 11 + 6 * 6 + 5] = 10**9 * int(JUMP_SCALE)
    found = mstep_of_word_jumps(np.stack([uniform_jumps()] * 2), counts, mean)
    np.testing.assert_allclose(found[0], mean)
    np.testing.assert_allclose(found[1, [4, 5, 6, 7]], [0.05, 0.2, 0.55, 0.2], rtol=1e-5)
