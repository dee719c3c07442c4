"""The sample: its sentence pairs, its files and its command."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import pytest
from click.testing import CliRunner

from aligner.cli.main import align
from aligner.errors import AlignerError
from aligner.links.gold import read_gold
from aligner.sample.files import generate_sample, write_sample
from aligner.sample.sentences import SentencePair, as_written

FILES = ["README.sample", "dev.en", "dev.fr", "dev.gold", "train.en", "train.fr"]


@pytest.fixture(scope="module")
def sample():
    """Return a sample of 1,500 pairs and 100 held-out pairs."""
    return generate_sample(pairs=1500, dev=100)


def names(directory):
    """Return the sorted names of the files in a directory."""
    return sorted(path.name for path in directory.iterdir())


def test_links_are_in_range_and_possible_contains_sure(sample):
    for pair in sample.train + sample.dev:
        assert all(2 <= len(side) <= 60 for side in (pair.source, pair.target))
        assert pair.sure <= pair.possible
        assert all(0 <= i < len(pair.source) and 0 <= j < len(pair.target) for i, j in pair.possible)
        assert not any(set(token) & set(" \t\n|") or not token for token in pair.source + pair.target)


def test_french_and_english_are_spelled(sample):
    """Articles contract, vowels are elided, a is an before a vowel, and no mark of words.txt stays."""
    french = "\n".join(" ".join(pair.source) for pair in sample.train)
    english = "\n".join(" ".join(pair.target) for pair in sample.train)
    for right in (r"\bdu ", r"\baux ", r"\bqu' il", r"\bl' \w", r"\bvieil \w", r"\bcet \w"):
        assert re.search(right, french), right
    assert not re.search(r"\b(je|ne|que|de|la|ma|ce) [aeiouéê]", french, re.I)
    assert re.search(r"\w 's \w", english)
    assert re.search(r"\ban [aeio]", english)
    assert not re.search(r"\ba [aeio]|\ban (?!hour)[^aeiou]", english, re.I)
    assert not set("*_:;=") & set(french + english)


def test_words_as_people_write_them_keep_their_links():
    pair = SentencePair(
        ("Qui", "lit", "l'", "eau", "?"), ("Who", "reads", "Jo", "'s", "water", "?"),
        sure=frozenset({(0, 0), (3, 4), (4, 5)}), possible=frozenset({(0, 0), (2, 3), (3, 4), (4, 5)}),
    )  # fmt: skip
    written = as_written(pair)
    assert (written.source, written.target) == (
        ("Qui", "lit", "l'eau", "?"),
        ("Who", "reads", "Jo's", "water?"),
    )
    assert written.sure == {(0, 0), (2, 3), (3, 3)}
    assert written.possible == {(0, 0), (2, 2), (2, 3), (3, 3)}


def test_frequencies_of_words_follow_zipf(sample):
    counts = Counter(word for pair in sample.train for word in pair.source)
    assert counts.most_common(10)[-1][1] > 20 * counts.most_common(500)[-1][1]
    known = set(counts)
    assert any(set(pair.source) - known for pair in sample.dev)


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
    assert digest.hexdigest() == "49a39aad2e05feb65105f1bc24013b49d884b377d8e5b78db25d3a34dd312873"


def test_files_hold_generated_pairs(tmp_path):
    directory = tmp_path / "new" / "sample"
    assert sorted(path.name for path in write_sample(directory, pairs=50, dev=20)) == FILES
    assert names(directory) == FILES
    made = generate_sample(pairs=50, dev=20)
    assert b"\r" not in (directory / "train.fr").read_bytes()
    for name, sides in [
        ("train.fr", [pair.source for pair in made.train]),
        ("train.en", [pair.target for pair in made.train]),
        ("dev.fr", [pair.source for pair in made.dev]),
        ("dev.en", [pair.target for pair in made.dev]),
    ]:
        lines = (directory / name).read_text(encoding="utf-8").splitlines()
        assert [tuple(line.split(" ")) for line in lines] == sides
    gold = read_gold(str(directory / "dev.gold"))
    assert [set(links) for links in gold.sure] == [pair.sure for pair in made.dev]
    assert [set(links) for links in gold.possible] == [pair.possible for pair in made.dev]
    assert names(tmp_path / "new") == ["sample"]


def test_files_of_the_same_names_need_force(tmp_path):
    """Other files do not matter, and stay."""
    for name in ("README", "dev.fr"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(AlignerError, match=r"found dev\.fr;.*--force"):
        write_sample(tmp_path, pairs=10, dev=5)
    assert names(tmp_path) == ["README", "dev.fr"]
    (tmp_path / "dev.fr").unlink()
    write_sample(tmp_path, pairs=10, dev=5)
    write_sample(tmp_path, pairs=20, dev=5, force=True)
    assert names(tmp_path) == sorted([*FILES, "README"])
    assert (tmp_path / "README").read_text() == "mine"
    assert len((tmp_path / "train.fr").read_text(encoding="utf-8").splitlines()) == 20


def test_empty_directory_is_used_and_file_raises(tmp_path):
    write_sample(tmp_path, pairs=10, dev=5)
    assert names(tmp_path) == FILES
    with pytest.raises(AlignerError, match="expected a directory"):
        write_sample(tmp_path / "README.sample", force=True)
    with pytest.raises(AlignerError, match="cannot be written"):
        write_sample(tmp_path / "README.sample" / "sample", pairs=10, dev=5)


def test_command_prints_next_step(tmp_path):
    directory = tmp_path / "my sample"
    arguments = ["sample", str(directory), "--pairs", "30", "--seed", "3"]
    result = CliRunner().invoke(align, arguments)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "train.fr" in result.stderr
    assert f"align train '{directory / 'train.fr'}' '{directory / 'train.en'}' -m model" in result.stderr
    write_sample(tmp_path / "same", pairs=30, seed=3)
    assert (directory / "train.fr").read_bytes() == (tmp_path / "same" / "train.fr").read_bytes()
    assert isinstance(CliRunner().invoke(align, arguments).exception, AlignerError)
    assert CliRunner().invoke(align, [*arguments, "--force"]).exit_code == 0
