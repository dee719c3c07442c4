"""Loading recipes: keys and types are checked, and overrides change single settings."""

import math
import re
import typing
from dataclasses import fields, replace

import pytest

from aligner.criteria import CRITERIA
from aligner.decoding.decoder import Decoder
from aligner.errors import ConfigError
from aligner.recipe.config import Stage
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.recipe.settings import DataSettings

# --------------------------------------------------------------------------- keys, types and ranges

STAGE = {"model": "ibm1", "iterations": 1}
OUT_OF_RANGE = [
    *(("iterations", value) for value in (-1, 10_001, 10**22)),
    *(("alpha", value) for value in (-1.0, 0.5)),
    *(("cognates", value) for value in (10**400, -1.0, 1000.0)),
    *(("p0", value) for value in (0.0, 1.0, -0.5)),
    *(("prune", value) for value in (0.1, -1e-7)),
]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"stages": [STAGE]}, "unknown table 'stages'; did you mean 'stage'"),
        ({"data": {"lowercas": True}}, "key in data 'lowercas'; did you mean 'lowercase'"),
        ({"decode": {"treshold": 0}}, "key in decode 'treshold'; did you mean 'threshold'"),
        ({"stage": [STAGE | {"iteration": 2}]}, "key in stage.1 'iteration'; did you mean 'iterations'"),
        ({"stage": [STAGE, STAGE | {"model": "hmmm"}]}, "stage.2: unknown model 'hmmm'; did you mean 'hmm'"),
        ({"stage": [STAGE | {"criterion": "agrement"}]}, "'agrement'; did you mean 'agreement'"),
        ({"stage": [{"model": "ibm1"}]}, "stage.1: iterations is missing"),
        ({"stage": [{"iterations": 1}]}, "stage.1: model is missing"),
        ({"stage": []}, "at least one [[stage]]"),
        ({"stage": [STAGE | {"iterations": 0}]}, "at least one iteration"),
        ({"stage": STAGE}, "an array of tables, written [[stage]]"),
        ({"stage": [3]}, "stage.1: expected a table"),
        ({"data": 3}, "data: expected a table"),
        ({"stage": [STAGE | {"iterations": 2, "prune": 1e-7}] * 2}, "prune in stages [1, 2]"),
        ({"summary": 5}, "summary = 5: expected a string"),
        ({"stage": [STAGE | {"iterations": True}]}, "stage.1.iterations = True: expected a whole number"),
        ({"decode": {"threshold": True}}, "threshold = True: expected a number"),
        *(({"stage": [STAGE | {key: value}]}, str(value)) for key, value in OUT_OF_RANGE),
        ({"data": {"max_length": -1}}, "-1"),
        ({"decode": {"threshold": 0.0}}, "0.0"),
        ({"decode": {"threshold": 1.1}}, "1.1"),
        ({"decode": {"method": "guess"}}, "guess"),
        ({"decode": {"combine": "grow"}}, "grow"),
        ({"stage": [STAGE | {"update": "map", "alpha": 0.0}]}, "alpha = 0.0 with update = 'map'"),
        ({"stage": [STAGE | {"update": "vb", "alpha": 100.5}]}, "alpha = 100.5 with update = 'vb'"),
        ({"stage": [STAGE | {"decay": 0.5}]}, "decay = 0.5 without batch_pairs"),
        ({"stage": [STAGE | {"batch_pairs": 10}]}, "batch_pairs with one iteration"),  # the first is batch EM
        ({"stage": [STAGE | {"restarts": 1001}]}, "restarts = 1001: expected a number of starts"),
    ],
)
def test_refused_tables(tables, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        recipe_from_dict({"stage": [STAGE]} | tables)


@pytest.mark.parametrize("kind", [DataSettings, Decoder, Stage, *CRITERIA.values()])
def test_type_of_every_option_is_checked_and_every_number_is_finite(kind):
    hints = typing.get_type_hints(kind)
    table = {DataSettings: "data", Decoder: "decode"}.get(kind, "stage")
    for option in fields(kind):
        if option.name == "criterion":
            continue
        assert hints[option.name] in (bool, int, float, str), option.name
        numbers = [math.nan, math.inf, -math.inf, 10**18] if hints[option.name] is float else []
        for wrong in [3 if hints[option.name] is str else "wrong", *numbers]:
            criterion = {"criterion": kind.name} if kind in CRITERIA.values() else {}
            tables = {"stage": [STAGE | criterion]}
            (tables["stage"][0] if table == "stage" else tables.setdefault(table, {}))[option.name] = wrong
            with pytest.raises(ConfigError, match=re.escape(f"{option.name} = {wrong!r}: expected")):
                recipe_from_dict(tables)


# --------------------------------------------------------------------------- overrides


def test_overrides_change_single_settings():
    recipe = load_recipe(
        "default",
        ["stage.2.iterations=7", "decode.combine = average", "decode.threshold=1", "data.lowercase=false"],
    )
    default = load_recipe("default")
    assert recipe == replace(
        default,
        stages=(default.stages[0], replace(default.stages[1], iterations=7)),
        decode=replace(default.decode, combine="average", threshold=1.0),
        data=replace(default.data, lowercase=False),
    )


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("decode.threshold", "expected KEY=VALUE"),
        ("stage.3.iterations=1", "there is no stage 3"),
        ("stage.0.iterations=1", "there is no stage 0"),
        ("stage.one.iterations=1", "there is no stage one"),
        ("stage.\u00b2.iterations=1", "there is no stage \u00b2"),
        (f"stage.{'1' * 5000}.iterations=1", "there is no stage 1"),
        ("stage=1", "array of tables"),
        ("stage.1=1", "expected a key such as"),
        ("summary.x=1", "not a table|expected a key"),
        ("summary.x.y=1", "'x' is not a table"),
        ("decode.treshold=1", "did you mean 'threshold'"),
        ("decoder.threshold=1", "did you mean 'decode'"),
        ("data.max_length=many", "data.max_length = 'many': expected a whole number"),
        ("=1", "unknown table ''"),
    ],
)
def test_override_of_an_unknown_key_is_refused(override, message):
    with pytest.raises(ConfigError, match=message):
        load_recipe("default", [override])
