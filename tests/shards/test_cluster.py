"""A cluster of worker processes: the bytes of ``train``, even if workers or the scheduler are lost."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from aligner.errors import ConfigError, DataError
from aligner.recipe.load import recipe_from_dict
from aligner.shards import cluster
from aligner.shards.cluster import connected, run_rounds
from tests.program import FAST
from tests.shards.cases import begin, shards_of, trained_at_once
from tests.shards.test_steps import STAGES
from tests.support import text_of

RECIPE = recipe_from_dict({"stage": STAGES["default"]})


def needs_distributed(test):
    """Mark a test that starts worker processes, and skip it without the extra."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        test = pytest.mark.skip(reason="needs the extra cluster")(test)
    return pytest.mark.cluster(test)


@pytest.fixture(scope="module")
def client():
    """Start two worker processes."""
    with connected("local:2") as client:
        yield client


@pytest.fixture(scope="module")
def expected(sample, tmp_path_factory):
    """Return the pairs of the sample, and the bytes of the model of all of them."""
    pairs = text_of(sample.train)
    return pairs, trained_at_once(pairs, RECIPE, tmp_path_factory.mktemp("whole") / "model")


@needs_distributed
@pytest.mark.parametrize("slices", [1, 3])
def test_a_cluster_gives_the_bytes_of_one_machine(slices, client, expected, tmp_path):
    pairs, model = expected
    folder = begin(tmp_path / "run", shards_of(pairs, [5, 20, 21, 40]), RECIPE, slices)
    done = []
    steps = [step for step in run_rounds(client, folder, progress=done.append) if step is not None]
    assert folder.model.read_bytes() == model
    assert [step.iteration for step in steps] == [1, 2, 1, 2, 3]
    assert steps[-1].last
    assert sum(done) == 5 * len(pairs)
    assert steps[0].pairs == len(pairs)


@needs_distributed
@pytest.mark.parametrize("slices", [1, 3])
def test_lost_workers_change_nothing(slices, client, expected, tmp_path):
    pairs, model = expected
    folder = begin(tmp_path / "run", shards_of(pairs, [20, 40]), RECIPE, slices)
    rng = random.Random(0)
    for n, _ in enumerate(run_rounds(client, folder)):
        if n in (0, 2, 4):  # the worker is lost while it counts the next round
            alive = client.run(os.getpid, on_error="ignore")  # a worker lost before may still be listed
            pid = rng.choice(list(alive.values()))
            threading.Timer(rng.uniform(0.0, 0.1), os.kill, (pid, signal.SIGKILL)).start()
    assert folder.model.read_bytes() == model


def dask(module, *arguments):
    """Start a process of Dask distributed."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@needs_distributed
@pytest.mark.slow
def test_a_lost_scheduler_leaves_a_run_that_can_be_resumed(align, trained, tmp_path):
    text, model = (trained / "train.src", trained / "train.tgt"), tmp_path / "model"
    host, port = "127.0.0.1", str(20000 + os.getpid() % 10000)
    address = f"tcp://{host}:{port}"
    scheduler = dask("dask_scheduler", "--host", host, "--port", port)
    worker = dask("dask_worker", address, "--nthreads", "2", "--local-directory", str(tmp_path))
    states = tmp_path / "model.shards"

    def kill_scheduler():
        while not (states / "state.3").exists():
            time.sleep(0.01)
        scheduler.kill()

    threading.Thread(target=kill_scheduler, daemon=True).start()
    try:
        _, err = align("train", *text, "-m", model, *FAST, "--cluster", address, status=1)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert "the scheduler went away" in err
    assert f"the run is kept in {states}; go on by --resume" in err
    assert not model.exists()
    align("train", *text, "-m", model, *FAST, "--cluster", "local:1", "--resume")
    assert model.read_bytes() == (trained / "model").read_bytes()
    assert not states.exists()


@needs_distributed
def test_train_on_local_workers(align, trained, tmp_path):
    text, model = (trained / "train.src", trained / "train.tgt"), tmp_path / "model"
    options = "-m", model, "--links", tmp_path / "links", *FAST, "--cluster", "local:1"
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
        client.submit(cluster._count, str(tmp_path / "other"), 0, 1, pure=False).result()


def test_without_the_extra(monkeypatch, align, trained, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    _, err = align("train", trained / "train.tsv", "-m", tmp_path / "model", "--cluster", "local:2", status=1)
    assert "pip install 'accord-align[cluster]'" in err


@needs_distributed
@pytest.mark.parametrize("address", ["local", "local:0", "local:x"])
def test_addresses_of_no_cluster(address):
    with pytest.raises(ConfigError, match="expected local:N"), connected(address):
        pass


@needs_distributed
def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(DataError, match="no scheduler answers"), connected("tcp://127.0.0.1:9"):
        pass


@pytest.mark.parametrize("option", ["--dictionary", "--known-links", "--prior", "--max-memory"])
def test_options_that_do_not_go_with_a_cluster(option, align, trained, tmp_path):
    value = "1G" if option == "--max-memory" else trained / "train.gold"
    arguments = (
        "train",
        trained / "train.tsv",
        "-m",
        tmp_path / "model",
        "--cluster",
        "local:1",
        option,
        value,
    )
    assert f"{option} does not go with --cluster" in align(*arguments, status=2)[1]
