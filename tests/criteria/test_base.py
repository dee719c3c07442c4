"""Registration of criteria: declarations, names, and options that have no meaning with a criterion."""

import pytest

from aligner.criteria import CRITERIA, Agreement, check_compatible, check_model
from aligner.criteria.base import check_declarations
from aligner.errors import ConfigError
from aligner.models import HMM, IBM1


def declared(**attributes):
    """Return a new criterion class that declares these attributes."""
    return type("Declared", (Agreement,), {"name": "declared", **attributes})


@pytest.mark.parametrize("columns", [1, 2])
def test_one_or_two_columns_are_accepted(columns):
    check_declarations("declared", declared(columns=columns))


@pytest.mark.parametrize("columns", [3, 4])
def test_more_columns_need_an_mstep_of_their_own(columns):
    with pytest.raises(ConfigError, match=f"'declared' declares columns = {columns}; expected 1 or 2"):
        check_declarations("declared", declared(columns=columns))
    check_declarations("declared", declared(columns=columns, mstep=lambda self, model, *_: (model, None)))


@pytest.mark.parametrize("columns", [0, -1])
def test_no_column_is_refused(columns):
    with pytest.raises(ConfigError, match=f"'declared' declares columns = {columns}; expected 1 or 2"):
        check_declarations("declared", declared(columns=columns, mstep=lambda self, model, *_: (model, None)))


def test_objective_must_be_a_measure():
    check_declarations("declared", declared(objective="agreement"))
    with pytest.raises(ConfigError, match="declares the objective 'disagreement'; expected one of"):
        check_declarations("declared", declared(objective="disagreement"))


@pytest.mark.parametrize("name", CRITERIA)
def test_registered_criteria_are_valid(name):
    check_declarations(name, CRITERIA[name])
    assert CRITERIA[name].name == name
    assert CRITERIA.summary(name) != ""


def test_register_adds_a_class_with_its_name_and_returns_it(own_registries):
    criterion = declared()
    assert CRITERIA.register("other name", "for tests")(criterion) is criterion
    assert CRITERIA["other name"] is criterion
    assert criterion.name == "other name"
    assert CRITERIA.summary("other name") == "for tests"


@pytest.mark.parametrize(
    "attributes",
    [{"columns": 3}, {"objective": "disagreement"}],
    ids=["columns", "objective"],
)
def test_register_refuses_invalid_criteria(own_registries, attributes):
    before = dict(CRITERIA)
    with pytest.raises(ConfigError, match="criterion 'invalid' declares"):
        CRITERIA.register("invalid")(declared(**attributes))
    assert dict(CRITERIA) == before


def test_incompatible_options_are_refused_with_the_reason():
    criterion = declared(incompatible_with={"hard": "it is soft"})()
    check_compatible(criterion, [])
    check_compatible(criterion, ["update", "cognates"])
    with pytest.raises(ConfigError, match="hard does not go with criterion 'declared': it is soft; leave it"):
        check_compatible(criterion, ["update", "hard"])


def test_incompatible_models_are_refused_with_the_reason():
    criterion = declared(incompatible_model=lambda self, model: "" if model.has_word_jumps else "no jumps")()
    check_model(criterion, HMM)
    with pytest.raises(ConfigError, match="model 'ibm1' does not go with criterion 'declared': no jumps"):
        check_model(criterion, IBM1)
