"""The best given word of each generated word on the scale of eflomal (see ``compat.scores``)."""

import math

import numpy as np

from aligner.kernels.policy import helper, kernel
from aligner.kernels.tables import digamma


@kernel
def fertility_ratios(counts, last, ratios):
    """Set ratios[e, k] to exp E[log p(k + 1 | e) - log p(k | e)], for the fertility ``last`` to ``last``.

    counts: float64 [words, fertilities], with their pseudo-counts; ratios: float64 [words, fertilities - 1].
    """
    for e in range(ratios.shape[0]):
        for k in range(ratios.shape[1]):
            ratios[e, k] = math.exp(digamma(counts[e, k + 1]) - digamma(counts[e, k]))
        ratios[e, -1] = last


@helper
def _index(jump, jumps):
    """Return the index of a jump in a table, from -n to n; longer jumps are its ends."""
    longest = len(jumps) // 2
    return min(max(jump, -longest), longest) + longest


@kernel
def order_repeated(given, given_starts, starts, linked):
    """Move each link to the one of the given words equal to its own that is the nearest to the diagonal."""
    for pair in range(len(starts) - 1):
        first, width = given_starts[pair], given_starts[pair + 1] - given_starts[pair]
        length = starts[pair + 1] - starts[pair]
        for n in range(length):
            j = starts[pair] + n
            for i in range(width if linked[j] >= 0 else 0):
                is_nearer = abs(i * length - n * width) < abs(linked[j] * length - n * width)
                if is_nearer and given[first + i] == given[first + linked[j]]:
                    linked[j] = i


@kernel
def count_jumps(given_starts, starts, linked, jumps):
    """Add the jumps of links, and those to the end of the given words, to ``jumps``: float64 [2 n + 1]."""
    for pair in range(len(starts) - 1):
        before = -1
        for j in range(starts[pair], starts[pair + 1]):
            if linked[j] >= 0:
                jumps[_index(linked[j] - before, jumps)] += 1.0
                before = linked[j]
        width = given_starts[pair + 1] - given_starts[pair]
        if width and starts[pair + 1] > starts[pair]:
            jumps[_index(width - before, jumps)] += 1.0


@kernel
def visit(
    given, made, given_starts, starts, codes, counts, totals, fertility, ratios, jumps, all_jumps, alpha,
    model, moves, linked, best,
):  # fmt: skip
    """Set best[j] to the greatest log q of each generated word. With ``moves``, move its link to this place.

    given, made: int64 ids; given_starts, starts: int64 [pairs + 1]; codes: int64, sorted, given << 32 | made,
    the last greater than any; counts: float64 of these; totals: float64 [given types], with pseudo-counts;
    fertility: int64 [given words]; ratios: float64 [given types, fertilities - 1]; jumps: float64 [2 n + 1];
    linked: int64 [generated words], a place or -1; best: float64, -inf where nothing is given. ``fertility``,
    ``jumps``, ``linked`` and ``best`` are changed.
    """
    for pair in range(len(starts) - 1):
        first, width = given_starts[pair], given_starts[pair + 1] - given_starts[pair]
        before = -1
        for j in range(starts[pair], starts[pair + 1]):
            old, after = linked[j], width
            for later in range(starts[pair + 1] - 1, j, -1):
                after = linked[later] if linked[later] >= 0 else after
            # Two jumps of a link are left out, or the jump past a word without one.
            own_word = given[first + old] if old >= 0 else -1
            lost = old if old >= 0 else after
            rest = all_jumps - 1.0 - (old >= 0)
            top, place = np.float64(0.0), -1
            for i in range(width):
                e = given[first + i]
                code, own = e << 32 | made[j], e == own_word
                at = np.searchsorted(codes, code)
                q = ((counts[at] if codes[at] == code else 0.0) - own + alpha) / (totals[e] - own)
                if model > 1:
                    for jump in (i - before, after - i):
                        left = jumps[_index(jump, jumps)] - (jump == lost - before)
                        q *= (left - (old >= 0 and jump == after - lost)) / rest
                if model > 2:
                    q *= ratios[e, min(fertility[first + i] - (i == old), ratios.shape[1] - 1)]
                if q > top * (1.0 + 1e-9):  # of equal places, the first
                    top, place = q, i
            if moves and old >= 0:
                fertility[first + old] -= 1
                fertility[first + place] += 1
                for jump in (old - before, after - old):
                    jumps[_index(jump, jumps)] -= 1.0
                for jump in (place - before, after - place):
                    jumps[_index(jump, jumps)] += 1.0
                linked[j] = place
            best[j] = math.log(top) if width else -np.inf
            before = linked[j] if linked[j] >= 0 else before
