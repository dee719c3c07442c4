"""Symmetrisation of link files, and conversion between formats."""

import os
import sys
from subprocess import PIPE, Popen, run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.links.alignments import Alignments
from aligner.links.formats.plain import read_links, write_links
from aligner.links.symmetrize import SYMMETRIZATIONS, symmetrize
from aligner.links.symmetrize_files import symmetrize_files
from tests.links.strategies import TEXT_PAIRS
from tests.program import PROGRAM, converse
from tests.support import new_file


@given(TEXT_PAIRS, st.sampled_from([*SYMMETRIZATIONS]), st.booleans(), st.booleans())
def test_files_are_combined_pair_by_pair(tmp_path_factory, pairs, method, invert_first, invert_second):
    folder = tmp_path_factory.mktemp("links")
    sides = [Alignments.from_lists(side) for side in (zip(*pairs, strict=True) if pairs else ([], []))]
    for name, side, invert in zip("ab", sides, (invert_first, invert_second), strict=True):
        write_links(folder / name, side.reversed() if invert else side)
    inversions = {"invert_first": invert_first, "invert_second": invert_second}
    counts = symmetrize_files(folder / "a", folder / "b", folder / "out", method=method, **inversions)
    expected = symmetrize(*sides, method)
    assert read_links(folder / "out") == expected
    assert counts == (len(expected), len(expected.source))


def test_inversion_exchanges_words_too(tmp_path):
    start = new_file(tmp_path, "a b\tc\t1-0\n")
    formats = {"input_format": "tsv", "links_format": "tsv"}
    symmetrize_files(start, None, tmp_path / "out", invert_first=True, **formats)
    assert (tmp_path / "out").read_text() == "c\ta b\t0-1\n"


def test_sentences_without_links_at_the_end_are_kept(align, tmp_path):
    start = new_file(tmp_path, "0-0\n\n1-1\n\n\n")
    align("symmetrize", start, "--links-format", "naacl", "-o", tmp_path / "naacl")
    back = ["symmetrize", tmp_path / "naacl", "--input-format", "naacl"]
    assert align(*back, "-q")[0] == b"0-0\n\n1-1\n"
    assert align(*back, "--sentences", "5") == (b"0-0\n\n1-1\n\n\n", "5 pairs, 2 links\n")
    assert (
        "naacl:2: found sentence 3, but there are only 2"
        in align(*back, "--sentences", "2", "-o", tmp_path / "out", status=1)[1]
    )
    assert "which has every sentence pair" in align("symmetrize", start, "--sentences", "5", status=1)[1]


def test_verb_combines_and_counts(align, tmp_path):
    files = new_file(tmp_path, "0-0 1-1\n\n", "a"), new_file(tmp_path, "0-0 1-2\n0-1\n", "b")
    assert align("symmetrize", *files, "-c", "intersection") == (b"0-0\n\n", "2 pairs, 1 link\n")
    assert align("symmetrize", *files, "-c", "union", "-q") == (b"0-0 1-1 1-2\n0-1\n", "")
    assert align("symmetrize", *files) == (b"0-0 1-1 1-2\n0-1\n", "2 pairs, 4 links\n")
    assert align("symmetrize", "-", "--invert-a", "-q", stdin=b"0-5:0.5\n") == (b"5-0\n", "")
    _, err = align("symmetrize", files[0], "-c", "union", status=2)
    assert "without B" in err


@pytest.mark.skipif(os.name == "nt", reason="needs a pipe")
@pytest.mark.parametrize(("first", "output"), [("-", "-"), ("/dev/stdin", "/dev/stdout")])
def test_each_line_is_answered_before_the_next_is_sent(first, output, tmp_path):
    other = new_file(tmp_path, "0-0\n1-1\n")
    arguments = ["symmetrize", first, other, "-c", "union", "-o", output, "-q"]
    running = Popen([sys.executable, "-c", PROGRAM, *arguments], stdin=PIPE, stdout=PIPE)
    converse(running, [(b"0-1\n", b"0-0 0-1\n"), (b"\n", b"1-1\n")], running.stdout)


@pytest.mark.large
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_memory_does_not_depend_on_the_number_of_lines(tmp_path):
    lines = [" ".join(f"{i}-{i * n % 23}" for i in range(20)) for n in range(12_000)]
    code = """if True:
        import sys
        from aligner.links.symmetrize_files import symmetrize_files
        symmetrize_files(*sys.argv[1:])
        with open("/proc/self/status") as status:
            print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
    """
    peaks = []
    for times in (1, 10):
        files = [
            new_file(tmp_path, "\n".join(side * times), name)
            for name, side in zip("ab", (lines, lines[::-1]), strict=True)
        ]
        command = [sys.executable, "-c", code, *files, tmp_path / "out"]
        peaks.append(int(run(command, capture_output=True, check=True).stdout))
    assert peaks[1] - peaks[0] < 8 * 1024  # KiB; the further lines of one file have 11 MiB
