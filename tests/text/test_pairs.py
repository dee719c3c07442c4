"""Lines and pairs of lines: line ends, separators, formats and errors."""

import io
import os
import sys
from unittest.mock import patch

import pytest
from hypothesis import given

from aligner.errors import DataError
from aligner.files.lines import count_lines, read_lines
from aligner.text.pairs import _BARS, read_bitext, read_pairs
from tests.support import LINE, write
from tests.text.helpers import lines_of


def pairs_of(*paths, **options):
    return [pair for chunk in read_pairs(*paths, **options) for pair in chunk.pairs()]


# Lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"\n\na\n\n", ["", "", "a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r", ["a"]),
        (b"a\r\r\n\r\n\r", ["a\r", "", ""]),
        (b"a\rb\n", ["a\rb"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\xef\xbb\xbf\n", [""]),
        ("a\u2028b\u0085c\vd\fe\x1cf\n".encode(), ["a\u2028b\u0085c\vd\fe\x1cf"]),
    ],
)
def test_only_newlines_end_lines(tmp_path, content, lines):
    path = write(tmp_path / "text", content)
    for size in (1, 2, 3, 5, 1 << 18):
        with patch("aligner.files.lines.READ_BYTES", size):
            assert lines_of(path) == lines
            assert count_lines(path) == len(lines)


@pytest.mark.parametrize("size", [1, 4, 1 << 18])
@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"ok\n\xc3\xa9 \xff\n", "2: byte 3 of the line is 0xff"),
        (b"\xff", "1: byte 0 of the line is 0xff"),
        (b"\xef\xbb\xbfab\xff\n", "1: byte 5 of the line is 0xff"),
        (b"a\r\nb\r\nc\xe9", "3: byte 1 of the line is 0xe9"),
        (b"a\n\n \xed\xa0\x80\n", "3: byte 1 of the line is 0xed"),
        (b"a\nbc\0d\n", "2: byte 2 of the line is NUL"),
        ("ab\n".encode("utf-16-le"), "1: byte 1 of the line is NUL"),
    ],
)
def test_invalid_bytes_are_reported_with_line_and_byte(tmp_path, content, place, size):
    path = write(tmp_path / "text", content)
    with patch("aligner.files.lines.READ_BYTES", size), pytest.raises(DataError) as error:
        lines_of(path)
    assert str(error.value).startswith(f"{path}:{place}")
    assert "iconv" in str(error.value)


def test_pipe_is_read_as_it_fills():
    reading, writing = os.pipe()
    with (
        open(reading, "rb") as reader,
        open(writing, "wb", buffering=0) as writer,
        patch.object(sys, "stdin", io.TextIOWrapper(reader)),
    ):
        chunks = read_lines("-")
        writer.write(b"one\ntw")
        assert next(chunks) == ["one"]
        writer.write(b"o\n")
        assert next(chunks) == ["two"]
        writer.close()
        assert list(chunks) == []
        assert not reader.closed


# Pairs of lines


@pytest.mark.parametrize("size", [1, 3, 1 << 18])
def test_different_line_counts_raise_data_error(tmp_path, size):
    short, long = write(tmp_path / "short", "a\nb"), write(tmp_path / "long", "a\nb\n\nd\n")
    for arguments in ((short, long), (long, short)):
        with patch("aligner.files.lines.READ_BYTES", size), pytest.raises(DataError) as error:
            pairs_of(*arguments)
        assert str(error.value).startswith(f"{long}:3: found a line, but {short} ends after line 2;")
    empty = write(tmp_path / "empty", "")
    with pytest.raises(DataError, match=r"long:1: found a line, but .*empty ends after line 0"):
        pairs_of(empty, long)
    assert pairs_of(empty, empty) == []


@pytest.mark.parametrize(
    ("content", "format", "pairs"),
    [
        ("a b\tc\n", "tsv", [("a b", "c")]),
        ("a\t\n\tb\n\t\n\n \t \t\n", "tsv", [("a", ""), ("", "b"), ("", ""), ("", ""), ("", "")]),
        ("\n \na ||| b\n", "bars", [("", ""), ("", ""), ("a ", " b")]),
        ("||| b\na |||\n|||\n", "bars", [("", " b"), ("a ", ""), ("", "")]),
        ("a|||b ||| ||||\n", "bars", [("a|||b ", " ||||")]),
        ("a ||| b\na\t|||\tb\n", "bars", [("a ", " b"), ("a\t", "\tb")]),
        ("a ||| b\r\n||| \u00a0|||\r\n", "bars", [("a ", " b"), ("", " \u00a0|||")]),
        ("a b\r\tc\r\n\r\td\n", "tsv", [("a b", "c"), ("", "d")]),
        ("a \r ||| b\r\na\rb ||| c\n", "bars", [("a ", " b"), ("a\rb ", " c")]),
        ("\n \n", "auto", [("", ""), ("", "")]),
        ("", "auto", []),
    ],
)
def test_one_file_holds_both_sides(tmp_path, content, format, pairs):
    path = write(tmp_path / "text", content)
    for size in (1, 1 << 18):
        with patch("aligner.files.lines.READ_BYTES", size):
            assert pairs_of(path) == pairs
            assert pairs_of(path, format=format) == pairs


@pytest.mark.parametrize(
    ("content", "place", "found"),
    [
        ("a\tb\na\n", 2, r"found TAB 0 times in 'a'"),
        ("\na\tb\na\tb\tc\n", 3, r"found TAB 2 times in 'a\\tb\\tc'"),
        ("a ||| b\n\na ||| b ||| c\n", 3, r"found \|\|\| 2 times in 'a \|\|\| b \|\|\| c'"),
        ("a ||| b\na\u00a0||| b|||\n", 2, r"found \|\|\| 0 times"),
        ("a ||| b\n||| |||\n", 2, r"found \|\|\| 2 times"),
        ("a ||| b\na\tb\n", 2, r"found \|\|\| 0 times"),
    ],
)
def test_line_without_exactly_one_separator_is_bad(tmp_path, content, place, found):
    path = write(tmp_path / "text", content)
    for size in (1, 1 << 18):
        with patch("aligner.files.lines.READ_BYTES", size):
            with pytest.raises(DataError, match=f"text:{place}: {found}.*if the verb has it, use --skip-bad"):
                pairs_of(path)
            messages = []
            pairs = pairs_of(path, skip_bad=True, report=messages.append)
            assert len(pairs) == content.count("\n")
            assert pairs[place - 1] == ("", "")
            assert len(messages) == 1
            assert messages[0].startswith(f"{path}:{place}: ")
    bitext = read_bitext(path, skip_bad=True)
    assert (bitext.report.lines, bitext.report.bad) == (content.count("\n"), 1)


@pytest.mark.parametrize(
    ("source", "target"), [("a\tb\rc\td\r", None), ("a\nb\n", "c\rd\r"), ("a\rb\r", "c\nd\n")]
)
def test_lines_that_end_in_cr_alone_are_the_cause(tmp_path, source, target):
    files = [write(tmp_path / name, text) for name, text in (("s", source), ("t", target)) if text]
    with pytest.raises(DataError, match="; lines end in LF or CRLF, not in CR alone"):
        pairs_of(*files)


def test_many_bad_lines_take_linear_time(tmp_path):
    """The text that is read at a time is checked once, not once for each of its bad lines."""
    path = write(tmp_path / "text", "é\n" * 1000)
    with patch("aligner.files.lines.FileLines.check", autospec=True) as check:
        assert len(pairs_of(path, skip_bad=True)) == 1000
    assert check.call_count <= 4


@pytest.mark.parametrize("skip_bad", [False, True])
def test_first_line_with_both_separators_raises_data_error(tmp_path, skip_bad):
    path = write(tmp_path / "text", "\na ||| b\tc d\ne\tf\n")
    with pytest.raises(
        DataError, match=r"text:2: found both TAB and \|\|\| .* --format tsv or --format bars"
    ):
        pairs_of(path, skip_bad=skip_bad)
    assert pairs_of(path, format="tsv") == [("", ""), ("a ||| b", "c d"), ("e", "f")]
    expected = [("", ""), ("a ", " b\tc d"), ("", "")]
    assert pairs_of(path, format="bars", skip_bad=True) == expected


def test_first_line_without_separator_raises_data_error(tmp_path):
    path = write(tmp_path / "text", "\n\na|||b " + "c" * 100)
    with pytest.raises(DataError, match=r"text:3: found neither TAB nor \|\|\| in 'a\|\|\|b c{54}\.\.\.';"):
        pairs_of(path)


def test_skip_bad_detects_format_from_first_line_with_separator(tmp_path):
    path = write(tmp_path / "text", "bad\n\na ||| c\nb\td\nd ||| e\n")
    expected = [("", ""), ("", ""), ("a ", " c"), ("", ""), ("d ", " e")]
    for size in (1, 1 << 18):
        with patch("aligner.files.lines.READ_BYTES", size):
            messages = []
            assert pairs_of(path, skip_bad=True, report=messages.append) == expected
            assert [message.split(": ")[0] for message in messages] == [f"{path}:1", f"{path}:4"]
    path = write(tmp_path / "text", "no\nnone\n")
    assert pairs_of(path, skip_bad=True) == [("", "")] * 2


@given(LINE)
def test_bars_separate_only_as_a_word(line):
    line = line.replace("a", "|||")
    bars = line.replace("\t", " ").split(" ").count("|||")
    assert len(_BARS.pattern.split(line.encode())) == bars + 1
