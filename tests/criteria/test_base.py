"""Registration of criteria: declarations, names, and options that have no meaning with a criterion."""

import pytest

from aligner.criteria import CRITERIA, Agreement, check_compatible, check_model
from aligner.errors import ConfigError
from aligner.models import HMM, IBM1


def declared(**attributes):
    """Return a new criterion class that declares these attributes."""
    return type("Declared", (Agreement,), {"name": "declared", **attributes})


def own_mstep(self, model, *_):
    return model, None


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"columns": 1}, None),
        ({"columns": 2, "objective": "agreement"}, None),
        ({"columns": 3, "mstep": own_mstep}, None),
        ({"columns": 3}, "'declared' declares columns = 3; expected 1 or 2"),
        ({"columns": 0, "mstep": own_mstep}, "'declared' declares columns = 0; expected 1 or 2"),
        ({"objective": "disagreement"}, "declares the objective 'disagreement'; expected one of"),
    ],
)
def test_declarations_are_checked_at_registration(attributes, message, own_registries):
    before, criterion = dict(CRITERIA), declared(**attributes)
    if message is None:
        assert CRITERIA.register("declared", "for tests")(criterion) is CRITERIA["declared"] is criterion
        assert CRITERIA.summary("declared") == "for tests"
        return
    with pytest.raises(ConfigError, match=message):
        CRITERIA.register("declared")(criterion)
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
