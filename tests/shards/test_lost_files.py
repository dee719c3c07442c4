"""Files of a run that were deleted or damaged: they are written again, or the advice of the message works."""

import re
from pathlib import Path

import pytest

from aligner.errors import DataError
from aligner.recipe.load import recipe_from_dict
from aligner.shards import steps
from aligner.text.bitext import Bitext
from tests.shards.cases import (
    DEFAULT,
    STAGES,
    begin,
    count_all,
    finish,
    go_to,
    shards_of,
    trained_at_once,
)


def damage(path):
    content = path.read_bytes()
    path.write_bytes(content[:-70] + bytes([content[-70] ^ 1]) + content[-69:])


def follow(error, folder):
    """Delete what the advice of a message names; return the step or the round with which to go on."""
    name = re.match(r".*/([\w.]+):", str(error))[1]
    advice = str(error).rstrip(")").rpartition("; ")[2].replace("delete it", f"delete {name}")
    deleted, step = re.fullmatch(r"(?:delete (.*?), and |first )(.*)", advice).groups()
    for name in deleted.split(" and ") if deleted else ():
        (folder.path / name).unlink()
    return step


def test_counts_that_a_power_failure_left_empty_are_counted_again(folder, expected):
    go_to(folder, 3)
    count_all(folder)
    (folder.path / "part.3.1").write_bytes(b"")
    assert finish(folder) == expected


@pytest.mark.parametrize("round", [2, 4])
def test_an_encoded_text_that_was_deleted_is_written_again(round, folder, expected):
    go_to(folder, round)
    path = folder.path / "encoded.1"
    before = path.read_bytes()
    path.unlink()
    steps.count(folder, 1)
    assert path.read_bytes() == before
    assert finish(folder) == expected


@pytest.mark.parametrize(("file", "spoiled_by"), [("encoded.1", "count"), ("part.3.1", "update")])
def test_a_file_that_is_damaged_is_written_again_once_it_is_deleted(file, spoiled_by, folder, expected):
    go_to(folder, 3)
    if spoiled_by == "update":
        count_all(folder)
    damage(folder.path / file)
    with pytest.raises(DataError, match=r"damaged") as error:
        getattr(steps, spoiled_by)(folder, 1)
    assert follow(error.value, folder) == "take the step align shard count for shard 1"
    assert finish(folder) == expected


@pytest.mark.parametrize(
    ("recipe", "file", "spoil"),
    [
        ("default", "state.2", damage),
        ("multipliers", "remembered.3.1", damage),
        ("multipliers", "remembered.3.1", Path.unlink),
    ],
)
def test_a_run_goes_on_from_the_round_before(recipe, file, spoil, sentence_pairs, tmp_path):
    """The newest state is damaged, or a file that belongs to it is damaged or lost."""
    recipe = recipe_from_dict({"stage": STAGES[recipe]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), recipe)
    round = 2 if ".2" in file else 4
    go_to(folder, round)
    spoil(folder.path / file)
    with pytest.raises(DataError, match=re.escape(file)) as error:
        go_to(folder, round + 1)
    assert follow(error.value, folder) == f"go on from round {round - 1}: count all shards, and update"
    assert folder.round() == round - 1
    assert finish(folder) == trained_at_once(sentence_pairs, recipe, tmp_path / "model")


def test_a_run_that_cannot_go_on_says_so(folder):
    go_to(folder, 6)
    damage(folder.path / "kept.2")
    with pytest.raises(DataError, match=r"; delete the folder, and begin the run again$"):
        count_all(folder)


def test_a_first_state_that_is_damaged(folder, expected):
    (folder.path / "state.0").write_bytes(b"")
    with pytest.raises(DataError, match=r"state\.0: ") as error:
        steps.count(folder, 1)
    assert follow(error.value, folder) == "begin the run again"
    assert steps.start(folder, DEFAULT, 2)
    assert finish(folder) == expected


@pytest.mark.parametrize("round", [0, 1, 2])
def test_a_text_that_was_lost_is_read_again(round, sentence_pairs, folder, expected):
    go_to(folder, round)
    for name in "read.2", "encoded.2":
        (folder.path / name).unlink(missing_ok=True)
    with pytest.raises(DataError, match="; first take the step align shard read for shard 2"):
        count_all(folder)
    if round:
        with pytest.raises(DataError, match=r"read\.2: ") as error:
            steps.read(folder, 2, Bitext.from_text(sentence_pairs, **vars(DEFAULT.data)), None)
        assert follow(error.value, folder) == "take the step align shard read for shard 2"
    steps.read(folder, 2, Bitext.from_text(sentence_pairs[25:], **vars(DEFAULT.data)), None)
    assert finish(folder) == expected


def test_a_model_that_was_deleted_is_written_again(folder, expected):
    finish(folder)
    folder.model.unlink()
    state, step = steps.update(folder)
    assert state.run.done
    assert step is None
    assert folder.model.read_bytes() == expected


def test_f9_only_ascii_digits_number_a_round(folder):
    for name in "state.9\u0663", "state.9.1", "state.9\u00b2":
        (folder.path / name).touch()
    assert folder.rounds() == [0]
