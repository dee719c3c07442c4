"""Exponentiated gradient for many multinomials whose parameters are one column of an array.

``values[:, column]``, of a float32 [n, columns], holds the parameters, and ``rows`` [n] the number of the
multinomial that each entry belongs to. The entries of a multinomial need not be adjacent: t(f|e) and t(e|f)
share one order of word pairs.
"""

import math

import numpy as np

from aligner.kernels.constants import COUNT_SCALE
from aligner.kernels.policy import kernel


@kernel
def set_gains(times, one, one_column, other, other_column, rows, out, events):
    """Set out[k] to times E_one[k] - E_other[k], and add E_other[k] to events[rows[k]].

    E_one is one[:, one_column] and E_other is other[:, other_column]: int64 fixed point [n, columns]. times:
    int; out: float64 [n]; events: float64 [multinomials].
    """
    for k in range(len(rows)):
        q = one[k, one_column]
        p = other[k, other_column]
        out[k] = (times * np.float64(q) - p) * (1.0 / COUNT_SCALE)
        events[rows[k]] += p * (1.0 / COUNT_SCALE)


@kernel
def set_slopes(values, column, rows, gains, events, limit, out):
    """Set out[k] to g_k minus the mean of g in its multinomial, clipped to [-limit, limit].

    g_k = gains[k] / (events values[k]), and the mean is weighted by the values. gains: float64 [n], the value
    times the derivative of the objective; events: float64 [multinomials], the expected events. The slopes of
    a multinomial without events are 0. out: float32 [n].
    """
    smallest = np.float32(1e-37)
    total_gain = np.zeros(len(events))
    total = np.zeros(len(events))
    for k in range(len(values)):
        total_gain[rows[k]] += gains[k]
        total[rows[k]] += values[k, column]
    inverse = np.zeros(len(events))
    for r in range(len(events)):
        if events[r] > 0.0 and total[r] > 0.0:
            inverse[r] = 1.0 / events[r]
            total_gain[r] *= inverse[r] / total[r]
        else:
            total_gain[r] = 0.0
    for k in range(len(values)):
        slope = gains[k] / max(values[k, column], smallest) * inverse[rows[k]] - total_gain[rows[k]]
        out[k] = min(max(slope, -limit), limit)


@kernel
def adapt(slopes, previous, rates, growth, shrink, least, greatest, out):
    """Adapt the learning rate of each entry (Bagos, Liakopoulos & Hamodrakas 2004).

    out[k] is rates[k] times ``growth`` if the slope kept its sign, times ``shrink`` if the sign changed.
    Rates stay within [least, greatest]. slopes, previous, rates, out: float32 [n].
    """
    for k in range(len(slopes)):
        course = slopes[k] * previous[k]
        rate = rates[k]
        if course > 0.0:
            rate = max(rate, min(rate * growth, greatest))
        elif course < 0.0:
            rate = min(rate, max(rate * shrink, least))
        out[k] = rate


@kernel
def exponentiate(values, column, rows, slopes, rates, row_count, floor, out):
    """Multiply each parameter by exp(rates[k] slopes[k]) and normalise (Kivinen & Warmuth 1997).

    slopes, rates: float32 [n]; row_count: the number of multinomials; out: float32 [n, columns], whose
    ``column`` is set. No result is below ``floor``.
    """
    total = np.zeros(row_count)
    for k in range(len(values)):
        value = values[k, column] * math.exp(rates[k] * slopes[k])
        out[k, column] = value
        total[rows[k]] += value
    for r in range(row_count):
        total[r] = 1.0 / total[r] if total[r] > 0.0 else 0.0
    for k in range(len(values)):
        out[k, column] = max(out[k, column] * np.float32(total[rows[k]]), floor)
