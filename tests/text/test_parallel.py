"""Parallel texts: lines of several languages, matched by number or by id."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.text.lookup import BY_DEFAULT
from aligner.text.parallel import ParallelTexts, read_parallel_texts
from tests.support import new_file


@given(lengths=st.lists(st.tuples(*[st.integers(0, 5)] * 3)), cells=st.integers(1, 40))
def test_spans_have_a_bounded_number_of_cells(lengths, cells):
    columns = list(zip(*lengths, strict=True)) or [(), (), ()]
    texts = ParallelTexts(
        {name: ["w " * n for n in column] for name, column in zip("abc", columns, strict=True)}
    )
    spans = list(texts.spans(cells))
    assert [n for first, stop in spans for n in range(first, stop)] == list(range(len(lengths)))
    for first, stop in spans:
        assert stop - first == 1 or sum(max(row) ** 2 for row in lengths[first:stop]) <= cells


def files(directory, texts):
    """Write a file for each language, and return their paths."""
    return {name: new_file(directory, text, name) for name, text in texts.items()}


def test_lines_are_matched_by_number(tmp_path):
    texts = read_parallel_texts(files(tmp_path, {"a": "A b\n\nc", "b": "x\r\ny\n\n", "c": "\n\n\n"}))
    assert list(texts.languages.values()) == [["A b", "", "c"], ["x", "y", ""], ["", "", ""]]
    bitext = texts.bitext("a", "b", BY_DEFAULT, max_length=100)
    assert (len(bitext), bitext.source.vocabulary.words, bitext.report.trainable) == (1, ["a", "b"], 1)


def test_lines_are_matched_by_id(tmp_path):
    contents = {"a": "v1\tone\nv3\tthree\tmore\n", "b": "\nv3\tdrei\nv2\tzwei\n", "c": " v2 \t\n"}
    texts = read_parallel_texts(files(tmp_path, contents), ids=True)
    assert texts.ids == ["v1", "v3", "v2"]
    assert texts.languages["a"] == ["one", "three\tmore", ""]
    assert texts.languages["b"] == ["", "drei", "zwei"]
    assert texts.languages["c"] == ["", "", ""]
    assert texts.unpaired() == {"a": ["v1"], "b": ["v2"], "c": []}


def test_verses_are_matched_where_one_language_joins_them(tmp_path):
    contents = {"a": "GAL 1:1\tx\nGAL 1:2\ty\n", "b": "GAL 1:1-2\tz\n", "c": "GAL 1:2\tw\n"}
    texts = read_parallel_texts(files(tmp_path, contents), ids=True)
    assert texts.ids == ["GAL 1:1-2"]
    assert texts.languages == {"a": ["x y"], "b": ["z"], "c": ["w"]}


@pytest.mark.parametrize(
    ("contents", "ids", "message"),
    [
        ({"a": "1\n2\n", "b": "1\n", "c": "1\n2\n"}, False, r"a:2: found a line, but .*b ends before it"),
        ({"a": "1\n", "b": "1\n2\n3\n", "c": "1\n2\n"}, False, r"b:2: found a line, but .*a ends before it"),
        ({"a": "v1\tx\nv1\ty\n", "b": "", "c": ""}, True, r"a:2: found the id 'v1' again"),
        ({"a": "v1\tx\n", "b": "v1 y\n", "c": ""}, True, r"b:1: found 'v1 y'; expected an id, a TAB"),
        ({"a": "\tx\n", "b": "", "c": ""}, True, r"a:1: found .*; expected an id"),
    ],
)
def test_faults_are_named_by_file_and_line(tmp_path, contents, ids, message):
    with pytest.raises(DataError, match=message):
        read_parallel_texts(files(tmp_path, contents), ids=ids)
