"""Exponentiated gradient over many multinomials that lie in one flat array.

``values`` [n] are their parameters, ``rows`` [n] says which multinomial each belongs to. The entries of a row
need not be adjacent: t(f|e) and t(e|f) share one order of word pairs.
"""

import math

import numpy as np

from aligner.kernels._jit import kernel
from aligner.kernels.fixed import SCALE


@kernel
def slopes(values, rows, gains, events, limit, out):
    """out[k] = g_k less its row's mean, g_k = gains[k] / (events values[k]), at most ``limit`` in size.

    The mean is weighted by the values. gains: float64 [n], values times the objective's derivative; events:
    float64 [rows], the row's expected events: a row without any is flat. values, out: float32 [n].
    """
    smallest = np.float32(1e-37)
    total_gain = np.zeros(len(events))
    total = np.zeros(len(events))
    for k in range(len(values)):
        total_gain[rows[k]] += gains[k]
        total[rows[k]] += values[k]
    inverse = np.zeros(len(events))
    for r in range(len(events)):
        if events[r] > 0.0 and total[r] > 0.0:
            inverse[r] = 1.0 / events[r]
            total_gain[r] *= inverse[r] / total[r]
        else:
            total_gain[r] = 0.0
    for k in range(len(values)):
        slope = gains[k] / max(values[k], smallest) * inverse[rows[k]] - total_gain[rows[k]]
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
def exponentiate(values, rows, slopes, rates, row_count, out):
    """out[k] proportional to values[k] exp(rates[k] slopes[k]), each row summing to one.

    Kivinen & Warmuth 1997. values, slopes, rates, out: float32 [n].
    """
    total = np.zeros(row_count)
    for k in range(len(values)):
        value = values[k] * math.exp(rates[k] * slopes[k])
        out[k] = value
        total[rows[k]] += value
    for r in range(row_count):
        total[r] = 1.0 / total[r] if total[r] > 0.0 else 0.0
    for k in range(len(values)):
        out[k] *= np.float32(total[rows[k]])


@kernel
def gains(one, other, times, column, rows, out, events):
    """out[k] = times E_one - E_other of one column of counts, events[r] += E_other of the row.

    one, other: int64 fixed point [n, columns]; times: int; out: float64 [n]; events: float64 [rows].
    """
    for k in range(len(rows)):
        q = one[k, column]
        p = other[k, column]
        out[k] = (times * q - p) * (1.0 / SCALE)
        events[rows[k]] += p * (1.0 / SCALE)
