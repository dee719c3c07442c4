"""Runs by shards: the bytes of ``train``, whatever the cuts, the order and the interruptions."""

import random
import re

import pytest

from aligner.errors import ConfigError, DataError
from aligner.lexicon import cooccurrence
from aligner.recipe.load import load_recipe, recipe_from_dict
from aligner.shards import steps
from aligner.shards.folder import Folder
from aligner.shards.run_state import FIRST_ITERATION, WORDS_ROUND, Run
from aligner.text.bitext import Bitext
from aligner.training import usable
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


@pytest.mark.parametrize("name", STAGES)
def test_shards_give_the_bytes_of_the_whole_text(name, sentence_pairs, tmp_path):
    recipe = recipe_from_dict({"stage": STAGES[name]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [7, 40]), recipe)
    assert finish(folder) == trained_at_once(sentence_pairs, recipe, tmp_path / "model")
    left = {path.name.partition(".")[0] for path in folder.path.iterdir()}
    assert left <= {"state", "read", "encoded", "kept", "remembered", "model"}


@pytest.mark.parametrize("cuts", [[1, 2, 3], [20, 21]])
def test_any_cut_gives_the_same_bytes(cuts, sentence_pairs, expected, tmp_path):
    """The second of the shards may be the empty pair."""
    assert finish(begin(tmp_path / "run", shards_of(sentence_pairs, cuts), DEFAULT)) == expected


def recipe_of(*stages):
    return recipe_from_dict({"stage": [*stages]})


def test_steps_are_taken_once(folder, expected):
    """Any step may be tried at any moment, by several jobs; a step that was done is not done again."""
    rng = random.Random(0)
    while not Run.current(folder).done:
        round, shard = folder.round(), rng.randint(1, 2)
        done = round == WORDS_ROUND or folder.exists(steps.counts_name(round, shard))
        assert steps.count(folder, shard) is not done
        if all(folder.exists(steps.counts_name(round, shard)) for shard in (1, 2)):
            steps.update(folder)
    assert folder.model.read_bytes() == expected
    state, step = steps.update(folder)
    assert state.run.done
    assert step is None
    assert not steps.count(folder, 1)
    assert not steps.start(folder, DEFAULT, 2)


def test_an_update_needs_the_counts_of_all_shards(folder):
    go_to(folder, 1)
    steps.count(folder, 2)
    with pytest.raises(
        DataError, match=r"encoded\.1: found no such file; .* first take .* count for shard 1$"
    ):
        steps.update(folder)


def test_foreign_files_are_refused(sentence_pairs, tmp_path):
    one, other = (begin(tmp_path / name, shards_of(sentence_pairs, [20]), DEFAULT) for name in ("a", "b"))
    steps.read(other, 2, Bitext.from_text(sentence_pairs[:9]), None)
    for folder in (one, other):
        go_to(folder, 2)
        steps.count(folder, 1)
    for name in "read.2", "encoded.2", "part.2.1":
        path, intact = one.path / name, (one.path / name).read_bytes()
        path.write_bytes((other.path / name).read_bytes())
        with pytest.raises(DataError, match=f"{re.escape(name)}: found a file of another run"):
            steps.update(one) if "part" in name else steps.count(one, 2)
        if "part" not in name:
            path.write_bytes(intact)
        if name == "encoded.2":
            steps.count(one, 2)
    with pytest.raises(DataError, match="texts are read before round 1"):
        steps.read(one, 2, Bitext.from_text(sentence_pairs), None)
    assert steps.count(one, 1)  # the foreign part is replaced
    steps.update(one)


def test_a_text_may_be_read_again_before_the_first_update(sentence_pairs, folder, expected):
    whole = Bitext.from_text(sentence_pairs[25:], **vars(DEFAULT.data))
    steps.read(folder, 2, Bitext.from_text(sentence_pairs[:30]), None)
    count_all(folder)
    steps.read(folder, 2, whole, None)
    assert finish(folder) == expected


def test_a_late_count_leaves_the_next_round_alone(folder, expected, monkeypatch):
    """While a process begins to count, others take the round, and count the next one, which prunes."""
    count_shard = steps.count_shard

    def count_late(*arguments):
        monkeypatch.undo()
        go_to(folder, FIRST_ITERATION + 3)
        count_all(folder)
        return count_shard(*arguments)

    go_to(folder, FIRST_ITERATION + 2)
    monkeypatch.setattr(steps, "count_shard", count_late)
    steps.count(folder, 1)
    assert folder.exists("kept.1")
    assert finish(folder) == expected


@pytest.mark.parametrize("moment", ["write", "take"])
def test_f9_two_updates_at_once_write_the_same(moment, folder, expected, monkeypatch):
    """The second update begins and ends while the first one writes its state, or has still to read counts."""
    plain = getattr(Folder, moment)

    def disturbed(self, name, *values, **options):
        if name.startswith(("state.", "read.2")):
            with monkeypatch.context() as patch:
                patch.setattr(Folder, moment, plain)
                steps.update(folder)
        return plain(self, name, *values, **options)

    while not folder.model.exists():
        round = folder.round()
        count_all(folder)
        with monkeypatch.context() as patch:
            patch.setattr(Folder, moment, disturbed)
            steps.update(folder)
        assert folder.round() == round + 1
    assert folder.model.read_bytes() == expected


def test_f9_an_update_that_finds_the_counts_deleted_leaves_the_round_to_the_other(folder, monkeypatch):
    after_iteration = steps._after_iteration

    def disturbed(*arguments):
        monkeypatch.undo()
        steps.update(folder)
        return after_iteration(*arguments)

    go_to(folder, 3)
    count_all(folder)
    monkeypatch.setattr(steps, "_after_iteration", disturbed)
    state, step = steps.update(folder)
    assert (state.run.round, step) == (4, None)


def test_the_state_of_a_criterion_must_be_there(sentence_pairs, tmp_path):
    """Without it, another process would start from other multipliers, and the bytes would differ."""
    recipe = recipe_from_dict({"stage": STAGES["multipliers"]})
    folder = begin(tmp_path / "run", shards_of(sentence_pairs, [20, 21]), recipe)  # shard 2 has no pair
    go_to(folder, FIRST_ITERATION + 2)
    remembered = max(folder.path.glob("remembered.*.3"))
    remembered.unlink()
    with pytest.raises(DataError, match=rf"{remembered.name}: found no such file"):
        count_all(folder)


def test_a_run_leaves_no_file_behind(folder):
    """Temporary files of processes that were killed are deleted, too."""
    for name in ("model", "knowledge", "state.0", "part.0.1"):
        (folder.path / f"{name}.01234567.tmp").touch()
    folder.clear()
    assert list(folder.path.iterdir()) == []


def test_refused_steps(sentence_pairs, folder):
    text, single = Bitext.from_text(sentence_pairs), {"model": "ibm1", "iterations": 2}
    for found, step, arguments in (
        ("with another number of shards", steps.start, (folder, DEFAULT, 3)),
        ("found shard 3; .* 1 to 2", steps.read, (folder, 3, text, None)),
        ("found no run", Folder.round, (Folder(folder.path.parent),)),
        ("changes within the text", steps.start, (folder, recipe_of(single | {"batch_pairs": 9}), 2)),
        ("a run of its own", steps.start, (folder, recipe_of(single | {"restarts": 2}), 2)),
    ):
        with pytest.raises((ConfigError, DataError), match=found):
            step(*arguments)


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("MOST_TOKENS", 100, r"found [\d,]+ tokens on one side; expected fewer than 100"),
        ("MAX_COUNT", 10, r"occurs \d+ times; expected fewer than 10"),
        ("MAX_PAIR_IDS", 1000, "different word pairs; expected at most 999"),
        ("MOST_PAIRS", 19, "found 20 usable sentence pairs; expected fewer than 19"),
    ],
)
def test_limits_are_checked_before_the_first_iteration(
    limit, value, message, sentence_pairs, folder, monkeypatch
):
    go_to(folder, int(limit == "MAX_PAIR_IDS"))
    count_all(folder)
    monkeypatch.setattr(cooccurrence if limit == "MAX_PAIR_IDS" else usable, limit, value)
    text = Bitext.from_text(sentence_pairs[:20])
    with pytest.raises(DataError, match=message):
        steps.read(folder, 1, text, None) if limit == "MOST_PAIRS" else steps.update(folder)


def test_no_usable_pair_at_all(tmp_path):
    folder = begin(tmp_path / "run", [[("", "x")], [("y", "")]], load_recipe())
    with pytest.raises(DataError, match="no usable sentence pair among 2"):
        steps.update(folder)


def test_files_that_a_killed_update_has_left_are_deleted(folder):
    left = {}
    for _ in range(3):
        count_all(folder)
        left |= {path.name: path.read_bytes() for path in folder.path.iterdir()}
        steps.update(folder)
    for name in ("part.2.2", "state.0", "state.1", "state.1.x.tmp"):
        (folder.path / name).write_bytes(left.get(name, b""))
    go_to(folder, 4)
    assert {path.name for path in folder.path.glob("[ps][at]*")} == {"state.3", "state.4"}
