"""The text of a run that the program divides: byte ranges, cut streams, patterns of files, and errors."""

import gzip
import os
import threading
from itertools import chain
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError, DataError
from aligner.recipe.load import load_recipe
from aligner.shards import text_files
from aligner.shards.text_files import TextFiles
from aligner.text.pairs import BITEXT_FORMATS, read_bitext
from tests.support import write


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(text_files, "_LEAST_BYTES", 1)
    monkeypatch.setattr("aligner.files.lines.READ_BYTES", 100)


LINES = st.lists(
    st.sampled_from(["", " ", "a b", "a\tb", "c ||| d", "a\tb ||| c", "\r", "é\tf\r"]), max_size=20
)
LINES = LINES.map("\n".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("texts")


def lines_of(bitext):
    """Return the words of the source side of each pair; ? for words of no trainable pair."""
    words = [*bitext.source.vocabulary.words, "?"]
    return [[words[k] for k in bitext.source[n]] for n in range(len(bitext))]


@pytest.mark.parametrize("packed", [False, True])
def test_shards_have_the_lines_of_the_text_in_order(packed, small_shards, tmp_path):
    lines = [f"a{n} b" for n in range(100)]
    text = "".join(f"{line}\tx\n" for line in lines).encode() + b"bad line\n"
    path = str(tmp_path / ("text.gz" if packed else "text"))
    with open(path, "wb") as file:
        file.write(gzip.compress(text) if packed else text)
    skipped = []
    whole = TextFiles.of(path, None, skip_bad=True)
    assert whole.is_stream is packed
    if packed:
        shards = list(whole.cut(4, load_recipe(), report=skipped.append))
    else:
        divided = whole.divided(4)
        shards = [divided.read(n, load_recipe(), report=skipped.append) for n in range(1, 5)]
        recipe = load_recipe()
        origins = [[of.origin(n, recipe) for n in range(1, 5)] for of in (divided, whole)]
        assert origins[0] == origins[1]
    assert len(shards) >= 3
    assert skipped == [
        f"{path}:101: found TAB 0 times in 'bad line'; expected it once, between source and target"
    ]
    assert [*chain(*map(lines_of, shards))] == [*map(str.split, lines), []]
    assert sum(shard.report.bad for shard in shards) == len(skipped) == 1
    expected = read_bitext(path, skip_bad=True).report.to_dict()
    for name, total in expected.items():
        assert sum(shard.report.to_dict()[name] for shard in shards) == total


def test_a_pipe_is_read_from_its_first_line(tmp_path):
    path, lines = tmp_path / "pipe", [f"a{n}\tb\n" for n in range(1000)]
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("".join(lines),))
    writer.start()
    text = TextFiles.of(str(path), None)
    assert text.is_stream
    (shard,) = text.cut(4, load_recipe())
    writer.join()
    assert lines_of(shard) == [[f"a{n}"] for n in range(1000)]


def test_patterns_name_the_files_of_shards(tmp_path):
    for part in "ab":
        for side in ("fr", "en"):
            (tmp_path / f"{part}.{side}").write_text(f"{part}\n")
    text = TextFiles.of(str(tmp_path / "*.fr"), str(tmp_path / "*.en"))
    assert text.divided(5) is text
    assert lines_of(text.read(2, load_recipe())) == [["b"]]
    before = text.origin(1, load_recipe())
    (tmp_path / "a.en").write_text("other words\n")
    assert text.origin(1, load_recipe()) != before


@given(LINES, st.integers(1, 9), st.sampled_from(BITEXT_FORMATS), st.booleans())
def test_divided_texts_have_the_pairs_and_the_bad_lines_of_the_text(folder, text, shards, format, skip_bad):
    """Equal too: the first error, and the format if the first line decides it."""
    path = write(folder / "text", text)
    whole = TextFiles.of(path, None, format=format, skip_bad=skip_bad)
    with patch.object(text_files, "_LEAST_BYTES", 1):
        divided = whole.divided(shards)
    results = []
    for part in (whole, divided):
        skipped, lines = [], []
        try:
            for n in range(1, len(part.shards) + 1):
                lines += lines_of(part.read(n, load_recipe(), report=skipped.append))
        except DataError as error:
            lines = str(error)
        results.append((lines, [message.split(": ")[0] for message in skipped]))
    assert results[0] == results[1]


def test_large_files_are_divided_into_more_shards_than_workers(monkeypatch, tmp_path):
    path = write(tmp_path / "text", "a\tb\n" * 100)
    assert len(TextFiles.of(path, None).divided(4).shards) == 1
    monkeypatch.setattr(text_files, "_MOST_BYTES", 60)
    assert len(TextFiles.of(path, None).divided(4).shards) == 7


def test_texts_that_cannot_be_divided_are_refused(tmp_path):
    (tmp_path / "a.fr").write_text("a\n")
    (tmp_path / "a.en").write_text("a\n")
    (tmp_path / "b.en").write_text("a\n")
    with pytest.raises(ConfigError, match="1 source and 2 target files"):
        TextFiles.of(str(tmp_path / "*.fr"), str(tmp_path / "*.en"))
    with pytest.raises(ConfigError, match="no file of this pattern"):
        TextFiles.of(str(tmp_path / "*.de"), None)
    with pytest.raises(ConfigError, match="found - for a text"):
        TextFiles.of("-", None)
    with pytest.raises(DataError, match="cannot be read"):
        TextFiles.of(str(tmp_path / "none"), None)
