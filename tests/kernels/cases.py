"""Random blocks of sentence pairs, with models of them and the oracle's view of these models."""

from itertools import islice

import numpy as np

from aligner.models import DirectionalCells
from tests.support import FREQUENT, oracle_of, random_distortion

KINDS = ["ibm1", "ibm2", "ibm2-full", "hmm", "hmm, words"]
"""Kinds of models. "hmm, words" is the HMM with jumps of their own for frequent words."""

SMALL = [(1, 1), (2, 3), (3, 2), (1, 4), (4, 1), (4, 4), (3, 4)]
"""Sizes (I, J) of which all alignments are enumerated."""

WIDE = [(7, 2), (12, 2), (6, 3), (9, 3), (1, 5), (11, 1)]
"""Sizes by which every bucket and both kinds of outer bucket are reached."""

WORDS = FREQUENT + 1
"""The number of words of random sentences. A word with this id is out of vocabulary."""


def make_block(kind, sizes, seed, p0=-1.0):
    """Return a block of random pairs of the sizes (I, J), and a random model."""
    rng = np.random.default_rng(seed)
    conditioning, emitted = np.array(sizes, np.int32).T.copy()
    links = (rng.random(int(conditioning @ emitted)) ** 4 + 1e-6).astype(np.float32)
    null = (rng.random(int(emitted.sum())) ** 4 + 1e-6).astype(np.float32)
    model = random_distortion(kind, rng, conditioning, emitted, p0)
    words = rng.integers(0, WORDS + 1, conditioning.sum(), np.int32)
    return DirectionalCells(links, null, conditioning, emitted, words), model


def make_case(kind, sizes, seed, p0=-1.0):
    """Return the block and the model of ``make_block``, and the oracle's model of each pair."""
    cells, model = make_block(kind, sizes, seed, p0)
    oracles = [oracle_of(model, links, null, words) for links, null, words in cells.by_pair()]
    return cells, model, oracles


def rows(cells, n):
    """Return the links [J, I] and the NULLs [J] of pair n."""
    return next(islice(cells.by_pair(), n, None))[:2]
