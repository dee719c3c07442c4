"""Tests of the link formats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.formats import LINK_FORMATS
from aligner.links.gold import read_gold
from aligner.links.pharaoh import read_links
from tests.links.strategies import TEXTS
from tests.support import new_file

LINKS = Alignments.from_links(3, [0, 0, 2], [0, 1, 3], [10, 0, 2], [0.5, 1.0, 0.25])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pharaoh", "0-10 1-0\n\n3-2\n"),
        ("pharaoh-probabilities", "0-10:0.5000 1-0:1.0000\n\n3-2:0.2500\n"),
        ("naacl", "1 1 11\n1 2 1\n3 4 3\n"),
    ],
)
def test_text_of_format(name, text):
    assert LINK_FORMATS[name].write(LINKS, 1) == text


@pytest.mark.parametrize("name", LINK_FORMATS)
@given(TEXTS, st.integers(0, 6))
def test_text_of_parts_is_text_of_whole(name, lists, cut):
    alignments = Alignments.from_lists(lists)
    values = np.linspace(0, 1, alignments.source.size, dtype=np.float32)
    alignments = Alignments(alignments.offsets, alignments.source, alignments.target, values)
    write = LINK_FORMATS[name].write
    first, second = alignments[:cut], alignments[cut:]
    assert write(first, 1) + write(second, 1 + len(first)) == write(alignments, 1)


@given(TEXTS)
def test_text_is_read_back(tmp_path_factory, lists):
    path = tmp_path_factory.mktemp("formats")
    alignments = Alignments.from_lists(lists)
    text = {name: LINK_FORMATS[name].write(alignments, 1) for name in ("pharaoh", "naacl")}
    assert read_links(new_file(path, text["pharaoh"])) == alignments
    gold = read_gold(new_file(path, text["naacl"]), format="wa", sentences=len(alignments))
    assert gold.sure == gold.possible == alignments


def test_probabilities_are_read_back(tmp_path):
    text = LINK_FORMATS["pharaoh-probabilities"].write(LINKS, 1)
    assert read_links(new_file(tmp_path, text)) == LINKS


@pytest.mark.parametrize("name", LINK_FORMATS)
def test_formats_declare_whether_they_need_probabilities(name):
    alignments = Alignments.from_lists([[(0, 0)]])
    if LINK_FORMATS[name].needs_probabilities:
        with pytest.raises(DataError, match="without probabilities"):
            LINK_FORMATS[name].write(alignments, 1)
    else:
        assert LINK_FORMATS[name].write(alignments, 1)


def test_unknown_format_raises():
    with pytest.raises(ConfigError, match="unknown link format 'pharoah'; did you mean 'pharaoh'"):
        LINK_FORMATS.find("pharoah")
