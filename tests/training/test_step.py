"""The record of an iteration."""

import math

import pytest

from aligner.recipe.config import Recipe, Stage
from aligner.training.loop import train
from tests.support import recipe


@pytest.fixture(scope="module")
def steps(sample_bitext):
    return list(train(sample_bitext, recipe(("ibm1", "independent", 1), ("hmm", "product-domain", 1))))


def test_perplexity_is_per_emitted_token(steps):
    step = steps[0]
    forward = math.exp(-step.measures["forward_log_likelihood"] / step.target_tokens)
    reverse = math.exp(-step.measures["reverse_log_likelihood"] / step.source_tokens)
    assert step.forward_perplexity == pytest.approx(forward)
    assert step.reverse_perplexity == pytest.approx(reverse)
    assert forward > 1
    assert reverse > 1


def test_perplexity_is_none_if_likelihood_is_not_measured(steps):
    assert "forward_log_likelihood" not in steps[1].measures
    assert steps[1].forward_perplexity is None
    assert steps[1].reverse_perplexity is None


def test_annealed_iterations_have_no_perplexity(sample_bitext):
    stages = Stage("ibm1", 2, anneal_from=0.5)
    annealed, plain = train(sample_bitext, Recipe((stages,)))
    assert (annealed.inverse_temperature, plain.inverse_temperature) == (0.5, 1.0)
    assert annealed.forward_perplexity is annealed.reverse_perplexity is None
    assert plain.forward_perplexity > 1


def test_repr_is_one_line_with_the_measures(steps):
    measures = steps[0].measures
    assert repr(steps[0]) == (
        "<Step: stage 1, iteration 1 of 1, ibm1 (independent),"
        f" forward_log_likelihood {measures['forward_log_likelihood']:.6g},"
        f" reverse_log_likelihood {measures['reverse_log_likelihood']:.6g}>"
    )
