"""Model files of version 0.2.0 give the same links.

VERSION-RECIPE is a model of the first lines of the text of ``align sample``. VERSION-RECIPE.links has its
links of dev.src and dev.tgt. Never write these files anew.
"""

from pathlib import Path

import pytest

from aligner.decoding.batch import decode
from aligner.errors import DamagedError
from aligner.models.model_file import load
from aligner.recipe.load import recipe_from_dict
from aligner.storage import array_file

FOLDER = Path(__file__).parent / "stored"


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.links")))
def test_model_of_an_earlier_release_gives_its_links(name):
    model = load(FOLDER / name)
    sides = (FOLDER.joinpath(f"dev.{side}").read_text("utf-8").splitlines() for side in ("src", "tgt"))
    found = decode(model, model.encode(list(zip(*sides, strict=True))))
    lines = [" ".join(f"{i}-{j}" for i, j in links) for links in found]
    assert lines == FOLDER.joinpath(f"{name}.links").read_text("utf-8").splitlines()
    assert recipe_from_dict(model.config).stages


def test_pieces_of_pieces_are_refused(tmp_path):
    header, arrays = array_file.read(FOLDER / "0.2.0-best")
    header["pieces"]["pieces"] = dict(header["pieces"])
    nested = {f"pieces.{name}": array for name, array in arrays.items() if name.startswith("pieces.")}
    array_file.write(tmp_path / "model", header, arrays | nested)
    with pytest.raises(DamagedError, match="its pieces have pieces"):
        load(tmp_path / "model")
