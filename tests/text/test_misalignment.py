"""Shifts of lines that are found, and texts in which none must be found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.text.misalignment import MAX_SHIFT, ShiftFinder, find_shift, length_correlation


def lengths(n, seed=1, spread=0.3):
    """Return random lengths of n sentences and their translations; the target lengths vary by ``spread``."""
    rng = np.random.default_rng(seed)
    source = rng.lognormal(2.5, 0.6, n)
    target = source * rng.lognormal(0.1, spread, n)
    return source.astype(int), target.astype(int)


@pytest.mark.parametrize("n", [150, 700, 30_000])
@pytest.mark.parametrize("by", [-MAX_SHIFT, -1, 1, 3, MAX_SHIFT])
def test_shift_from_first_line_is_found(n, by):
    source, target = lengths(n)
    found = find_shift(np.roll(source, by), target)
    assert (found.line, found.by) == (1, by)
    assert found.correlation > 0.8
    assert abs(found.without) < 0.3
    assert find_shift(target, np.roll(source, by)).by == -by


@pytest.mark.parametrize(("n", "lost"), [(30_000, 2_500), (30_000, 29_000), (400_000, 123_456)])
def test_position_of_lost_line_is_found(n, lost):
    source, target = lengths(n)
    found = find_shift(np.delete(source, lost), target[:-1])
    assert found.by == -1
    assert abs(found.line - lost) < 500
    description = found._replace(line=5001, correlation=0.931, without=0.12).describe()
    assert "line 5,001 on, line n of the source seems to match line n + 1 of the target" in description
    assert "correlate by 0.93, and by 0.12 without this shift" in description


@pytest.mark.parametrize("piece", [1, 7_000, 100_000])
def test_first_shift_of_streamed_text_is_found(piece):
    source, target = lengths(30_000)
    source = np.delete(np.delete(source, 21_000), 5_000)
    target = target[:-1]
    finder = ShiftFinder()
    for first in range(0, len(source), piece):
        finder.add(source[first : first + piece], target[:-1][first : first + piece])
    found = finder.found()
    assert (found.by, finder.found()) == (-1, found)
    assert abs(found.line - 5_000) < 500
    assert ShiftFinder().found() is None


@given(n=st.integers(0, 1500), seed=st.integers(0, 10**6), spread=st.sampled_from([0.3, 2.0]))
def test_no_shift_in_aligned_or_shuffled_text(n, seed, spread):
    """Aligned pairs with more or less similar lengths, and pairs in random order."""
    source, target = lengths(n, seed, spread)
    assert find_shift(source, target) is None
    np.random.default_rng(seed).shuffle(target)
    assert find_shift(source, target) is None


@pytest.mark.parametrize("share", [0.002, 0.01, 0.05, 0.2])
def test_no_shift_in_word_lists(share):
    """Lists of single words with a few entries of 2 words: by chance, some are a few lines apart."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert find_shift(*(1 + (rng.random((2, 50_000)) < share))) is None
    source, target = np.ones((2, 2000), int)
    source[500] = target[503] = 2
    assert find_shift(source, target) is None


def test_no_shift_from_a_few_very_long_lines():
    source, target = np.random.default_rng(1).integers(1, 4, (2, 50_000))
    source[::1000] = target[3::1000] = 100_000
    assert find_shift(source, target) is None


@pytest.mark.parametrize("n", [0, 1, 20, 115, 400])
def test_no_shift_in_equal_lengths(n):
    assert find_shift(np.full(n, 7), np.arange(n)) is None
    assert find_shift(np.zeros(n, int), np.zeros(n, int)) is None


def test_correlation_of_lengths():
    source, target = lengths(500)
    assert length_correlation(source, target) > 0.8
    assert abs(length_correlation(source, np.random.default_rng(1).permutation(target))) < 0.2
    assert length_correlation(source, source) == pytest.approx(1)
    assert length_correlation(source[:99], target[:99]) is None
    assert length_correlation(source, np.ones(500, int)) is None
