"""The choice of the E-step: Model 1's own, only where each direction learns from its plain posteriors."""

import numpy as np
import pytest

from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training.loop import train
from aligner.training.model1_estep import is_model1_alone

PLAIN = {"model": "ibm1", "criterion": "independent", "iterations": 2}


def stage_of(**options):
    """Return the first of two stages, which may have restarts."""
    return recipe_from_dict({"stage": [PLAIN | options, PLAIN]}).stages[0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, True),
        ({"update": "vb", "alpha": 0.1, "cognates": 2.0, "p0": 0.1, "restarts": 2}, True),
        ({"model": "ibm2"}, False),
        ({"criterion": "agreement"}, False),
        ({"hard": True}, False),
        ({"anneal_from": 0.5}, False),
        ({"batch_pairs": 3}, False),
        ({"prune": 1e-7}, False),
    ],
)
def test_model1_alone_needs_plain_posteriors_of_the_whole_text(options, expected):
    assert is_model1_alone(stage_of(**options), restricted=False) == expected
    assert not is_model1_alone(stage_of(**options), restricted=True)


@pytest.mark.parametrize(
    "overrides", [[], ["stage.1.update='vb'", "stage.1.alpha=0.1"], ["stage.1.restarts=2"]]
)
def test_both_esteps_train_the_same_model(overrides, sample_bitext, monkeypatch):
    recipe = load_recipe("fast", ["stage.2.iterations=1", "stage.2.prune=0", *overrides])
    fast = list(train(sample_bitext, recipe))
    monkeypatch.setattr("aligner.training.counting.is_model1_alone", lambda *_: False)
    slow = list(train(sample_bitext, recipe))
    for one, two in zip(fast, slow, strict=True):
        assert one.measures == pytest.approx(two.measures, rel=1e-5)
    one, two = (steps[-1].model.pair.lexicon for steps in (fast, slow))
    np.testing.assert_allclose(one.table, two.table, rtol=1e-3, atol=1e-6)
