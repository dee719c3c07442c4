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
    with pytest.raises(DataError, match="source: found 3 lines; expected a line 4 to show"):
        read_content(**files, first=4)


@pytest.mark.parametrize("part", ["links", "second", "gold", "scores"])
def test_parts_have_as_many_lines_as_the_text(files, tmp_path, part):
    first_line = Path(files[part]).read_text().splitlines()[0]
    files[part] = new_file(tmp_path, first_line, "short")
    with pytest.raises(DataError, match="short: found 1 line; expected 3, one for each line of the text"):
        read_content(**files)


@pytest.mark.parametrize("part", ["links", "second", "gold"])
def test_links_lie_inside_their_pair(files, tmp_path, part):
    files[part] = new_file(tmp_path, "\n\n0-1\n", "far")
    files.pop("scores")
    with pytest.raises(DataError, match="far:3: found 0-1 in a pair of 1 and 1 words"):
        read_content(**files)
    with pytest.raises(DataError, match="far:3: found 0-1"):
        read_content(**files, first=2)


@pytest.mark.parametrize("line", ["1\t2\t3", "a\tb\tc\td", "1\t2\t3\tnan", ""])
def test_damaged_scores_raise(files, tmp_path, line):
    files["scores"] = new_file(tmp_path, f"1\t2\t3\t4\n{line}\n\n", "bad")
    with pytest.raises(DataError, match=r"bad:2: found .* expected score, forward, reverse and gain"):
        read_content(**files)


def test_sides_have_the_same_number_of_lines():
    with pytest.raises(DataError, match="found 3 source lines and 2 target lines"):
        Content(WORDS, WORDS[:2], LINKS)


def test_number_of_lines_is_limited(monkeypatch):
    monkeypatch.setattr(content_module, "MOST_LINES", 2)
    with pytest.raises(ConfigError, match=r"found 3 lines; expected at most 2 on a page; .*--lines 1-2"):
        Content(WORDS, WORDS, LINKS)
