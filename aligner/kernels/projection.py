"""Projection of posteriors onto constraints: tilted potentials, and ascent on the dual function of each pair.

    g(l) = -log(Z(l) / Z(0)) - bound . l - slack / 2 |l|^2,     least <= l_k <= greatest
    g'(l) = E_l[f] - bound - slack l

l are the pair's multipliers, by which its lexical potentials are tilted, and f what the constraints bound. A
step is tried for some pairs only. ``pairs``, int64, holds their numbers, and the float32 arrays ``trial`` and
``expectations`` hold the entries of these pairs only, one after the other.

Kernels that take ``pairs`` work on these pairs of a block. ``starts``, int64 [pairs of the block + 1], holds
the first entry of each pair in arrays of the whole block. All other arrays hold the chosen pairs only.

Slow twins, by enumeration: ``substochastic`` and ``symmetric`` of ``tests.naive.constraints``.
"""

import numpy as np

from aligner.kernels.loops import copy
from aligner.kernels.policy import kernel

_SHORTEST_STEP = 1 / 64
_LONGEST_STEP = 64.0
UNITS = 1024
"""Remembered multipliers are int16 in units of 1 / 1024: half the memory, exact enough for a start."""


@kernel
def take(pairs, starts, values, out):
    """Copy the chosen pairs' entries of ``values``, an array of the whole block, to ``out``."""
    begin = 0
    for n in pairs:
        size = starts[n + 1] - starts[n]
        copy(values[starts[n] : starts[n + 1]], out[begin : begin + size])
        begin += size


@kernel
def put(pairs, starts, chosen, values, out):
    """Copy those of the pairs' ``values`` for which chosen[pair] is True to ``out``, of the whole block."""
    begin = 0
    for n in pairs:
        size = starts[n + 1] - starts[n]
        if chosen[n]:
            copy(values[begin : begin + size], out[starts[n] : starts[n + 1]])
        begin += size


@kernel
def tilt_columns(pairs, starts, emit, factors, conditioning, emitted, out):
    """Set out[j, i] to emit[j, i] factors[i]: scale the potentials of every conditioning word.

    emit: float32, [J, I] for every pair of the block; factors: float32, [I] for each chosen pair;
    conditioning, emitted: int32 [chosen pairs], I and J; out: float32, [J, I] for each chosen pair.
    """
    cell = 0
    token = 0
    for n in range(len(pairs)):
        width = conditioning[n]
        height = emitted[n]
        e = emit[starts[pairs[n]] : starts[pairs[n]] + width * height]
        factor = factors[token : token + width]
        for j in range(height):
            x = e[j * width : (j + 1) * width]
            y = out[cell : cell + width]
            for i in range(width):
                y[i] = x[i] * factor[i]
            cell += width
        token += width


@kernel
def sum_columns(links, conditioning, emitted, out):
    """Set out[i] to sum_j links[j, i], the expected number of links of each conditioning word.

    links: float32, [J, I] for each pair; out: float32, [I] for each pair.
    """
    cell = 0
    token = 0
    for n in range(len(conditioning)):
        width = conditioning[n]
        total = out[token : token + width]
        total[:] = np.float32(0.0)
        for _ in range(emitted[n]):
            x = links[cell : cell + width]
            for i in range(width):
                total[i] += x[i]
            cell += width
        token += width


@kernel
def tilt_links(
    pairs, starts, forward, reverse, factors, source_lengths, target_lengths, forward_out, reverse_out
):
    """Multiply each forward potential by its cell's factor, and divide the reverse potential by it.

    forward: float32, [J, I], and reverse: float32, [I, J], for every pair of the block; factors: float32,
    [I, J] for each chosen pair; source_lengths, target_lengths: int32 [chosen pairs], I and J; forward_out,
    reverse_out: float32, [J, I] and [I, J] for each chosen pair.
    """
    cell = 0
    for n in range(len(pairs)):
        width = source_lengths[n]
        height = target_lengths[n]
        size = width * height
        begin = starts[pairs[n]]
        f = forward[begin : begin + size]
        tilted = forward_out[cell : cell + size]
        r = reverse[begin : begin + size]
        q = reverse_out[cell : cell + size]
        factor = factors[cell : cell + size]
        for k in range(size):
            q[k] = r[k] / factor[k]
        for j in range(height):
            x = f[j * width : (j + 1) * width]
            y = tilted[j * width : (j + 1) * width]
            for i in range(width):
                y[i] = x[i] * factor[i * height + j]
        cell += size


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
def recall(starts, remembered, pairs, trial):
    """Set the trial of each pair to its remembered multipliers, unless they are all 0.

    starts: int64 [pairs of the block + 1]; remembered: int16, flat, the multipliers of
    all pairs in these ``UNITS``.
    """
    unit = np.float32(1 / UNITS)
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
