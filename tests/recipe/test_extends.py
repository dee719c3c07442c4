"""Recipes that extend another recipe: which settings they have, how they are shown, and errors."""

import json
from dataclasses import replace

import pytest

from aligner.errors import ConfigError
from aligner.recipe.builtin import builtin_recipes
from aligner.recipe.config import Stage
from aligner.recipe.extends import recipe_text
from aligner.recipe.load import load_recipe

MINE = '[[stage]]\nmodel = "ibm2"\niterations = 3\n'


@pytest.mark.parametrize("name", builtin_recipes())
def test_recipe_is_shown_with_all_that_it_extends(name, tmp_path):
    (tmp_path / "mine.toml").write_text(recipe_text(name), "utf-8")
    assert "extends" not in recipe_text(name).replace("that it extends", "")
    assert load_recipe(tmp_path / "mine.toml") == load_recipe(name)


def extending(folder, **texts):
    """Write recipes NAME.toml into a folder, and return the path of the last one."""
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    return folder / f"{name}.toml"


def test_keys_of_a_recipe_replace_those_of_the_recipe_that_it_extends(tmp_path):
    base = load_recipe("liang2006-joint")
    first, second = base.stages
    path = extending(
        tmp_path,
        other='extends = "liang2006-joint"\nsummary = "mine"\n[decode]\nthreshold = 0.2\n',
        mine='extends = "other.toml"\n[stage.2]\niterations = 7\n[stage.3]\nmodel = "hmm"\niterations = 2\n',
    )
    assert load_recipe(path) == replace(
        base,
        summary="mine",
        decode=replace(base.decode, threshold=0.2),
        stages=(first, replace(second, iterations=7), Stage("hmm", 2)),
    )
    path = extending(tmp_path, mine=f'extends = "other.toml"\n{MINE}')
    assert load_recipe(path).stages == (Stage("ibm2", 3),)
    assert load_recipe(path).decode.threshold == 0.2


@pytest.mark.parametrize(
    ("base", "text", "message"),
    [
        ("defualt", "", "extends = 'defualt': unknown recipe 'defualt'; did you mean 'default'"),
        ("none.toml", "", "extends = 'none.toml': unknown recipe"),
        (3, "", "extends = 3: expected the name of a recipe"),
        ("mine.toml", "", r"found a circle, \S*mine.toml -> \S*mine.toml;.* take extends out"),
        ("other.toml", "", r"found a circle, \S*mine.toml -> \S*other.toml -> \S*mine.toml"),
        ("default", "[stage.4]\nprune = 0.0", r"\[stage.4\]: expected a stage from 1 to 2, or 3 for a new"),
        ("default", "[stage.one]\nprune = 0.0", r"\[stage.one\]: expected a stage from 1 to 2"),
        ("default", "[stage.2]\npurne = 0.0", "unknown key in stage.2 'purne'; did you mean 'prune'"),
        ("single.toml", "[stage.1]\nprune = 0.0", "stage: expected an array of tables"),
        ("default", "data = 3", "data: expected a table"),
    ],
)
def test_recipe_that_cannot_be_extended_is_an_error(base, text, message, tmp_path):
    texts = {"other": 'extends = "mine.toml"', "single": '[stage.1]\nmodel = "ibm1"\niterations = 1'}
    path = extending(tmp_path, **texts, mine=f"extends = {json.dumps(base)}\n{text}")
    with pytest.raises(ConfigError, match=rf"mine\.toml: .*{message}"):
        load_recipe(path)
