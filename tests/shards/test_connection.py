"""The connection to a cluster: addresses and missing parts."""

import sys

import pytest

from aligner.errors import ConfigError, DataError
from aligner.shards import connection
from aligner.shards.connection import connected
from tests.shards.cases import needs_distributed


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
    monkeypatch.setattr(connection, "_SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(DataError, match="no scheduler answers"), connected("tcp://127.0.0.1:9"):
        pass
