"""Tests of the projection of tags and of BIO tags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.annotations.tags import BIOES, project_bio, project_tags, read_bio, write_bio
from tests.annotations.cases import LENGTHS, identity, link_lines, links_of, with_probabilities

BIO = st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), max_size=6)


@given(st.lists(st.sampled_from(["NOUN", "VERB", "_"]), max_size=6))
def test_identity_returns_the_tags(tags):
    assert project_tags(tags, identity(len(tags))) == (tags, 0)


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ("0-0:0.5 1-0:0.25 2-0:0.25", "A"),
        ("0-0:0.5 1-0:0.375 2-0:0.25", "B"),
        ("0-0 1-0 2-0", "B"),
        ("0-0 1-0", "A"),
    ],
)
def test_the_tag_with_the_greatest_weight_wins(links, expected):
    assert project_tags(["A", "B", "B"], links_of(links, 1)) == ([expected], 0)


def test_words_without_links_get_an_underscore():
    assert project_tags(["A"], links_of("0-1", 3)) == (["_", "A", "_"], 2)


@given(BIO)
def test_identity_returns_the_spans(tags):
    length, spans = read_bio(" ".join(tags))
    projected, unlinked = project_bio(spans, identity(length))
    line = write_bio(projected, tags)
    assert (projected, unlinked) == (spans, 0)
    assert read_bio(line) == (length, spans)
    # Only a first word with I- changes, to B-.
    assert [tag.replace("I-", "B-") for tag in tags] == [tag.replace("I-", "B-") for tag in line.split()]


@given(LENGTHS, st.data())
def test_bio_is_established_again(lengths, data):
    """Each span is one span, or left out, and each word has one tag."""
    tags = data.draw(BIO)[: lengths[0]]
    links = with_probabilities(data.draw(link_lines(*lengths)), lengths[1])
    _, spans = read_bio(" ".join(tags))
    projected, unlinked = project_bio(spans, links)
    line = write_bio(projected, ["word"] * lengths[1])
    assert read_bio(line) == (lengths[1], sorted(projected))
    assert len(projected) + unlinked == len(spans)


def test_two_spans_that_want_one_word():
    spans = read_bio("B-X B-Y I-Y")[1]
    assert write_bio(project_bio(spans, links_of("0-1 1-0 1-1 2-2", 3))[0], "abc") == "B-Y I-Y I-Y"


@given(BIO)
def test_bioes_tells_the_same_spans(tags):
    length, spans = read_bio(" ".join(tags))
    line = write_bio(spans, tags, BIOES)
    assert read_bio(line, BIOES) == (length, spans)
    assert line.translate({ord("E"): "I", ord("S"): "B"}) == write_bio(spans, tags)


def test_bioes_spans_that_do_not_end_are_read():
    _, spans = read_bio("I-X I-X B-X O E-Y E-Y S-Y I-Y", BIOES)
    assert write_bio(spans, "abcdefgh", BIOES) == "B-X E-X S-X O S-Y S-Y S-Y S-Y"
