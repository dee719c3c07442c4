"""Errors of links: word pairs, classes and lines, against a hand-made case and Python's sets."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.analysis.link_classes import CLASSIFICATIONS
from aligner.analysis.link_errors import find_errors
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from tests.links.strategies import SCORED_TEXTS, gold_of
from tests.refusals import refused
from tests.support import bitext_of

LINK_SETS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=8)
"""Links of a sentence pair of 4 and 5 words."""

SHAPES = {(False, False): "1-1", (True, False): "1-n", (False, True): "n-1", (True, True): "n-m"}
JUMPS = {"to -4": -4, "-3 to -1": -1, "0": 0, "1": 1, "2 to 4": 4, "from 5": 99}
"""The highest jump of each class."""


def text_of(pairs):
    """Return a text with this number of pairs of 4 and 5 words."""
    return bitext_of([("a b 7 .", "x y 7 , z")] * pairs)


def test_hand_made_case():
    # "rare" occurs once in the training text, and "new" never.
    training = bitext_of([("the house .", "das haus .")] * 9 + [("rare", "selten")])
    vocabularies = training.vocabularies
    lines = [("the house 2 .", "das haus 2 ."), ("rare new", "selten neu")]
    text = bitext_of(lines, vocabularies=vocabularies)
    gold = gold_of([[(0, 0), (1, 1), (3, 3)], [(0, 0), (1, 1)]], [[(2, 2)], []])
    links = Alignments.from_lists([[(0, 0), (0, 1), (2, 2), (3, 3)], [(0, 0), (1, 0)]])
    errors = find_errors(links, gold, text)
    rows = {name: [tuple(row.values()) for row in found] for name, found in errors.items()}
    assert rows["wrong"] == [("the", "haus", 1), ("new", "selten", 1)]
    assert rows["missing"] == [("house", "haus", 1), ("new", "neu", 1)]
    assert rows["lines"] == [
        (2, 0.5, [(1, 0)], [(1, 1)], "rare new", "selten neu"),
        (1, 2 / 7, [(0, 1)], [(1, 1)], "the house 2 .", "das haus 2 ."),
    ]
    counts = {row[:2]: row[2:] for row in rows["classes"]}
    assert counts["source frequency", "oov"] == (2, 1, 1, 1)
    assert counts["source frequency", "1"] == (1, 0, 1, 0)
    assert counts["source frequency", "2-9"] == (3, 1, 3, 1)
    assert counts["kind", "punctuation"] == (1, 0, 1, 0)
    assert counts["kind", "number"] == (1, 0, 0, 0)
    assert counts["shape", "1-n"] == counts["shape", "n-1"] == (2, 1, 0, 0)
    assert ("source frequency", "10-99") not in counts
    without = find_errors(links, gold, text, by_frequency=False)
    kept = [row for row in errors["classes"] if "frequency" not in row["classification"]]
    assert without["classes"] == kept


@given(SCORED_TEXTS)
def test_sums_over_classes_and_lines_are_those_of_the_score(lists):
    links, sure, possible = (Alignments.from_lists([pair[k] for pair in lists]) for k in range(3))
    gold = gold_of(sure, possible)
    errors, total = find_errors(links, gold, text_of(len(lists))), score(links, gold)
    wrong, missing = total.links - total.possible_hits, total.sure - total.sure_hits
    for classification in CLASSIFICATIONS:
        rows = [row for row in errors["classes"] if row["classification"] == classification]
        sums = [sum(row[name] for row in rows) for name in ("links", "wrong", "sure", "missing")]
        assert sums == [total.links, wrong, total.sure, missing]
    for kind, count in (("wrong", wrong), ("missing", missing)):
        assert sum(pair["count"] for pair in errors[kind]) == count
        assert sum(len(line[kind]) for line in errors["lines"]) == count
    for line in errors["lines"]:
        n = line["line"] - 1
        assert line["aer"] == pytest.approx(score(links[n : n + 1], gold_of([sure[n]], [possible[n]])).aer)
        assert set(line["wrong"]) == lists[n][0] - lists[n][1] - lists[n][2]
        assert set(line["missing"]) == lists[n][1] - lists[n][0]
    aers = [line["aer"] for line in errors["lines"]]
    assert aers == sorted(aers, reverse=True)


@given(st.lists(LINK_SETS, max_size=5))
def test_shapes_and_jumps_match_their_definition(lists):
    links = Alignments.from_lists(lists)
    errors = find_errors(links, gold_of(links), text_of(len(lists)))
    expected = Counter()
    for line in links:
        previous = -1
        for i, j in line:
            has_several = sum(link[0] == i for link in line) > 1, sum(link[1] == j for link in line) > 1
            shape = SHAPES[has_several]
            name = next(name for name, highest in JUMPS.items() if j - previous <= highest)
            expected.update([("shape", shape), ("jump", name)])
            previous = j
    found = {(row["classification"], row["name"]): row["links"] for row in errors["classes"]}
    assert {key: count for key, count in found.items() if key[0] in ("shape", "jump")} == expected


def test_texts_of_other_lengths_are_refused():
    gold = gold_of([[(0, 0)]])
    one, two = Alignments.from_lists([[]]), Alignments.from_lists([[], []])
    refused("the links and the text have 1 and 2 sentence pairs", find_errors, one, gold, text_of(2))
    refused("the links and the gold have 2 and 1 sentence pairs", find_errors, two, gold, text_of(2))
