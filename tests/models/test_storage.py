"""Model files: what is loaded is what was saved, and whatever is not is refused in words."""

import ast
import json
import os
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import checkpoint, container, storage
from aligner.models.container import read_header
from aligner.decoding.decoder import METHODS, Decoder
from aligner.decoding.batch import decode
from aligner.errors import DataError, ModelError
from aligner.kernels import _jit
from aligner.models import DISTORTIONS
from aligner.models.storage import load, save
from aligner.training.loop import train
from tests.support import assert_same_parameters, parameters, recipe


@pytest.fixture(scope="module")
def saved(tiny_model, tmp_path_factory):
    """A model file, and its bytes."""
    path = tmp_path_factory.mktemp("model") / "model"
    save(tiny_model, path)
    return path, path.read_bytes()


def refused(path):
    """The message of the error that loading raises; nothing but a ModelError will do."""
    with pytest.raises(ModelError) as caught:
        load(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


# --------------------------------------------------------------------------- there and back


@pytest.mark.parametrize("kind", DISTORTIONS)
def test_a_loaded_model_is_the_saved_one(kind, sample_bitext, tmp_path):
    model = list(train(sample_bitext, recipe(("ibm1", "independent", 2), (kind, "agreement", 2))))[-1].model
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.source_vocabulary.words == model.source_vocabulary.words
    assert loaded.target_vocabulary.words == model.target_vocabulary.words
    np.testing.assert_array_equal(loaded.source_vocabulary.counts, model.source_vocabulary.counts)
    assert (loaded.config, loaded.corpus, loaded.history) == (model.config, model.corpus, model.history)
    assert_same_parameters(loaded.parameters, model.compact().parameters)
    for method, combinations in METHODS.items():
        decoder = Decoder(method, combinations[0])
        assert decode(loaded, sample_bitext, decoder) == decode(model, sample_bitext, decoder)


def test_the_same_model_is_the_same_bytes(tiny_model, saved, tmp_path):
    _, content = saved
    save(tiny_model, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == content
    save(load(tmp_path / "again"), tmp_path / "loaded")
    assert (tmp_path / "loaded").read_bytes() == content


def test_the_header_says_what_the_model_is(tiny_model, saved):
    header = read_header(saved[0])
    assert header["forward"] == header["reverse"] == {"distortion": "hmm", "p0": -1.0}
    assert header["config"] == tiny_model.config
    assert [record["iteration"] for record in header["history"]] == [1, 2, 1, 2]
    assert header["corpus"]["lines"] == 60


def test_a_loaded_model_compiles_nothing_anew(tiny_model, saved):
    """Its arrays have the types that kernels were compiled for in training, though they are in the file."""
    arrays = parameters(tiny_model.parameters)
    for name, array in parameters(load(saved[0]).parameters).items():
        assert _jit._form(array) == _jit._form(arrays[name]), name


def test_writing_to_a_loaded_model_does_not_reach_the_file(saved):
    path, content = saved
    load(path).parameters.lexicon.table[:] = 0.0
    assert path.read_bytes() == content


@pytest.mark.parametrize("module", [container, storage, checkpoint])
def test_nothing_is_pickled(module):
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imports = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    assert not {"pickle", "marshal", "shelve", "dill"} & imports
    assert not {"eval", "exec", "compile"} & names
    assert "allow_pickle" not in Path(module.__file__).read_text("utf-8")


# --------------------------------------------------------------------------- damage


def test_every_truncation_is_refused(saved, tmp_path):
    _, content = saved
    path = tmp_path / "model"
    lengths = {*range(0, 200), *range(200, len(content), 997), len(content) - 1}
    for length in sorted(lengths):
        path.write_bytes(content[:length])
        refused(path)
    path.write_bytes(content + b"\0")
    assert "truncated" in refused(path)


@given(data=st.data())
def test_every_damaged_byte_is_refused(saved, tmp_path_factory, data):
    _, content = saved
    # Half of the draws among the few bytes before the header, each of which has a meaning of its own.
    place = data.draw(st.one_of(st.integers(0, 19), st.integers(0, len(content) - 1)))
    flip = data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("damaged") / "model"
    damaged = bytearray(content)
    damaged[place] ^= flip
    path.write_bytes(damaged)
    refused(path)


def test_padding_is_covered_too(saved, tmp_path):
    _, content = saved
    damaged = bytearray(content)
    assert damaged[-1] == 0, "expected the last array to be padded"
    damaged[-1] = 1
    (tmp_path / "model").write_bytes(damaged)
    assert "checksum" in refused(tmp_path / "model")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "0 bytes"),
        (b"a", "1 bytes"),
        (b"the house ||| la maison\n" * 10, "not a model.*align train"),
        (b"\0" * 100, "not a model"),
    ],
)
def test_other_files_are_not_models(tmp_path, content, message):
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(ModelError, match=message):
        load(tmp_path / "text")


def test_what_is_no_file_is_refused(tmp_path):
    assert "not a regular file" in refused(tmp_path)
    assert "No such file" in refused(tmp_path / "nothing")


def test_a_newer_format_asks_for_an_upgrade(saved, tmp_path):
    content = bytearray(saved[1])
    content[8:12] = struct.pack("<I", container.FORMAT_VERSION + 1)
    (tmp_path / "model").write_bytes(content)
    assert "upgrade" in refused(tmp_path / "model")


def test_a_header_without_its_arrays_is_refused(saved, tmp_path, monkeypatch):
    """Even if its checksum is right."""
    content = saved[1]
    length = int.from_bytes(content[12:16], "little")
    header = json.loads(content[20 : 20 + length])
    header["arrays"].pop()
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(20 + len(encoded)) % 64)
    prefix = struct.pack("<8sIII", container.MAGIC, 1, len(encoded), container.zlib.crc32(encoded))
    (tmp_path / "model").write_bytes(prefix + encoded + content[20 + length :])
    assert "missing" in refused(tmp_path / "model")


# --------------------------------------------------------------------------- writing


def test_a_failed_save_leaves_what_was_there(tiny_model, tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"precious")

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DataError, match=r"model: cannot be written \(No space left on device\)"):
        save(tiny_model, path)
    assert os.listdir(tmp_path) == ["model"]
    assert path.read_bytes() == b"precious"


def test_a_place_that_cannot_be_written_is_named(tiny_model, tmp_path):
    with pytest.raises(DataError, match="no/model: cannot be written"):
        save(tiny_model, tmp_path / "no" / "model")
    with pytest.raises(DataError, match="cannot be written"):
        save(tiny_model, tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_numbers_are_not_saved(tiny_model, tmp_path, value):
    pair = tiny_model.parameters
    table = pair.lexicon.table.copy()
    table[1] = value
    broken = replace(tiny_model, parameters=replace(pair, lexicon=replace(pair.lexicon, table=table)))
    with pytest.raises(ModelError, match=r"lexicon.table holds values that are not numbers"):
        save(broken, tmp_path / "model")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_names_and_devices_keep_what_they_are(tiny_model, saved, tmp_path):
    save(tiny_model, os.devnull)
    assert not os.path.isfile(os.devnull)
    (tmp_path / "link").symlink_to("real")
    save(tiny_model, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == saved[1]
    # A name that would mean compression for text means nothing for a model, which is mapped into memory.
    save(tiny_model, tmp_path / "model.gz")
    assert (tmp_path / "model.gz").read_bytes() == saved[1]
