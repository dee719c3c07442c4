"""Tests of the synthetic bitext: its sentence pairs, its files and its command."""

from __future__ import annotations

import hashlib

import pytest
from click.testing import CliRunner

from aligner.cli.main import align
from aligner.errors import AlignerError, ConfigError
from aligner.links.gold import read_gold
from aligner.sample.files import generate_sample, write_sample
from aligner.sample.grammar import MAX_LENGTH, MIN_LENGTH

FILES = ["README", "dev.gold", "dev.src", "dev.tgt", "train.src", "train.tgt"]


@pytest.fixture(scope="module")
def sample():
    """Return a sample of 1,500 pairs and 100 held-out pairs."""
    return generate_sample(pairs=1500, dev=100)


def names(directory):
    """Return the sorted names of the files in a directory."""
    return sorted(path.name for path in directory.iterdir())


def test_links_are_in_range_and_possible_contains_sure(sample):
    for pair in sample.train + sample.dev:
        assert MIN_LENGTH <= len(pair.source) <= MAX_LENGTH
        assert MIN_LENGTH <= len(pair.target) <= MAX_LENGTH
        assert pair.sure <= pair.possible
        assert all(0 <= i < len(pair.source) and 0 <= j < len(pair.target) for i, j in pair.possible)
        assert not any(set(token) & set(" \t\n|") or not token for token in pair.source + pair.target)


def test_larger_sample_begins_with_smaller_one(sample):
    assert generate_sample(pairs=1500, dev=100) == sample
    smaller = generate_sample(pairs=100, dev=50)
    assert smaller.train == sample.train[:100]
    assert smaller.dev == sample.dev[:50]
    assert generate_sample(pairs=100, dev=50, seed=2).train != smaller.train


def test_bytes_are_reproducible(tmp_path):
    write_sample(tmp_path / "sample", pairs=300, dev=30, seed=7)
    digest = hashlib.sha256(b"".join((tmp_path / "sample" / name).read_bytes() for name in FILES[1:]))
    # A change invalidates every figure that was measured on a sample.
    assert digest.hexdigest() == "5219b532411d88268b018010e85c8c85cde0375247e34ee477bccea4c5369680"


@pytest.mark.parametrize("wrong", [{"pairs": 0}, {"dev": -1}, {"seed": -1}])
def test_invalid_sizes_raise(wrong):
    with pytest.raises(ConfigError, match="expected"):
        generate_sample(**wrong)


def test_files_hold_generated_pairs(tmp_path):
    directory = tmp_path / "new" / "sample"
    assert sorted(path.name for path in write_sample(directory, pairs=50, dev=20)) == FILES
    assert names(directory) == FILES
    made = generate_sample(pairs=50, dev=20)
    assert b"\r" not in (directory / "train.src").read_bytes()
    for name, sides in [
        ("train.src", [pair.source for pair in made.train]),
        ("train.tgt", [pair.target for pair in made.train]),
        ("dev.src", [pair.source for pair in made.dev]),
        ("dev.tgt", [pair.target for pair in made.dev]),
    ]:
        lines = (directory / name).read_text(encoding="utf-8").splitlines()
        assert [tuple(line.split(" ")) for line in lines] == sides
    gold = read_gold(str(directory / "dev.gold"))
    assert [set(links) for links in gold.sure] == [pair.sure for pair in made.dev]
    assert [set(links) for links in gold.possible] == [pair.possible for pair in made.dev]
    assert names(tmp_path / "new") == ["sample"]


def test_directory_with_files_needs_force(tmp_path):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(AlignerError, match=r"not empty.*--force"):
        write_sample(tmp_path, pairs=10, dev=5)
    assert names(tmp_path) == ["notes"]
    write_sample(tmp_path, pairs=10, dev=5, force=True)
    write_sample(tmp_path, pairs=20, dev=5, force=True)
    assert names(tmp_path) == sorted([*FILES, "notes"])
    assert (tmp_path / "notes").read_text() == "mine"
    assert len((tmp_path / "train.src").read_text(encoding="utf-8").splitlines()) == 20


def test_empty_directory_is_used_and_file_raises(tmp_path):
    write_sample(tmp_path, pairs=10, dev=5)
    assert names(tmp_path) == FILES
    with pytest.raises(AlignerError, match="expected a directory"):
        write_sample(tmp_path / "README", force=True)
    with pytest.raises(AlignerError, match="cannot be written"):
        write_sample(tmp_path / "README" / "sample", pairs=10, dev=5)


def test_command_prints_next_step(tmp_path):
    directory = tmp_path / "my sample"
    arguments = ["sample", str(directory), "--pairs", "30", "--seed", "3"]
    result = CliRunner().invoke(align, arguments)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "train.src" in result.stderr
    assert f"align train '{directory / 'train.src'}' '{directory / 'train.tgt'}' -m model" in result.stderr
    write_sample(tmp_path / "same", pairs=30, seed=3)
    assert (directory / "train.src").read_bytes() == (tmp_path / "same" / "train.src").read_bytes()
    assert isinstance(CliRunner().invoke(align, arguments).exception, AlignerError)
    assert CliRunner().invoke(align, [*arguments, "--force"]).exit_code == 0
