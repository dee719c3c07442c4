"""Variants of inference: compared with enumeration, and with plain EM in the limit."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import Agreement
from aligner.criteria.base import maximise
from aligner.models import MODELS
from aligner.models.variants import BestOnly, annealed
from aligner.recipe.config import Stage
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from tests import naive
from tests.support import TEXTS, bitext_of, hmm_recipe, index_pairs, oracles, random_pair

KINDS = pytest.mark.parametrize("kind", MODELS)
SEEDS = st.integers(0, 10**6)


def whole_block(pair, bitext):
    """Return a text as one block with the pair_ids of its cells."""
    _, source = index_pairs(bitext)
    (block,) = source.blocks([(0, len(bitext))])
    return pair.lexicon.index.find(block)


def infer(pair, block, power=1.0):
    """Return the posteriors of both directions, and their log-likelihoods."""
    directions = [cells.to_power(power) for cells in pair.potentials(block)]
    counts = [model.new_counts() for model in pair.directions]
    return directions, pair.infer(directions, counts, power)


def matrices(cells):
    """Return the [J, 1 + I] posteriors of NULL and of each position, for each sentence pair."""
    return [np.column_stack([null, links]) for links, null, _ in cells.by_pair()]


# --------------------------------------------------------------------------- annealing


@KINDS
@given(text=TEXTS, seed=SEEDS, beta=st.sampled_from([0.1, 0.5, 0.9]))
def test_annealed_posteriors_match_enumeration(kind, text, seed, beta):
    bitext = bitext_of(text)
    pair = random_pair(kind, bitext, seed)
    directions, log_likelihoods = infer(annealed(pair, beta), whole_block(pair, bitext))
    found = [matrices(cells) for cells in directions]
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        for direction, oracle in enumerate(oracles(pair, source, target)):
            links, null = naive.link_posteriors(oracle, power_lex=beta, power_dist=beta)
            expected = np.column_stack([null, links])
            np.testing.assert_allclose(found[direction][n], expected, rtol=2e-4, atol=1e-6)
            total = naive.total(oracle, power_lex=beta, power_dist=beta)
            assert log_likelihoods[direction][n] == pytest.approx(math.log(total), rel=1e-5, abs=1e-5)


def test_annealing_ends_at_plain_em():
    stage = Stage("hmm", 5, anneal_from=0.25)
    betas = [stage.inverse_temperature(iteration) for iteration in range(5)]
    np.testing.assert_allclose(betas, [0.25, 0.25**0.75, 0.5, 0.25**0.25, 1.0])
    assert Stage("hmm", 1, anneal_from=0.25).inverse_temperature(0) == 1.0
    pair = object()
    assert annealed(pair, 1.0) is pair
    steps = list(train(bitext_of([("a b", "x y")]), hmm_recipe(anneal_from=0.25)))
    assert [step.model.history[-1]["inverse_temperature"] for step in steps] == [0.25, 0.5, 1.0]


# --------------------------------------------------------------------------- best alignments


@KINDS
@given(text=TEXTS, seed=SEEDS, power=st.sampled_from([1.0, 2.0]))
def test_hard_posteriors_are_a_best_alignment_of_the_enumeration(kind, text, seed, power):
    bitext = bitext_of(text)
    pair = random_pair(kind, bitext, seed)
    powers = {"power_lex": power, "power_dist": power}
    directions, log_likelihoods = infer(BestOnly.of(pair), whole_block(pair, bitext), power)
    found = [matrices(cells) for cells in directions]
    for n, (source, target) in enumerate(zip(bitext.source, bitext.target, strict=True)):
        for direction, oracle in enumerate(oracles(pair, source, target)):
            posteriors = found[direction][n]
            np.testing.assert_allclose(posteriors, np.rint(posteriors), atol=1e-5)
            np.testing.assert_allclose(posteriors.sum(axis=1), 1, atol=1e-5)
            alignment = tuple(posteriors.argmax(axis=1).tolist())
            _, best = naive.viterbi(oracle, **powers)
            assert naive.joint(oracle, alignment, **powers) == pytest.approx(best, rel=1e-5)
            assert log_likelihoods[direction][n] == pytest.approx(math.log(best), rel=1e-5, abs=1e-5)


@KINDS
def test_best_alignments_never_become_less_probable(kind, sample_bitext):
    """The E-step and the M-step of hard EM raise the same joint probability."""
    steps = list(train(sample_bitext, hmm_recipe(model=kind, hard=True, iterations=8)))
    for name, tokens in [("forward", steps[0].target_tokens), ("reverse", steps[0].source_tokens)]:
        values = [step.measures[f"{name}_log_likelihood"] for step in steps]
        for before, after in pairwise(values):
            assert after >= before - 5e-7 * tokens
        assert values[-1] > values[0]


# --------------------------------------------------------------------------- the M-step


def test_mstep_of_a_variant_returns_a_plain_pair(sample_bitext):
    _, source = index_pairs(sample_bitext)
    pair = random_pair("hmm", sample_bitext)
    after = maximise(pair, BlockEStep(source)(Agreement(), annealed(pair, 0.5)))
    assert type(after) is type(pair)
