"""Criteria and their options that are refused: what was found, and the remedy."""

import math
from functools import partial

import pytest

from aligner.criteria import (
    CRITERIA,
    MRE,
    Agreement,
    ProductDomain,
    ProductParameter,
    Substochastic,
    Symmetric,
    check_compatible,
    check_model,
)
from aligner.models import HMM, IBM1
from tests.refusals import refused


def declared(**attributes):
    """Return a new criterion class that declares these attributes."""
    return type("Declared", (Agreement,), {"name": "declared", **attributes})


def own_mstep(self, model, *_):
    return model, None


SOFT = declared(incompatible_with={"hard": "it is soft"})()
OF_JUMPS = declared(incompatible_model=lambda _, model: "" if model.has_word_jumps else "no jumps")()


@pytest.mark.parametrize(
    ("said", "call"),
    [
        *((f"{name} = {value}", partial(criterion, **{name: value}))
          for criterion in (Substochastic, Symmetric)
          for name, value in [("steps", -1), ("tolerance", -0.1), ("slack", -1.0), ("slack", 1e-05)]),
        *(("null_weight", partial(ProductDomain, weight)) for weight in (0.0, -1.0, 2e6, math.inf, math.nan)),
        *(("distortion_power", partial(ProductParameter, power)) for power in (0.0, 2.5, math.nan)),
        *(("rate = .. expected", partial(MRE, rate=rate)) for rate in (0.0, 3.0)),
        ("greatest_rate = 20", partial(MRE, greatest_rate=20.0)),
        ("expected 0 < shrink <= 1", partial(MRE, shrink=1.5)),
        ("expected 0 < shrink <= 1", partial(MRE, growth=0.5)),
        ("hard .. 'declared': it is soft; leave it", partial(check_compatible, SOFT, ["update", "hard"])),
        ("model 'ibm1' does not go with .. 'declared': no jumps", partial(check_model, OF_JUMPS, IBM1)),
    ],
)  # fmt: skip
def test_options(said, call):
    refused(said, call)
    check_compatible(SOFT, ["update", "cognates"])
    check_model(OF_JUMPS, HMM)


@pytest.mark.parametrize(
    ("said", "attributes"),
    [
        ("", {"columns": 1}),
        ("", {"columns": 2, "objective": "agreement"}),
        ("", {"columns": 3, "mstep": own_mstep}),
        ("'declared' declares columns = 3; expected 1 or 2", {"columns": 3}),
        ("'declared' declares columns = 0; expected 1 or 2", {"columns": 0, "mstep": own_mstep}),
        ("declares the objective 'disagreement'; expected one of", {"objective": "disagreement"}),
    ],
)
def test_declarations_are_checked_at_registration(said, attributes, own_registries):
    before, criterion = dict(CRITERIA), declared(**attributes)
    register = CRITERIA.register("declared", "for tests")
    if said:
        refused(said, register, criterion)
        assert dict(CRITERIA) == before
    else:
        assert register(criterion) is CRITERIA["declared"] is criterion
        assert CRITERIA.summary("declared") == "for tests"
