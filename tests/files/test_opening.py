"""Files: compression and complete output."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import sys
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

from aligner.errors import DataError
from aligner.files.opening import check_output, open_input, open_output
from tests.support import write
from tests.text.helpers import lines_of

# Compression


def compressor(suffix):
    if suffix == ".zst":
        if sys.version_info >= (3, 14):
            return importlib.import_module("compression.zstd")
        return pytest.importorskip("backports.zstd")
    return {".gz": gzip, ".bz2": bz2, ".xz": lzma}[suffix]


SUFFIXES = [".gz", ".bz2", ".xz", ".zst"]


@pytest.mark.parametrize("suffix", ["", *SUFFIXES, ".GZ"])
def test_output_round_trips(tmp_path, suffix):
    if suffix:
        compressor(suffix.lower())
    path = tmp_path / f"text{suffix}"
    with open_output(path) as file:
        file.write("é\r\n".encode() * 1000)
        assert not path.exists()
    assert lines_of(path) == ["é"] * 1000
    with open_input(path) as stream:
        assert stream.readline() == "é\r\n".encode()
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_input_may_be_concatenated_or_empty(tmp_path, suffix):
    codec = compressor(suffix)
    path = write(tmp_path / f"text{suffix}", codec.compress(b"a\n") + codec.compress(b"b"))
    assert lines_of(path) == ["a", "b"]
    assert lines_of(write(tmp_path / f"none{suffix}", codec.compress(b""))) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_compression_is_recognised_without_suffix(tmp_path, suffix, monkeypatch):
    codec = compressor(suffix)
    path = write(tmp_path / "text", codec.compress(b"a\nb\n"))
    assert lines_of(path) == ["a", "b"]
    with open(path, "rb") as file:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        assert lines_of("-") == ["a", "b"]
        assert not file.closed
    whole = codec.compress(np.random.default_rng(1).bytes(5000).hex().encode() + b"\n")
    with pytest.raises(DataError, match=f"text:1: cannot be decompressed .* a complete {suffix} file"):
        lines_of(write(tmp_path / "text", whole[: len(whole) // 2]))


def test_binary_output_rejects_terminal(monkeypatch, tmp_path):
    check_output(tmp_path / "model", compress=False)
    assert os.listdir(tmp_path) == []
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
    check_output("-")
    with pytest.raises(DataError, match="found a terminal; expected a file"):
        check_output("-", compress=False)


@pytest.mark.parametrize("text", ["BZh", "BZh91AY", "7zXZ", "(", "\x1f"])
def test_text_is_not_mistaken_for_compressed_data(tmp_path, text):
    assert lines_of(write(tmp_path / "text", f"{text}\n".encode())) == [text]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_compression_raises_data_error(tmp_path, suffix):
    whole = compressor(suffix).compress(np.random.default_rng(1).bytes(5000).hex().encode() + b"\n")
    for damaged in (whole[: len(whole) // 2], b"plain text\n", whole[:20] + b"XXXXXXXX" + whole[28:]):
        path = write(tmp_path / f"text{suffix}", damaged)
        with pytest.raises(DataError, match="cannot be decompressed from about here") as error:
            lines_of(path)
        assert str(error.value).startswith(f"{path}:1: ")


def test_damage_message_has_line(tmp_path):
    whole = gzip.compress(b"a line\n" * 400_000, compresslevel=0)
    with pytest.raises(DataError, match="cannot be decompressed") as error:
        lines_of(write(tmp_path / "text.gz", whole[: len(whole) // 2]))
    assert 100_000 < int(str(error.value).removeprefix(f"{tmp_path / 'text.gz'}:").split(":")[0]) <= 200_000


def test_missing_zstd_message_names_package(tmp_path):
    missing = {"compression.zstd": None, "backports.zstd": None}
    with patch.dict(sys.modules, missing):
        for use in (
            lambda: lines_of(tmp_path / "a.zst"),
            lambda: open_output(tmp_path / "a.zst").__enter__(),
        ):
            with pytest.raises(DataError, match=r"pip install backports\.zstd"):
                use()
    assert os.listdir(tmp_path) == []


def test_equal_output_gives_equal_files(tmp_path):
    for name in ("one.gz", "two.gz"):
        with open_output(tmp_path / name) as file, patch("time.time", lambda name=name: len(name) * 1e9):
            file.write(b"text")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


# Output


@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_failed_output_leaves_old_file(tmp_path, name):
    def fail(error):
        with open_output(path) as file:
            file.write(b"new" * 100_000)
            raise error

    path = tmp_path / name
    write(path, "old")
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            fail(error)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX modes and links")
def test_replaced_output_keeps_mode_and_link(tmp_path):
    write(tmp_path / "real", "old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    with open_output(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name == "nt", reason="needs /dev")
def test_devices_and_pipes_are_written_directly(tmp_path):
    with open_output("/dev/null") as file:
        file.write(b"text")
    assert not os.path.isfile("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with open_output(tmp_path / "pipe") as file:
        file.write(b"text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
def test_file_behind_descriptor_is_not_replaced(tmp_path):
    with open(tmp_path / "redirected", "wb") as redirected:
        before = os.fstat(redirected.fileno()).st_ino
        with open_output(f"/dev/fd/{redirected.fileno()}") as file:
            file.write(b"text")
        assert os.stat(redirected.name).st_ino == before
    assert (tmp_path / "redirected").read_bytes() == b"text"


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_stays_open(name):
    with patch.object(sys, "stdout", io.TextIOWrapper(io.BytesIO())):
        sys.stdout.write("before ")
        with open_output(name) as file:
            file.write(b"text\n")
        assert sys.stdout.buffer.getvalue() == b"before text\n"
