"""``align compat atools``: the same links as the original, line by line."""

import os
import sys
from subprocess import PIPE, Popen

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligner.compat.atools import COMMANDS
from aligner.links.alignments import Alignments
from aligner.links.symmetrize import grow_diag_atools, symmetrize
from tests.links.strategies import LINK_SETS
from tests.program import PROGRAM, converse
from tests.support import new_file

FIRST = {(0, 1), (1, 1), (2, 0), (3, 3), (5, 5)}
SECOND = {(0, 0), (1, 1), (2, 1), (3, 2), (4, 5)}


def naive_grow_diag(first, second, final):
    """Return the links of atools by its definition, over all cells in the order of the matrix."""
    result = first & second
    height, width = (1 + max((link[k] for link in first | second), default=0) for k in (0, 1))
    cells = [(i, j) for i in range(height) for j in range(width)]

    def uncovered(i, j):
        return all(i != a for a, _ in result) + all(j != b for _, b in result)

    before = None
    while before != len(result):
        before = len(result)
        for i, j in cells:
            beside = any(max(abs(i - a), abs(j - b)) == 1 for a, b in result)
            if (i, j) in (first | second) - result and beside and uncovered(i, j):
                result.add((i, j))
    for side in (first, second) if final else ():
        for cell in cells:
            if cell in side - result and uncovered(*cell) >= final:
                result.add(cell)
    return result


@given(st.lists(st.tuples(LINK_SETS, LINK_SETS), max_size=8))
@settings(max_examples=30)
def test_growing_equals_its_definition(text):
    text = [[{(i, j % 7) for i, j in links} for links in pair] for pair in text]
    first, second = (Alignments.from_lists(pair[k] for pair in text) for k in (0, 1))
    for final in (0, 1, 2):
        assert list(grow_diag_atools(first, second, final)) == [
            sorted(naive_grow_diag(*pair, final)) for pair in text
        ]


@pytest.mark.parametrize(
    ("command", "links"),
    [
        ("intersect", "1-1"),
        ("union", "0-0 0-1 1-1 2-0 2-1 3-2 3-3 4-5 5-5"),
        ("grow-diag", "0-0 1-1 2-0"),
        ("grow-diag-final", "0-0 1-1 2-0 3-2 3-3 4-5 5-5"),
        ("grow-diag-final-and", "0-0 1-1 2-0 3-3 5-5"),
    ],
)
def test_commands_of_two_files(align, tmp_path, command, links):
    """The expected links are printed by the original program."""
    files = [
        new_file(tmp_path, " ".join(f"{i}-{j}" for i, j in side) + "\n\n", name)
        for side, name in ((FIRST, "a"), (SECOND, "b"))
    ]
    out, err = align("compat", "atools", "-i", files[0], "-j", files[1], "-c", command)
    assert (out.decode(), err) == (f"{links}\n\n", "")


def test_its_order_is_not_that_of_moses():
    texts = (Alignments.from_lists([FIRST]), Alignments.from_lists([SECOND]))
    assert grow_diag_atools(*texts, 2) != symmetrize(*texts, "grow-diag-final-and")


def test_commands_of_one_file(align, tmp_path):
    links = new_file(tmp_path, "2-0 0-1\n\n0-0 ||| 1-2\n")
    assert align("compat", "atools", "-i", links, "-c", "convert")[0] == b"0-1 2-0\n\n1-2\n"
    assert align("compat", "atools", "--input_1", links, "-c", "invert")[0] == b"0-2 1-0\n\n2-1\n"


def test_f_measure(align, tmp_path):
    files = new_file(tmp_path, "0-0 1-1\n2-2\n", "a"), new_file(tmp_path, "0-0\n2-2\n", "b")
    out, _ = align("compat", "atools", "-i", files[0], "-j", files[1], "-c", "fmeasure")
    assert out == b"P: 0.666667\nR: 1\nF: 0.8\n"


def test_wrong_input_is_an_error(align, tmp_path):
    one, two = new_file(tmp_path, "0-0\n", "a"), new_file(tmp_path, "0-0\n0+0\n", "b")
    for arguments, message in [
        (["-i", one, "-j", two, "-c", "union"], f"{two}:2: found '0+0', expected i-j"),
        (["-i", one, "-j", os.devnull, "-c", "union"], f"{one}:1: found a line, but {os.devnull} ends"),
        (["-i", one, "-c", "union"], "command 'union': expected two files (-i and -j)"),
        (["-i", one, "-j", one, "-c", "invert"], "command 'invert': expected one file (-i)"),
        (["-i", one, "-j", os.devnull, "-c", "fmeasure"], "found a line"),
    ]:
        assert message in align("compat", "atools", *arguments, status=1)[1]
    _, err = align("compat", "atools", "-i", one, "-c", "display", status=2)
    assert all(f"'{command}'" in err for command in COMMANDS)


@pytest.mark.skipif(os.name == "nt", reason="needs a pipe")
def test_two_lines_of_one_stream_are_answered_at_once():
    command = [sys.executable, "-c", PROGRAM, "compat", "atools", "-i", "-", "-j", "-", "-c", "union"]
    running = Popen(command, stdin=PIPE, stdout=PIPE)
    converse(running, [(b"0-1\n0-0\n", b"0-0 0-1\n"), (b"\n1-1\n", b"1-1\n")], running.stdout)


def test_symmetrize_has_the_growth_of_atools_by_name(align, tmp_path):
    lines = (" ".join(f"{i}-{j}" for i, j in sorted(links)) + "\n" for links in (FIRST, SECOND))
    first, second = (new_file(tmp_path, line, name) for line, name in zip(lines, "ab", strict=True))
    original, _ = align("compat", "atools", "-i", first, "-j", second, "-c", "grow-diag")
    assert align("symmetrize", first, second, "-c", "grow-diag-atools")[0] == original
    assert align("symmetrize", first, second, "-c", "grow-diag")[0] != original
