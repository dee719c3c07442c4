"""A cluster of worker processes: the bytes of ``train``, even if workers or the scheduler are lost."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from aligner.errors import ConfigError, DataError
from aligner.recipe.load import recipe_from_dict
from aligner.shards import cluster, steps, text_files
from aligner.shards.cluster import read_shards, run_rounds, train_on_cluster
from aligner.shards.connection import connected
from aligner.shards.folder import Folder
from aligner.shards.shard import ReadShard
from aligner.shards.text_files import TextFiles
from tests.program import FAST
from tests.shards.cases import STAGES, begin, go_to, needs_distributed, shards_of, trained_at_once
from tests.support import text_of, write

RECIPE = recipe_from_dict({"stage": STAGES["default"]})


@pytest.fixture(scope="module")
def client():
    """Start two worker processes that any program on this machine can use by their address."""
    from dask import config
    from distributed import LocalCluster

    settings = {"distributed.scheduler.allowed-failures": 10}
    own = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with config.set(settings), LocalCluster(**own) as cluster, connected(cluster.scheduler_address) as client:
        yield client


@pytest.fixture(scope="module")
def expected(sample, tmp_path_factory):
    """Return the pairs of the sample, and the bytes of the model of all of them."""
    pairs = text_of(sample.train)
    return pairs, trained_at_once(pairs, RECIPE, tmp_path_factory.mktemp("whole") / "model")


@needs_distributed
def test_a_cluster_gives_the_bytes_of_one_machine(client, expected, tmp_path):
    pairs, model = expected
    folder = begin(tmp_path / "run", shards_of(pairs, [5, 20, 21, 40]), RECIPE)
    done = []
    steps = [step for _, step in run_rounds(client, folder, progress=done.append) if step is not None]
    assert folder.model.read_bytes() == model
    assert [step.iteration for step in steps] == [1, 2, 1, 2, 3]
    assert steps[-1].last
    assert sum(done) == 5 * len(pairs)
    assert steps[0].pairs == len(pairs)


@pytest.mark.slow
@needs_distributed
def test_lost_workers_change_nothing(client, expected, tmp_path):
    pairs, model = expected
    folder = begin(tmp_path / "run", shards_of(pairs, [20, 40]), RECIPE)
    rng = random.Random(0)
    for n, _ in enumerate(run_rounds(client, folder)):
        if n == 1:  # the worker is lost while it counts the next round
            alive = client.run(os.getpid, on_error="ignore")  # a worker lost before may still be listed
            pid = rng.choice(list(alive.values()))
            threading.Timer(rng.uniform(0.0, 0.1), os.kill, (pid, signal.SIGKILL)).start()
    assert folder.model.read_bytes() == model


@needs_distributed
def test_a_cluster_without_workers_is_left(expected, tmp_path, monkeypatch):
    from distributed import Client, LocalCluster

    folder = begin(tmp_path / "run", shards_of(expected[0], [20, 40]), RECIPE)
    monkeypatch.setattr(cluster, "_SECONDS_TO_LOOK", 0.1)
    monkeypatch.setattr(cluster, "_SECONDS_WITHOUT_LOCAL_WORKERS", 0.3)
    message = r"no worker for 0.3 s; .*the run is kept in .*--resume"
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as own,
        Client(own) as client,
        pytest.raises(DataError, match=message),
    ):
        next(run_rounds(client, folder))


def dask(module, *arguments, log=subprocess.DEVNULL):
    """Start a process of Dask distributed."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, text=True)


@needs_distributed
@pytest.mark.slow
def test_a_lost_scheduler_leaves_a_run_that_can_be_resumed(client, align, trained, tmp_path):
    text, model = (trained / "train.src", trained / "train.tgt"), tmp_path / "model"
    scheduler = dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0", log=subprocess.PIPE)
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    worker = dask("dask_worker", address, "--nthreads", "2", "--local-directory", str(tmp_path))
    states = tmp_path / "model.shards"

    def kill_scheduler():
        while not (states / "state.2").exists():  # four rounds are left
            time.sleep(0.01)
        scheduler.kill()

    threading.Thread(target=kill_scheduler, daemon=True).start()
    try:
        _, err = align("train", *text, "-m", model, *FAST, "--cluster", address, status=1)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.communicate()
    assert "the scheduler went away" in err
    assert f"the run is kept in {states}; go on by --resume" in err
    assert not model.exists()
    align("train", *text, "-m", model, *FAST, "--cluster", client.scheduler.address, "--resume")
    assert model.read_bytes() == (trained / "model").read_bytes()
    assert not states.exists()


@pytest.mark.slow
@needs_distributed
@pytest.mark.parametrize("files", ["train.src train.tgt", "train.bars", "train.src.gz train.tgt.bz2"])
def test_train_on_workers(files, client, align, trained, tmp_path, monkeypatch):
    """Workers read ranges of plain files; this process reads others."""
    monkeypatch.setattr(text_files, "_LEAST_BYTES", 1)
    text, model = [trained / name for name in files.split()], tmp_path / "model"
    options = "-m", model, "--links", tmp_path / "links", *FAST, "--cluster", client.scheduler.address
    _, err = align("train", *text, *options)
    assert "60 pairs" in err
    assert "hmm agreement 2/2  perplexity" in err
    assert model.read_bytes() == (trained / "model").read_bytes()
    assert (tmp_path / "links").read_bytes() == (trained / "train.links").read_bytes()
    assert [path.name for path in tmp_path.iterdir() if "shards" in path.name] == []


@needs_distributed
def test_errors_of_workers_reach_the_user(client, expected, tmp_path):
    folder = begin(tmp_path / "run", shards_of(expected[0], [20]), RECIPE)
    (folder.path / "read.2").unlink()
    with pytest.raises(DataError, match=r"read\.2: found no such file"):
        list(run_rounds(client, folder))
    with pytest.raises(DataError, match="found no such folder on a worker"):
        client.submit(cluster._count, str(tmp_path / "other"), 1, 0, pure=False).result()


@pytest.fixture
def bad_text(monkeypatch, tmp_path):
    """Return the path of a text of 42 lines for three shards; lines 2 and 30 to 41 have no separator."""
    monkeypatch.setattr(text_files, "_LEAST_BYTES", 1)
    lines = ["bad" if n == 2 or 30 <= n <= 41 else "a\tb" for n in range(1, 43)]
    return write(tmp_path / "text", "\n".join(lines))


@needs_distributed
def test_workers_report_bad_lines_by_their_numbers_in_the_file(client, bad_text, tmp_path):
    """Workers report the first 10 bad lines of each shard, and count all."""
    folder, skipped = Folder(tmp_path), []
    text = TextFiles.of(bad_text, None, skip_bad=True).divided(3)
    assert len(text.shards) == 3
    read_shards(client, folder, text, RECIPE, skipped.append)
    assert [message.split(": ")[0] for message in skipped] == [f"{bad_text}:{n}" for n in (2, *range(30, 40))]
    reports = [folder.take(f"read.{n}", "text", ReadShard).report for n in (1, 2, 3)]
    assert [report["lines"] for report in reports] == [13, 14, 15]
    assert [report["bad"] for report in reports] == [1, 0, 12]
    text = TextFiles.of(bad_text, None).divided(3)
    folder.clear()
    with pytest.raises(DataError, match=":2: found TAB 0 times"):
        read_shards(client, folder, text, RECIPE, skipped.append)


@needs_distributed
def test_a_text_that_workers_do_not_see(client, bad_text, tmp_path):
    text = TextFiles.of(bad_text, None, skip_bad=True).divided(3)
    os.rename(bad_text, tmp_path / "renamed")
    with pytest.raises(
        DataError, match="found no such file on a worker; expected one that all workers share"
    ):
        read_shards(client, Folder(tmp_path), text, RECIPE, print)


@needs_distributed
def test_a_run_of_a_changed_text_is_not_resumed(client, bad_text, tmp_path):
    folder, whole = Folder(tmp_path), TextFiles.of(bad_text, None, skip_bad=True)
    read_shards(client, folder, whole.divided(3), RECIPE, print)
    steps.start(folder, RECIPE, 3)

    def resume():
        next(train_on_cluster("local:x", whole, RECIPE, folder, resume=True))

    with pytest.raises(ConfigError, match="expected local:N"):  # the run may be resumed
        resume()
    with open(bad_text, "a") as file:
        file.write("\n")
    with pytest.raises(DataError, match="found a run of another text"):
        resume()


@needs_distributed
def test_a_text_that_was_read_in_another_way_is_read_again(client, tmp_path):
    """Reading is interrupted before the run begins; then the recipe or --skip-bad changes."""
    names = [write(tmp_path / f"{n}.tsv", "A\tb\n") for n in (1, 2)]
    text, folder = TextFiles(tuple((name,) for name in names)), Folder(tmp_path / "run")
    folder.path.mkdir()

    def read(recipe, text=text):
        read_shards(client, folder, text, recipe, print)
        assert folder.is_made_from("read.1", text.origin(1, recipe))
        return folder.take("read.1", "text", ReadShard).source.vocabulary.words

    assert read(RECIPE) == ["a"]
    cased = replace(RECIPE, data=replace(RECIPE.data, lowercase=False))
    assert not folder.is_made_from("read.1", text.origin(1, cased))
    assert not folder.is_made_from("read.1", replace(text, skip_bad=True).origin(1, RECIPE))
    assert read(cased) == ["A"]


def test_a_worker_waits_for_a_state_that_it_does_not_see_yet(tmp_path):
    folder = Folder(tmp_path / "run")
    begun = threading.Timer(0.2, steps.start, (folder, RECIPE, 1))
    begun.start()
    assert cluster._wait_for_round(folder, 0)
    begun.join()


@pytest.fixture
def impatient(monkeypatch):
    """Fail at once if files of other machines are missing."""
    monkeypatch.setattr(cluster, "_SECONDS_TO_SEE", 0)


def test_a_worker_that_never_sees_the_state_of_a_round_says_so(impatient, tmp_path):
    folder = Folder(tmp_path / "run")
    steps.start(folder, RECIPE, 1)
    with pytest.raises(DataError, match="found no state of round 7 within"):
        cluster._wait_for_round(folder, 7)


@needs_distributed
def test_results_of_workers_that_never_appear(impatient, client, tmp_path, monkeypatch):
    """Workers write to a folder of the same name that is on no common file system."""
    folder = begin(tmp_path / "run", [[("a", "b")], [("c", "d")]], RECIPE)
    go_to(folder, 1)
    monkeypatch.setattr(cluster, "_count", print)
    with pytest.raises(DataError, match=r"run: found no counts of round 1 within .*; use the same folder"):
        list(run_rounds(client, folder))
    assert folder.rounds()


@needs_distributed
def test_a_run_whose_model_was_not_written_is_resumed(client, expected, tmp_path):
    """The last iteration is taken again, so that its step has the model."""
    text = write(tmp_path / "text", "".join(f"{source}\t{target}\n" for source, target in expected[0]))
    own = client.scheduler.address, TextFiles.of(text, None), RECIPE, Folder(tmp_path / "run")
    list(train_on_cluster(*own))
    (tmp_path / "run" / "model").unlink()
    (step,) = train_on_cluster(*own, resume=True)
    assert step.last
    assert (tmp_path / "run" / "model").read_bytes() == expected[1]


@needs_distributed
def test_many_files_with_a_dictionary_a_prior_and_a_dev_set(client, align, trained, tmp_path):
    sides = [(trained / name).read_text().splitlines(keepends=True) for name in ("train.src", "train.tgt")]
    for n in range(5):
        for name, lines in zip(("a", "b"), sides, strict=True):
            (tmp_path / f"{n}.{name}").write_text("".join(lines[12 * n : 12 * n + 12]))
    (tmp_path / "dictionary").write_text("\t".join(lines[0].split()[0] for lines in sides))
    dev = "--dev-source", trained / "dev.src", "--dev-target", trained / "dev.tgt"
    given = "--dictionary", tmp_path / "dictionary", "--prior", trained / "model"
    options = *FAST, *given
    text = trained / "train.src", trained / "train.tgt"
    align("train", *text, "-m", tmp_path / "one", *options)
    files = tmp_path / "*.a", tmp_path / "*.b"
    dev = *dev, "--dev-gold", trained / "dev.gold"
    cluster = "--cluster", client.scheduler.address
    _, err = align("train", *files, "-m", tmp_path / "other", *options, *dev, *cluster)
    assert "1 dictionary entry" in err
    assert err.count("dev AER") == 4  # after each iteration
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("option", ["--known-links", "--max-memory"])
def test_options_that_do_not_go_with_a_cluster(option, align, trained, tmp_path):
    value = "1G" if option == "--max-memory" else trained / "train.gold"
    options = "-m", tmp_path / "model", "--cluster", "local:1", option, value
    _, err = align("train", trained / "train.tsv", *options, status=2)
    assert f"{option} does not go with --cluster" in err


@pytest.mark.parametrize(
    ("source", "found"), [("*.tsv", "a text of 2 parts; expected one"), ("pipe", "a pipe for a text")]
)
def test_links_of_other_texts_are_refused(source, found, align, tmp_path):
    for name in "ab":
        write(tmp_path / f"{name}.tsv", "a\tb\n")
    os.mkfifo(tmp_path / "pipe")
    options = "-m", tmp_path / "model", "--links", tmp_path / "links", "--cluster", "local:1"
    assert f"--links: found {found}" in align("train", tmp_path / source, *options, status=1)[1]
    assert list(tmp_path.glob("model*")) == []


@pytest.mark.parametrize("damage", [b"", b"other bytes"])
def test_a_run_that_cannot_be_read_is_replaced_by_force(damage, tmp_path):
    folder = begin(tmp_path / "run", [[("a", "b")]], RECIPE)
    (folder.path / "state.0").write_bytes(damage)
    own = "local:x", TextFiles.of(write(tmp_path / "text", "a\tb\n"), None), RECIPE, folder
    for resume, force in (False, False), (True, False), (True, True):
        with pytest.raises(DataError, match=r"state\.0"):
            next(train_on_cluster(*own, resume=resume, force=force))
    with pytest.raises(ConfigError, match="--cluster"):
        next(train_on_cluster(*own, force=True))
    assert not folder.rounds()


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked on Windows")
def test_a_folder_has_one_run_at_a_time(align, trained, tmp_path):
    """A second run would wait in vain for files that the first one deletes."""
    folder = Folder(tmp_path / "model.shards")
    arguments = "train", trained / "train.tsv", "-m", tmp_path / "model", "--cluster", "local:x"
    with folder.locked():
        for resume in ([], ["--resume"]):
            _, err = align(*arguments, *resume, status=1)
            assert f"{folder.path}: found that another align train --cluster is using this folder" in err
        assert folder.path.exists()
    _, err = align(*arguments, status=1)
    assert "expected local:N" in err
    assert os.listdir(tmp_path) == []
