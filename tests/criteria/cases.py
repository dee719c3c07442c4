"""Models, texts, E-steps and enumerated projections that the tests of several criteria share."""

# ruff: noqa: E741 (I is the papers' name for the length of the conditioning side)

import numpy as np

from aligner.criteria import DistortionCounts
from aligner.criteria.projection import project
from aligner.training.estep import BlockEStep
from tests import naive
from tests.support import bitext_of, index_pairs, random_pair

KINDS = ["ibm1", "ibm2", "ibm2-full", "hmm"]

TEXT = [
    ("a b c", "x y"),
    ("b", "y z y"),
    ("a a", "x"),
    ("c b a", "z y x"),
    ("d", "w"),
    ("a b b", "x y y w"),
    ("d d d d", "x"),
]
WIDE = [("a b c d a b c d", "x y"), ("x", "a b c"), ("d c b a d c", "w z")]
"""Pairs in which one side is much longer."""

CONVERGED = {"steps": 3000, "tolerance": 2e-6, "slack": 0.0}
"""Options of a constrained criterion that solve the projections to about 1e-5."""


def case(text, kind, seed=1):
    """Return a bitext, a random model of it, its block source, and the whole text as one block."""
    bitext = bitext_of(text)
    _, source = index_pairs(bitext)
    return bitext, random_pair(kind, bitext, seed), source, block_of(source)


def block_of(source, start=0, stop=None):
    """Return the block of a run of pairs, by default all, with pair_ids."""
    span = start, len(source.bitext) if stop is None else stop
    (block,) = source.blocks([span])
    return block


def expected_counts(criterion, model, bitext, threads=1, block_cells=None):
    """Return the counts of an E-step over a text, from the criterion's initial state."""
    _, source = index_pairs(bitext)
    return BlockEStep(source, threads, block_cells)(criterion, model, criterion.initial_state(source, model))


def estep(criterion, model, block, state=None):
    """Return the posteriors of a block, its measures by name, and the distortion counts."""
    distortion = DistortionCounts(*(own.new_counts() for own in model.directions))
    posteriors = criterion.estep(model, block, distortion, state)
    return posteriors, dict(zip(criterion.measures, posteriors.measures, strict=True)), distortion


def projections(criterion, model, block, **options):
    """Return the families of a block, each with its projection."""
    families = criterion.families(model, model.potentials(block))
    return [(family, project(family, **options)) for family in families]


def links_by_pair(block, links):
    """Yield the links of each sentence pair, [I, J]."""
    begin = 0
    for I, J in zip(block.source_lengths, block.target_lengths, strict=True):
        yield links[begin : begin + I * J].reshape(I, J)
        begin += I * J


def quantised(multipliers):
    """Return multipliers in the format of the state, int16 in units of 1 / 1024."""
    return np.rint(np.asarray(multipliers) * 1024).astype(np.int16)


class EnumeratedProjection:
    """The projection of one sentence pair by enumeration.

    F, R: [I, J]; null_forward: [J]; null_reverse: [I]; q: each direction's distribution over alignments;
    multipliers, dual: one entry for each family; kl: of both directions together. All are exact to 1e-6.
    """

    def __init__(self, criterion, forward, reverse, **power):
        power["tolerance"] = 1e-8
        if criterion.name == "substochastic":
            one, other = naive.substochastic(forward, **power), naive.substochastic(reverse, **power)
            self.F, self.R = np.array(one.links).T, np.array(other.links)
            self.q = one.q, other.q
            self.multipliers = [one.lambdas, other.lambdas]
            self.dual, self.kl = [one.dual, other.dual], one.kl + other.kl
        else:
            both = naive.symmetric(forward, reverse, **power)
            self.F, self.R = np.array(both.forward_links).T, np.array(both.reverse_links).T
            self.q = both.forward_q, both.reverse_q
            self.multipliers = [np.array(both.lambdas).T.ravel()]
            self.dual, self.kl = [both.dual], both.kl
        self.null_forward = 1 - self.F.sum(axis=0)
        self.null_reverse = 1 - self.R.sum(axis=1)
