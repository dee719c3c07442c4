"""The schedule of a stage: inferences of its iterations, and its M-step."""

import pytest

from aligner.criteria.mstep import MAP, MaximumLikelihood, VariationalBayes
from aligner.models.variants import Annealed, Inference, Viterbi
from aligner.recipe.config import Stage


def test_plain_em_infers_posteriors():
    assert Stage("hmm", 3).inferences == [Inference()] * 3


def test_hard_em_infers_best_alignments():
    assert Stage("hmm", 2, hard=True).inferences == [Viterbi()] * 2


def test_annealing_ends_at_plain_em():
    betas = [inference.beta for inference in Stage("hmm", 3, anneal_from=0.25).inferences]
    assert betas == pytest.approx([0.25, 0.5, 1.0])
    assert isinstance(Stage("hmm", 3, anneal_from=0.25).inferences[0], Annealed)


def test_stage_without_iterations_has_no_inference():
    assert Stage("hmm", 0).inferences == []
    assert Stage("hmm", 0, anneal_from=0.5).inferences == []


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
