"""The settings of a decoder: checks, defaults by the model's recipe, and descriptions."""

from dataclasses import replace

import pytest

from aligner.criteria import CRITERIA
from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder, constraints
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments
from aligner.recipe.load import recipe_from_dict
from tests.decoding.cases import TEXT, model_of
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


@pytest.mark.parametrize(("method", "combination"), [
    ("posterior", "average"), ("competitive", "average"), ("viterbi", "intersection"),
])  # fmt: skip
def test_default_combination_is_that_of_the_method(method, combination):
    assert Decoder(method) == Decoder(method, combination)
    assert Decoder(method).to_dict()["combine"] == combination
    stage = {"model": "ibm1", "iterations": 1}
    assert recipe_from_dict({"stage": [stage], "decode": {"method": method}}).decode.combine == combination
    assert Decoder.of(with_recipe(method=method)).combine == combination
    assert Decoder().combine == "average"


def test_threshold_of_viterbi_is_refused():
    with pytest.raises(ConfigError, match=r"threshold = 0\.9 has no meaning for method 'viterbi'"):
        Decoder.of(model_of("ibm1"), method="viterbi", threshold=0.9)
    model = with_recipe(method="viterbi", combine="union", threshold=0.3)
    assert Decoder.of(model).describe() == "viterbi, union"
    with pytest.raises(ConfigError, match="has no meaning"):
        Decoder.of(model, threshold=0.9)


def test_slack_and_steps_reach_the_constraint():
    model = with_recipe(method="posterior", combine="average", constraint="symmetric", slack=0.1, steps=9)
    assert Decoder.of(model) == Decoder("posterior", constraint="symmetric", slack=0.1, steps=9)
    assert Decoder.of(model, slack=0.0).slack == 0.0
    assert Decoder.of(model, constraint="") == Decoder("posterior")
    changed = Decoder.of(model_of("ibm1"), constraint="substochastic", steps=20)
    assert (changed.slack, changed.steps) == (0.3, 20)


@pytest.mark.parametrize("settings", [{"slack": 0.3}, {"steps": 5}, {"slack": 0.1, "steps": 9}])
def test_slack_and_steps_need_a_constraint(settings):
    found = ", ".join(f"{name} = {value}" for name, value in settings.items())
    message = rf"{found} without a constraint; name one \(substochastic, symmetric\)"
    with pytest.raises(ConfigError, match=message):
        Decoder.of(model_of("ibm1"), **settings)
    if settings != {"slack": Decoder.slack} and settings != {"steps": Decoder.steps}:
        with pytest.raises(ConfigError, match="without a constraint"):
            Decoder(**settings)


@pytest.mark.parametrize("constraint", constraints())
def test_more_steps_and_less_slack_satisfy_a_constraint_better(constraint, sample):
    """Measure the residual of the constraint on the decoded posteriors of every cell."""
    model = model_of("hmm", training=text_of(sample.train))
    bitext = model.encode([*text_of(sample.dev), *TEXT])

    def residual(**options):
        decoders = {
            direction: Decoder("posterior", direction, 1e-9, constraint=constraint, **options)
            for direction in ("forward", "reverse")
        }
        forward, reverse = (decode(model, bitext, decoder) for decoder in decoders.values())
        if constraint == "symmetric":
            return disagreement(forward, reverse)
        return excess_fertility(forward)

    soft, hard = residual(slack=0.3, steps=5), residual(slack=0.0, steps=100)
    unconstrained = residual(steps=0)
    assert hard < soft < unconstrained


def disagreement(forward, reverse):
    """Return the largest difference of the two directions' posteriors."""
    cells = [
        dict(zip(zip(links.pair.tolist(), links.source.tolist(), links.target.tolist(), strict=True),
                 links.probabilities.tolist(), strict=True))
        for links in (forward, reverse)
    ]  # fmt: skip
    return max(abs(cells[0].get(cell, 0.0) - cells[1].get(cell, 0.0)) for cell in {**cells[0], **cells[1]})


def excess_fertility(forward):
    """Return the largest expected number of links of a source word, less 1."""
    fertility = {}
    for pair, i, p in zip(
        forward.pair.tolist(), forward.source.tolist(), forward.probabilities.tolist(), strict=True
    ):
        fertility[pair, i] = fertility.get((pair, i), 0.0) + p
    return max(fertility.values()) - 1.0


def test_constraints_are_the_constrained_criteria():
    assert list(constraints()) == ["substochastic", "symmetric"]
    assert all(CRITERIA[name] is criterion for name, criterion in constraints().items())


@pytest.mark.parametrize(
    ("decoder", "description", "expression"),
    [
        (
            Decoder(),
            "competitive, average, threshold 0.5",
            "Decoder(method='competitive', combine='average')",
        ),
        (
            Decoder("viterbi", "grow-diag", lexical_power=2.0),
            "viterbi, grow-diag, lexical power 2",
            "Decoder(method='viterbi', combine='grow-diag', lexical_power=2.0)",
        ),
        (
            Decoder("posterior", "product", 0.25, constraint="symmetric", slack=0.0, steps=50),
            "posterior, product, threshold 0.25, symmetric, slack 0, steps 50",
            "Decoder(method='posterior', combine='product', threshold=0.25, constraint='symmetric',"
            " slack=0.0, steps=50)",
        ),
    ],
)
def test_decoder_describes_itself(decoder, description, expression):
    assert decoder.describe() == description
    assert repr(decoder) == expression
    assert eval(expression) == decoder


@pytest.mark.parametrize(
    "decoder", [Decoder(), Decoder("viterbi", "grow"), Decoder(constraint="symmetric", slack=0.1, steps=7)]
)
def test_settings_round_trip_through_a_recipe(decoder):
    stage = {"model": "ibm1", "iterations": 1}
    assert recipe_from_dict({"stage": [stage], "decode": decoder.to_dict()}).decode == decoder
    assert ("slack" in decoder.to_dict()) == bool(decoder.constraint)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "magic"}, "unknown decoding method 'magic'.*posterior, competitive, attaching, viterbi"),
        ({"method": "posteriors"}, "did you mean 'posterior'"),
        ({"combine": "grow-diag"}, "grow-diag.*no meaning.*product"),
        ({"combine": "averag"}, "unknown combination 'averag'; did you mean 'average'"),
        ({"method": "viterbi", "combine": "product"}, "product.*no meaning.*forward"),
        ({"threshold": 0.0}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"lexical_power": 2.5}, "lexical_power = 2.5: expected a number above 0 and at most 2"),
        ({"constraint": "symetric"}, "unknown constraint 'symetric'; did you mean 'symmetric'"),
        ({"constraint": "agreement"}, "unknown constraint 'agreement'"),
        ({"constraint": "symmetric", "slack": -1.0}, "slack = -1"),
        ({"constraint": "symmetric", "steps": -1}, "steps = -1"),
    ],
)
def test_wrong_settings_raise_config_error(settings, message):
    with pytest.raises(ConfigError, match=message):
        Decoder(**settings)


def test_scores_do_not_depend_on_the_decoder_settings():
    model = model_of("hmm")
    bitext = model.encode(TEXT)
    plain = decode(model, bitext, scores=True)
    soft = decode(model, bitext, Decoder(constraint="symmetric", slack=0.1), scores=True)
    assert isinstance(soft, Alignments)
    assert soft.scores.tolist() == plain.scores.tolist()
