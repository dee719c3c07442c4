"""``align shard``: the steps of a run on the command line."""

import re

from tests.program import FAST


def test_steps_give_the_model_of_align_train(align, trained, tmp_path):
    sides = {
        side: (trained / f"train.{side}").read_text("utf-8").splitlines(keepends=True)
        for side in ("src", "tgt")
    }
    for shard, (first, last) in enumerate([(0, 25), (25, 60)], start=1):
        for side, lines in sides.items():
            (tmp_path / f"{shard}.{side}").write_text("".join(lines[first:last]), "utf-8")
    run = tmp_path / "run"
    out, err = align("shard", "start", run, "--shards", 2, *FAST)
    assert (out, err) == (b"", "2 shards, 6 rounds\n")
    for shard in (2, 1):
        _, err = align("shard", "read", run, shard, tmp_path / f"{shard}.src", tmp_path / f"{shard}.tgt")
        assert "training on" in err
    _, err = align("shard", "read", run, 2, tmp_path / "2.src", tmp_path / "2.tgt")
    assert err == "shard 2 was read before\n"
    for round in range(6):
        assert not (run / "model").exists()
        counted, again = ("counted", "was counted before") if round else ["counted as it was read"] * 2
        needs, *lines = align("shard", "count", run, "1")[1].splitlines()
        assert re.fullmatch(r"needs about \d+ MiB of memory", needs)
        assert lines == [f"round {round}: shard 1 {counted}"]
        assert align("shard", "count", run, "1-2")[1].splitlines()[1:] == [
            f"round {round}: shard 1 {again}",
            f"round {round}: shard 2 {counted}",
        ]
        _, err = align("shard", "update", run)
        assert err.startswith("needs about ")
        assert err.endswith(f"{round + 1} of 6 rounds\n" if round < 5 else f"{run}/model\n")
        if round in (0, 4):
            _, err = align("decode", run / "model", trained / "dev.tsv", status=1)
            assert f"{run}/model: found {round + 1} of 6 rounds; expected all; go on by align shard" in err
    assert "perplexity" in err
    assert (run / "model").read_bytes() == (trained / "model").read_bytes()
    files = {path.name: path.stat().st_mtime_ns for path in run.iterdir()}
    assert align("shard", "count", run, "1-2")[1] == f"{run}/model: the model is trained\n"
    assert align("shard", "update", run)[1] == f"{run}/model\n"
    assert {path.name: path.stat().st_mtime_ns for path in run.iterdir()} == files
    assert "6 of them are done" in align("shard", "start", run, "--shards", 2, *FAST)[1]


def test_errors_name_the_next_step(align, tmp_path):
    _, err = align("shard", "count", tmp_path, "1", status=1)
    assert "found no run" in err
    align("shard", "start", tmp_path / "run", "--shards", 2)
    _, err = align("shard", "count", tmp_path / "run", "1", status=1)
    assert "read.1: found no such file" in err
    assert "first take the step align shard read for shard 1" in err
    _, err = align("shard", "read", tmp_path / "run", "3", tmp_path / "no text", status=1)
    assert "found shard 3; expected a number from 1 to 2" in err
    (tmp_path / "file").touch()
    for name in "file", "file/run":
        _, err = align("shard", "start", tmp_path / name, "--shards", 2, status=1)
        assert f"{tmp_path / name}: no run can begin here (" in err
    for shards in "", "0", "3-1", "a", "1-", "1 2":
        _, err = align("shard", "count", tmp_path / "run", shards, status=1)
        assert f"found shards {shards!r}; expected numbers from 1 and ranges" in err
    _, err = align("shard", "count", tmp_path / "run", "3", status=1)
    assert "found shard 3; expected a number from 1 to 2" in err
    _, err = align("shard", "update", tmp_path / "run", status=1)
    assert "read.1: found no such file" in err


def test_a_text_that_is_read_in_another_format_is_read_again(align, tmp_path):
    text = tmp_path / "both"
    text.write_text("a ||| b\tc\n")
    align("shard", "start", tmp_path / "run", "--shards", 1, *FAST)
    _, bars = align("shard", "read", tmp_path / "run", 1, text, "--format", "bars")
    _, tabs = align("shard", "read", tmp_path / "run", 1, text, "--format", "tsv")
    assert "1 + 2 tokens" in bars
    assert "3 + 1 token" in tabs
