"""Exponentiated gradient over many multinomials that lie in one column of an array.

``values[:, column]``, of float32 [n, columns], are their parameters, ``rows`` [n] says which multinomial each
belongs to. The entries of a row need not be adjacent: t(f|e) and t(e|f) share one order of word pairs.
"""

import math

import numpy as np

from aligner.kernels.constants import COUNT_SCALE
from aligner.kernels.policy import kernel


@kernel
def gains(times, one, one_column, other, other_column, rows, out, events):
    """out[k] = times E_one - E_other, events[r] += E_other of the row; each a column of counts.

    times: int; one, other: int64 fixed point [n, columns]; out: float64 [n]; events: float64 [rows].
    """
    for k in range(len(rows)):
        q = one[k, one_column]
        p = other[k, other_column]
        out[k] = (times * np.float64(q) - p) * (1.0 / COUNT_SCALE)
        events[rows[k]] += p * (1.0 / COUNT_SCALE)


@kernel
def slopes(values, column, rows, gains, events, limit, out):
    """out[k] = g_k less its row's mean, g_k = gains[k] / (events values[k]), at most ``limit`` in size.

    The mean is weighted by the values. gains: float64 [n], values times the objective's derivative; events:
    float64 [rows], the row's expected events: a row without any is flat. out: float32 [n].
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
def adapt(slopes, before, rates, growth, shrink, least, greatest, out):
    """out[k] = rates[k] times ``growth`` where the slope kept its sign, times ``shrink`` where it turned.

    Bagos, Liakopoulos & Hamodrakas 2004. All arrays float32 [n]; rates stay within [least, greatest].
    """
    for k in range(len(slopes)):
        course = slopes[k] * before[k]
        rate = rates[k]
        if course > 0.0:
            rate = max(rate, min(rate * growth, greatest))
        elif course < 0.0:
            rate = min(rate, max(rate * shrink, least))
        out[k] = rate


@kernel
def exponentiate(values, column, rows, slopes, rates, row_count, floor, out):
    """out[k, column] proportional to values[k, column] exp(rates[k] slopes[k]), each row summing to one.

    Kivinen & Warmuth 1997. slopes, rates: float32 [n]; out: like values, its other columns left alone, none
    of this one below ``floor``.
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
