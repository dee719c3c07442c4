"""Training on a cluster: the run that is found in its folder."""

import pytest

from aligner.errors import ConfigError, DataError
from aligner.shards.cluster_training import Callbacks, train_on_cluster
from aligner.shards.text import Text
from tests.shards.cases import DEFAULT, begin
from tests.support import write


@pytest.mark.parametrize("damage", [b"", b"other bytes"])
def test_a_run_that_cannot_be_read_is_replaced_by_force(damage, tmp_path):
    folder = begin(tmp_path / "run", [[("a", "b")]], DEFAULT)
    (folder.path / "state.0").write_bytes(damage)
    text, callbacks = Text.of(write(tmp_path / "text", "a\tb\n"), None), Callbacks(print, print, print, print)
    for resume, force in (False, False), (True, False), (True, True):
        with pytest.raises(DataError, match=r"state\.0"):
            next(
                train_on_cluster(
                    "local:x", text, DEFAULT, folder, resume=resume, force=force, callbacks=callbacks
                )
            )
    with pytest.raises(ConfigError, match="--cluster"):
        next(train_on_cluster("local:x", text, DEFAULT, folder, force=True, callbacks=callbacks))
    assert not folder.rounds()
