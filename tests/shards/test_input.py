"""The text of a run that the program divides: cuts in any place, patterns of files, and what is refused."""

import gzip
from itertools import chain

import pytest

from aligner.errors import ConfigError, DataError
from aligner.recipe.load import load_recipe
from aligner.shards import input
from aligner.shards.input import Text
from aligner.text.reading import read_bitext


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(input, "_LEAST_BYTES", 1)
    monkeypatch.setattr("aligner.text.lines.READ_BYTES", 100)


def lines_of(bitext):
    words = [*bitext.source_vocabulary.words, "?"]
    return [[words[k] for k in bitext.source[n]] for n in range(len(bitext))]


@pytest.mark.parametrize("packed", [False, True])
def test_shards_are_cut_from_files_in_order(packed, small_shards, tmp_path):
    lines = [f"a{n} b" for n in range(100)]
    text = "".join(f"{line}\tx\n" for line in lines).encode() + b"bad line\n"
    path = str(tmp_path / ("text.gz" if packed else "text"))
    with open(path, "wb") as file:
        file.write(gzip.compress(text) if packed else text)
    skipped = []
    whole = Text.of(path, None, skip_bad=True)
    shards = list(whole.cut(4, load_recipe(), report=skipped.append))
    assert len(shards) >= 3
    assert [*chain(*map(lines_of, shards))] == [*map(str.split, lines), []]
    assert sum(shard.report.bad for shard in shards) == len(skipped) == 1
    expected = read_bitext(path, skip_bad=True).report.to_dict()
    for name, total in expected.items():
        assert sum(shard.report.to_dict()[name] for shard in shards) == total


def test_patterns_name_the_files_of_shards(tmp_path):
    for part in "ab":
        for side in ("fr", "en"):
            (tmp_path / f"{part}.{side}").write_text(f"{part}\n")
    text = Text.of(str(tmp_path / "*.fr"), str(tmp_path / "*.en"))
    assert not text.is_cut
    assert lines_of(text.read(2, load_recipe())) == [["b"]]
    before = text.origin(1)
    (tmp_path / "a.en").write_text("other words\n")
    assert text.origin(1) != before


def test_texts_that_cannot_be_divided_are_refused(tmp_path):
    (tmp_path / "a.fr").write_text("a\n")
    (tmp_path / "a.en").write_text("a\n")
    (tmp_path / "b.en").write_text("a\n")
    with pytest.raises(ConfigError, match="1 source and 2 target files"):
        Text.of(str(tmp_path / "*.fr"), str(tmp_path / "*.en"))
    with pytest.raises(ConfigError, match="no file of this pattern"):
        Text.of(str(tmp_path / "*.de"), None)
    with pytest.raises(ConfigError, match="found - for a text"):
        Text.of("-", None)
    with pytest.raises(DataError, match="cannot be read"):
        Text.of(str(tmp_path / "none"), None)
