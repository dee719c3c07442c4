"""Recipes: what is installed loads, what is misspelt is refused with the nearest known name."""

import typing
from dataclasses import fields, replace
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import objectives
from aligner.recipe.config import Recipe, DataSettings, Stage
from aligner.recipe.load import load_recipe
from aligner.decoding.decoder import METHODS, Decoder
from aligner.errors import ConfigError
from aligner.models import DISTORTIONS
from aligner.criteria import CRITERIA, Agreement, Independent, Criterion
from aligner.recipe.builtin import builtin_recipes

STAGE = {"model": "ibm1", "iterations": 1}


def message_of(tables):
    with pytest.raises(ConfigError) as caught:
        recipe_from_dict(tables)
    return str(caught.value)


# --------------------------------------------------------------------------- recipes that are installed


@pytest.mark.parametrize("name", builtin_recipes())
def test_every_installed_recipe_loads_and_says_what_it_is(name):
    config = load_recipe(name)
    assert config.summary
    assert builtin_recipes()[name] == config.summary
    assert recipe_from_dict(config.to_dict()) == config


def test_the_default_is_model_1_then_the_hmm_by_agreement():
    config = load_recipe()
    assert config == load_recipe("default")
    stages = [(stage.model, stage.criterion) for stage in config.stages]
    assert stages == [("ibm1", Independent()), ("hmm", Agreement())]
    assert (config.decode.method, config.decode.combine) == ("competitive", "average")


def test_an_unknown_recipe_names_the_nearest():
    with pytest.raises(ConfigError, match="unknown configuration 'defualt'; did you mean 'default'"):
        load_recipe("defualt")


def test_a_recipe_can_be_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[[stage]]\nmodel = "ibm2"\niterations = 3\n')
    assert load_recipe(path).stages == (Stage("ibm2", 3),)
    with pytest.raises(ConfigError, match=r"other\.toml: cannot read"):
        load_recipe(tmp_path / "other.toml")
    path.write_text("[[stage]\n")
    with pytest.raises(ConfigError, match=r"mine\.toml: not valid TOML"):
        load_recipe(path)
    path.write_text('[[stage]]\nmodle = "ibm2"\niterations = 3\n')
    with pytest.raises(ConfigError, match=r"mine\.toml: stage\.1: model is missing"):
        load_recipe(path)
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"mine\.toml: cannot read"):
        load_recipe(path)


def test_an_installed_recipe_goes_before_a_file_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = '[[stage]]\nmodel = "ibm2"\niterations = 3\n'
    for name in ("default", "mine"):
        (tmp_path / name).write_text(mine)
    default = load_recipe()
    assert len(default.stages) == 2
    for path in ("./default", tmp_path / "default", "mine"):
        assert load_recipe(path).stages == (Stage("ibm2", 3),)


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"stages": [STAGE]}, "unknown table 'stages'; did you mean 'stage'"),
        ({"stage": [STAGE], "data": {"lowercas": True}}, "key in data 'lowercas'; did you mean 'lowercase'"),
        ({"stage": [STAGE], "decode": {"treshold": 0}}, "key in decode 'treshold'; did you mean 'threshold'"),
        ({"stage": [STAGE | {"iteration": 2}]}, "key in stage.1 'iteration'; did you mean 'iterations'"),
        ({"stage": [STAGE, STAGE | {"model": "hmmm"}]}, "stage.2: unknown model 'hmmm'; did you mean 'hmm'"),
        ({"stage": [STAGE | {"criterion": "agrement"}]}, "'agrement'; did you mean 'agreement'"),
        ({"stage": [{"model": "ibm1"}]}, "stage.1: iterations is missing"),
        ({"stage": [{"iterations": 1}]}, "stage.1: model is missing"),
        ({}, "at least one [[stage]]"),
        ({"stage": []}, "at least one [[stage]]"),
        ({"stage": [STAGE | {"iterations": 0}]}, "at least one iteration"),
        ({"stage": STAGE}, "an array of tables, written [[stage]]"),
        ({"stage": [3]}, "stage.1: expected a table"),
        ({"stage": [STAGE], "data": 3}, "data: expected a table"),
        (
            {"stage": [STAGE | {"iterations": 2, "prune": 1e-7}] * 2},
            "prune in stage 2: stage 1 has dropped cells already",
        ),
    ],
)
def test_what_is_unknown_or_missing_is_named(tables, message):
    assert message in message_of(tables)


@pytest.mark.parametrize(
    ("table", "key", "value", "expected"),
    [
        ("stage", "iterations", "five", "a whole number"),
        ("stage", "iterations", 1.5, "a whole number"),
        ("stage", "iterations", True, "a whole number"),
        ("stage", "model", 1, "a string"),
        ("stage", "criterion", 1, "a string"),
        ("stage", "p0", "much", "a number"),
        ("data", "lowercase", 1, "true or false"),
        ("data", "max_length", 10.0, "a whole number"),
        ("decode", "threshold", "0.3", "a number"),
        ("decode", "threshold", True, "a number"),
        ("decode", "method", [], "a string"),
        (None, "summary", 5, "a string"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(table, key, value, expected):
    tables = {"stage": [dict(STAGE)]}
    places = {None: tables, "stage": tables["stage"][0]}
    (places[table] if table in places else tables.setdefault(table, {}))[key] = value
    message = message_of(tables)
    assert f"{key} = {value!r}" in message
    assert f"expected {expected}" in message


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("stage", "iterations", -1),
        ("stage", "iterations", 10_001),
        ("stage", "iterations", 10**22),
        ("stage", "alpha", float("nan")),
        ("stage", "alpha", float("inf")),
        ("stage", "alpha", -1.0),
        ("stage", "alpha", 0.5),
        ("stage", "cognates", 10**400),
        ("stage", "p0", 0.0),
        ("stage", "p0", 1.0),
        ("stage", "p0", -0.5),
        ("stage", "p0", float("nan")),
        ("data", "max_length", -1),
        ("decode", "threshold", 0.0),
        ("decode", "threshold", 1.1),
        ("decode", "method", "guess"),
        ("decode", "combine", "grow"),
    ],
)
def test_a_value_out_of_range_is_refused(table, key, value):
    tables = {"stage": [dict(STAGE)]}
    (tables["stage"][0] if table == "stage" else tables.setdefault(table, {}))[key] = value
    message = message_of(tables)
    assert message.startswith(table)
    assert str(value) in message


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 10**18])
@pytest.mark.parametrize("kind", [Stage, Decoder, *CRITERIA.values()])
def test_every_number_is_finite(kind, number):
    hints = typing.get_type_hints(kind)
    for option in fields(kind):
        if hints[option.name] is float:
            options = {option.name: number}
            criterion = {"criterion": kind.name} if kind in CRITERIA.values() else {}
            stage = STAGE | criterion | ({} if kind is Decoder else options)
            tables = {"stage": [stage], **({"decode": options} if kind is Decoder else {})}
            assert f"{option.name} = {number}: expected a" in message_of(tables)


def test_what_plays_no_part_is_refused():
    assert "decay = 0.5 without batch_pairs" in message_of({"stage": [STAGE | {"decay": 0.5}]})
    recipe_from_dict({"stage": [STAGE | {"decay": 0.5, "batch_pairs": 10}]})


@pytest.mark.parametrize("kind", [DataSettings, Decoder, *CRITERIA.values()])
def test_every_option_has_a_type_that_is_checked(kind):
    hints = typing.get_type_hints(kind)
    for option in fields(kind):
        assert hints[option.name] in (bool, int, float, str), option.name
        wrong = 3 if hints[option.name] is str else "wrong"
        if kind in CRITERIA.values():
            tables = {"stage": [STAGE | {"criterion": kind.name, option.name: wrong}]}
        else:
            tables = {"stage": [STAGE], {DataSettings: "data", Decoder: "decode"}[kind]: {option.name: wrong}}
        assert f"{option.name} = {wrong!r}: expected" in message_of(tables)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_is_found_by_its_own_name(name):
    assert CRITERIA[name].name == name


def test_every_criterion_is_found():
    files = [import_module(f"aligner.criteria.{file.name}") for file in iter_modules(objectives.__path__)]
    kinds = {kind for file in files for kind in vars(file).values() if isinstance(kind, type)}
    criteria = {kind for kind in kinds if issubclass(kind, Criterion) and not isabstract(kind)}
    assert criteria == set(CRITERIA.values())
    assert all(getattr(objectives, kind.__name__) is kind for kind in criteria)


@pytest.mark.parametrize("kind", CRITERIA.values())
def test_a_criterion_s_options_do_not_shadow_a_stage_s(kind):
    assert not {option.name for option in fields(kind)} & {option.name for option in fields(Stage)}
    assert kind.summary


# --------------------------------------------------------------------------- overrides


def test_overrides_change_single_settings():
    config = load_recipe("default", ["stage.2.iterations=7", "decode.threshold=0.5", "data.lowercase=false"])
    default = load_recipe("default")
    assert config == replace(
        default,
        stages=(default.stages[0], replace(default.stages[1], iterations=7)),
        decode=replace(default.decode, threshold=0.5),
        data=replace(default.data, lowercase=False),
    )
    # A word needs no quotes, an integer will do for a float, spaces do not matter.
    config = load_recipe("default", ["stage.1.model=ibm2", "decode.combine = average", "decode.threshold=1"])
    assert config.stages[0].model == "ibm2"
    assert config.decode == replace(default.decode, combine="average", threshold=1.0)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("decode.threshold", "expected KEY=VALUE"),
        ("stage.3.iterations=1", "there is no stage 3"),
        ("stage.0.iterations=1", "there is no stage 0"),
        ("stage.one.iterations=1", "there is no stage one"),
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
def test_an_override_that_changes_nothing_known_is_refused(override, message):
    with pytest.raises(ConfigError, match=message):
        load_recipe("default", [override])


# --------------------------------------------------------------------------- there and back

DECODERS = st.sampled_from([(method, combine) for method, known in METHODS.items() for combine in known])
STAGES = st.builds(
    Stage,
    model=st.sampled_from(list(DISTORTIONS)),
    iterations=st.integers(1, 9),
    criterion=st.sampled_from([kind() for kind in CRITERIA.values()]),
    p0=st.sampled_from([-1.0, 0.2]),
)
CONFIGS = st.builds(
    Recipe,
    stages=st.lists(STAGES, min_size=1, max_size=3).map(tuple),
    data=st.builds(DataSettings, st.booleans(), st.integers(0, 200)),
    decode=st.tuples(DECODERS, st.sampled_from([0.1, 1.0])).map(lambda x: Decoder(*x[0], threshold=x[1])),
    summary=st.text(max_size=5),
)


@given(config=CONFIGS)
def test_plain_data_and_back(config):
    assert recipe_from_dict(config.to_dict()) == config
