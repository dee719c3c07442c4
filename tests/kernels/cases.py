"""Random blocks of sentence pairs, with models of them and the oracle's view of these models."""

import numpy as np

from aligner.kernels.constants import COUNT_SCALE
from aligner.models import HMM, IBM1, IBM2, DirectionalCells, IBM2Full
from tests import naive

KINDS = ["ibm1", "ibm2", "ibm2-full", "hmm", "hmm, words"]
"""Kinds of models. "hmm, words" is the HMM with jumps of their own for frequent words."""

SMALL = [(1, 1), (2, 3), (3, 2), (1, 4), (4, 1), (4, 4), (3, 4)]
"""Sizes (I, J) of which all alignments are enumerated."""

WIDE = [(7, 2), (12, 2), (6, 3), (9, 3), (1, 5), (11, 1)]
"""Sizes by which every bucket and both kinds of outer bucket are reached."""


WORDS = 3
"""The number of words of random sentences. A word with this id is out of vocabulary."""

FREQUENT = 2
"""The number of these words that have jumps of their own."""


def make_block(kind, sizes, seed, p0=-1.0):
    """Return a block of random pairs of the sizes (I, J), and a random model."""
    rng = np.random.default_rng(seed)
    conditioning = np.array([size[0] for size in sizes], np.int32)
    emitted = np.array([size[1] for size in sizes], np.int32)
    links = (rng.random(int(conditioning @ emitted)) ** 4 + 1e-6).astype(np.float32)
    null = (rng.random(int(emitted.sum())) ** 4 + 1e-6).astype(np.float32)
    jumps = rng.dirichlet(np.ones(11), size=3)
    if kind == "ibm1":
        model = IBM1(p0)
    elif kind == "ibm2":
        model = IBM2(jumps[0], p0)
    elif kind == "hmm":
        model = HMM(jumps, p0)
    elif kind == "hmm, words":
        model = HMM(rng.dirichlet(np.ones(11), size=3 + FREQUENT + 1), p0)
    else:
        model = IBM2Full.initial(conditioning, emitted, p0)
        table = rng.random(len(model.table)).astype(np.float32)
        model = IBM2Full(model.shapes, model.starts, table, p0)
        model = model.mstep((table * COUNT_SCALE).astype(np.int64))
    words = rng.integers(0, WORDS + 1, conditioning.sum(), np.int32)
    return DirectionalCells(links, null, conditioning, emitted, words), model


def make_case(kind, sizes, seed, p0=-1.0):
    """Return the block and the model of ``make_block``, and the oracle's model of each pair."""
    cells, model = make_block(kind, sizes, seed, p0)
    oracles = []
    for n, (width, height) in enumerate(sizes):
        links, null = rows(cells, n)
        emit, nulls = links.astype(float).tolist(), null.astype(float).tolist()
        prior = naive.default_p0(width) if p0 < 0 else p0
        if kind == "ibm1":
            oracles.append(naive.model1(emit, nulls, prior))
        elif kind == "ibm2":
            oracles.append(naive.model2(emit, nulls, prior, model.jumps.tolist()))
        elif kind == "hmm":
            oracles.append(naive.hmm(emit, nulls, prior, *model.jumps.tolist()))
        elif kind == "hmm, words":
            first, _, last = model.jumps[:3].tolist()
            inside = model.jumps[word_sets(cells, n)].tolist()
            oracles.append(naive.hmm_by_position(emit, nulls, prior, first, inside, last))
        else:
            table = table_rows(model, width, height).astype(float)
            oracles.append(naive.model2_table(emit, nulls, prior, table.tolist()))
    return cells, model, oracles


def word_sets(cells, n):
    """Return the set of jumps from each position of pair n, in an HMM with jumps of words."""
    first = int(cells.conditioning[:n].sum())
    return [3 + min(int(word), FREQUENT) for word in cells.words[first : first + int(cells.conditioning[n])]]


def table_start(model, width, height):
    """Return the index at which the table of sentences of these lengths begins, in an ``IBM2Full``."""
    return int(model.starts[model.shapes == (width << 32 | height)][0])


def table_rows(model, width, height):
    """Return the table of sentences of these lengths, [J, I], of an ``IBM2Full``."""
    start = table_start(model, width, height)
    return model.table[start : start + width * height].reshape(height, width)


def copy(cells):
    """Return cells that can be overwritten by posteriors."""
    return cells._replace(links=cells.links.copy(), null=cells.null.copy())


def rows(cells, n):
    """Return the links [J, I] and the NULLs [J] of pair n."""
    sizes = cells.conditioning.astype(int) * cells.emitted
    cell, token = int(sizes[:n].sum()), int(cells.emitted[:n].sum())
    height, width = int(cells.emitted[n]), int(cells.conditioning[n])
    links = cells.links[cell : cell + height * width].reshape(height, width)
    return links, cells.null[token : token + height]
