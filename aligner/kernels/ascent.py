"""Exponentiated gradient over many multinomials that lie in one flat array.

``values`` [n] are their parameters, ``rows`` [n] says which multinomial each belongs to; entries of a row need not
be adjacent, so that t(f|e) and t(e|f) can share one order of word pairs.
"""

import math

import numpy as np

from aligner.kernels._jit import kernel


@kernel
def slopes(values, rows, gains, events, limit, out):  # type: ignore[no-untyped-def]
    """out[k] = g_k - (mean of g over k's row), at most ``limit`` in size, with g_k = gains[k] / (events values[k]).

    gains: float64 [n], values times the objective's derivative; events: float64 [rows], the row's expected events,
    a row without any stays flat. values, out: float32 [n].
    """
    total_gain = np.zeros(len(events))
    total = np.zeros(len(events))
    for k in range(len(values)):
        total_gain[rows[k]] += gains[k]
        total[rows[k]] += values[k]
    for k in range(len(values)):
        r = rows[k]
        out[k] = 0.0
        if events[r] > 0.0 and values[k] > 0.0:
            slope = (gains[k] / values[k] - total_gain[r] / total[r]) / events[r]
            out[k] = min(max(slope, -limit), limit)


@kernel
def adapt(slopes, before, rates, growth, shrink, least, greatest, out):  # type: ignore[no-untyped-def]
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
def exponentiate(values, rows, slopes, rates, row_count, out):  # type: ignore[no-untyped-def]
    """out[k] proportional to values[k] exp(rates[k] slopes[k]), each row summing to one.

    Kivinen & Warmuth 1997. values, slopes, rates, out: float32 [n].
    """
    total = np.zeros(row_count)
    for k in range(len(values)):
        out[k] = values[k] * math.exp(rates[k] * slopes[k])
        total[rows[k]] += out[k]
    for k in range(len(values)):
        if total[rows[k]] > 0.0:
            out[k] = out[k] / total[rows[k]]
