"""Runs by shards: the bytes of ``train``, whatever the cuts, the order, the merges and the interruptions."""

import random

import pytest

from aligner.errors import ConfigError, DataError
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.shards import limits, steps
from aligner.shards.folder import Folder
from aligner.shards.shard_counts import count_links
from aligner.shards.state import FIRST_ITERATION
from aligner.text.bitext import Bitext
from aligner.training import usable
from tests.shards.cases import DEFAULT, STAGES, begin, finish, shards_of, trained_at_once


@pytest.mark.parametrize("name", STAGES)
def test_shards_give_the_bytes_of_the_whole_text(name, sentence_pairs, tmp_path):
    recipe = recipe_from_dict({"stage": STAGES[name]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [7, 40]), recipe)
    assert finish(folder) == trained_at_once(sentence_pairs, recipe, tmp_path / "model")


@pytest.mark.parametrize(
    ("cuts", "merges", "order"),
    [
        ([30], [[1, 2]], [2, 1]),
        ([1, 2, 3], [[4, 1], [2, 3], [1, 2, 3, 4]], [3, 1, 4, 2]),
        ([10, 30, 50], [[2, 3], [2, 3, 4]], [4, 3, 2, 1]),
        ([20, 21], [[1, 2]], None),  # the second shard is the empty pair
    ],
)
def test_any_cut_order_and_tree_of_merges(cuts, merges, order, sentence_pairs, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, cuts), DEFAULT)
    assert finish(folder, merges, order) == expected


@pytest.mark.slow
def test_merged_files_do_not_depend_on_the_order(sentence_pairs, tmp_path):
    folders = [begin(tmp_path / name, shards_of(sentence_pairs, [20, 30, 40]), DEFAULT) for name in "ab"]
    while not folders[0].state().done:
        round = folders[0].round()
        for folder, merges in zip(folders, ([[1, 2], [3, 4]], [[4, 2], [4, 2, 1]]), strict=True):
            for shard in range(1, 5):
                steps.count(folder, shard)
            for shards in (*merges, [1, 2, 3, 4]):
                steps.merge(folder, shards)
        one, other = ((folder.path / f"part.{round}.1-4").read_bytes() for folder in folders)
        assert one == other
        for folder in folders:
            steps.update(folder)


def test_steps_are_taken_once(sentence_pairs, expected, tmp_path):
    """Any step may be tried at any moment, by several jobs; a step that was done is not done again."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    rng = random.Random(0)
    while not folder.state().done:
        shard = rng.randint(1, 2)
        done = folder.part_name(folder.round(), [shard]) in folder.parts(folder.round()).values()
        assert steps.count(folder, shard) is not done
        if len(folder.parts(folder.round())) == 2:
            steps.update(folder)
    assert folder.model.read_bytes() == expected
    state, step = steps.update(folder)
    assert state.done
    assert step is None
    assert not steps.start(folder, DEFAULT, 2)
    assert not folder.parts(folder.round())
    assert not steps.count(folder, 1)
    assert not steps.merge(folder, [1, 2])


def test_missing_counts_are_named(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20, 30, 40]), DEFAULT)
    steps.count(folder, 3)
    with pytest.raises(DataError, match="no part of the shards 1-2,4 in round 0"):
        steps.update(folder)
    with pytest.raises(DataError, match="no part of the shards 4"):
        steps.merge(folder, [3, 4])


def test_replaced_foreign_and_damaged_files_are_refused(sentence_pairs, tmp_path):
    one, other = (begin(tmp_path / name, shards_of(sentence_pairs, [20]), DEFAULT) for name in ("a", "b"))
    steps.read(other, 2, Bitext.from_text(sentence_pairs[:9]), None)
    for folder in (one, other):
        for _ in range(2):
            for shard in (1, 2):
                steps.count(folder, shard)
            steps.update(folder)
        steps.count(folder, 1)
    part, encoded = one.path / "part.2.1", one.path / "encoded.2"
    part.write_bytes((other.path / "part.2.1").read_bytes())
    intact = encoded.read_bytes()
    encoded.write_bytes((other.path / "encoded.2").read_bytes())
    with pytest.raises(DataError, match=r"encoded\.2: found a file of another run"):
        steps.count(one, 2)
    encoded.write_bytes(intact[:-70] + b"\x01" + intact[-69:])
    with pytest.raises(DataError, match=r"encoded\.2: this file of a run is damaged"):
        steps.count(one, 2)
    encoded.write_bytes(intact)
    steps.count(one, 2)
    with pytest.raises(DataError, match=r"part\.2\.1: found a file of another run"):
        steps.update(one)
    assert steps.count(one, 1)  # the foreign part is replaced
    steps.update(one)
    encoded.unlink()
    assert steps.count(one, 2)
    assert encoded.read_bytes() == intact


def test_a_text_that_was_read_again_is_refused(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20]), DEFAULT)
    for shard in (1, 2):
        steps.count(folder, shard)
    steps.read(folder, 2, Bitext.from_text(sentence_pairs[:30]), None)
    with pytest.raises(DataError, match=r"read after the shard was counted; .* count for shard 2 again"):
        steps.update(folder)
    assert [steps.count(folder, shard) for shard in (1, 2)] == [False, True]
    steps.update(folder)
    (folder.path / "read.2").write_bytes((folder.path / "read.1").read_bytes())
    with pytest.raises(DataError, match=r"read\.2: found a file of another run"):
        steps.count(folder, 2)
    with pytest.raises(DataError, match="texts are read before round 1"):
        steps.read(folder, 2, Bitext.from_text(sentence_pairs), None)


def test_a_text_that_was_read_again_is_merged_again(sentence_pairs, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20]), DEFAULT)
    steps.read(folder, 2, Bitext.from_text(sentence_pairs[:30]), None)
    for shard in (1, 2):
        steps.count(folder, shard)
    assert steps.merge(folder, [1, 2])
    steps.read(folder, 2, Bitext.from_text(sentence_pairs[20:], **vars(DEFAULT.data)), None)
    assert [steps.count(folder, shard) for shard in (1, 2)] == [False, True]
    assert [steps.merge(folder, [1, 2]) for _ in range(2)] == [True, False]
    assert finish(folder) == expected


def test_a_late_count_leaves_the_next_round_alone(sentence_pairs, expected, tmp_path, monkeypatch):
    """While a process begins to count, others take the round, and count the next one, which prunes."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)

    def count_all():
        for shard in (1, 2):
            steps.count(folder, shard)

    def count_late(*arguments):
        monkeypatch.undo()
        count_all()
        steps.update(folder)
        count_all()
        return count_links(*arguments)

    while folder.round() < FIRST_ITERATION + 2:
        count_all()
        steps.update(folder)
    monkeypatch.setattr(steps, "count_links", count_late)
    steps.count(folder, 1)
    assert folder.exists("kept.1")
    assert finish(folder) == expected


def test_f9_two_updates_at_once_write_the_same(sentence_pairs, expected, tmp_path, monkeypatch):
    """The second update begins and ends while the first one writes its state."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    write = Folder.write

    def write_twice(self, name, *values, **options):
        if name.startswith("state."):
            with monkeypatch.context() as patch:
                patch.setattr(Folder, "write", write)
                steps.update(folder)
        write(self, name, *values, **options)

    while not folder.model.exists():
        for shard in (1, 2):
            steps.count(folder, shard)
        with monkeypatch.context() as patch:
            patch.setattr(Folder, "write", write_twice)
            steps.update(folder)
    assert folder.model.read_bytes() == expected


def test_the_state_of_a_criterion_must_be_there(sentence_pairs, tmp_path):
    """Without it, another process would start from other multipliers, and the bytes would differ."""
    recipe = recipe_from_dict({"stage": STAGES["multipliers"]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20, 21]), recipe)  # shard 2 has no pair
    while folder.round() <= FIRST_ITERATION + 1:
        for shard in (1, 2, 3):
            steps.count(folder, shard)
        steps.update(folder)
    remembered = max(folder.path.glob("remembered.*.3"))
    remembered.unlink()
    steps.count(folder, 1)
    steps.count(folder, 2)
    with pytest.raises(DataError, match=rf"{remembered.name}: found no such file"):
        steps.count(folder, 3)


def test_a_merge_of_many_ranges_is_refused(tmp_path):
    folder = Folder(tmp_path / "run")
    steps.start(folder, DEFAULT, 200)
    with pytest.raises(ConfigError, match="merge shards of consecutive numbers"):
        steps.merge(folder, range(1, 200, 2))


def test_a_run_leaves_no_file_behind(sentence_pairs, tmp_path):
    """Temporary files of processes that were killed are deleted, too."""
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    for name in ("model", "knowledge", "state.0", "part.0.1"):
        (folder.path / f"{name}.01234567.tmp").touch()
    folder.delete()
    assert not folder.path.exists()


def test_a_run_is_not_replaced(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20]), DEFAULT)
    with pytest.raises(DataError, match="another recipe, dictionary or model, or of 2 shards and 1 slice;"):
        steps.start(folder, DEFAULT, 3)
    with pytest.raises(ConfigError, match="found shard 3; expected a number from 1 to 2"):
        steps.read(folder, 3, Bitext.from_text(sentence_pairs), None)
    with pytest.raises(DataError, match="found no run"):
        Folder(tmp_path).round()


@pytest.mark.parametrize(
    ("stage", "why"),
    [({"batch_pairs": 9}, "changes within the text"), ({"restarts": 2}, "a run of its own")],
)
def test_recipes_that_are_no_sums_are_refused(stage, why, tmp_path):
    recipe = recipe_from_dict({"stage": [{"model": "ibm1", "iterations": 2} | stage]})
    with pytest.raises(ConfigError, match=why):
        steps.start(Folder(tmp_path / "run"), recipe, 2)


def test_limits_are_checked_before_the_first_iteration(sentence_pairs, tmp_path, monkeypatch):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20]), DEFAULT)
    for shard in (1, 2):
        steps.count(folder, shard)
    with monkeypatch.context() as patch:
        patch.setattr(usable, "MOST_TOKENS", 100)
        with pytest.raises(DataError, match=r"found [\d,]+ tokens on one side; expected fewer than 100"):
            steps.update(folder)
    with monkeypatch.context() as patch:
        patch.setattr(usable, "MAX_COUNT", 10)
        with pytest.raises(DataError, match=r"occurs \d+ times; expected fewer than 10"):
            steps.update(folder)
    with monkeypatch.context() as patch:
        patch.setattr(usable, "MOST_PAIRS", 19)
        with pytest.raises(DataError, match="found 20 usable sentence pairs; expected fewer than 19"):
            steps.read(folder, 1, Bitext.from_text(sentence_pairs[:20]), None)
    steps.update(folder)
    for shard in (1, 2):
        steps.count(folder, shard)
    monkeypatch.setattr(limits, "MAX_PAIR_IDS", 1000)
    with pytest.raises(DataError, match="different word pairs in a slice; expected at most 999"):
        steps.update(folder)


def test_no_usable_pair_at_all(tmp_path):
    folder = begin(tmp_path / "run", [[("", "x")], [("y", "")]], load_recipe())
    for shard in (1, 2):
        steps.count(folder, shard)
    with pytest.raises(DataError, match="no usable sentence pair among 2"):
        steps.update(folder)


def test_files_that_a_killed_update_has_left_are_deleted(sentence_pairs, tmp_path):
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [25]), DEFAULT)
    left = {}
    for _ in range(3):
        for shard in (1, 2):
            steps.count(folder, shard)
        left |= {path.name: path.read_bytes() for path in folder.path.iterdir()}
        steps.update(folder)
    for name in ("part.1.1", "part.2.2", "state.0", "state.1", "rows.2.1", "state.1.x.tmp"):
        (folder.path / name).write_bytes(left.get(name, b""))
    for shard in (1, 2):
        steps.count(folder, shard)
    steps.update(folder)
    kept = {path.name.partition(".")[0] for path in folder.path.iterdir()}
    assert not {"part", "common", "added", "share", "sum"} & kept
    assert sorted(path.name for path in folder.path.glob("state.*")) == ["state.3", "state.4"]
    assert sorted(path.name for path in folder.path.glob("rows.*")) == ["rows.3.1", "rows.4.1"]
