"""Verses: names, numbers, and texts that join them in other ways."""

import pytest

from aligner.scripture.book_names import names_of
from aligner.scripture.verses import Verse, joined, name_some


@pytest.mark.parametrize("reference", ["GEN 7:119", "1SA 1:0", "GAL 1:1-2", "ESG 1:1a", "4MA 1:1b-2a"])
def test_verses_have_names_and_numbers(reference):
    verse = Verse.parse(reference)
    assert str(verse) == reference
    assert Verse.of_number(verse.number) == verse._replace(part="", last=0, last_part="")
    assert Verse.parse("MAT 1:2-3").number == "40001002"
    assert Verse.parse("TOB 1:1").number == "67001001"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([["G 1:1", "G 1:2", "G 1:3"], ["G 1:1-2", "G 1:3"]], [{"G 1:1-2": "1 2", "G 1:3": "3"}, None]),
        (
            [["G 1:1-2"], ["G 1:2-3"], ["G 1:3", "G 1:4"]],
            [{"G 1:1-3": "1-2"}, {"G 1:1-3": "2-3"}, {"G 1:1-3": "3", "G 1:4": "4"}],
        ),
        ([["G 1:1a", "G 1:1b"], ["G 1:1"]], [{"G 1:1": "1a 1b"}, None]),
        ([["G 1:1-2", "G 2:1a"], ["G 1:1-2", "G 2:1a"]], [None, None]),
        ([["v 1:1", "v 1:1-2"], ["v 1:1"]], [None, None]),
        ([["G 1:1-2", "G 2:2"], ["G 2:1", "G 2:2"]], [None, None]),
    ],
)
def test_verses_that_one_text_joins_are_joined_in_all(texts, expected):
    lines = [{name.replace("G", "GAL"): name.split(":")[1] for name in text} for text in texts]
    wanted = [
        known and {name.replace("G", "GAL"): line for name, line in known.items()} for known in expected
    ]
    assert joined(lines) == [known or line for known, line in zip(wanted, lines, strict=True)]


def test_names_are_counted():
    assert name_some(["a", "b", "c", "d"]) == "4 (a, b, c, ...)"
    assert name_some(["a"]) == "1 (a)"


def test_each_name_is_of_one_book():
    references = [str(Verse.of_number(f"{number:02}001001")) for number in range(1, 86)]
    names = [name.lower() for own in names_of(references).values() for name in own]
    assert len({*names}) == len(names) > 66
    assert names_of(["MAT 1:1", "MAT 1:2", "line 3"]) == {"MAT": ["Matthew", "Matt", "Mat", "Mt"]}
