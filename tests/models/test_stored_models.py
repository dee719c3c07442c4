"""Model files of earlier releases give the same links: the first of a line, with some for each release.

RELEASE-RECIPE is a model of the first lines of the text of ``align sample``. RELEASE-RECIPE.links has its
links of dev.src and dev.tgt. Never write these files anew.
"""

from pathlib import Path

import pytest

from aligner.decoding.batch import decode
from aligner.models.model_file import load
from aligner.recipe.load import recipe_from_dict

FOLDER = Path(__file__).parent / "stored"


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.links")))
def test_model_of_an_earlier_release_gives_its_links(name):
    model = load(FOLDER / name)
    sides = (FOLDER.joinpath(f"dev.{side}").read_text("utf-8").splitlines() for side in ("src", "tgt"))
    found = decode(model, model.encode(list(zip(*sides, strict=True))))
    lines = [" ".join(f"{i}-{j}" for i, j in links) for links in found]
    assert lines == FOLDER.joinpath(f"{name}.links").read_text("utf-8").splitlines()
    assert recipe_from_dict(model.config).stages
