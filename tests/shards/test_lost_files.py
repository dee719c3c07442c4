"""Files of a run that were deleted or damaged: they are written again, or the advice of the message works."""

import re
from pathlib import Path

import pytest

from aligner.errors import DataError
from aligner.recipe.load import recipe_from_dict
from aligner.shards import steps
from aligner.shards.folder import Folder
from aligner.text.bitext import Bitext
from tests.shards.cases import DEFAULT, STAGES, begin, finish, shards_of, trained_at_once


def go_to(folder, round):
    """Take all steps before a round."""
    while folder.round() < round:
        take_round(folder)


def count_all(folder):
    for shard in range(1, folder.outline().shards + 1):
        steps.count(folder, shard)


def take_round(folder):
    count_all(folder)
    steps.update(folder)


def damage(path):
    content = path.read_bytes()
    path.write_bytes(content[:-70] + bytes([content[-70] ^ 1]) + content[-69:])


def follow(advice, folder):
    """Delete what the advice of a message names; return the step or the round with which to go on."""
    deleted, step = re.fullmatch(r"(?:delete (.*?), and |first )(.*)", advice).groups()
    for name in deleted.split(" and ") if deleted else ():
        (folder.path / name).unlink()
    return step


@pytest.mark.parametrize("round", [2, 4])
@pytest.mark.parametrize("slices", [1, 3])
def test_an_encoded_text_that_was_deleted_is_written_again(round, slices, sentence_pairs, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, slices)
    go_to(folder, round)
    path = folder.path / "encoded.1"
    before = path.read_bytes()
    path.unlink()
    steps.count(folder, 1)
    assert path.read_bytes() == before
    assert finish(folder) == expected


def test_an_encoded_text_that_is_damaged_is_written_again_once_it_is_deleted(
    sentence_pairs, expected, tmp_path
):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    go_to(folder, 3)
    damage(folder.path / "encoded.1")
    with pytest.raises(DataError, match=r"damaged .*; delete it, and take the step .* count for shard 1$"):
        steps.count(folder, 1)
    (folder.path / "encoded.1").unlink()
    assert finish(folder) == expected


@pytest.mark.parametrize(
    ("recipe", "slices", "file", "spoil"),
    [
        ("default", 1, "state.2", damage),
        ("default", 1, "state.4", damage),
        ("default", 1, "rows.2.1", damage),
        ("default", 1, "rows.4.1", Path.unlink),
        ("default", 2, "state.4", damage),
        ("default", 2, "rows.4.1", Path.unlink),
        ("multipliers", 1, "remembered.3.1", damage),
        ("multipliers", 1, "remembered.3.1", Path.unlink),
    ],
)
def test_a_run_goes_on_from_the_round_before(recipe, slices, file, spoil, sentence_pairs, tmp_path):
    """The newest state is damaged, or a file that belongs to it is damaged or lost."""
    recipe = recipe_from_dict({"stage": STAGES[recipe]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), recipe, slices)
    path, round = folder.path / file, 2 if ".2" in file else 4
    go_to(folder, round)
    spoil(path)
    with pytest.raises(DataError, match=re.escape(path.name)) as error:
        take_round(folder)
    step = follow(str(error.value).rpartition("; ")[2].replace("delete it", f"delete {path.name}"), folder)
    assert step == f"go on from round {round - 1}: count all shards, and update"
    assert folder.round() == round - 1
    assert finish(folder) == trained_at_once(sentence_pairs, recipe, tmp_path / "model")


def test_a_run_that_cannot_go_on_says_so(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    go_to(folder, 6)
    damage(folder.path / "kept.2")
    with pytest.raises(DataError, match=r"; delete the folder, and begin the run again$"):
        count_all(folder)


def test_a_first_state_that_is_damaged(sentence_pairs, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    (folder.path / "state.0").write_bytes(b"")
    with pytest.raises(DataError, match=r"state\.0: .*; delete it, and begin the run again"):
        steps.count(folder, 1)
    (folder.path / "state.0").unlink()
    assert steps.start(folder, DEFAULT, 2)
    assert finish(folder) == expected


@pytest.mark.parametrize("round", [1, 2])
def test_a_text_that_was_lost_is_read_again(round, sentence_pairs, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    go_to(folder, round)
    for name in "read.2", "encoded.2":
        (folder.path / name).unlink(missing_ok=True)
    with pytest.raises(DataError, match="; first take the step align shard read for shard 2"):
        count_all(folder)
    with pytest.raises(
        DataError, match=r"read\.2: .* delete it, and take the step align shard read for shard"
    ):
        steps.read(folder, 2, Bitext.from_text(sentence_pairs, **vars(DEFAULT.data)), None)
    (folder.path / "read.2").unlink()
    steps.read(folder, 2, Bitext.from_text(sentence_pairs[25:], **vars(DEFAULT.data)), None)
    assert finish(folder) == expected


def test_a_model_that_was_deleted_is_written_again(sentence_pairs, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, 3)
    finish(folder)
    folder.model.unlink()
    state, step = steps.update(folder)
    assert state.done
    assert step is None
    assert folder.model.read_bytes() == expected


@pytest.mark.parametrize(
    ("name", "refused"), [("common.2", False), ("share.2.0.1", True), ("added.2.1", True)]
)
def test_sums_that_are_damaged_are_computed_again(
    name, refused, sentence_pairs, expected, tmp_path, monkeypatch
):
    """An update of several slices was interrupted."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT, 2)
    go_to(folder, 2)
    count_all(folder)
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "tidy", lambda *_: None)
        steps.update(folder)
    (folder.path / "state.3").unlink()
    for path in folder.path.glob("rows.3.*"):
        path.unlink()
    damage(folder.path / name)
    if refused:
        with pytest.raises(DataError, match=rf"{name}: .*; delete it, and take the step align shard update$"):
            steps.update(folder)
        (folder.path / name).unlink()
    assert finish(folder) == expected


def test_f9_only_ascii_digits_number_a_round(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    for name in "state.9\u0663", "state.9.1", "state.9\u00b2":
        (folder.path / name).touch()
    assert folder.rounds() == [0]
