"""Bad lines of a text, which ``skip_bad`` reads as empty pairs: in one file and in two."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.files.lines import lines_of
from aligner.recipe.load import load_recipe
from aligner.shards import text_files
from aligner.shards.text_files import TextFiles
from aligner.text.pairs import read_bitext, read_pairs
from aligner.text.parallel import read_parallel_texts
from tests.support import write

SIDES = [b"", b"a", b"b \xc3\xa9 c", b"\xff", b"d\0", b"\xc3"]
LINE = st.tuples(*[st.sampled_from(SIDES)] * 2)
LAST = st.tuples(*[st.sampled_from([*SIDES[3:], b"z"])] * 2)
MARKS, ENDS = st.sampled_from([b"", b"\xef\xbb\xbf"]), st.sampled_from([b"", b"\n"])


def is_bad(line):
    return any(side in SIDES[3:] for side in line)


def files_of(folder, lines, mark=b"", end=b"\n"):
    """Write lines as two files and as one, and return the names of these files."""
    columns = [*zip(*lines, strict=True), [b"\t".join(line) for line in lines]]
    contents = (mark + b"\n".join(column) + end for column in columns)
    source, target, joint = (write(folder / name, each) for name, each in zip("stj", contents, strict=True))
    return (source, target), (joint,)


@given(st.lists(LINE), LAST, MARKS, ENDS, st.data())
def test_bad_lines_are_empty_pairs_and_named_in_order(tmp_path_factory, lines, last, mark, end, data):
    lines = [*lines, last]
    expected = [("", "") if is_bad(line) else tuple(map(bytes.decode, line)) for line in lines]
    bad = [n for n, line in enumerate(lines, 1) if is_bad(line)]
    for files in files_of(tmp_path_factory.mktemp("bad"), lines, mark, end):
        messages = []
        with patch("aligner.files.lines.READ_BYTES", data.draw(st.integers(1, 30))):
            chunks = list(read_pairs(*files, skip_bad=True, report=messages.append))
        assert [pair for chunk in chunks for pair in chunk.pairs()] == expected
        assert [int(message.split(":")[1]) for message in messages] == bad
        report = read_bitext(*files, skip_bad=True).report
        assert (report.lines, report.bad) == (len(lines), len(bad))
        assert report.empty == sum("" in pair for pair in expected) - len(bad)
        with patch.object(text_files, "_LEAST_BYTES", 1):
            divided = TextFiles.of(*map(str, files), *[None] * (2 - len(files)), skip_bad=True).divided(4)
        read = [divided.read(n, load_recipe()).report.bad for n in range(1, len(divided.shards) + 1)]
        assert sum(read) == len(bad)


def test_bad_lines_of_one_file_are_empty(tmp_path):
    messages = []
    path = write(tmp_path / "text", b"\xef\xbb\xbf\xff\na\nb\0c")
    assert list(lines_of(path, skip_bad=True, report=messages.append)) == ["", "a", ""]
    assert messages[0].startswith(f"{path}:1: byte 3 of the line is 0xff, not UTF-8")
    assert messages[1].startswith(f"{path}:3: byte 1 of the line is NUL")


@pytest.mark.parametrize("ids", [False, True])
def test_a_bad_line_of_parallel_texts_is_missing_in_its_language(tmp_path, ids):
    good, bad = b"1\tx\n2\ty\n", b"1\tx\n2\xff\ty\n"
    texts = {name: write(tmp_path / name, bad if name == "c" else good) for name in "abc"}
    with pytest.raises(DataError, match="c:2: byte 1 of the line is 0xff"):
        read_parallel_texts(texts, ids=ids)
    read = read_parallel_texts(texts, ids=ids, skip_bad=True)
    assert read.languages["c"] == (["x", ""] if ids else ["1\tx", ""])
    assert read.languages["a"][1]


def test_without_skip_bad_a_bad_line_is_an_error_that_names_the_option(tmp_path):
    for files in files_of(tmp_path, [(b"a", b"b"), (b"a\xff", b"b"), (b"c", b"d")]):
        with pytest.raises(DataError, match=r":2: byte 1 of the line is 0xff.* use --skip-bad to treat such"):
            read_bitext(*files)
