"""Links of lines that a file names by ids, in Scripture Burrito and in aligned USFM."""

import json

import pytest

from aligner.errors import DataError
from aligner.learning.corrections import read_corrections
from aligner.links.known_links import read_known_links
from aligner.links.named_links import NamedText
from aligner.text.line_ids import LineIds
from tests.support import new_file

IDS = LineIds(["GAL 1:1-2", "GAL 1:3"])
WORDS = [(["a", "b"], ["x", "y", "x"]), (["ά"], ["z"])]


def named(said):
    """Return the text; said receives its messages."""
    return NamedText(IDS, lambda: WORDS, said.append)


def burrito(tmp_path):
    """Return a file with links of both lines, of other words, and of another verse."""

    def record(verse, source, target, **meta):
        words = [[f"48001{verse:03}{word:03}" for word in side] for side in (source, target)]
        return {"source": words[0], "target": words[1], "meta": meta}

    records = [
        record(1, [1], [1, 2], status="approved"),
        record(1, [2], [3], status="rejected"),
        record(3, [1], [1], status="created", origin="eflomal"),
        record(1, [2], [4], status="approved"),
        record(2, [1], [1]),
    ]
    return new_file(tmp_path, json.dumps({"records": records}))


def test_records_are_known_and_forbidden_links(tmp_path):
    said = []
    known = read_known_links(burrito(tmp_path), named(said))
    assert (list(known.known), list(known.forbidden)) == ([[(0, 0), (0, 1)], []], [[(1, 2)], []])
    assert [message.split("links: ")[1] for message in said] == [
        "left out of 5 records: 1 rejected",
        "1 verse left out, which the ids do not name",
        "1 link left out, of words that the text lacks",
    ]


def test_records_are_gold(tmp_path):
    gold = read_corrections(burrito(tmp_path), 2, text=named([]))
    assert (list(gold.sure), list(gold.possible)) == ([[(0, 0), (0, 1)], []], [[(0, 0), (0, 1)], [(0, 0)]])


def usfm(content, occurrence, word, verse="1-2"):
    """Return a book of one verse with one link."""
    milestone = rf'\zaln-s |x-content="{content}" x-occurrence="{occurrence}"\*\w {word}\w*\zaln-e\*'
    return f"\\id GAL\n\\c 1\n\\v {verse} x y {milestone}\n"


def test_words_of_usfm_are_found_by_form_and_occurrence(tmp_path):
    gold = read_corrections(new_file(tmp_path, usfm("b", 1, "x")), 2, text=named([]))
    assert list(gold.sure) == [[(1, 2)], []]
    decomposed = new_file(tmp_path, usfm("α\u0301", 1, "z", "3").replace("x y", ""))
    assert list(read_corrections(decomposed, 2, text=named([])).sure) == [[], [(0, 0)]]


def of_text(tmp_path, line, source, target):
    """Return the links of a verse of a book in a text, and what is said."""
    said = []
    text = NamedText(LineIds(["GAL 1:1"]), lambda: [(source.split(), target.split())], said.append)
    (links,) = read_corrections(new_file(tmp_path, f"\\id GAL\n\\c 1\n\\v 1 {line}\n"), 1, text=text).sure
    return links, "".join(said)


def aligned(content, occurrence, occurrences, word):
    """Return a word linked to a source word."""
    counts = f'x-occurrence="{occurrence}" x-occurrences="{occurrences}"'
    return rf'\zaln-s |x-content="{content}" {counts}\*\w {word}\w*\zaln-e\*'


def test_words_of_a_text_that_has_changed_are_found_by_their_neighbours(tmp_path):
    line = f"the dog saw {aligned('a', 1, 1, 'the')} cat {aligned('b', 1, 1, 'and')}"
    links, said = of_text(tmp_path, line, "a b", "dog saw the big cat and")
    assert (links, said) == ([(0, 2), (1, 5)], "")
    links, said = of_text(tmp_path, line, "a b", "the dog saw cat and")
    assert links == [(1, 4)]
    assert "1 link left out, of words that the text lacks" in said


def test_source_words_that_are_more_or_less_frequent_are_left_out(tmp_path):
    line = f"{aligned('a', 2, 2, 'x')} {aligned('b', 1, 1, 'y')}"
    assert of_text(tmp_path, line, "a b a", "x y") == ([(1, 1), (2, 0)], "")
    links, said = of_text(tmp_path, line, "a a a b", "x y")
    assert links == [(3, 1)]
    assert "1 link left out" in said


def test_occurrences_are_counted_in_one_normal_form(tmp_path):
    line = f"{aligned('é', 2, 2, 'x')}"
    assert of_text(tmp_path, line, "e\u0301 b é", "x") == ([(2, 0)], "")


@pytest.mark.parametrize("book", [usfm("b", 2, "x"), usfm("b", 1, "q"), usfm("b", 1, "x", "4")])
def test_usfm_of_another_text_is_refused(tmp_path, book):
    with pytest.raises(DataError, match="found no link of a line that the ids name, in 1 verse"):
        read_corrections(new_file(tmp_path, book), 2, text=named([]))


def test_other_ids_are_counted(tmp_path):
    said = []
    gold = read_corrections(new_file(tmp_path, "GAL 1:3\t0-0\nGAL 9:9\t0-0\n"), 2, text=named(said))
    assert list(gold.sure) == [[], [(0, 0)]]
    assert said[0].endswith("links: 1 line left out, which the ids do not name")
    with pytest.raises(DataError, match="found 2 ids; expected 1, one for each line"):
        read_known_links(burrito(tmp_path), NamedText(IDS, lambda: WORDS[:1]))
