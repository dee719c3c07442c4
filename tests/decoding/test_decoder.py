"""The settings of a decoder: checks, defaults by the model's recipe, and descriptions."""

from dataclasses import replace

import numpy as np
import pytest

from aligner.decoding.decoder import Decoder, constraints
from aligner.decoding.methods import matrices
from aligner.decoding.text_block import alignable, text_blocks
from aligner.recipe.load import recipe_from_dict
from tests.decoding.cases import TEXT, model_of
from tests.refusals import refused
from tests.support import text_of


def with_recipe(**settings):
    """Return a model whose recipe has these settings of the decoder."""
    model = model_of("ibm1")
    return replace(model, config=model.config | {"decode": settings})


def test_default_is_the_decoder_of_the_recipe():
    model = with_recipe(method="posterior", combine="product", threshold=0.3)
    assert Decoder.of(model) == Decoder("posterior", "product", 0.3)
    assert Decoder.of(model, threshold=0.5) == Decoder("posterior", "product", 0.5)
    assert Decoder.of(model, combine="average", method=None) == Decoder("posterior", "average", 0.3)
    assert Decoder.of(model_of("ibm1")) == Decoder("competitive", "average", 0.5)
    assert Decoder.of(with_recipe(method="viterbi")) == Decoder("viterbi", "intersection")


@pytest.mark.parametrize(
    ("recipe", "overrides", "combination"),
    [
        (("posterior", "product"), {"method": "viterbi"}, "intersection"),
        (("posterior", "product"), {"method": "viterbi", "combine": "union"}, "union"),
        (("posterior", "union"), {"method": "viterbi"}, "intersection"),
        (("posterior", "product"), {"method": "competitive"}, "product"),
        (("competitive", "average"), {"method": "posterior"}, "average"),
        (("viterbi", "grow-diag"), {}, "grow-diag"),
        (("viterbi", "grow-diag"), {"method": "viterbi"}, "grow-diag"),
        (("viterbi", "grow-diag"), {"method": "posterior"}, "average"),
        (("viterbi", "union"), {"method": "competitive"}, "average"),
    ],
)
def test_new_method_gets_its_default_combination(recipe, overrides, combination):
    model = with_recipe(method=recipe[0], combine=recipe[1])
    assert Decoder.of(model, **overrides).combine == combination


def test_threshold_of_a_recipe_has_no_meaning_for_viterbi():
    model = with_recipe(method="viterbi", combine="union", threshold=0.3)
    assert Decoder.of(model).describe() == "viterbi, union"
    refused("has no meaning", Decoder.of, model, threshold=0.9)


def test_slack_and_steps_reach_the_constraint():
    model = with_recipe(method="posterior", combine="average", constraint="symmetric", slack=0.1, steps=9)
    assert Decoder.of(model) == Decoder("posterior", constraint="symmetric", slack=0.1, steps=9)
    assert Decoder.of(model, slack=0.0).slack == 0.0
    assert Decoder.of(model, constraint="") == Decoder("posterior")
    changed = Decoder.of(model_of("ibm1"), constraint="substochastic", steps=20)
    assert (changed.slack, changed.steps) == (0.3, 20)


@pytest.mark.parametrize("constraint", constraints())
def test_more_steps_and_less_slack_satisfy_a_constraint_better(constraint, sample):
    """Measure the greatest difference of both directions, or the greatest fertility of a source word."""
    model = model_of("hmm", training=text_of(sample.train))
    bitext = model.encode([*text_of(sample.dev), *TEXT])

    def violation(**options):
        decoder, worst = Decoder(constraint=constraint, **options), 0.0
        for text in text_blocks(model, bitext.select(alignable(bitext))):
            (forward, reverse), _ = decoder.posteriors(text)
            forward = text.block.source_major(forward)
            for F, R in zip(matrices(forward, text.block), matrices(reverse, text.block), strict=True):
                worst = max(worst, np.abs(F - R).max() if constraint == "symmetric" else F.sum(axis=1).max())
        return worst

    assert violation(slack=0.0, steps=100) < violation(slack=0.3, steps=5) < violation(steps=0)


@pytest.mark.parametrize(
    ("settings", "description"),
    [
        ("'competitive', combine='average'", "competitive, average, threshold 0.5"),
        ("'viterbi', combine='grow-diag', lexical_power=2.0", "viterbi, grow-diag, lexical power 2"),
        (
            "'posterior', combine='product', threshold=0.25, constraint='symmetric', slack=0.0, steps=50",
            "posterior, product, threshold 0.25, symmetric, slack 0, steps 50",
        ),
    ],
)
def test_decoder_describes_itself(settings, description):
    decoder = eval(f"Decoder(method={settings})")
    assert decoder.describe() == description
    assert repr(decoder) == f"Decoder(method={settings})"


@pytest.mark.parametrize(
    "decoder", [Decoder(), Decoder("viterbi", "grow"), Decoder(constraint="symmetric", slack=0.1, steps=7)]
)
def test_settings_round_trip_through_a_recipe(decoder):
    stage = {"model": "ibm1", "iterations": 1}
    assert recipe_from_dict({"stage": [stage], "decode": decoder.to_dict()}).decode == decoder
    assert ("slack" in decoder.to_dict()) == bool(decoder.constraint)
