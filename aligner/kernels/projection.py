"""Projected gradient ascent on many small concave functions side by side, one per sentence pair.

    g(l) = -log(Z(l) / Z(0)) - bound . l - slack / 2 |l|^2,     least <= l_k <= greatest
    g'(l) = E_l[f] - bound - slack l

A step is tried for some pairs only: ``pairs``, int64, are their numbers, and arrays named ``trial`` or
``expectations``, float32, are theirs alone, one pair's multipliers after the other's.
"""

import numpy as np

from aligner.kernels.policy import kernel

_SHORTEST = 1 / 64
_LONGEST = 64.0
_UNITS = 1024


@kernel
def propose(problem, ascent, pairs, trial):
    """trial = the multipliers moved by the pair's step along its gradient, then brought within bounds."""
    starts = problem.starts
    least, greatest = problem.least, problem.greatest
    at = 0
    for p in pairs:
        size = starts[p + 1] - starts[p]
        here = ascent.multipliers[starts[p] : starts[p + 1]]
        slope = ascent.gradient[starts[p] : starts[p + 1]]
        there = trial[at : at + size]
        step = np.float32(ascent.step[p])
        for k in range(size):
            there[k] = min(max(here[k] + step * slope[k], least), greatest)
        at += size


@kernel
def remember(multipliers, out):
    """out = multipliers in units of 1 / 1024, int16: half the memory, and exact enough to start from."""
    for k in range(len(multipliers)):
        out[k] = np.int16(np.rint(multipliers[k] * np.float32(_UNITS)))


@kernel
def recall(starts, remembered, pairs, trial):
    """Replace the trial of each pair that has any remembered multiplier by those it has.

    remembered: int16, flat, of all pairs, as ``remember`` leaves them.
    """
    unit = np.float32(1 / _UNITS)
    at = 0
    for p in pairs:
        size = starts[p + 1] - starts[p]
        before = remembered[starts[p] : starts[p + 1]]
        if before.any():
            there = trial[at : at + size]
            for k in range(size):
                there[k] = unit * before[k]
        at += size


@kernel
def judge(problem, ascent, pairs, trial, expectations, log_mass):
    """Go to the trial where the dual does not fall, and choose every pair's next step.

    expectations: E[f] at the trial, used up; log_mass: float64 [pairs tried], log(Z / Z(0)) there. A pair
    moves if its value is no less, or if the new slope along the move is not negative, which on a concave
    function proves the same and does not drown in the rounding of a sum.

    Having moved by s and seen the gradient change by y, the next step is -s.y / y.y, the shorter one of
    Barzilai & Borwein (1988), over the multipliers that were free to move; having gone too far, it is where
    the slope along the move, taken to be linear, is zero.
    """
    starts = problem.starts
    least, greatest = problem.least, problem.greatest
    bound, slack = problem.bound, problem.slack
    # Sizes of floats are ordered like their bits, and the largest of many integers is found many at a time.
    bits = expectations.view(np.int32)
    largest = np.empty(1, np.int32)
    at = 0
    for n in range(len(pairs)):
        p = pairs[n]
        size = starts[p + 1] - starts[p]
        here = ascent.multipliers[starts[p] : starts[p + 1]]
        slope = ascent.gradient[starts[p] : starts[p + 1]]
        there = trial[at : at + size]
        new = expectations[at : at + size]
        new_bits = bits[at : at + size]
        at += size
        # Short loops of few results each: all of them vectorise.
        for k in range(size):
            new[k] = new[k] - bound - slack * there[k]
        total = 0.0
        squares = 0.0
        for k in range(size):
            total += there[k]
            squares += there[k] * there[k]
        ahead = np.float32(0.0)
        behind = np.float32(0.0)
        bend = np.float32(0.0)
        for k in range(size):
            moved = there[k] - here[k]
            change = new[k] - slope[k]
            ahead += moved * new[k]
            behind += moved * slope[k]
            bend += change * change if moved != 0 else np.float32(0.0)
        value = -log_mass[n] - bound * total - 0.5 * slack * squares
        if value >= ascent.dual[p] or ahead >= 0:
            ascent.dual[p] = value
            if behind > ahead:
                ascent.step[p] = min(max((behind - ahead) / bend, _SHORTEST), _LONGEST)
            elif ahead > 0:
                ascent.step[p] = min(2.0 * ascent.step[p], _LONGEST)
            for k in range(size):
                here[k] = there[k]
            for k in range(size):
                slope[k] = new[k]
            for k in range(size):
                new[k] = abs(min(max(there[k] + new[k], least), greatest) - there[k])
            worst = np.int32(0)
            for k in range(size):
                worst = max(worst, new_bits[k])
            largest[0] = worst
            ascent.residual[p] = largest.view(np.float32)[0]
        else:
            ascent.step[p] *= min(max(behind / (behind - ahead), 0.1), 0.7)


@kernel
def measure(starts, bound, equal, multipliers, expectations, tilt, excess, worst):
    """What a distribution's multipliers and expectations amount to, per pair; float64 [pairs], added to.

    tilt: lambda . E[f]; excess: the sum of squared violations; worst: set to the largest violation if larger.
    A violation is E[f] - bound, where equal its size, else its positive part.
    """
    for p in range(len(starts) - 1):
        x = multipliers[starts[p] : starts[p + 1]]
        e = expectations[starts[p] : starts[p + 1]]
        largest = np.float32(0.0)
        squares = 0.0
        product = 0.0
        for k in range(len(x)):
            violation = e[k] - bound
            violation = abs(violation) if equal else max(violation, np.float32(0.0))
            largest = max(largest, violation)
            squares += violation * violation
            product += x[k] * e[k]
        tilt[p] += product
        excess[p] += squares
        worst[p] = max(worst[p], largest)
