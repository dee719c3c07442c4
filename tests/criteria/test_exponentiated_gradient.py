"""Exponentiated gradient: slopes, rates and steps of multinomials."""

import numpy as np
import pytest

from aligner import kernels
from aligner.criteria.exponentiated_gradient import Climb, Gradient, Multinomials, RateLimits
from aligner.lexicon.table import FLOOR


def test_slopes_are_centred_and_zero_without_events():
    values = np.array([[0.5], [0.25], [0.25], [0.9], [0.1]], np.float32)
    rows = np.array([0, 0, 0, 1, 1], np.int32)
    gains = np.array([1.0, 0.5, 0.0, 3.0, 1.0])
    slopes = np.empty(5, np.float32)
    kernels.exponentiated_gradient.set_slopes(values, 0, rows, gains, np.array([2.0, 0.0]), 5.0, slopes)
    np.testing.assert_allclose(slopes, [0.25, 0.25, -0.75, 0.0, 0.0], atol=1e-7)
    assert values[:3, 0] @ slopes[:3] == pytest.approx(0.0, abs=1e-7)
    kernels.exponentiated_gradient.set_slopes(values, 0, rows, 100 * gains, np.array([2.0, 1.0]), 5.0, slopes)
    np.testing.assert_array_equal(slopes, np.array([5.0, 5.0, -5.0, -5.0, 5.0], np.float32))


def test_stationary_point_stays_at_any_rates():
    """Gains in proportion to the values are a stationary point of the simplex."""
    values = np.array([[0.5], [0.3], [0.2]], np.float32)
    rows = np.zeros(3, np.int32)
    slopes, after = np.empty(3, np.float32), np.empty_like(values)
    gains = 7.0 * values[:, 0].astype(float)
    kernels.exponentiated_gradient.set_slopes(values, 0, rows, gains, np.array([3.0]), 5.0, slopes)
    rates = np.array([2.0, 0.1, 0.5], np.float32)
    kernels.exponentiated_gradient.exponentiate(values, 0, rows, slopes, rates, 1, np.float32(0.0), after)
    np.testing.assert_allclose(after, values, rtol=1e-6)


def test_rates_grow_and_shrink_within_bounds():
    slopes = np.array([1.0, -1.0, 1.0, 0.0, 1.0, -1.0], np.float32)
    before = np.array([2.0, 1.0, 2.0, 1.0, -1.0, -1.0], np.float32)
    rates = np.array([0.5, 0.5, 1.9, 0.5, 0.012, 0.001], np.float32)
    adapted = np.empty(6, np.float32)
    kernels.exponentiated_gradient.adapt(slopes, before, rates, 1.2, 0.5, 0.01, 2.0, adapted)
    np.testing.assert_allclose(adapted, [0.6, 0.25, 2.0, 0.5, 0.01, 0.0012], rtol=1e-6)


def gradient_of(gains):
    """Return a gradient of one multinomial of two equal parameters, with one event."""
    values = np.full((2, 1), 0.5, np.float32)
    return Gradient(values, 0, np.zeros(2, np.int32), np.array(gains), np.ones(1))


def test_step_writes_its_column_and_keeps_the_floor():
    values = np.array([[0.5, 7.0], [0.5, 8.0], [1.0, 9.0]], np.float32)
    rows = np.array([0, 0, 1], np.int32)
    gradient = Gradient(values, 0, rows, np.array([3.0, -3.0, 1.0]), np.ones(2))
    part = Multinomials.start(gradient, 10.0).moved_to(gradient, RateLimits(1.2, 0.5, 0.01, 10.0))
    out = np.full_like(values, 5.0)
    part.step(out, FLOOR)
    np.testing.assert_array_equal(out[:, 1], 5.0)
    np.testing.assert_allclose(out[:, 0], [1.0, FLOOR, 1.0])
    np.testing.assert_array_equal(values[:, 1], [7.0, 8.0, 9.0])


def test_climb_accepts_a_higher_point_and_rejects_a_lower_one():
    rates = RateLimits(growth=2.0, shrink=0.25, least=0.01, greatest=2.0)
    first = gradient_of([1.0, -1.0])
    start = Climb.start([first], 0.5).measured(10, [first], rates)
    assert start.objective == 10
    np.testing.assert_array_equal(start.parts[0].rates, [0.5, 0.5])
    higher = gradient_of([0.5, -0.5])
    accepted = start.measured(11, [higher], rates)
    assert accepted.objective == 11
    assert accepted.parts[0].values is higher.values
    np.testing.assert_array_equal(accepted.parts[0].rates, [1.0, 1.0])
    turned = start.measured(11, [gradient_of([-0.5, 0.5])], rates)
    np.testing.assert_array_equal(turned.parts[0].rates, [0.125, 0.125])
    rejected = accepted.measured(9, [gradient_of([0.5, -0.5])], rates)
    assert rejected.objective == 11
    assert rejected.parts[0].values is higher.values
    np.testing.assert_array_equal(rejected.parts[0].slopes, accepted.parts[0].slopes)
    np.testing.assert_array_equal(rejected.parts[0].rates, [0.5, 0.5])
