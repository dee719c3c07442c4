"""Tests of the content of a page, from memory and from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aligner.errors import ConfigError, DataError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.view import content as content_module
from aligner.view.content import Content, read_content
from tests.support import new_file

WORDS = [["a", "b"], [], ["c"]]
DAMAGED = "1\t2\t3", "a\tb\tc\td", "1\t2\t3\tnan", ""
LINKS = Alignments.from_lists([[(0, 0), (1, 1)], [], [(0, 0)]])


@pytest.fixture
def files(tmp_path):
    """Return the paths of a text of three lines and of all that belongs to it, by name."""
    texts = {
        "source": "a b\n\nc\n",
        "target": "A B\n\nC\n",
        "links": "0-0:0.5 1-1:0.25\n\n0-0:1\n",
        "second": "0-0\n\n\n",
        "gold": "0-0 1?1\n\n0-0\n",
        "scores": "-2\t-1\t-3\t0.5\n-inf\t-inf\t-inf\t-inf\n-4\t-4\t-4\t1.5\n",
    }
    return {name: new_file(tmp_path, text, name) for name, text in texts.items()}


def test_files_are_read(files):
    content = read_content(**files)
    assert content.source == WORDS
    assert content.target == [["A", "B"], [], ["C"]]
    assert list(content.links) == list(LINKS)
    assert content.links.scores[:, 2].tolist() == [0.5, -np.inf, 1.5]
    assert content.gold == Gold(Alignments.from_lists([[(0, 0)], [], [(0, 0)]]), LINKS)
    assert list(content.second) == [[(0, 0)], [], []]
    assert content.names["gold"] == files["gold"]


def test_run_of_lines_is_read(files):
    content = read_content(**files, first=2, last=3)
    assert (content.first, content.source) == (2, WORDS[1:])
    assert [len(links) for links in content.link_sets().values()] == [2, 2, 2]
    assert content.links.scores.shape == (2, 3)


SHORT, FAR, PARTS = "1\t2\t3\t4\n", "\n\n0-1\n", ("links", "second", "gold")
REFUSED = [
    ("source", "a b\n\nc\n", 4, "found 3 lines; expected a line 4"),
    *((part, "0-0\n", 1, "found 1 line; expected 3") for part in PARTS),
    ("scores", SHORT, 1, "found 1 line; expected 3"),
    *((part, FAR, first, "3: found 0-1 in a pair of 1 and 1") for part in PARTS for first in (1, 2)),
    *(("scores", f"{SHORT}{line}\n\n", 1, "2: found .* expected score") for line in DAMAGED),
]


@pytest.mark.parametrize(("part", "text", "first", "message"), REFUSED)
def test_a_file_that_does_not_fit_the_others_is_refused(files, part, text, first, message):
    if part != "scores":
        files.pop("scores")
    Path(files[part]).write_text(text)
    with pytest.raises(DataError, match=f"{part}:.*{message}"):
        read_content(**files, first=first)


def test_sides_have_the_same_number_of_lines():
    with pytest.raises(DataError, match="found 3 source lines and 2 target lines"):
        Content(WORDS, WORDS[:2], LINKS)


def test_number_of_lines_is_limited(monkeypatch):
    monkeypatch.setattr(content_module, "MOST_LINES", 2)
    with pytest.raises(ConfigError, match=r"found 3 lines; expected at most 2 on a page; .*--lines 1-2"):
        Content(WORDS, WORDS, LINKS)
