"""Tests of changes by word pair."""

import numpy as np

from aligner.links.alignments import Alignments
from aligner.serve.lesson import Changes
from aligner.serve.pair_changes import changes_by_pair


def test_changes_are_counted_by_word_pair():
    source, target = [["The", "cat"], ["the"], ["cat"]], [["ho", "x"], ["ho", "x"], ["x"]]
    before = Alignments.from_lists([[(0, 1), (1, 1)], [(0, 1)], [(0, 0)]])
    after = Alignments.from_links(3, [0, 0, 1, 2], [0, 1, 0, 0], [0, 1, 0, 0], np.array([0.5, 1, 0.9, 1]))
    pairs = changes_by_pair(Changes.between(before, after), source, target)
    assert [(pair.source, pair.target, pair.counts, pair.lines) for pair in pairs] == [
        ("the", "ho", (2, 0), [1, 0]),
        ("the", "x", (0, 2), [1, 0]),
    ]
    record = pairs[0].record()
    assert (record["counts"], record["lines"], record["examples"]) == ((2, 0), 2, [2, 1])
