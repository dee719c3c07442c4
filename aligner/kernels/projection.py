"""Projected gradient ascent on many small concave functions, one for each sentence pair.

    g(l) = -log(Z(l) / Z(0)) - bound . l - slack / 2 |l|^2,     least <= l_k <= greatest
    g'(l) = E_l[f] - bound - slack l

l are the pair's multipliers. A step is tried for some pairs only. ``pairs``, int64, holds their numbers, and
the float32 arrays ``trial`` and ``expectations`` hold the entries of these pairs only, one after the other.
"""

import numpy as np

from aligner.kernels.policy import kernel

_SHORTEST_STEP = 1 / 64
_LONGEST_STEP = 64.0
_UNITS = 1024


@kernel
def propose(problem, ascent, pairs, trial):
    """Set each trial to the multipliers, moved by the pair's step along the gradient and clipped."""
    starts = problem.starts
    least, greatest = problem.least, problem.greatest
    begin = 0
    for p in pairs:
        size = starts[p + 1] - starts[p]
        old = ascent.multipliers[starts[p] : starts[p + 1]]
        slope = ascent.gradient[starts[p] : starts[p + 1]]
        new = trial[begin : begin + size]
        step = np.float32(ascent.step[p])
        for k in range(size):
            new[k] = min(max(old[k] + step * slope[k], least), greatest)
        begin += size


@kernel
def remember(multipliers, out):
    """Set out, int16, to the multipliers in units of 1 / 1024: half the memory, exact enough for a start."""
    for k in range(len(multipliers)):
        out[k] = np.int16(np.rint(multipliers[k] * np.float32(_UNITS)))


@kernel
def recall(starts, remembered, pairs, trial):
    """Set the trial of each pair to its remembered multipliers, unless they are all 0.

    starts: int64 [pairs of the block + 1]; remembered: int16, flat, all pairs' multipliers from ``remember``.
    """
    unit = np.float32(1 / _UNITS)
    begin = 0
    for p in pairs:
        size = starts[p + 1] - starts[p]
        own = remembered[starts[p] : starts[p + 1]]
        if own.any():
            new = trial[begin : begin + size]
            for k in range(size):
                new[k] = unit * own[k]
        begin += size


@kernel
def accept_or_shorten(problem, ascent, pairs, trial, expectations, log_mass):
    """Accept the trial of each pair whose dual does not fall, and choose the next step of every pair.

    expectations: E[f] at the trial, overwritten; log_mass: float64 [pairs tried], log(Z / Z(0)) at the trial.

    A trial is accepted if its dual value is not below the current one, or if the new slope along the move is
    not negative. On a concave function, the second condition implies the first, and the rounding of a sum
    does not hide it.

    After a move by s that changed the gradient by y, the next step is -s.y / y.y, the shorter step of
    Barzilai & Borwein (1988), over the multipliers that could move. After a rejected trial, the next step
    ends where the slope along the move, interpolated linearly, is 0.
    """
    starts = problem.starts
    least, greatest = problem.least, problem.greatest
    bound, slack = problem.bound, problem.slack
    # Floats that are not negative are in the order of their bits, and an integer maximum vectorises.
    bits = expectations.view(np.int32)
    largest = np.empty(1, np.int32)
    begin = 0
    for n in range(len(pairs)):
        p = pairs[n]
        size = starts[p + 1] - starts[p]
        old = ascent.multipliers[starts[p] : starts[p + 1]]
        old_slope = ascent.gradient[starts[p] : starts[p + 1]]
        new = trial[begin : begin + size]
        slope = expectations[begin : begin + size]
        slope_bits = bits[begin : begin + size]
        begin += size
        # Short loops with few results each: all of them vectorise.
        for k in range(size):
            slope[k] = slope[k] - bound - slack * new[k]
        total = np.float64(0.0)
        squares = np.float64(0.0)
        for k in range(size):
            total += new[k]
            squares += new[k] * new[k]
        ahead = np.float32(0.0)
        behind = np.float32(0.0)
        bend = np.float32(0.0)
        for k in range(size):
            moved = new[k] - old[k]
            change = slope[k] - old_slope[k]
            ahead += moved * slope[k]
            behind += moved * old_slope[k]
            bend += change * change if moved != 0 else np.float32(0.0)
        value = -log_mass[n] - bound * total - 0.5 * slack * squares
        ascent.accepted[p] = value >= ascent.dual[p] or ahead >= 0
        if ascent.accepted[p]:
            ascent.dual[p] = value
            if behind > ahead:
                ascent.step[p] = min(max((behind - ahead) / bend, _SHORTEST_STEP), _LONGEST_STEP)
            elif ahead > 0:
                ascent.step[p] = min(2.0 * ascent.step[p], _LONGEST_STEP)
            for k in range(size):
                old[k] = new[k]
            for k in range(size):
                old_slope[k] = slope[k]
            for k in range(size):
                slope[k] = abs(min(max(new[k] + slope[k], least), greatest) - new[k])
            worst = np.int32(0)
            for k in range(size):
                worst = max(worst, slope_bits[k])
            largest[0] = worst
            ascent.residual[p] = largest.view(np.float32)[0]
        else:
            ascent.step[p] *= min(max(behind / (behind - ahead), 0.1), 0.7)


@kernel
def measure(starts, bound, equal, multipliers, expectations, tilt, excess, worst):
    """Add measures of each pair's multipliers and expectations to ``tilt``, ``excess`` and ``worst``.

    A violation is |E[f] - bound| if ``equal``, else the positive part of E[f] - bound. tilt, excess, worst:
    float64 [pairs]: tilt is l . E[f], excess the sum of squared violations, and worst the largest violation.
    """
    for p in range(len(starts) - 1):
        x = multipliers[starts[p] : starts[p + 1]]
        e = expectations[starts[p] : starts[p + 1]]
        largest = np.float32(0.0)
        squares = np.float64(0.0)
        product = np.float64(0.0)
        for k in range(len(x)):
            violation = e[k] - bound
            violation = abs(violation) if equal else max(violation, np.float32(0.0))
            largest = max(largest, violation)
            squares += violation * violation
            product += x[k] * e[k]
        tilt[p] += product
        excess[p] += squares
        worst[p] = max(worst[p], largest)
