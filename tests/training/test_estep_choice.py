"""The choice of the E-step: Model 1's own, only where each direction learns from its plain posteriors."""

from dataclasses import replace

import numpy as np
import pytest

from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.occurrences import Occurrences
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.training.counting import choose_estep
from aligner.training.estep import BlockEStep
from aligner.training.loop import train
from aligner.training.model1_estep import is_model1_alone
from tests.support import bitext_of, index_pairs
from tests.training.cases import TEXT

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


def test_model1_estep_is_chosen_for_a_text_without_dropped_cells():
    _, source = index_pairs(bitext_of(TEXT))
    occurrences = Occurrences.of_source(source.bitext)
    estep = choose_estep(stage_of(), False, source, 3, occurrences)
    assert (estep.source, estep.occurrences, estep.threads) == (source, occurrences, 3)
    found = choose_estep(stage_of(), False, source, 1).occurrences
    np.testing.assert_array_equal(found.lists.pair, occurrences.lists.pair)


@pytest.mark.parametrize("case", ["pruned", "other model", "known links"])
def test_block_estep_is_chosen_otherwise(case):
    _, source = index_pairs(bitext_of(TEXT))
    stage, restricted = stage_of(), False
    if case == "pruned":
        source = replace(source, kept=KeptBits.none(*source.lengths))
    elif case == "other model":
        stage = stage_of(model="hmm")
    else:
        restricted = True
    estep = choose_estep(stage, restricted, source, 2)
    assert isinstance(estep, BlockEStep)
    assert (estep.source, estep.threads, estep.block_cells) == (source, 2, None)


@pytest.mark.parametrize(
    "overrides", [[], ["stage.1.update='vb'", "stage.1.alpha=0.1"], ["stage.1.restarts=2"]]
)
def test_both_esteps_train_the_same_model(overrides, sample_bitext, monkeypatch):
    recipe = load_recipe("default", ["stage.2.iterations=1", "stage.2.prune=0", *overrides])
    fast = list(train(sample_bitext, recipe))
    for module in ("counting", "task"):
        monkeypatch.setattr(f"aligner.training.{module}.is_model1_alone", lambda *_: False)
    slow = list(train(sample_bitext, recipe))
    for one, two in zip(fast, slow, strict=True):
        assert one.measures == pytest.approx(two.measures, rel=1e-5)
    one, two = (steps[-1].model.pair.lexicon for steps in (fast, slow))
    np.testing.assert_allclose(one.table, two.table, rtol=1e-3, atol=1e-6)
