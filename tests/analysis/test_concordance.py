"""Tests of concordances, and of their styles."""

from __future__ import annotations

import json
import re

from aligner.analysis.concordance import find
from aligner.analysis.concordance_styles import CONCORDANCE_STYLES
from aligner.analysis.folding import word_test
from aligner.links.linked_pairs import LinkedPair

PAIRS = [
    *[("ὁ λόγος", "the word", [(0, 0), (1, 1)])] * 29,
    ("Λόγος <b>", "Word <i>", [(0, 0), (1, 1)]),
    ("ὁ λόγος", "the speech", [(0, 0), (1, 1)]),
    ("ὁ λόγος", "the wrod", [(0, 0), (1, 1)]),
    ("ὁ λόγος", "the", [(0, 0)]),
    *[("ἡ ῥῆσις", "the speech", [(0, 0), (1, 1)])] * 3,
    ("λόγων γε", "of the words", [(0, 0), (0, 2)]),
]
"""λόγος is "word" 30 times, and once each "speech", "wrod" and nothing; "speech" is common for ῥῆσις."""


def lines(probability=None):
    for source, target, links in PAIRS:
        values = [] if probability is None else [probability] * len(links)
        yield LinkedPair(links, links, values, words=(source.split(), target.split()))


def found(query, by="form", **options):
    """Return the text, the count and the flag of each rendering."""
    concordance = find(lines(), word_test(query, by), **options)
    return [(each.text, len(each.occurrences), each.is_rare) for each in concordance.renderings]


def test_occurrences_are_grouped_by_rendering():
    assert found("λογος") == [("word", 30, False), ("speech", 1, False), ("wrod", 1, True), ("", 1, False)]
    concordance = find(lines(), word_test("λογος"))
    assert concordance.forms == ["λόγος", "Λόγος"]
    assert concordance.occurrences == 33
    word, *_, unlinked = concordance.renderings
    assert [each.line for each in word.occurrences] == list(range(1, 31))
    assert word.share == 30 / 33
    assert (unlinked.occurrences[0].line, unlinked.occurrences[0].others) == (33, [])


def test_a_rendering_of_words_apart_has_an_ellipsis():
    assert found("λογων")[0][0] == "of … words"
    assert ("of … words", 1, True) in found("λογ", "prefix")


def test_target_words_are_found():
    assert found("SPEECH", side=1) == [("ῥῆσις", 3, False), ("λόγος", 1, False)]
    assert found("nothing", side=1) == []


def test_renderings_that_differ_in_cantillation_are_one():
    pairs = [
        LinkedPair([(0, 0)], [(0, 0)], [], words=([word], ["said"])) for word in ("וַ\u2060יֹּ֣אמֶר", "וַיֹּ֤אמֶר")
    ]
    (rendering,) = find(pairs, word_test("said"), side=1).renderings
    assert rendering.text == "וַיֹּאמֶר"


def test_links_below_the_threshold_do_not_count():
    concordance = find(lines(0.4), word_test("λογος"), threshold=0.5)
    assert [each.text for each in concordance.renderings] == [""]


def shown(concordance, style, most=None, colour=False):
    return "".join(CONCORDANCE_STYLES[style](concordance, most, colour))


def test_json_has_renderings_and_lines():
    result = json.loads(shown(find(lines(), word_test("λογος")), "json", most=2))
    assert result["occurrences"] == 33
    assert [(each["text"], each["count"], each["rare"]) for each in result["renderings"]] == found("λογος")
    first = {"line": 1, "position": 1, "linked": [1], "text": "ὁ λόγος", "translation": "the word"}
    assert result["renderings"][0]["lines"][0] == first
    assert len(result["renderings"][0]["lines"]) == 2


def test_table_has_a_row_for_each_line():
    rows = shown(find(lines(), word_test("λογος")), "tsv", most=2).splitlines()
    assert len(rows) == 5
    assert rows[3].split("\t") == ["32", "1", "λόγος", "wrod", "1", "1", "rare", "ὁ λόγος", "the wrod"]


def test_text_has_the_word_in_context():
    rows = shown(find(lines(), word_test("λογος")), "text", most=2).splitlines()
    assert rows[0] == "λόγος, Λόγος: 33 occurrences, 3 renderings"
    assert {"word  30  90.9 %", "wrod  1  3.0 %  RARE", "(no link)  1  3.0 %"} <= set(rows)
    assert "     ...  28 more lines" in rows
    assert rows[3].index("[λόγος]") == rows[4].index("[word]")


def test_colours_replace_brackets():
    text = shown(find(lines(), word_test("λογων")), "text", colour=True)
    assert "\x1b[1;36mλόγων\x1b[0m γε" in text
    assert "\x1b[1;32mof\x1b[0m the \x1b[1;32mwords\x1b[0m" in text
    assert "[λόγων]" not in text


def test_long_lines_are_cut_around_the_word():
    words = [f"w{k}" for k in range(40)]
    pair = LinkedPair([(20, 20)], [(20, 20)], words=(words, words))
    for row in shown(find([pair], word_test("w20")), "text").splitlines()[3:]:
        assert len(row) <= 90
        assert re.search(r"… w1.*\[w20\].*…$", row)
