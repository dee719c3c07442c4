"""Model files made on purpose, with right checksums: each is refused by a ModelError, or is a model.

A file whose layout is changed gives a ModelError or the same links. A file whose values are changed may be
another model: it gives a ModelError, or links in range with finite scores.
"""

import struct
import tracemalloc
import zlib
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner.decoding.batch import decode
from aligner.decoding.decoder import Decoder
from aligner.errors import DamagedError, ModelError
from aligner.models.model_file import load, save
from aligner.sample.files import generate_sample
from aligner.storage import array_file
from tests.hostile import changed_header, changed_layout, changed_values, contents, replaced
from tests.support import text_of

DECODERS = [
    Decoder(),
    Decoder("viterbi", "grow-diag-final-and"),
    Decoder("posterior", "product", constraint="substochastic"),
]
TEXT = [*text_of(generate_sample(pairs=60, dev=10).train)[:12], ("new words", "and more new words")]


@pytest.fixture(scope="module")
def saved(tiny_model, tmp_path_factory):
    """Return a model's header, its arrays, and the links of each decoder."""
    path = tmp_path_factory.mktemp("hostile") / "model"
    save(tiny_model, path)
    header, arrays = array_file.read(path)
    return header, arrays, links_of(path.read_bytes(), path.parent)


def links_of(content, folder):
    """Return the links by each decoder of a model file with this content, or None if it is refused."""
    path = Path(folder) / "model"
    path.write_bytes(content)
    try:
        model = load(path)
        bitext = model.encode(TEXT)
    except ModelError:
        return None
    links = []
    for decoder in DECODERS:
        found = decode(model, bitext, decoder, scores=True)
        for k, (source, target) in enumerate(zip(bitext.source.lengths, bitext.target.lengths, strict=True)):
            assert all(0 <= i < source and 0 <= j < target for i, j in found[k])
        assert np.isfinite(found.scores).all()
        links.append(found)
    return links


def load_contents(folder, header, arrays):
    """Load a model file with this header and these arrays."""
    path = folder / "model"
    path.write_bytes(contents(header, arrays))
    return load(path)


def test_unchanged_file_gives_the_same_links(saved, tmp_path):
    header, arrays, expected = saved
    assert links_of(contents(deepcopy(header), arrays), tmp_path) == expected


@settings(max_examples=100)
@given(data=st.data())
def test_changed_layout_is_refused_or_gives_the_same_links(saved, tmp_path_factory, data):
    header, arrays, expected = saved
    found = links_of(contents(changed_layout(data, header), arrays), tmp_path_factory.mktemp("layout"))
    assert found is None or found == expected


@pytest.mark.slow
@settings(max_examples=300)
@given(data=st.data(), part=st.sampled_from(["header", "arrays", "arrays"]))
def test_changed_header_or_values_are_refused_or_are_a_model(saved, tmp_path_factory, data, part):
    header, arrays, _ = saved
    if part == "header":
        header = changed_header(data, header)
    else:
        header, arrays = deepcopy(header), changed_values(data, arrays)
    links_of(contents(header, arrays), tmp_path_factory.mktemp("changed"))


def test_deeply_nested_header_is_damaged(saved, tmp_path):
    encoded = b"[" * 100_000
    path = tmp_path / "model"
    path.write_bytes(struct.pack("<8sIII", array_file.MAGIC, 1, len(encoded), zlib.crc32(encoded)) + encoded)
    with pytest.raises(ModelError, match="its header is damaged"):
        load(path)


def test_more_axes_than_arrays_may_have_are_refused(saved, tmp_path):
    header, arrays, _ = saved
    header = deepcopy(header)
    header["arrays"][0]["shape"] += [1] * 100
    with pytest.raises(ModelError, match=r"the shape of source\.words is"):
        load_contents(tmp_path, header, arrays)


def test_damaged_length_of_the_header_takes_no_memory(saved, tmp_path):
    header, arrays, _ = saved
    content = bytearray(contents(deepcopy(header), arrays))
    content[12:16] = b"\xff" * 4
    path = tmp_path / "model"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(ModelError, match="its header is damaged"):
        load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 26


@pytest.mark.parametrize(
    ("name", "position", "value", "reason"),
    [
        ("pairs.columns", 3, 1 << 30, "pairs.columns"),
        ("pairs.columns", 3, -1, "pairs.columns"),
        ("pairs.row_offsets", 1, 1 << 40, "pairs.row_offsets"),
        ("lexicon.table", 5, np.nan, "lexicon.table"),
        ("lexicon.table", 5, -0.5, "lexicon.table"),
        ("lexicon.table", 5, 0.0, "lexicon.table"),
        ("lexicon.table", 5, 0.9e-12, "lexicon.table"),
        ("lexicon.null_forward", 0, 2.0, "lexicon.null_forward"),
        ("lexicon.null_reverse", 0, 0.0, "lexicon.null_reverse"),
        ("forward.jumps", 0, np.inf, "jumps"),
        ("forward.jumps", 0, np.nan, "jumps"),
        ("reverse.jumps", 5, 1e-45, "jumps"),
        ("source.counts", 0, -1, "counts of its vocabulary"),
        ("source.counts", 0, (1 << 63) - 1, "counts of its vocabulary"),  # F8: sums with it overflow
    ],
)
def test_each_invariant_is_checked(saved, tmp_path, name, position, value, reason):
    header, arrays, _ = saved
    array = arrays[name].copy()
    array.reshape(-1)[position] = value
    with pytest.raises(ModelError, match=f"model is damaged .*{reason}"):
        load_contents(tmp_path, deepcopy(header), arrays | {name: array})


@pytest.mark.parametrize(
    ("name", "value"), [("lexical_power", ""), ("threshold", None), ("steps", 5.0), ("method", 1), ("x", 1)]
)
def test_f8_settings_of_decoding_are_checked(saved, tmp_path, name, value):
    header, arrays, _ = saved
    model = load_contents(tmp_path, replaced(header, ("config", "decode", name), value), arrays)
    with pytest.raises(ModelError, match=f"found decode.{name} = {value!r} in the model"):
        Decoder.of(model)


def test_f8_header_that_cannot_be_written_again_is_damaged(saved, tmp_path):
    """Shards and checkpoints copy headers. JSON may escape a lone surrogate, which UTF-8 does not have."""
    header, arrays, _ = saved
    with pytest.raises(DamagedError, match="its header is damaged"):
        load_contents(tmp_path, replaced(header, ("corpus", "note"), "\ud800"), arrays)
    model = load_contents(tmp_path, replaced(header, ("corpus", "note"), "\U0001f642"), arrays)
    assert model.corpus["note"] == "\U0001f642"


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        (("data",), "max_length", "x"),
        (("data",), "max_length", 1.0),
        (("data",), "lowercase", 1),
        (("stage", 0), "word_forms", "no"),
    ],
)
def test_f8_settings_that_links_depend_on_are_checked(saved, tmp_path, table, name, value):
    header, arrays, _ = saved
    with pytest.raises(DamagedError, match=name):
        load_contents(tmp_path, replaced(header, ("config", *table, name), value), arrays)
