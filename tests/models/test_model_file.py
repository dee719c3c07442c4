"""Model files: a saved model is loaded unchanged, and any damage is an error."""

import os
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import typeof

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.decoding.methods import LINK_METHODS, combinations_of
from aligner.errors import DataError, ModelError
from aligner.models import HMM, MODELS
from aligner.models.model_file import load, save
from aligner.storage import array_file
from tests.hostile import contents
from tests.support import last_model, parameters, recipe


@pytest.fixture(scope="module")
def saved(tiny_model, tmp_path_factory):
    """Return the path of a model file, and its bytes."""
    path = tmp_path_factory.mktemp("model") / "model"
    save(tiny_model, path)
    return path, path.read_bytes()


def load_error(path):
    """Load a file that is no intact model, and return the message of the ModelError."""
    with pytest.raises(ModelError) as caught:
        load(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


# --------------------------------------------------------------------------- saving and loading


@pytest.mark.parametrize("kind", MODELS)
def test_loaded_model_equals_the_saved_one(kind, sample_bitext, tmp_path):
    model = last_model(sample_bitext, recipe(("ibm1", "independent", 2), (kind, "agreement", 2)))
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert (loaded.config, loaded.corpus, loaded.history) == (model.config, model.corpus, model.history)
    save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    for name in LINK_METHODS:
        decoder = Decoder(name, next(iter(combinations_of(name))))
        assert decode(loaded, sample_bitext, decoder) == decode(model, sample_bitext, decoder)


def test_d1_a_model_without_expected_links_is_loaded(tiny_model, tmp_path):
    """Versions that did not count them wrote such models."""
    save(replace(tiny_model, links=None), tmp_path / "model")
    assert load(tmp_path / "model").links is None


@pytest.mark.parametrize("value", [-1.0, 1e30])
def test_d1_expected_links_out_of_range_are_refused(value, tiny_model, tmp_path):
    source, target = tiny_model.links
    save(replace(tiny_model, links=(source, np.full_like(target, value))), tmp_path / "model")
    assert "target.links" in load_error(tmp_path / "model")


def test_loaded_arrays_have_the_types_of_trained_ones(tiny_model, saved):
    """Kernels compiled for training also serve a model that is read from a file."""
    arrays = parameters(tiny_model.pair)
    for name, array in parameters(load(saved[0]).pair).items():
        assert typeof(array) == typeof(arrays[name]), name


def test_a_model_file_that_changes_after_loading_changes_no_link(tiny_model, sample_bitext, tmp_path):
    path = tmp_path / "model"
    save(tiny_model, path)
    model = load(path)
    expected = decode(model, sample_bitext)
    with open(path, "r+b") as file:  # in place, as ``cp`` does it
        file.truncate(100)
        file.write(b"\xff" * 10_000)
    assert decode(model, sample_bitext) == expected


# --------------------------------------------------------------------------- damage


def test_every_truncation_is_an_error(saved, tmp_path):
    _, content = saved
    path = tmp_path / "model"
    lengths = {*range(0, 200), *range(200, len(content), 997), len(content) - 1}
    for length in sorted(lengths):
        path.write_bytes(content[:length])
        load_error(path)
    path.write_bytes(content + b"\0")
    assert "more bytes" in load_error(path)


@given(data=st.data())
def test_every_changed_byte_is_an_error(saved, tmp_path_factory, data):
    _, content = saved
    # Half of the draws fall into the 20 bytes before the header, each of which has a meaning of its own.
    position = data.draw(st.one_of(st.integers(0, 19), st.integers(0, len(content) - 1)))
    flip = data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("damaged") / "model"
    damaged = bytearray(content)
    damaged[position] ^= flip
    path.write_bytes(damaged)
    load_error(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a model"),
        (b"text\n", "not a model"),
        (b"ACCORDAL\1", "it has only 9 bytes"),
        (b"the house ||| la maison\n" * 10, "not a model.*align train"),
        (b"\0" * 100, "not a model"),
    ],
)
def test_other_files_are_not_models(tmp_path, content, message):
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(ModelError, match=message):
        load(tmp_path / "text")


def test_missing_files_and_folders_are_errors(tmp_path):
    assert "found no regular file" in load_error(tmp_path)
    assert "No such file" in load_error(tmp_path / "nothing")


def test_newer_format_is_an_error_that_asks_for_an_upgrade(saved, tmp_path):
    content = bytearray(saved[1])
    content[8:12] = struct.pack("<I", array_file.FORMAT_VERSION + 1)
    (tmp_path / "model").write_bytes(content)
    assert "upgrade" in load_error(tmp_path / "model")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header: header["arrays"].pop(), "missing"),
        (lambda header: header.pop("reverse"), "'reverse' is missing"),
        (lambda header: header.pop("config"), "'config' is missing"),
        (
            lambda header: header["reverse"].update(distortion="fertility"),
            "distortion 'fertility'; expected ibm1, ibm2, ibm2-full, hmm",
        ),
    ],
)
def test_header_that_lacks_a_part_is_an_error(change, message, saved, tmp_path):
    header, arrays = array_file.read(saved[0])
    change(header)
    header["bytes"] = sum(-(-arrays[entry["name"]].nbytes // 64) * 64 for entry in header["arrays"])
    (tmp_path / "model").write_bytes(contents(header, arrays))
    assert message in load_error(tmp_path / "model")


def test_registered_extension_is_saved_and_loaded(tiny_model, tmp_path, own_registries):
    class Extension(HMM):
        name = "extension"

    pair = tiny_model.pair
    extended = replace(pair, reverse=Extension(pair.reverse.jumps, pair.reverse.p0))
    save(replace(tiny_model, pair=extended), tmp_path / "model")
    assert "distortion 'extension'" in load_error(tmp_path / "model")
    MODELS.register("extension")(Extension)
    loaded = load(tmp_path / "model")
    assert type(loaded.pair.reverse) is Extension
    assert repr(loaded).startswith("TrainedModel(hmm / extension, ")


# --------------------------------------------------------------------------- writing


def test_failed_save_leaves_the_old_file(tiny_model, tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"precious")

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DataError, match=r"model: cannot be written \(No space left on device\)"):
        save(tiny_model, path)
    assert os.listdir(tmp_path) == ["model"]
    assert path.read_bytes() == b"precious"


def test_path_that_cannot_be_written_is_an_error(tiny_model, tmp_path):
    with pytest.raises(DataError, match="no/model: cannot be written"):
        save(tiny_model, tmp_path / "no" / "model")
    with pytest.raises(DataError, match="cannot be written"):
        save(tiny_model, tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_not_saved(tiny_model, tmp_path, value):
    pair = tiny_model.pair
    table = pair.lexicon.table.copy()
    table[1] = value
    broken = replace(tiny_model, pair=replace(pair, lexicon=replace(pair.lexicon, table=table)))
    with pytest.raises(ModelError, match=r"not saved, because lexicon.table holds NaN or infinite values"):
        save(broken, tmp_path / "model")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_devices_links_and_names_with_endings_are_written_as_they_are(tiny_model, saved, tmp_path):
    save(tiny_model, os.devnull)
    assert not os.path.isfile(os.devnull)
    (tmp_path / "link").symlink_to("real")
    save(tiny_model, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == saved[1]
    # A model is never compressed, whatever its name.
    save(tiny_model, tmp_path / "model.gz")
    assert (tmp_path / "model.gz").read_bytes() == saved[1]
