"""Fixtures of tests of the workbench: a model file, and a workbench of the sample."""

import re

import pytest

from aligner import save
from tests.serve.browser import connected
from tests.serve.client import running, workbench_of


@pytest.fixture(scope="session")
def model_path(tiny_model, tmp_path_factory):
    """Return the file of a small model."""
    path = tmp_path_factory.mktemp("served") / "model"
    save(tiny_model, path)
    return path


@pytest.fixture
def make_workbench(model_path, texts, tmp_path):
    """Return a function that opens a workbench in a folder, of the training text of the sample or another."""
    opened = []

    def make(folder="work", *paths, ids=None):
        paths = paths or (texts / "train.src", texts / "train.tgt")
        opened.append(workbench_of(tmp_path / folder, model_path, *paths, ids))
        return opened[-1]

    yield make
    for workbench in opened:
        workbench.close()


@pytest.fixture
def workbench(make_workbench):
    """Return a workbench of the training text of the sample."""
    return make_workbench()


@pytest.fixture
def server(workbench):
    """Return the server of the workbench."""
    with running(workbench) as server:
        yield server


@pytest.fixture(scope="session")
def gold(texts):
    """Return the gold of the sample as complete edits, from line 1 on."""
    lines = (texts / "train.gold").read_text().splitlines()
    tokens = ([token for token in line.split() if "-" in token] for line in lines)
    return [" ".join(["=", *own]) for own in tokens]


@pytest.fixture
def page(driver, server):
    """Return the page of the workbench, connected, in a driver."""
    return connected(driver, server.address)


@pytest.fixture
def nothing_goes_wrong(driver):
    """Fail if the page has asked another server for anything."""
    yield
    addresses = driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert all(re.match(r"(blob:)?http://127\.0\.0\.1:", address) for address in addresses)
