"""Random directional models, and derivatives by differences."""

# ruff: noqa: E741 (I is the length of the conditioning side, as in the papers)

import math

from tests import naive

KINDS = ("model1", "model2", "model2_table", "hmm")


def positive(rng, n):
    return [0.1 + rng.random() for _ in range(n)]


def random_model(rng, I, J, kind, p0=None):
    emit = [positive(rng, I) for _ in range(J)]
    null = positive(rng, J)
    p0 = naive.default_p0(I) if p0 is None else p0
    if kind == "model1":
        return naive.model1(emit, null, p0)
    if kind == "model2":
        return naive.model2(emit, null, p0, positive(rng, naive.BUCKETS))
    if kind == "model2_table":
        rows = [positive(rng, I) for _ in range(J)]
        return naive.model2_table(emit, null, p0, [[x / sum(row) for x in row] for row in rows])
    return naive.hmm(emit, null, p0, *(positive(rng, naive.BUCKETS) for _ in range(3)))


def derivative(f, x, step=1e-5):
    """Return d f / d log x_k for each k, by central differences."""
    out = []
    for k in range(len(x)):
        up, down = list(x), list(x)
        up[k] *= math.exp(step)
        down[k] *= math.exp(-step)
        out.append((f(up) - f(down)) / (2 * step))
    return out
