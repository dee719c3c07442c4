"""Registration of criteria: declared shapes, names, and options that have no meaning with a criterion."""

import pytest

from aligner import criteria
from aligner.criteria import CRITERIA, Agreement, Independent, check_compatible, register
from aligner.criteria.base import check_shapes
from aligner.errors import ConfigError
from aligner.registry import Registry


def declared(**attributes):
    """Return a new criterion class that declares these attributes."""
    return type("Declared", (Agreement,), {"name": "declared", "summary": "for tests", **attributes})


@pytest.mark.parametrize(("columns", "passes"), [(1, 1), (2, 1), (4, 2), (6, 3)])
def test_columns_and_passes_that_agree_are_accepted(columns, passes):
    check_shapes(declared(columns=columns, passes=passes))


@pytest.mark.parametrize(
    ("columns", "passes"), [(3, 1), (0, 1), (4, 1), (2, 2), (1, 2), (3, 2), (2, 0), (0, 0), (2, -1)]
)
def test_columns_and_passes_that_disagree_are_refused(columns, passes):
    with pytest.raises(ConfigError, match=f"'declared' declares columns = {columns} and passes = {passes}"):
        check_shapes(declared(columns=columns, passes=passes))


def test_objective_must_be_a_measure():
    check_shapes(declared(objective="agreement"))
    with pytest.raises(ConfigError, match="declares the objective 'disagreement'; expected one of"):
        check_shapes(declared(objective="disagreement"))


@pytest.mark.parametrize("attributes", [{"measures": ("gain",)}, {"columns": 1}], ids=["measures", "columns"])
def test_own_posteriors_have_two_columns_and_the_default_measures(attributes):
    """Model 1's own E-step returns these, whatever the criterion declares."""
    plain = {"uses_own_posteriors": True, "columns": 2, "measures": Independent.measures}
    check_shapes(declared(**plain))
    with pytest.raises(ConfigError, match="declares uses_own_posteriors with columns = "):
        check_shapes(declared(**plain | attributes))


@pytest.mark.parametrize("name", CRITERIA)
def test_registered_criteria_declare_valid_shapes(name):
    check_shapes(CRITERIA[name])
    assert CRITERIA[name].name == name
    assert CRITERIA.summary(name) == CRITERIA[name].summary != ""


@pytest.fixture
def registry(monkeypatch):
    """Replace the registry of criteria by a new registry with independent EM only."""
    registry = Registry("criterion")
    monkeypatch.setattr(criteria, "CRITERIA", registry)
    register(Independent)
    return registry


def test_register_adds_a_class_and_returns_it(registry):
    criterion = declared()
    assert register(criterion) is criterion
    assert registry["declared"] is criterion
    assert registry.summary("declared") == "for tests"


@pytest.mark.parametrize(
    "attributes",
    [{"columns": 3}, {"columns": 2, "passes": 2}, {"objective": "disagreement"}, {"name": "independent"}],
    ids=["columns", "passes", "objective", "name"],
)
def test_register_refuses_invalid_criteria(registry, attributes):
    with pytest.raises(ConfigError):
        register(declared(**attributes))
    assert list(registry) == ["independent"]
    assert registry["independent"] is Independent


def test_incompatible_options_are_refused_with_the_reason():
    criterion = declared(incompatible_with={"hard": "it is soft"})()
    check_compatible(criterion, [])
    check_compatible(criterion, ["update", "cognates"])
    with pytest.raises(ConfigError, match="hard does not go with criterion 'declared': it is soft; leave it"):
        check_compatible(criterion, ["update", "hard"])
