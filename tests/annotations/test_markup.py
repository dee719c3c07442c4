"""Tests of inline markup: parsing, and the projection of elements."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.annotations.markup import project_markup, read_markup, write_markup
from tests.annotations.cases import identity, link_lines, links_of, with_probabilities

WORDS = ["a", "é", "<", "a<b=", "&lt;", "/>", "語", "<3", "a@b"]
EMPTY = ["<br/>", '<x id="1 > 0"/>', "<x id='/' />"]
TAG = re.compile(r"""<(/?)([a-z:]+)(?: id=(?:"[^"]*"|'[^']*') ?)?(/?)>""")


@st.composite
def lines(draw, depth=3):
    """Draw a line of words and elements in which single spaces separate what has the same parent."""
    items = []
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["word", "empty", "element"])) if depth else "word"
        if kind == "element":
            name = draw(st.sampled_from(["b", "g", "ns:i"]))
            items.append(f"<{name}>{draw(lines(depth=depth - 1))}</{name}>")
        else:
            items.append(draw(st.sampled_from(WORDS if kind == "word" else EMPTY)))
    return " ".join(items)


def without_tags(line):
    """Return the words of a line."""
    return TAG.sub("", line).split()


def projected(line, links, words):
    """Return the words with the markup of a line, and the number of elements without links."""
    projection, unlinked = project_markup(read_markup(line)[1], links)
    return write_markup(projection, words), unlinked


def ancestries(line):
    """Return, sorted, each element with those around it; fail unless the elements are well-formed."""
    stack, found = [], []
    for closing, name, empty in TAG.findall(line):
        if closing:
            assert stack.pop() == name
        else:
            found.append((*stack, name))
            if not empty:
                stack.append(name)
    assert not stack
    return sorted(found)


@given(lines())
def test_identity_returns_the_line(line):
    words = without_tags(line)
    assert read_markup(line)[0] == len(words)
    assert projected(line, identity(len(words)), words) == (line, 0)


@given(lines(), st.integers(0, 6), st.data())
def test_words_and_nesting_are_kept(line, target_length, data):
    links = data.draw(link_lines(len(without_tags(line)), target_length))
    words = [f"w{j}" for j in range(target_length)]
    result, _ = projected(line, with_probabilities(links, target_length), words)
    assert without_tags(result) == words
    assert ancestries(result) == ancestries(line)
    assert "  " not in result


@pytest.mark.parametrize(
    ("line", "links", "expected"),
    [
        ("la <b>maison blanche</b>", "0-0 1-2 2-1", "A <b>B C</b> D"),
        ("la <b>maison <i>blanche</i></b>", "0-0 1-2 2-1", "A <b><i>B</i> C</b> D"),
        ("<p>la maison</p>", "0-1", "<p>A B C D</p>"),  # all words remain all words
        ("<p>la <b>maison</b></p>", "", "<p><b></b> A B C D</p>"),
        ("la <b>maison</b> blanche", "0-0 2-2", "A <b></b> B C D"),
        ("la maison<x/> blanche", "0-0 1-2 2-1", "A B C <x/> D"),
        ("la <x/> maison", "1-2", "A B <x/> C D"),
        ("la <x/> maison <b>blanche grande</b>", "0-2 2-1 3-3", "A <x/> <b>B C D</b>"),
        ("<b>a</b> <i>b</i>", "0-1 1-0", "<i>A</i> <b>B</b> C D"),
        ("un<b>believ</b>able <i/>x", "0-0 1-1", "<b>A</b> <i/> B C D"),
    ],
)
def test_examples(line, links, expected):
    result, _ = projected(line, links_of(links, 4), "ABCD")
    assert result == expected


def test_elements_that_lose_their_words_are_counted():
    assert projected("<b>a</b> <i>b <br/></i>", links_of("1-0", 1), "A") == ("<b></b> <i>A <br/></i>", 1)


def test_empty_sides_lose_only_elements():
    assert projected("", links_of("", 1), "A") == ("A", 0)
    assert projected("a b", links_of("", 0), "") == ("", 0)
    assert projected("a <b>b</b>", links_of("", 0), "") == ("<b></b>", 1)


def test_parsing_takes_linear_time():
    """Text with many characters that begin a tag is read at once."""
    assert read_markup("<b " * 20_000)[0] == 20_000
    assert read_markup("<b '" * 5_000)[0] == 5_001
