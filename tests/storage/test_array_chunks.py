"""Array files read in part: single arrays, and the chunks of large ones."""

import numpy as np
import pytest

from aligner.errors import ModelError
from aligner.storage import array_file
from tests.hostile import contents


@pytest.fixture
def path(tmp_path):
    arrays = {"small": np.arange(3, dtype=np.int64), "large": np.arange(200, dtype=np.float32).reshape(-1, 2)}
    array_file.write(tmp_path / "file", {"key": "value"}, arrays | {"none": np.empty((0, 2), np.int32)})
    return tmp_path / "file"


@pytest.mark.parametrize("size", [8, 100, 1 << 20])
def test_chunks_are_the_array(path, size, monkeypatch):
    monkeypatch.setattr(array_file, "_CHUNK_BYTES", size)
    with array_file.opened(path) as file:
        assert file.header["key"] == "value"
        chunks = [(first, chunk.copy()) for first, chunk in file.chunks("large")]
        np.testing.assert_array_equal(np.concatenate([chunk for _, chunk in chunks]), file["large"])
        assert [first for first, _ in chunks] == np.cumsum([0, *(len(p) for _, p in chunks)])[:-1].tolist()
        assert list(file["small"]) == [0, 1, 2]
        assert list(file.chunks("none")) == []
        assert list(file) == ["small", "large", "none"]


@pytest.mark.parametrize("place", [-65, -200, -700, None])
def test_damage_is_found_at_the_last_chunk(path, place, monkeypatch):
    monkeypatch.setattr(array_file, "_CHUNK_BYTES", 64)
    data = bytearray(path.read_bytes())
    if place is None:
        del data[-500:]
    else:
        data[place] ^= 1
    path.write_bytes(data)
    message = "truncated" if place is None else "the checksum of large"
    with pytest.raises(ModelError, match=message), array_file.opened(path) as file:
        list(file.chunks("large"))


def test_array_larger_than_the_file_is_refused_before_memory_is_taken(path):
    """A chunk has at least one row, and a damaged header may claim a huge row."""
    header, arrays = array_file.read(path)
    header["arrays"][1].update(shape=[1, 1 << 45])
    header["arrays"][2]["offset"] = (1 << 47) + 64
    header["bytes"] = (1 << 47) + 64
    path.write_bytes(contents(header, arrays))
    with pytest.raises(ModelError, match="truncated"), array_file.opened(path) as file:
        list(file.chunks("large"))


def test_fingerprints_depend_on_every_array(path, tmp_path):
    before = array_file.fingerprint(path)
    assert before == array_file.fingerprint(path)
    _, arrays = array_file.read(path)
    arrays["small"][0] = 7
    array_file.write(tmp_path / "other", {"key": "value"}, arrays)
    assert array_file.fingerprint(tmp_path / "other") != before
