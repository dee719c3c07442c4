"""Tests of changes: their kinds, rows, and those that are refused."""

from dataclasses import replace

import numpy as np
import pytest

from aligner.decoding.attachment import Attached
from aligner.links.alignments import Alignments
from aligner.models.start import with_start
from aligner.serve.change_kinds import GONE, JOINED, LINKED, MOVED
from aligner.serve.changes import Changes

SOURCE = [["ho", "theos"], ["ho", "logos"], ["x", "y"], ["y", "x"], ["y"]]
TARGET = [["The", "word"], ["the", "word"], ["a", "b"], ["b", "a", "c"], ["b"]]
BEFORE = [[(1, 1)], [(0, 1), (1, 1)], [], [(1, 1), (0, 0)], [(0, 0)]]
AFTER = [[(1, 0), (1, 1)], [(1, 0), (0, 0), (1, 1)], [(0, 0)], [(1, 2), (0, 0), (0, 1)], []]


@pytest.fixture
def changes(tiny_model):
    """Return the changes of five lines; on the first, *the* joins a word by its rule."""
    started = with_start(tiny_model, "verses")
    model = replace(started, learned=replace(started.learned, joining=({}, {"the": 1})))
    the = model.target_vocabulary.index["the"]
    attached = Attached(*np.array([[0], [1], [0], [0], [1], [the]], np.int64))
    before, after = map(Alignments.from_lists, (BEFORE, AFTER))
    return Changes(before, after, (SOURCE, TARGET), model, attached)


def rows(changes, name, **row):
    """Return the rows below a row: their name, and how many links are new, and gone."""
    return [(own[name], *own["counts"]) for own in changes.rows(0, 9, **row)["rows"]]


def number(changes, kind, word):
    """Return the number of the word of a kind."""
    return next(own["word"] for own in changes.rows(0, 9, kind=kind)["rows"] if own["text"] == word)


def test_changes_are_counted_by_kind_word_and_pair(changes):
    assert changes.describe() == "9 links would change in 5 lines"
    assert rows(changes, "kind") == [(MOVED, 3, 2), (JOINED, 2, 0), (LINKED, 1, 0), (GONE, 0, 1)]
    (joined,) = changes.rows(0, 9, kind=JOINED)["rows"]
    assert (joined["text"], joined["step"], joined["counts"]) == ("The", 1, [2, 0]), "as the text writes it"
    assert rows(changes, "text", kind=MOVED) == [("ho", 1, 1), ("x", 1, 1), ("y", 1, 0)]
    ho, the = number(changes, MOVED, "ho"), number(changes, JOINED, "The")
    assert rows(changes, "texts", kind=JOINED, word=the) == [
        (("theos", "The"), 1, 0),
        (("logos", "the"), 1, 0),
    ]
    assert rows(changes, "texts", kind=MOVED, word=ho) == [(("ho", "the"), 1, 1)]
    assert changes.rows(0, 9, kind=MOVED, word=ho)["rows"][0]["other"] == ("ho", "word")
    assert changes.rows(1, 1, kind=MOVED) == {"rows": changes.rows(0, 9, kind=MOVED)["rows"][1:2], "count": 3}


def test_lines_mark_the_changes_of_a_row(changes):
    row = {"kind": MOVED, "word": number(changes, MOVED, "ho")}
    assert changes.line_records(0, 9, **row) == [
        {
            "line": 2,
            "links": [
                (1, 1, 1.0, "both", False),
                (0, 0, 1.0, "new", True),
                (1, 0, 1.0, "new", False),
                (0, 1, 1.0, "gone", True),
            ],
        }
    ]
    assert [own["line"] for own in changes.line_records(0, 9)] == [2, 4, 1, 3, 5]
    assert [own["line"] for own in changes.line_records(2, 2)] == [1, 3]


def test_refused_changes_keep_the_links_before(changes):
    after = Alignments.from_lists(AFTER)
    changes.refuse(True, kind=MOVED, word=number(changes, MOVED, "x"))
    assert changes.kept(after) == {(3, 1, 2): False, (3, 1, 1): True}
    assert [own["refused"] for own in changes.rows(0, 9)["rows"]] == [2, 0, 0, 0]
    assert changes.taken() == {"new": 5, "gone": 2, "lines": 5}
    changes.refuse(False, kind=MOVED)
    assert changes.refused_words() == set()
    changes.refuse(True, kind=JOINED)
    assert changes.refused_words() == {(1, "the")}
    fewer = Alignments.from_lists([[(1, 0)], *AFTER[1:]])
    assert changes.kept(fewer) == {(0, 1, 0): False, (1, 1, 0): False, (0, 1, 1): True}
    with pytest.raises(ValueError, match="no such changes"):
        changes.refuse(True, kind=GONE, word=10**6)
