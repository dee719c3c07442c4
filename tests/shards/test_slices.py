"""Slices of the lexicon: the bytes of ``train``, whatever their number, and the process that updates them."""

import random

import numpy as np
import pytest

from aligner.errors import ConfigError, DataError
from aligner.recipe.load import recipe_from_dict
from aligner.shards import steps, update
from aligner.shards.folder import Folder
from aligner.shards.latest import Latest
from tests.shards.cases import DEFAULT, STAGES, begin, finish, shards_of, trained_at_once


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "slices"), [("default", 7), *((name, 2) for name in STAGES if name != "climbing, pruned")]
)
def test_slices_give_the_bytes_of_the_whole_lexicon(name, slices, sentence_pairs, tmp_path):
    recipe = recipe_from_dict({"stage": STAGES[name]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [7, 40]), recipe, slices)
    assert finish(folder, [[1, 3]]) == trained_at_once(sentence_pairs, recipe, tmp_path / "model")
    left = {path.name.split(".")[0] for path in folder.path.iterdir()}
    assert left <= {"state", "rows", "read", "encoded", "kept", "remembered", "model"}


def test_a_climb_refuses_slices(tmp_path):
    recipe = recipe_from_dict({"stage": STAGES["climbing, pruned"]})
    with pytest.raises(ConfigError, match="found 2 slices; expected 1"):
        steps.start(Folder(tmp_path / "run"), recipe, 2, 2)
    steps.start(Folder(tmp_path / "run"), recipe, 100)
    assert Folder(tmp_path / "run").outline().slices == 1


def test_shards_decide_the_number_of_slices(tmp_path):
    steps.start(Folder(tmp_path / "run"), DEFAULT, 17)
    assert Folder(tmp_path / "run").outline().slices == 3


@pytest.mark.slow
def test_slices_may_be_updated_by_other_processes_that_are_lost(sentence_pairs, expected, tmp_path):
    """Slices are updated in any order, some of them twice; the first update of a round is interrupted."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, slices=4)
    rng, tasks = random.Random(0), Latest()

    def advance_some(known_sums):
        update.advance_slice(folder, 3, known_sums, tasks)
        if known_sums == 1 and rng.random() < 0.5:
            raise KeyboardInterrupt

    def advance_all(known_sums):
        for number in rng.sample([1, 2, 3, 4, 2], 5):
            update.advance_slice(folder, number, known_sums, tasks)

    interrupted = 0
    while not folder.state().done:
        for shard in (1, 2):
            steps.count(folder, shard)
        try:
            steps.update(folder, advance_all=lambda n: (advance_all(n), advance_some(n)))
        except KeyboardInterrupt:
            interrupted += 1
    assert interrupted
    assert folder.model.read_bytes() == expected


@pytest.mark.parametrize("name", ["state.2", "rows.2.1", "rows.2.3"])
def test_damage_names_its_file(name, sentence_pairs, tmp_path):
    """The state and the rows of all slices are open at the same time."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, slices=3)
    for _ in range(2):
        for shard in (1, 2):
            steps.count(folder, shard)
        steps.update(folder)
    intact = (folder.path / name).read_bytes()
    (folder.path / name).write_bytes(intact[:-1] + b"\x01")
    with pytest.raises(DataError, match=rf"{name}: this file of a run is damaged"):
        steps.count(folder, 1)
    (folder.path / name).write_bytes(intact)
    steps.count(folder, 1)


def test_no_slice_has_all_rows(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, slices=4)
    for _ in range(3):
        for shard in (1, 2):
            steps.count(folder, shard)
        state, _ = steps.update(folder)
    rows = [folder.state(slice_number=number).training.pair.lexicon.index for number in (1, 2, 3, 4)]
    whole = steps.whole_model(folder).pair.lexicon.index
    assert len(state.training.pair.lexicon.index) == 0
    assert sum(map(len, rows)) == len(whole) > 2 * max(map(len, rows))
    assert (sum(np.diff(index.row_offsets) for index in rows) == np.diff(whole.row_offsets)).all()
