"""Training on a cluster: the run that is found in its folder."""

import os
import sys

import pytest

from aligner.errors import ConfigError, DataError
from aligner.shards.cluster_training import Callbacks, train_on_cluster
from aligner.shards.folder import Folder
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
