"""Tests of links shown as words."""

from __future__ import annotations

import io
from itertools import chain
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.show import show
from tests.refusals import refused
from tests.support import new_file

TEXT = "la maison bleue\tthe blue house of\n\tx\nなに é\tWhat ?\n"
LINKS = "0-0:0.98 1-2:0.5 2-1:1 2-3:0.25\n\n1-1:0.7\n"


@pytest.fixture
def shown(tmp_path):
    """Return a function that shows links with their words."""

    def run(links=LINKS, text=TEXT, **options):
        output = tmp_path / "shown"
        text = new_file(tmp_path, text, "text")
        show(new_file(tmp_path, links, "links"), text, output=output, **options)
        return output.read_text("utf-8")

    return run


def test_text_style(shown):
    assert shown() == (
        "# 1\nla      the 0.98\nmaison  house 0.50\nbleue   blue 1.00  of 0.25\n\n"
        "# 2\n  x\n\n"
        "# 3\nなに\né     ? 0.70\n      What\n\n"
    )
    assert shown(LINKS.replace(":0.98", "").replace(":0.5", "").replace(":1 ", " ").replace(":0.25", ""))[
        :40
    ].startswith("# 1\nla      the\nmaison  house\n")


def test_tsv_style(shown):
    assert shown(style="tsv") == (
        "1\t0\t0\tla\tthe\t0.9800\n1\t1\t2\tmaison\thouse\t0.5000\n1\t2\t1\tbleue\tblue\t1.0000\n"
        "1\t2\t3\tbleue\tof\t0.2500\n3\t1\t1\té\t?\t0.7000\n"
    )
    assert shown("1-0\n\n\n", style="tsv") == "1\t1\t0\tmaison\tthe\n"


def test_matrix_style(shown):
    assert shown(style="matrix", first=1, last=1) == (
        "# 1\n"
        "       la  maison  bleue\n"
        "the    ■     ·       ·\n"
        "blue   ·     ·       ■\n"
        "house  ·     ■       ·\n"
        "of     ·     ·       □\n\n"
    )
    assert shown(style="matrix", first=2, last=2) == "# 2\n\nx\n\n"


def test_matrix_is_aligned_by_display_width(shown):
    """A wide character takes two columns and a combining mark none: each mark stands below its word."""
    lines = shown("0-0\n", f"{'a' * 20} {'b' * 1000}\t{'c' * 21}\n", style="matrix").splitlines()
    assert [line.split() for line in lines[1:3]] == [["a" * 20, "b" * 19 + "…"], ["c" * 19 + "…", "■", "·"]]
    lines = shown("0-0 1-1\n", "漢字語 e\u0301e\u0301e\u0301 a\t字 bc\n", style="matrix").splitlines()[:-1]
    assert lines[1:] == ["    漢字語  e\u0301e\u0301e\u0301  a", "字    ■      ·   ·", "bc    ·      ■   ·"]
    lines = shown("0-0\n", "\u0301 a\tx\n", style="matrix").splitlines()[:-1]
    assert lines[1:] == ["   \u0301   a", "x  ■  ·"]


@given(widths=st.lists(st.integers(1, 12), max_size=20), columns=st.integers(20, 60))
def test_matrix_does_not_wrap_on_a_terminal(tmp_path_factory, widths, columns):
    folder = tmp_path_factory.mktemp("shown")
    source, target = [chr(97 + k) * width for k, width in enumerate(widths)], ["X", "YY"]
    text = new_file(folder, f"{' '.join(source)}\t{' '.join(target)}\n", "text")
    links = new_file(folder, " ".join(f"{i}-{i % 2}" for i in range(len(source))) + "\n", "links")
    terminal = io.TextIOWrapper(io.BytesIO())
    terminal.isatty = lambda: True
    with patch.dict("os.environ", COLUMNS=str(columns)), patch("sys.stdout", terminal):
        show(links, text, style="matrix")
        show(links, text, output=folder / "file", style="matrix")
    shown = terminal.buffer.getvalue().decode().removeprefix("# 1\n").removesuffix("\n\n")
    assert max(map(len, shown.split("\n"))) <= columns
    rows = zip(*([line.split() for line in band.split("\n")] for band in shown.split("\n\n")), strict=True)
    heads, *marks = (list(chain.from_iterable(row)) for row in rows)
    assert heads == source
    for j, (word, row) in enumerate(zip(target, marks, strict=True)):
        expected = ["■" if i % 2 == j else "·" for i in range(len(source))]
        assert [mark for mark in row if mark != word] == expected
    assert (folder / "file").read_text("utf-8").count("X") == 1


def test_columns_are_aligned_on_a_terminal(shown):
    """Combining marks take no column, and wide East Asian characters take two."""
    text = "हिन्दी\u200d a\ta b\n漢字 b\ta b\ne\u0301 c\ta b\n"
    lines = [line for line in shown("0-0 1-1\n" * 3, text).splitlines() if line and line[0] != "#"]
    assert lines == ["हिन्दी\u200d  a", "a      b", "漢字  a", "b     b", "e\u0301  a", "c  b"]


@pytest.mark.parametrize(
    ("first", "last", "expected"), [(1, None, "123"), (2, None, "23"), (2, 2, "2"), (1, 2, "12")]
)
def test_range_of_lines(shown, first, last, expected):
    lines = shown(first=first, last=last).splitlines()
    assert "".join(line[2:] for line in lines if line.startswith("# ")) == expected


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("0-0\n\n0-2\n", "links:3: found 0-2 in a pair of 2 and 2 words; positions count from 0"),
        ("3-0\n\n\n", "links:1: found 3-0"),
        ("\n\n", "text:3: found a line, but .. links ends before"),
        ("\n\n\n\n", "links:4: found a line, but .. text ends before"),
        ("0-0\n1\n", "links:2: found '1', expected i-j"),
        ("0-0 1-1:0.5\n", "links:1: some links have a probability"),
    ],
)
def test_inconsistent_files_raise(shown, tmp_path, links, message):
    refused(message, shown, links)
    assert not (tmp_path / "shown").exists()


@pytest.mark.parametrize("first", [4, 10**20])
def test_range_beyond_end_raises(shown, first):
    refused(f"text: found 3 lines; expected a line {first} to show", shown, first=first, last=first + 1)
    assert shown("", "") == ""


@pytest.mark.parametrize("options", [{"style": "html"}, {"first": 0}, {"first": 3, "last": 2}])
def test_invalid_options_raise(shown, options):
    refused("", shown, **options)


WORDS = st.lists(
    st.text(st.characters(exclude_characters=" \t\r\n\0\ufeff", exclude_categories=["Cs"]), min_size=1)
)


@given(st.lists(st.tuples(WORDS, WORDS, st.randoms()), max_size=5))
def test_tsv_has_a_line_for_each_link(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("text")
    lines, expected = [], []
    for number, (source, target, random) in enumerate(pairs, 1):
        cells = [(i, j) for i in range(len(source)) for j in range(len(target)) if random.random() < 0.3]
        lines.append(" ".join(f"{i}-{j}" for i, j in cells))
        expected += [f"{number}\t{i}\t{j}\t{source[i]}\t{target[j]}" for i, j in cells]
    for name, k in (("s", 0), ("t", 1)):
        (path / name).write_text("".join(" ".join(pair[k]) + "\n" for pair in pairs), "utf-8", newline="")
    (path / "l").write_text("".join(f"{line}\n" for line in lines))
    show(path / "l", path / "s", path / "t", path / "o", style="tsv")
    shown = (path / "o").read_bytes().decode()
    assert shown == "".join(f"{line}\n" for line in expected)
