"""Recipes as values: ranges of settings, plain data, and registered criteria."""

from dataclasses import fields
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import criteria
from aligner.criteria import CRITERIA, Criterion
from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import LINK_METHODS, combinations_of
from aligner.models import MODELS
from aligner.recipe.config import Recipe, Stage
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.recipe.settings import DataSettings


def test_stage_prunes_from_the_second_iteration_on():
    assert [n for n in range(4) if Stage("hmm", n, prune=1e-7).prunes] == [2, 3]
    assert not Stage("hmm", 3).prunes


# --------------------------------------------------------------------------- criteria


def test_every_criterion_is_registered():
    modules = [import_module(f"aligner.criteria.{file.name}") for file in iter_modules(criteria.__path__)]
    kinds = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    found = {kind for kind in kinds if issubclass(kind, Criterion) and not isabstract(kind)}
    assert found == {CRITERIA[kind.name] for kind in found} == set(CRITERIA.values())
    assert all(getattr(criteria, kind.__name__) is kind for kind in found)


@pytest.mark.parametrize("kind", CRITERIA.values())
def test_options_of_a_criterion_do_not_shadow_those_of_a_stage(kind):
    assert not {option.name for option in fields(kind)} & {option.name for option in fields(Stage)}
    assert CRITERIA.summary(kind.name)


# --------------------------------------------------------------------------- values


def test_repr_lists_the_stages():
    assert repr(load_recipe("fast")) == "<Recipe: 3 x ibm1 (independent), 4 x hmm (agreement)>"


def test_plain_data_has_only_the_variants_that_are_set():
    table = Stage("hmm", 2, hard=True).to_dict()
    assert table["hard"] is True
    assert not {"update", "alpha", "anneal_from", "batch_pairs", "decay", "restarts", "cognates"} & set(table)


DECODERS = st.sampled_from([(name, combine) for name in LINK_METHODS for combine in combinations_of(name)])
STAGES = st.builds(
    Stage,
    model=st.sampled_from(list(MODELS)),
    iterations=st.integers(1, 9),
    criterion=st.sampled_from([kind() for kind in CRITERIA.values()]),
    p0=st.sampled_from([-1.0, 0.2]),
)
RECIPES = st.builds(
    Recipe,
    stages=st.lists(STAGES, min_size=1, max_size=3).map(tuple),
    data=st.builds(DataSettings, st.booleans(), st.integers(0, 200)),
    decode=st.tuples(DECODERS, st.sampled_from([0.1, 1.0])).map(lambda x: Decoder(*x[0], threshold=x[1])),
    summary=st.text(max_size=5),
)


@given(recipe=RECIPES)
def test_recipe_from_dict_is_the_inverse_of_to_dict(recipe):
    assert recipe_from_dict(recipe.to_dict()) == recipe
