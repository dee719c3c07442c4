"""USFM: verses, their words and milestones, and markers that do not fit together."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.text.usfm import read_usfm, tokens_of

HEAD = ["\\id TIT EN", "\\usfm 3.0", "\\mt Titus", "\\ip Intro", "\\c 1", "\\p"]


def read(*lines):
    """Return the words of each verse by its name."""
    return {verse.name: " ".join(verse.words) for verse in read_usfm("book", [*HEAD, *lines])}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([r"\v 1 Paul, a servant\f + \ft a \+w note\+w*.\f* of God;"], {"1:1": "Paul , a servant of God ;"}),
        ([r"\v 1 one \x - \xo 1:1", r"\xt Gal 1\x* two"], {"1:1": "one two"}),
        (
            [r"\v 1-2 “in \nd Lord\nd* hope’s—yes.”", r"\s1 A heading", r"\q1 (U.S.)"],
            {"1:1-2": "“ in Lord hope’s — yes . ” ( U.S . )"},
        ),
        (
            [r"\v 1a \w New York|lemma=\"x\"\w*,\w \+nd Lord\+nd*|x=\"y\"\w* \ts\* 1,000", r"\v 1b x"],
            {"1:1a": "New York , Lord 1,000", "1:1b": "x"},
        ),
        (
            [r"\v 0 title", r"\c 2", r"before", r"\v 1 \va 2\va* בְּ" + "\u2060" + "רֵאשִׁית עַל־פְּנֵי ׃"],
            {"1:0": "title", "2:1": "בְּ" + "\u2060" + "רֵאשִׁית עַל ־ פְּנֵי ׃"},
        ),
    ],
)
def test_verses_are_read(lines, expected):
    assert read(*lines) == {f"TIT {name}": words for name, words in expected.items()}


@pytest.mark.parametrize("end", ["\\*", ""])  # older files have no end of \zaln-s
def test_words_have_the_source_words_around_them(end):
    start = r'\zaln-s |x-strong="G1" x-content="{}" x-occurrence="{}" x-occurrences="2"' + end
    line = rf"\v 1 {start.format('a', 1)}{start.format('b', 2)}\w x\w* , \w y\w*\zaln-e\*\w z\w*\zaln-e\* w"
    (verse,) = read_usfm("book", [*HEAD, line])
    assert verse.words == ["x", ",", "y", "z", "w"]
    both = (("a", 1), ("b", 2))
    assert verse.sources == [both, both, both, (("a", 1),), ()]


OPEN = r'\zaln-s |x-content="a" x-occurrence="1"\*'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [rf"\v 1 {OPEN}\w b\w*", r"\v 2 c"],
            r"book:8: found the end of a verse inside \zaln-s ... \zaln-e of a",
        ),
        ([rf"\v 1 {OPEN}\w b\w*"], "book:8: found the end of a verse inside"),
        ([r"\v 1 \zaln-e\*"], r"book:7: found \zaln-e; expected \zaln-s before it"),
        ([r"\v 1 \f + note", r"\v 2 x"], r"book:8: found the end of a verse inside \f ... \f*"),
        ([r"\v 1 a", r"\v 1 b"], "book:8: found TIT 1:1 again"),
        ([r"\v 1 \w a", r"b\w*"], r"book:7: found '\\w a'; expected a whole marker"),
        ([r'\v 1 \zaln-s |x-content="a"\*'], "expected x-content, a word, and x-occurrence"),
        ([OPEN.replace('"1"', '"1000"')], "from 1 to 999"),
        ([r"\v 1 " + OPEN * 101], "found more than 100 milestones around a word"),
        ([r"\v1 x"], "expected a whole marker"),
        ([r"\v one x"], "book:7: found the id 'TIT 1:one'"),
        ([r"\v 1 a\ b"], r"book:7: found '\\ b'; expected a whole marker"),
        ([r"\id XXX", r"\v 1 a"], "book:8: found the id 'XXX :1'"),
    ],
)
def test_markers_that_do_not_fit_together_are_refused(lines, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read(*lines)


PIECES = [
    "\\v 1 ",
    "\\v 2",
    "\\c 2",
    "\\w ",
    "\\w*",
    "|",
    "a",
    " ",
    "\\zaln-e\\*",
    OPEN,
    "\\f ",
    "\\f*",
    "\\",
    "*",
    "\\id MAT",
    "“",
]


@given(st.lists(st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_read_or_refused_with_its_line(lines):
    message = ""
    try:
        read(*lines)
    except DataError as error:
        message = str(error)
    assert re.match("$|book:[0-9]+: found ", message)


@given(st.text())
def test_tokens_are_the_text_without_spaces_and_invisible_marks(text):
    tokens = list(tokens_of(text))
    assert all(token == token.strip() and token for token in tokens)
    assert [*filter(str.isprintable, "".join("".join(tokens).split()))] == [
        *filter(str.isprintable, "".join(text.split()))
    ]
