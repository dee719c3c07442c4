"""Built-in recipes and recipe files: which file a name means, and what the built-in recipes hold."""

from dataclasses import replace

import pytest

from aligner.criteria import Agreement, Independent
from aligner.errors import ConfigError
from aligner.recipe.builtin import builtin_recipes, read_recipe, recipe_file
from aligner.recipe.config import Stage
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.recipe.settings import PieceSettings

MINE = '[[stage]]\nmodel = "ibm2"\niterations = 3\n'


@pytest.mark.parametrize("name", builtin_recipes())
def test_builtin_recipe_loads_with_its_summary(name):
    recipe = load_recipe(name)
    assert recipe.summary
    assert len(f"{name:<28} {recipe.summary}") <= 80, "it does not fit into a line of ``align configs``"
    assert "\n" not in recipe.summary
    assert builtin_recipes()[name] == recipe.summary
    assert recipe_from_dict(recipe.to_dict()) == recipe


def test_default_is_model_1_then_the_hmm_by_agreement():
    recipe = load_recipe()
    assert recipe == load_recipe("default")
    stages = [(stage.model, stage.criterion) for stage in recipe.stages]
    assert stages == [("ibm1", Independent()), ("hmm", Agreement())]
    assert (recipe.decode.method, recipe.decode.combine) == ("attaching", "average")


def test_default_is_the_fast_recipe_on_words_and_pieces():
    recipe, fast = load_recipe(), load_recipe("fast")
    assert recipe.stages == fast.stages
    assert (recipe.pieces, fast.pieces) == (PieceSettings(), None)
    assert replace(load_recipe("best"), summary=recipe.summary) == recipe


def test_unknown_recipe_names_the_nearest():
    with pytest.raises(ConfigError, match="unknown recipe 'defualt'; did you mean 'default'"):
        load_recipe("defualt")


def test_recipe_can_be_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    assert load_recipe(path).stages == (Stage("ibm2", 3),)
    assert read_recipe(path) == (MINE, str(path))
    path.write_text(f"\ufeff{MINE}", "utf-8")
    assert read_recipe(path) == (MINE, str(path))
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


def test_builtin_recipe_takes_precedence_over_a_file_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("default", "mine"):
        (tmp_path / name).write_text(MINE)
    assert len(load_recipe().stages) == 2
    for path in ("./default", tmp_path / "default", "mine"):
        assert load_recipe(path).stages == (Stage("ibm2", 3),)
        assert recipe_file(path) is not None
    for name in ("default", "nothing"):
        assert recipe_file(name) is None


def test_weight_of_pieces_of_0_2_0_is_read():
    assert load_recipe("default", ["pieces.weight=-1"]) == load_recipe()
    for weight in ("2", "by_text"):
        with pytest.raises(
            ConfigError, match=f"weight = {weight}.*: expected a number from 0 to 1, or 'by-text'"
        ):
            load_recipe("default", [f"pieces.weight={weight}"])
