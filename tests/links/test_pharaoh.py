"""Tests of links in the Pharaoh format."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.links.alignments import MAX_POSITION, Alignments
from aligner.links.formats.plain import format_links, read_links, write_links
from tests.support import new_file


@given(
    st.lists(
        st.dictionaries(
            st.tuples(st.integers(0, 12) | st.integers(0, 9_999_999), st.integers(0, 120)),
            st.sampled_from([0.0, 1e-9, 0.00004, 0.12345, 0.5, 0.99994, 0.99996, 1.0, 1.0000001]),
            max_size=4,
        ),
        max_size=5,
    )
)
def test_format_matches_python(lines):
    links = [(n, i, j, p) for n, line in enumerate(lines) for (i, j), p in line.items()]
    columns = zip(*links, strict=True) if links else [()] * 4
    alignments = Alignments.from_links(len(lines), *map(list, columns))
    plain = [" ".join(f"{i}-{j}" for i, j in sorted(line)) for line in lines]
    assert format_links(alignments) == "".join(line + "\n" for line in plain)
    scored = [" ".join(f"{i}-{j}:{line[i, j]:.4f}" for i, j in sorted(line)) for line in lines]
    assert format_links(alignments, probabilities=True) == "".join(line + "\n" for line in scored)


def test_missing_probabilities_raise():
    with pytest.raises(DataError, match=r"expected i-j:p, .* with --probabilities, or write"):
        format_links(Alignments.from_lists([[(0, 0)]]), probabilities=True)
    assert format_links(Alignments.from_lists([[], []]), probabilities=True) == "\n\n"


@pytest.mark.parametrize("probabilities", [None, np.arange(70_000) % 10_001 / 10_000])
def test_text_longer_than_one_part_round_trips(tmp_path, probabilities):
    alignments = Alignments.from_links(70_000, range(70_000), range(70_000), [3] * 70_000, probabilities)
    path = str(tmp_path / "links")
    write_links(path, alignments, probabilities=probabilities is not None)
    assert read_links(path) == alignments


def test_output_of_other_tools_is_read(tmp_path):
    # Target order, doubled spaces, CR LF, scientific notation, no newline at the end.
    path = new_file(tmp_path, "1-0:0.25  0-1:1e-05 \r\n\r\n2-2:1")
    alignments = read_links(path)
    assert list(alignments) == [[(0, 1), (1, 0)], [], [(2, 2)]]
    assert alignments.probabilities.tolist() == pytest.approx([1e-5, 0.25, 1])


TOKENS = "1 1- -1-2 a-1 1_0-2 +1-2 ١-٢ NULL-3 1?2 0-99999999 0:0 0-0: 0-0:2"


@pytest.mark.parametrize("token", TOKENS.split())
def test_errors_name_file_and_line(tmp_path, token):
    path = new_file(tmp_path, f"0-0\n0-0 {token}\n")
    with pytest.raises(DataError, match=r"links:2: found .*, expected i-j") as error:
        read_links(path)
    assert token[:1] in str(error.value)


def test_message_shows_start_of_long_token(tmp_path):
    with pytest.raises(DataError) as error:
        read_links(new_file(tmp_path, "9" * 5000 + "-0"))
    assert len(str(error.value)) < 300


def test_probabilities_of_some_links_raise(tmp_path):
    with pytest.raises(DataError, match="links:2: some links have a probability"):
        read_links(new_file(tmp_path, "0-0:0.5\n0-0:0.5 1-1\n"))


def test_largest_position_is_read(tmp_path):
    path = new_file(tmp_path, f"{MAX_POSITION}-{MAX_POSITION}\n")
    assert list(read_links(path)) == [[(MAX_POSITION, MAX_POSITION)]]
    with pytest.raises(DataError, match=f"positions from 0 to {MAX_POSITION}"):
        read_links(new_file(tmp_path, f"0-{MAX_POSITION + 1}\n"))


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ('{"source": [], "target": [], "links": []}', "align symmetrize FILE --input-format jsonl"),
        ("# Sentence pair (1) source length 1", "--input-format giza"),
        ("1 2 3", "--input-format naacl"),
        ("a b\tc\t0-0", "--input-format tsv"),
        ("0-0 11?15 2-2", "align eval takes GOLD before LINKS"),
        ("a b", "positions from 0 to 9999999"),
    ],
)
def test_message_names_the_format_of_the_line(tmp_path, line, hint):
    with pytest.raises(DataError, match=r":2: found") as error:
        read_links(new_file(tmp_path, f"0-0\n{line}\n"))
    assert str(error.value).endswith(hint)
