"""The objective of reconstruction and AER: hand-computed cases."""

import math

import pytest

from tests import naive


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
