"""The schedule of a stage: inferences of its iterations, and its M-step."""

import pytest

from aligner.criteria.mstep import MAP, MaximumLikelihood, VariationalBayes
from aligner.models.variants import Annealed, Inference, Viterbi
from aligner.recipe.config import Stage


@pytest.mark.parametrize(
    ("iterations", "options", "expected"),
    [
        (3, {}, [Inference()] * 3),
        (2, {"hard": True}, [Viterbi()] * 2),
        (3, {"anneal_from": 0.25}, [Annealed(0.25), Annealed(0.5), Annealed(1.0)]),
        (0, {}, []),
        (0, {"anneal_from": 0.5}, []),
    ],
)
def test_inference_of_each_iteration(iterations, options, expected):
    assert Stage("hmm", iterations, **options).inferences == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, MaximumLikelihood()),
        ({"update": "map", "alpha": 0.1}, MAP(0.1)),
        ({"update": "vb", "alpha": 0.01}, VariationalBayes(0.01)),
    ],
)
def test_mstep_has_the_stage_s_alpha(options, expected):
    assert Stage("ibm1", 1, **options).mstep == expected
