"""Faults of an early build in the library, by their numbers in a list. Each test failed on that build.

Fault 1 is tested in ``training/test_memory.py``, fault 4 in ``models/test_hostile_files.py``, fault 5
and the rest of fault 11 in ``kernels/test_policy.py``.
"""

import bz2
import lzma
import os
import shutil
import stat
import threading

import numpy as np
import pytest

from aligner import Bitext, DataError, read_bitext
from aligner.cli.reporter import Reporter
from aligner.errors import ConfigError
from aligner.kernels import policy
from aligner.system.threads import ThreadTeam, run_all, run_in_order
from aligner.text.side import TextSide
from tests.program import FAST
from tests.support import write
from tests.text.helpers import lines_of

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")


# 2: damage after the first stream of a compressed text


@pytest.mark.parametrize(("suffix", "codec"), [(".bz2", bz2), (".xz", lzma)])
@pytest.mark.parametrize("damage", [b"?", b"??????", b"\0\0\0\0BZ"])
def test_02_damaged_start_of_a_later_stream_is_an_error(tmp_path, suffix, codec, damage):
    second = codec.compress(b"c\nd\n")
    path = write(tmp_path / f"text{suffix}", codec.compress(b"a\nb\n") + damage + second[len(damage) :])
    with pytest.raises(DataError, match=rf"text{suffix}:3: cannot be decompressed"):
        lines_of(path)


@pytest.mark.parametrize("padding", [0, 4, 8, 1 << 20])
def test_02_padding_between_streams_is_no_damage(tmp_path, padding):
    streams = lzma.compress(b"a\n"), bytes(padding), lzma.compress(b"b\n"), bytes(padding)
    assert lines_of(write(tmp_path / "text.xz", b"".join(streams))) == ["a", "b"]


# 3: machine code of other users


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_03_folder_that_others_may_write_to_is_not_used(monkeypatch, tmp_path, mode):
    monkeypatch.setattr(policy._config, "CACHE_DIR", str(tmp_path))
    folder, notes = policy.cache_folder()
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert notes == []
    os.chmod(folder, mode)
    assert policy.cache_folder() == (
        None,
        [f"the compiled kernels in {folder} are not used: other users may write to it; delete the folder"],
    )


@posix
@pytest.mark.parametrize(("mode", "is_used"), [(0o777, False), (0o1777, True), (0o775, True)])
def test_03_folder_whose_content_others_may_rename_is_not_used(monkeypatch, tmp_path, mode, is_used):
    monkeypatch.setattr(policy._config, "CACHE_DIR", str(tmp_path))
    os.chmod(tmp_path, mode)
    folder, notes = policy.cache_folder()
    assert (folder is not None) == is_used
    note = f"{tmp_path} is not used for compiled kernels: all users may write to it; name another"
    assert notes == ([] if is_used else [note])


@posix
def test_03_code_of_another_user_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setattr(policy._config, "CACHE_DIR", str(tmp_path))
    folder, _ = policy.cache_folder()
    os.mkdir(os.path.join(folder, "kernels"))
    code = write(tmp_path / os.path.basename(folder) / "kernels" / "code", "")
    if os.geteuid() == 0:
        os.chown(code, 12345, 12345)
        assert policy.cache_folder()[1] == [
            f"the compiled kernels in {folder} are not used: {code} does not belong to this user; delete the"
            " folder"
        ]
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert policy.cache_folder()[0] is None
    shutil.move(folder, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", folder)
    monkeypatch.setattr(os, "geteuid", lambda: own)
    assert "does not belong to this user" in policy.cache_folder()[1][0]


def test_03_relative_folder_is_not_used(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(policy._config, "CACHE_DIR", "here")
    folder, notes = policy.cache_folder()
    assert os.path.isabs(folder)
    assert os.listdir(tmp_path) == []
    monkeypatch.setattr(policy, "CACHE_NOTES", notes)
    Reporter(quiet=False)
    note = "NUMBA_CACHE_DIR=here is not used: it is a relative path; set an absolute one\n"
    assert capsys.readouterr().err == note


# 7: no more threads


def refuse_threads(monkeypatch, allowed):
    """Let the system refuse to start more than some threads at a time, of which none has been started."""
    start = threading.Thread.start

    def refusing(thread):
        if threading.active_count() > allowed:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refusing)
    monkeypatch.setattr("aligner.system.threads.TEAM", ThreadTeam())


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_07_fewer_threads_do_the_work(monkeypatch, trained, align, tmp_path, allowed):
    refuse_threads(monkeypatch, threading.active_count() - 1 + allowed)
    with pytest.warns(RuntimeWarning, match=f"refused to start more than {allowed} threads"):
        assert run_all(range(9), lambda n: n * n, 8) == [n * n for n in range(9)]
    with pytest.warns(RuntimeWarning, match="refused"):
        assert list(run_in_order(range(9), lambda n: n * n, 8)) == [n * n for n in range(9)]
    text = trained / "train.src", trained / "train.tgt"
    with pytest.warns(RuntimeWarning, match="refused"):
        align("train", *text, "-m", tmp_path / "model", *FAST, "-j", "8")
    assert (tmp_path / "model").read_bytes() == (trained / "model").read_bytes()


def test_07_no_thread_to_read_the_text_is_an_error(monkeypatch, trained, align):
    refuse_threads(monkeypatch, 0)
    _, err = align("decode", trained / "model", trained / "dev.tsv", status=1)
    assert "no thread can be started to read the text" in err


# 12: texts made by hand


@pytest.mark.parametrize(
    ("tokens", "offsets"),
    [
        ([0, 1 << 20], [0, 2]),
        ([0, -1], [0, 2]),
        ([0, 0], [0, 3]),
        ([0, 0], [0, 1]),
        ([0, 0], [1, 2]),
        ([0, 0], [0, 5, 1, 2]),
        ([], []),
    ],
)
def test_12_bitext_out_of_range_is_a_data_error(sample_bitext, tokens, offsets):
    vocabularies = sample_bitext.vocabularies
    offsets = np.array(offsets, np.int64)
    with pytest.raises(DataError, match=r"use read_bitext or from_text"):
        Bitext(*(TextSide(np.array(tokens, np.int32), offsets, own) for own in vocabularies))
    with pytest.raises(DataError, match="found int64 tokens"):
        Bitext(*(TextSide(np.array(tokens, np.int64), offsets, own) for own in vocabularies))


@pytest.mark.parametrize("max_length", [float("nan"), -1, 2.5])
def test_12_length_limit_that_is_no_number_of_tokens_is_a_config_error(trained, max_length):
    with pytest.raises(ConfigError, match=f"max_length = {max_length}: expected a number of tokens"):
        Bitext.from_text([("a", "b")], max_length=max_length)
    with pytest.raises((ConfigError, TypeError), match="max_length"):
        read_bitext(trained / "dev.tsv", max_length=max_length)
