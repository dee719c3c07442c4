"""Tests of links in the Pharaoh format."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_no_links_need_no_probabilities():
    assert format_links(Alignments.from_lists([[], []]), probabilities=True) == "\n\n"


@pytest.mark.parametrize("probabilities", [None, np.arange(250) / 10_000])
def test_text_longer_than_one_part_round_trips(tmp_path, monkeypatch, probabilities):
    monkeypatch.setattr("aligner.links.formats.plain._PAIRS_AT_ONCE", 100)
    alignments = Alignments.from_links(250, range(250), range(250), [3] * 250, probabilities)
    path = str(tmp_path / "links")
    write_links(path, alignments, probabilities=probabilities is not None)
    assert read_links(path) == alignments


def test_output_of_other_tools_is_read(tmp_path):
    # Target order, doubled spaces, CR LF, scientific notation, no newline at the end.
    path = new_file(tmp_path, "1-0:0.25  0-1:1e-05 \r\n\r\n2-2:1")
    alignments = read_links(path)
    assert list(alignments) == [[(0, 1), (1, 0)], [], [(2, 2)]]
    assert alignments.probabilities.tolist() == pytest.approx([1e-5, 0.25, 1])


def test_largest_position_is_read(tmp_path):
    path = new_file(tmp_path, f"{MAX_POSITION}-{MAX_POSITION}\n")
    assert list(read_links(path)) == [[(MAX_POSITION, MAX_POSITION)]]
