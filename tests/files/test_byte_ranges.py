"""Byte ranges of plain files: together, they have the lines and the errors of the files."""

import gzip
import os
from itertools import chain
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.files.byte_ranges import ByteRange, can_be_cut, cut_files
from aligner.text.pairs import read_pairs
from tests.support import LINE, write
from tests.text.helpers import lines_of

ENDS = st.sampled_from(["\n", "\r\n"])
FILES = st.tuples(st.sampled_from(["", "\ufeff"]), st.lists(st.tuples(LINE, ENDS), max_size=20), LINE).map(
    lambda file: file[0] + "".join(line + end for line, end in file[1]) + file[2]
)
"""Files with and without a byte order mark, with line ends of both kinds, and with an end without any."""

SIZES = st.integers(1, 50)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ranges")


@given(FILES, st.integers(1, 25), SIZES, SIZES)
def test_ranges_have_the_lines_of_the_file(folder, text, number, block, size):
    path = write(folder / "text", text)
    with (
        patch("aligner.files.byte_ranges._BLOCK_BYTES", block),
        patch("aligner.files.lines.READ_BYTES", size),
    ):
        ranges = [own for (own,) in cut_files([path], number)]
        parts = [lines_of(own) for own in ranges]
        assert [*chain(*parts)] == lines_of(path)
    assert len(ranges) == max(min(number, text.count("\n")), 1)
    assert [own.lines_before for own in ranges] == [sum(map(len, parts[:n])) for n in range(len(parts))]
    assert max(map(len, parts)) - min(map(len, parts)) <= 2  # one of them is a last line without its end


def read(files):
    """Return the pairs of files that go together, and the first error."""
    pairs = []
    try:
        for paths in files:
            pairs += [pair for chunk in read_pairs(*paths) for pair in chunk.pairs()]
    except DataError as error:
        return None, str(error)
    return pairs, None


@given(FILES, FILES, st.integers(1, 25), SIZES)
@example("\rA\n\n", "\n\n\n", 2, 1)
def test_ranges_of_two_files_have_their_pairs_or_the_same_different_ends(
    folder, source, target, number, block
):
    paths = [write(folder / "s", source), write(folder / "t", target)]
    with patch("aligner.files.byte_ranges._BLOCK_BYTES", block):
        ranges = cut_files(paths, number)
    assert read(ranges) == read([paths])


@given(FILES, st.sampled_from([b"\0", b"\xff"]), st.integers(1, 25), st.data())
def test_bad_bytes_of_ranges_are_reported_as_those_of_the_file(folder, text, bad, number, data):
    content = text.encode()
    position = data.draw(st.integers(0, len(content)))
    content = content[:position] + bad + content[position:]
    paths = [write(folder / "s", content), write(folder / "t", b"\n" * (content.count(b"\n") + 1))]
    whole = read([paths])
    assert "of the line is" in whole[1]
    assert read(cut_files(paths, number)) == whole


def test_files_that_can_be_cut(tmp_path):
    assert can_be_cut(write(tmp_path / "text", "a\n"))
    assert can_be_cut(write(tmp_path / "none", ""))
    assert not can_be_cut(write(tmp_path / "text.gz", "a\n"))
    assert not can_be_cut(write(tmp_path / "packed", gzip.compress(b"a\n")))
    assert not can_be_cut(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
def test_names_of_one_process_are_not_cut(tmp_path):
    with open(write(tmp_path / "text", "a\n"), "rb") as file:
        assert not can_be_cut(f"/dev/fd/{file.fileno()}")


def test_a_file_that_has_shrunk_is_an_error(tmp_path):
    path = write(tmp_path / "text", "a\nb\nc\n")
    first, last = (own for (own,) in cut_files([path], 2))
    assert (first, last) == (ByteRange(path, 0, 2, 0), ByteRange(path, 2, None, 1))
    write(tmp_path / "text", "a")
    with pytest.raises(DataError, match="text: found 1 bytes; expected 2, as when its lines were counted"):
        lines_of(first)
