"""The oracle: every quantity of the toolkit by enumerating all (I+1)^J alignments of one tiny sentence pair.

Pure Python, no shortcuts, meant to be read beside the papers and compared with the kernels. Everything is
*directional*: an emitted side of length J given a conditioning side of length I. An alignment is a tuple
a = (a_1 .. a_J) with a_j in 0..I and 0 = NULL. In formulas j and i count from 1; in lists they count from 0:

    emit[j-1][i-1]   J x I, potential of emitted word j at conditioning word i, any nonnegative number
    null[j-1]        J, its potential at NULL

    joint(a) = prod_j (emit or null potential of j at a_j)  *  distortion(a)

where distortion(a) holds everything else: the NULL probability p0, the (1 - p0) of each real link, and the
position or jump probabilities. Functions of the joint take two exponents, power_lex for the potentials and
power_dist for the distortion (p0 included); both are 1 unless said.

Offsets fall into eleven buckets, <= -5, -4 .. 4, >= 5. An outer bucket's mass is shared equally by the
positions of this sentence that fall into it.
"""

# ruff: noqa: E741 (I is the papers' name for the length of the conditioning side)

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

Alignment = tuple[int, ...]
Vector = Sequence[float]
Matrix = Sequence[Sequence[float]]
Posterior = dict[Alignment, float]
Links = set[tuple[int, int]]

REACH = 5  # offsets at or beyond this share the outer bucket
BUCKETS = 2 * REACH + 1
LEFTS = REACH + 2  # reach classes on the left, 0..6
RIGHTS = REACH + 1  # reach classes on the right, 0..5


# --------------------------------------------------------------------------- the pieces of a distortion


def alignments(I: int, J: int) -> Iterator[Alignment]:
    """All (I+1)^J alignments of J emitted words to NULL (0) or one of I conditioning words (1..I)."""
    return itertools.product(range(I + 1), repeat=J)


def default_p0(I: int) -> float:
    """The length-dependent NULL probability 1/(I+1) (Liang, Taskar & Klein 2006, section 2)."""
    return 1 / (I + 1)


def bucket(offset: int) -> int:
    """The bucket 0..10 of an offset: clip(offset, -5, 5) + 5."""
    return max(-REACH, min(REACH, offset)) + REACH


def centre(j: int, I: int, J: int) -> int:
    """floor(j I / J + 1/2), the point of the diagonal at j = 1..J, in exact integer arithmetic; 0..I."""
    return (2 * j * I + J) // (2 * J)


def reach_class(origin: int, I: int) -> tuple[int, int]:
    """(left, right), all that the normaliser at `origin` in 0..I depends on.

    Positions 1..I lie at offsets 1-origin .. I-origin: `origin` of them at offsets 0, -1, ..., and I - origin
    at offsets 1, 2, .... After the sixth on the left and the fifth on the right they repeat the outer bucket.
    """
    return min(origin, REACH + 1), min(I - origin, REACH)


@functools.cache
def reachable(left: int, right: int) -> frozenset[int]:
    """The buckets that a reach class can reach, by listing the positions of the smallest sentence in it."""
    origin, I = left, left + right
    return frozenset(bucket(i - origin) for i in range(1, I + 1))


def normaliser(c: Vector, left: int, right: int) -> float:
    """Z(c) of a reach class: the sum of c over its reachable buckets."""
    return sum(c[b] for b in sorted(reachable(left, right)))


def position_weights(c: Vector, origin: int, I: int) -> list[float]:
    """d(i | origin) for i = 1..I: c_b / n_b / Z with b = bucket(i - origin), n_b positions in b; sums to one.

    n_b can exceed one in an outer bucket only. When every reachable c is zero, all weights are zero.
    """
    buckets = [bucket(i - origin) for i in range(1, I + 1)]
    Z = sum(c[b] for b in set(buckets))
    if Z == 0:
        return [0.0] * I
    return [c[b] / buckets.count(b) / Z for b in buckets]


def last_weights(c: Vector, I: int) -> list[float]:
    """Where the sentence is left, for i = 1..I: offset I+1-i, normalised over i; a distribution over i."""
    return position_weights(c, 0, I)[::-1]


# --------------------------------------------------------------------------- the models


class Directional(NamedTuple):
    """One directional model on one pair: emit J x I, null J, and the distortion factor of an alignment."""

    emit: Matrix
    null: Vector
    distortion: Callable[[Alignment], float]


def size(model: Directional) -> tuple[int, int]:
    """(I, J) of the pair. J must be at least one, or I could not be read off `emit`."""
    return len(model.emit[0]), len(model.emit)


def model1(emit: Matrix, null: Vector, p0: float) -> Directional:
    """Model 1 (Brown et al. 1993): NULL p0, each position (1 - p0) / I."""
    I = len(emit[0])

    def distortion(a: Alignment) -> float:
        return math.prod(p0 if i == 0 else (1 - p0) / I for i in a)

    return Directional(emit, null, distortion)


def model2_table(emit: Matrix, null: Vector, p0: float, table: Matrix) -> Directional:
    """Model 2 with the full table (Brown et al. 1993): (1 - p0) p(i | j, I, J), p = table[j-1][i-1]."""

    def distortion(a: Alignment) -> float:
        return math.prod(p0 if i == 0 else (1 - p0) * row[i - 1] for i, row in zip(a, table, strict=True))

    return Directional(emit, null, distortion)


def model2(emit: Matrix, null: Vector, p0: float, c: Vector) -> Directional:
    """Model 2 in eleven buckets around the diagonal (Liang et al. 2006, section 2)."""
    I, J = len(emit[0]), len(emit)
    return model2_table(emit, null, p0, [position_weights(c, centre(j, I, J), I) for j in range(1, J + 1)])


def hmm(emit: Matrix, null: Vector, p0: float, first: Vector, inside: Vector, last: Vector) -> Directional:
    """The HMM (Vogel et al. 1996; Liang et al. 2006, section 2): jumps from the last linked position.

    `first` enters the sentence (from position 0), `inside` jumps within it, `last` leaves it from the last
    linked position; a sentence with only NULL links leaves with 1/I.
    """
    I = len(emit[0])
    entering = position_weights(first, 0, I)
    jumping = [position_weights(inside, origin, I) for origin in range(1, I + 1)]
    leaving = last_weights(last, I)

    def distortion(a: Alignment) -> float:
        value, at = 1.0, 0
        for i in a:
            if i == 0:
                value *= p0  # NULL does not move the chain
            else:
                value *= (1 - p0) * (entering if at == 0 else jumping[at - 1])[i - 1]
                at = i
        return value * (1 / I if at == 0 else leaving[at - 1])

    return Directional(emit, null, distortion)


# --------------------------------------------------------------------------- sums over alignments


def hmm_chain(
    emit: Matrix, null: Vector, p0: float, first: Vector, inside: Vector, last: Vector
) -> tuple[list[list[float]], list[float], float]:
    """For pairs too long to enumerate: link and NULL posteriors of `hmm`, and the log of its total.

    Forward-backward over the states 0, no link so far, and 1..I, the last linked position, with every one of
    the (I+1) I transitions: O(I^2 J). Each row of forward mass is brought to sum one.
    """
    I, J = len(emit[0]), len(emit)
    weights = [position_weights(first, 0, I)] + [position_weights(inside, i, I) for i in range(1, I + 1)]
    moves = [[(1 - p0) * weight for weight in row] for row in weights]
    arriving = list(zip(*moves, strict=True))
    state = [1.0] + [0.0] * I
    before, linked, scales = [], [], []
    for potentials, stay in zip(emit, null, strict=True):
        moved = [
            e * math.fsum(map(operator.mul, state, to)) for e, to in zip(potentials, arriving, strict=True)
        ]
        reached = [m + p0 * stay * s for m, s in zip([0.0, *moved], state, strict=True)]
        scale = math.fsum(reached)
        before.append(state)
        linked.append([m / scale for m in moved])
        scales.append(scale)
        state = [mass / scale for mass in reached]
    ends = [1 / I, *last_weights(last, I)]
    ending = math.fsum(map(operator.mul, state, ends))
    after = [end / ending for end in ends]
    links, nulls = [], []
    for j in reversed(range(J)):
        stay = p0 * null[j] / scales[j]
        links.insert(0, [m * b for m, b in zip(linked[j], after[1:], strict=True)])
        nulls.insert(0, stay * math.fsum(map(operator.mul, before[j], after)))
        onward = [e / scales[j] * b for e, b in zip(emit[j], after[1:], strict=True)]
        after = [
            math.fsum(map(operator.mul, row, onward)) + stay * b for row, b in zip(moves, after, strict=True)
        ]
    return links, nulls, math.fsum(map(math.log, scales)) + math.log(ending)


def joint(model: Directional, a: Alignment, *, power_lex: float = 1.0, power_dist: float = 1.0) -> float:
    """p(emitted, a | conditioning) = lexical(a)^power_lex * distortion(a)^power_dist."""
    lexical = math.prod(
        null if i == 0 else row[i - 1] for i, row, null in zip(a, model.emit, model.null, strict=True)
    )
    return float(lexical**power_lex * model.distortion(a) ** power_dist)


def total(model: Directional, **power: float) -> float:
    """sum_a joint(a): the likelihood of the emitted side."""
    return math.fsum(joint(model, a, **power) for a in alignments(*size(model)))


def posterior(model: Directional, **power: float) -> Posterior:
    """p(a | pair) for every alignment."""
    Z = total(model, **power)
    return {a: joint(model, a, **power) / Z for a in alignments(*size(model))}


def marginals(q: Mapping[Alignment, float], I: int, J: int) -> tuple[list[list[float]], list[float]]:
    """Under any distribution q over alignments: q(a_j = i) as J x I, and q(a_j = NULL) as J."""
    links = [[math.fsum(p for a, p in q.items() if a[j] == i) for i in range(1, I + 1)] for j in range(J)]
    nulls = [math.fsum(p for a, p in q.items() if a[j] == 0) for j in range(J)]
    return links, nulls


def link_posteriors(model: Directional, **power: float) -> tuple[list[list[float]], list[float]]:
    """p(a_j = i | pair) as J x I and p(a_j = NULL | pair) as J."""
    return marginals(posterior(model, **power), *size(model))


def viterbi(model: Directional, **power: float) -> tuple[set[Alignment], float]:
    """All alignments with the highest joint (up to rounding, 1e-12 relative), and that joint.

    With power_lex=2 this is the decision rule of Cheng, Liu & Xu 2017, eq. (7).
    """
    scores = {a: joint(model, a, **power) for a in alignments(*size(model))}
    best = max(scores.values())
    return {a for a, score in scores.items() if score >= best * (1 - 1e-12)}, best


def tilted(model: Directional, factors: Matrix) -> Directional:
    """The model with every lexical potential multiplied by factors[j][i]; NULL stays as it is."""
    emit = [[e * f for e, f in zip(*rows, strict=True)] for rows in zip(model.emit, factors, strict=True)]
    return model._replace(emit=emit)


# --------------------------------------------------------------------------- distortion: counts and M-step


class JumpCounts(NamedTuple):
    """Sufficient statistics of one set of buckets.

    N[b] (11): expected jumps in bucket b. M[left][right] (7 x 6): expected uses of each class's normaliser.
    """

    N: list[float]
    M: list[list[float]]


def no_jumps() -> JumpCounts:
    """DistortionCounts of nothing, to add to."""
    return JumpCounts([0.0] * BUCKETS, [[0.0] * RIGHTS for _ in range(LEFTS)])


def _count(counts: JumpCounts, offset: int, reach: tuple[int, int], p: float) -> None:
    left, right = reach
    counts.N[bucket(offset)] += p
    counts.M[left][right] += p


def model2_statistics(q: Mapping[Alignment, float], I: int, J: int) -> JumpCounts:
    """Expected bucket counts of bucketed Model 2 under q."""
    counts = no_jumps()
    for a, p in q.items():
        for j, i in enumerate(a, start=1):
            if i > 0:
                origin = centre(j, I, J)
                _count(counts, i - origin, reach_class(origin, I), p)
    return counts


def hmm_statistics(q: Mapping[Alignment, float], I: int) -> dict[str, JumpCounts]:
    """Expected bucket counts of the HMM under q, for "first", "inside" and "last"."""
    counts = {name: no_jumps() for name in ("first", "inside", "last")}
    for a, p in q.items():
        at = 0
        for i in a:
            if i > 0:
                _count(counts["first" if at == 0 else "inside"], i - at, reach_class(at, I), p)
                at = i
        if at > 0:
            _count(counts["last"], I + 1 - at, reach_class(0, I), p)
    return counts


def _classes(M: Matrix) -> Iterator[tuple[int, int, float]]:
    for left, right in itertools.product(range(LEFTS), range(RIGHTS)):
        if M[left][right] > 0:
            yield left, right, M[left][right]


def mstep_objective(c: Vector, N: Vector, M: Matrix) -> float:
    """sum_b N_b log c_b - sum_(left,right) M log Z(c): what the exact distortion M-step maximises."""
    gain = math.fsum(n * math.log(x) if x > 0 else -math.inf for n, x in zip(N, c, strict=True) if n > 0)
    return gain - math.fsum(uses * math.log(normaliser(c, left, right)) for left, right, uses in _classes(M))


def mstep_round(c: Vector, N: Vector, M: Matrix) -> list[float]:
    """One minorise-maximise round, c_b <- N_b / sum_(left,right) M r_b / Z(c), then scaled to sum to one.

    r_b = 1 when the class reaches b. A bucket that no class reaches keeps its share: nothing was seen of it.
    """
    new = []
    for b in range(BUCKETS):
        slope = math.fsum(
            uses / normaliser(c, left, right)
            for left, right, uses in _classes(M)
            if b in reachable(left, right)
        )
        new.append(N[b] / slope if slope > 0 else c[b])
    scale = math.fsum(new)
    return [x / scale for x in new]


def mstep(c: Vector, N: Vector, M: Matrix, rounds: int = 2000) -> list[float]:
    """The maximiser of `mstep_objective`, by very many rounds from c."""
    for _ in range(rounds):
        c = mstep_round(c, N, M)
    return list(c)


# --------------------------------------------------------------------------- product EM, exactly


def reverse_alignment(a: Alignment, I: int) -> Alignment | None:
    """The same links read from the other side, or None when some conditioning word has two links."""
    b = [0] * I
    for j, i in enumerate(a, start=1):
        if i > 0:
            if b[i - 1] > 0:
                return None
            b[i - 1] = j
    return tuple(b)


def product_exact(
    forward: Directional, reverse: Directional, **power: float
) -> tuple[list[list[float]], float]:
    """The exact product E-step (Liang, Klein & Jordan 2008, section 4): links J x I, log of the sum.

    The alignments are Z1 ∩ Z2, the link sets in which every word of either side has at most one link, and
    the potential of one is forward.joint * reverse.joint; an unlinked word is a NULL link of the model that
    emits it. `reverse` is indexed its own way: emit I x J, null I.
    """
    I, J = size(forward)
    scores = {}
    for a in alignments(I, J):
        b = reverse_alignment(a, I)
        if b is not None:
            scores[a] = joint(forward, a, **power) * joint(reverse, b, **power)
    Z = math.fsum(scores.values())
    links, _ = marginals({a: score / Z for a, score in scores.items()}, I, J)
    return links, math.log(Z)


# --------------------------------------------------------------------------- posterior constraints


class Projection(NamedTuple):
    """q = argmin KL(q || p) under constraints on one direction, with marginals and multipliers."""

    q: Posterior
    links: list[list[float]]
    nulls: list[float]
    lambdas: list[float]
    dual: float
    kl: float


class Agreement(NamedTuple):
    """The same for two directions at once. All J x I, in the forward direction's order, reverse links too."""

    forward_q: Posterior
    reverse_q: Posterior
    forward_links: list[list[float]]
    reverse_links: list[list[float]]
    lambdas: list[list[float]]
    dual: float
    kl: float


class _Factor(NamedTuple):
    """An independent part of z: p(features), each set of features as the list of its constraints' numbers."""

    sign: float
    probabilities: Mapping[tuple[int, ...], float]


def kl_divergence(q: Mapping[Alignment, float], p: Mapping[Alignment, float]) -> float:
    """KL(q || p) = sum_a q(a) log q(a) / p(a)."""
    return math.fsum(q[a] * math.log(q[a] / p[a]) for a in q if q[a] > 0)


def _factor(sign: float, p: Mapping[Alignment, float], features: Callable[[Alignment], list[int]]) -> _Factor:
    grouped: Counter[tuple[int, ...]] = Counter()
    for a, probability in p.items():
        grouped[tuple(sorted(features(a)))] += probability  # type: ignore[assignment]
    return _Factor(sign, grouped)


def _dual(factors: Sequence[_Factor], bound: float, lambdas: Vector) -> tuple[float, list[float]]:
    """g(lambda) = -b sum_k lambda_k - sum_factors log E_p exp(-sign lambda.f); gradient E_q[sign f] - b."""
    value = -bound * math.fsum(lambdas)
    gradient = [-bound] * len(lambdas)
    for sign, probabilities in factors:
        weights = {f: p * math.exp(-sign * sum(lambdas[k] for k in f)) for f, p in probabilities.items()}
        Z = math.fsum(weights.values())
        if Z == 0:
            raise ArithmeticError("the dual grows without bound: the constraints cannot be met")
        value -= math.log(Z)
        for f, weight in weights.items():
            for k in f:
                gradient[k] += sign * weight / Z
    return value, gradient


def _ascend(
    factors: Sequence[_Factor], bound: float, size: int, *, signed: bool, tolerance: float
) -> tuple[list[float], float]:
    """Maximise the dual by projected gradient ascent with the step 1/L that is safe everywhere.

    The dual is concave and its curvature is a covariance, at most L = sum over factors of max |f|^2.
    Nesterov's momentum, dropped whenever it points downhill, only saves time. Stops when the gradient mapping
    |lambda_new - lambda| / step is below the tolerance in every coordinate.
    """
    step = 1 / sum(
        max(sum(n * n for n in Counter(f).values()) for f in factor.probabilities) or 1 for factor in factors
    )
    old, at, momentum = [0.0] * size, [0.0] * size, 1.0
    for _ in range(200_000):
        _, gradient = _dual(factors, bound, at)
        new = [x + step * g for x, g in zip(at, gradient, strict=True)]
        if not signed:
            new = [max(0.0, x) for x in new]
        if max(abs(x - y) for x, y in zip(new, at, strict=True)) < tolerance * step:
            return new, _dual(factors, bound, new)[0]
        moves = [x - y for x, y in zip(new, old, strict=True)]
        if sum(g * move for g, move in zip(gradient, moves, strict=True)) < 0:
            momentum = 1.0
        following = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
        at = [x + (momentum - 1) / following * move for x, move in zip(new, moves, strict=True)]
        old, momentum = new, following
    raise ArithmeticError("the dual did not reach its maximum: can the constraints be met?")


def substochastic(model: Directional, *, tolerance: float = 1e-10, **power: float) -> Projection:
    """Each conditioning word is used at most once in expectation (Graca, Ganchev & Taskar 2007, section 4.1).

    q = argmin KL(q || p) s.t. sum_j q(a_j = i) <= 1 for each i; NULL is free. lambda >= 0 and
    q ∝ p exp(-sum_i lambda_i #{j: a_j = i}). At the solution kl = dual.
    """
    I, J = size(model)
    p = posterior(model, **power)
    factor = _factor(1.0, p, lambda a: [i - 1 for i in a if i > 0])
    lambdas, dual = _ascend([factor], 1.0, I, signed=False, tolerance=tolerance)
    weights = {a: prob * math.exp(-sum(lambdas[i - 1] for i in a if i > 0)) for a, prob in p.items()}
    Z = math.fsum(weights.values())
    q = {a: weight / Z for a, weight in weights.items()}
    links, nulls = marginals(q, I, J)
    return Projection(q, links, nulls, lambdas, dual, kl_divergence(q, p))


def symmetric(
    forward: Directional, reverse: Directional, *, tolerance: float = 1e-10, **power: float
) -> Agreement:
    """The two directions agree on each link in expectation (Graca, Ganchev & Taskar 2007, section 4.2).

    (q_f, q_r) = argmin KL(q_f || p_f) + KL(q_r || p_r) s.t. q_f(a_j = i) = q_r(b_i = j) for each i, j.
    q_f ∝ p_f exp(sum lambda_ji z_ij), q_r ∝ p_r exp(-sum lambda_ji z_ij), lambda of either sign; the dual's
    gradient is R - F. `reverse` is indexed its own way (emit I x J); what comes back is J x I throughout.
    """
    I, J = size(forward)
    p_f, p_r = posterior(forward, **power), posterior(reverse, **power)

    def forward_cells(a: Alignment) -> list[int]:
        return [j * I + i - 1 for j, i in enumerate(a) if i > 0]

    def reverse_cells(b: Alignment) -> list[int]:
        return [(j - 1) * I + i for i, j in enumerate(b) if j > 0]

    factors = [_factor(-1.0, p_f, forward_cells), _factor(1.0, p_r, reverse_cells)]
    flat, dual = _ascend(factors, 0.0, I * J, signed=True, tolerance=tolerance)

    def tilt(p: Posterior, sign: float, cells: Callable[[Alignment], list[int]]) -> Posterior:
        weights = {a: prob * math.exp(sign * sum(flat[k] for k in cells(a))) for a, prob in p.items()}
        Z = math.fsum(weights.values())
        return {a: weight / Z for a, weight in weights.items()}

    q_f, q_r = tilt(p_f, 1.0, forward_cells), tilt(p_r, -1.0, reverse_cells)
    forward_links, _ = marginals(q_f, I, J)
    by_source, _ = marginals(q_r, J, I)
    return Agreement(
        q_f,
        q_r,
        forward_links,
        [[by_source[i][j] for i in range(I)] for j in range(J)],
        [flat[j * I : (j + 1) * I] for j in range(J)],
        dual,
        kl_divergence(q_f, p_f) + kl_divergence(q_r, p_r),
    )


# --------------------------------------------------------------------------- MRE and scores


def mre_objective(model: Directional) -> float:
    """log sum_z P(z|y) P(x|z,y)^2 - log P(x|y), P(z|y) the distortion (Cheng, Liu & Xu 2017)."""
    return math.log(total(model, power_lex=2.0)) - math.log(total(model))


def aer(answer: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links]) -> float:
    """1 - (|A∩S| + |A∩P|) / (|A| + |S|) over the whole corpus, P taken to contain S (Och & Ney 2003).

    Nothing asked and nothing answered is no error: 0.
    """
    hits = asked = 0
    for A, S, P in zip(answer, sure, possible, strict=True):
        hits += len(A & S) + len(A & (P | S))
        asked += len(A) + len(S)
    return 1 - hits / asked if asked else 0.0


# --------------------------------------------------------------------------- spelling


def common_subsequence(one: str, other: str) -> int:
    """The length of the longest, by the textbook's table."""
    row = [0] * (len(other) + 1)
    for x in one:
        diagonal = 0
        for y, letter in enumerate(other, start=1):
            diagonal, row[y] = row[y], diagonal + 1 if x == letter else max(row[y], row[y - 1])
    return row[-1]


def likeness(one: str, other: str) -> int:
    """2 if two words are equal, 1 if they are alike, else 0; words of over 64 letters are equal or not."""
    if one == other:
        return 2
    if len(one) > 64:
        return 0
    return int(100 * common_subsequence(one, other) >= 58 * max(len(one), len(other)))
