"""Runs of words and pieces give the bytes of ``train``."""

import pytest

from aligner import load
from aligner.priors.existing_models import Prior
from aligner.priors.knowledge import Knowledge
from aligner.recipe.load import recipe_from_dict
from aligner.shards import steps
from aligner.shards.piece_run import current
from aligner.shards.run_state import Run
from tests.shards.cases import (
    STAGES,
    begin,
    finish,
    go_to,
    needs_distributed,
    shards_of,
    trained_at_once,
)
from tests.support import text_of

RECIPE = recipe_from_dict({"stage": STAGES["default"], "pieces": {}})


@pytest.fixture(scope="module")
def expected(sample, tmp_path_factory):
    """Return the pairs of a text, some of them not trainable, and the bytes of the model of all of them."""
    pairs = [("", "x"), *text_of(sample.train), ("new " * 101, "text")]
    return pairs, trained_at_once(pairs, RECIPE, tmp_path_factory.mktemp("whole") / "model")


@pytest.mark.parametrize("cuts", [[], [9, 30]])
def test_shards_give_the_bytes_of_train(cuts, expected, tmp_path):
    pairs, model = expected
    folder = begin(tmp_path / "run", shards_of(pairs, cuts), RECIPE)
    assert finish(folder) == model
    steps.update(current(folder))
    assert folder.model.read_bytes() == model
    folder.clear()
    assert list(folder.path.iterdir()) == []


def test_lost_models_are_written_again(expected, tmp_path):
    pairs, model = expected
    folder = begin(tmp_path / "run", shards_of(pairs, [30]), RECIPE)
    go_to(folder, Run.current(folder).rounds)
    for path in list(folder.of_pieces.path.iterdir()):  # as if killed before the run on pieces began
        path.unlink()
    folder.model_of_words.unlink()
    steps.update(folder)
    assert finish(folder) == model
    folder.model.unlink()
    steps.update(current(folder))
    assert folder.model.read_bytes() == model


def test_pieces_of_existing_models_are_known(expected, sample, tmp_path):
    (tmp_path / "older").write_bytes(expected[1])
    older, pairs = load(tmp_path / "older"), text_of(sample.dev)
    for given in ({"init": older}, {"prior": older}):
        model = trained_at_once(pairs, RECIPE, tmp_path / "model", **given)
        knowledge = Knowledge(init=given.get("init"), prior=Prior(older) if "prior" in given else None)
        folder = begin(tmp_path / f"run.{next(iter(given))}", shards_of(pairs, [5]), RECIPE, knowledge)
        assert finish(folder) == model


@needs_distributed
def test_a_cluster_trains_words_and_pieces(align, trained, tmp_path):
    text, options = [trained / "train.src", trained / "train.tgt"], ["-c", "default"]
    options += ["--set", "stage.1.iterations=1", "--set", "stage.2.iterations=2"]
    dev = [trained / f"dev.{name}" for name in ("src", "tgt", "gold")]
    dev = ["--dev-source", dev[0], "--dev-target", dev[1], "--dev-gold", dev[2]]
    _, whole = align("train", *text, "-m", tmp_path / "whole", *options, *dev)
    _, err = align("train", *text, "-m", tmp_path / "model", *options, *dev, "--cluster", "local:1")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()
    assert iterations_of(err) == iterations_of(whole)
    assert len(iterations_of(err)[0]) == 6
    assert not (tmp_path / "model.shards").exists()


def iterations_of(err):
    """Return the stage of each iteration that a training reports, and the last dev AER."""
    lines = [line for line in err.splitlines() if "dev AER" in line]
    return [line.split("  ")[:2] for line in lines], lines[-1].rsplit("dev", 1)[1]


def test_steps_of_the_command_go_on_with_pieces(align, trained, tmp_path):
    run, settings = tmp_path / "run", ["--set", "stage.1.iterations=1", "--set", "stage.2.iterations=1"]
    start = ["shard", "start", run, "--shards", "1", "-c", "default", *settings]
    assert align(*start)[1] == "1 shard, 8 rounds\n"
    align("shard", "read", run, "1", trained / "train.src", trained / "train.tgt")
    said = []
    while not (run / "model").exists():
        assert f"round {len(said)}: shard 1 counted" in align("shard", "count", run, "1")[1]
        said.append(align("shard", "update", run)[1].splitlines()[-1])
        done = len(said)
        assert align(*start)[1] == f"1 shard, 8 rounds; {done} of them are done\n"
    assert said == [*(f"{done} of 8 rounds" for done in range(1, 8)), str(run / "model")]
    model = (run / "model").stat()
    for _ in range(2):  # steps of a script that has more rounds than needed
        align("shard", "count", run, "1")
        assert align("shard", "update", run)[1] == f"{run}/model\n"
    assert (run / "model").stat() == model
    text = trained / "train.src", trained / "train.tgt"
    align("train", *text, "-m", tmp_path / "whole", "-c", "default", *settings)
    assert (run / "model").read_bytes() == (tmp_path / "whole").read_bytes()
