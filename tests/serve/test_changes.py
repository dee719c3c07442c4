"""Tests of changes by word pair."""

import numpy as np

from aligner.links.alignments import Alignments
from aligner.serve.changes import Changes

LINES = {"lines": 2, "examples": [2, 1]}


def test_changes_are_counted_by_word_pair():
    source, target = [["The", "cat"], ["the"], ["cat"]], [["ho", "x"], ["ho", "x"], ["x"]]
    before = Alignments.from_lists([[(0, 1), (1, 1)], [(0, 1)], [(0, 0)]])
    after = Alignments.from_links(3, [0, 0, 1, 2], [0, 1, 0, 0], [0, 1, 0, 0], np.array([0.5, 1, 0.9, 1]))
    changes = Changes(before, after, (source, target))
    assert {pair: changes.pair_record(pair) for pair in changes.pairs} == {
        ("the", "ho"): {"source": "the", "target": "ho", "counts": [2, 0], "others": [[("the", "x", 2)], []]}
        | LINES,
        ("the", "x"): {"source": "the", "target": "x", "counts": [0, 2], "others": [[], [("the", "ho", 2)]]}
        | LINES,
    }
    assert changes.pairs["the", "x"] == {(1, 0, 1): True, (0, 0, 1): True}
    assert changes.pairs["the", "ho"] == {(1, 0, 0): False, (0, 0, 0): False}
