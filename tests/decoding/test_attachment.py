"""Attachment: words without links join the next linked word, in a text that a reader can follow."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import Aligner, Alignments, Bitext, KnownLinks, decode
from aligner.decoding.attachment import Attachment, joining_words
from aligner.models.learned_links import LearnedLinks
from aligner.models.start import with_start
from aligner.text.edges import Edges
from tests.support import text_of

PAIRS = [("le chat , dort", "the cat sleeps on the mat"), ("chat", "of the big red cat")]


@pytest.fixture(scope="module")
def text():
    return Bitext.from_text(PAIRS)


def joined(text, links, source=None, target=None):
    """Return the links that these words add: word -> 1 for the right, -1 for the left."""
    sides = []
    for side, own in zip(text.sides, (source or {}, target or {}), strict=True):
        directions = np.zeros(len(side.vocabulary) + 1, np.int8)
        for word, step in own.items():
            directions[side.vocabulary.index[word]] = step
        sides.append(directions)
    before = Alignments.from_lists(links)
    after = Attachment(*sides).add_to(before, text)
    return [sorted({*new} - {*old}) for old, new in zip(before, after, strict=True)]


def test_words_join_the_next_linked_word_of_their_direction(text):
    links = [[(1, 1), (3, 2)], [(0, 4)]]
    assert joined(text, links, target={"the": 1}) == [[(1, 0)], [(0, 1)]]  # the mat: mat has no link
    assert joined(text, links, target={"the": -1}) == [[(3, 4)], []]  # sleeps on the
    assert joined(text, links, target={"of": 1}) == [[], []]  # the cat is four words away
    assert joined(text, links, source={"le": 1}) == [[(0, 1)], []]


def test_words_join_all_links_of_the_next_word_but_no_edge(text):
    links = [[(1, 1), (1, 2), (3, 2)], []]
    assert joined(text, links, source={"le": 1}) == [[(0, 1), (0, 2)], []]
    assert joined(text, links, target={"on": -1}) == [[(1, 3), (3, 3)], []]
    assert joined(text, [[(3, 2)], []], source={"chat": 1, "le": 1}) == [[], []]  # a comma stands between
    assert joined(text, [[(3, 2)], []], source={",": 1}) == [[], []]
    assert joined(text, [[(1, 1)], []], source={"dort": -1}) == [[], []]


def test_ignored_tokens_do_not_stand_between():
    text = Bitext.from_text([("of ▁ the ▁ big ▁ cat ▁", "chat")], ignore="▁")
    assert joined(text, [[(6, 0)]], source={"of": 1}) == [[(0, 0)]]


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 5)), max_size=12),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=40, max_size=40),
)
def test_links_stay_and_new_ones_are_in_range(found, steps):
    text = Bitext.from_text(PAIRS)
    links = [
        sorted({(min(i, m - 1), min(j, n - 1)) for pair, i, j in found if pair == k})
        for k, (m, n) in enumerate(zip(*text.lengths, strict=True))
    ]
    sides = (np.resize(steps, len(side.vocabulary) + 1).astype(np.int8) for side in text.sides)
    attachment = Attachment(*sides)
    before = Alignments.from_lists(links)
    after = attachment.add_to(before, text)
    for old, new, rows, columns in zip(before, after, *text.lengths, strict=True):
        linked = {i for i, _ in old}, {j for _, j in old}
        assert {*old} <= {*new}
        for i, j in {*new} - {*old}:
            assert i < rows
            assert j < columns
            assert (i in linked[0]) != (j in linked[1])  # a word without links, and a link of another
    alone = [attachment.add_to(before[k : k + 1], text.slice(k, k + 1))[0] for k in range(2)]
    assert alone == list(after)


def joining_model(model):
    """Return a model by which all frequent words join others."""
    started = with_start(model)
    return replace(started, learned=replace(started.learned, joining=joining_words(model)))


def test_links_of_a_line_are_the_same_alone_and_in_the_text(tiny_model, sample):
    model, pairs = joining_model(tiny_model), text_of(sample.dev)
    whole = decode(model, pairs)
    assert whole != decode(with_start(tiny_model), pairs)
    assert decode(model, pairs, threads=2) == whole
    assert [Aligner(model).align(*pair) for pair in pairs] == list(whole)


def test_known_links_count(tiny_model, sample):
    model, pairs = joining_model(tiny_model), text_of(sample.dev)
    links = decode(with_start(tiny_model), pairs)
    none = Alignments.from_lists([[]] * len(links))
    known = KnownLinks(replace(links, probabilities=None), none, complete=np.ones(len(links), np.bool_))
    assert list(decode(model, pairs, known=known)) == list(links)


def test_frequent_words_join_by_the_setting_attach(tiny_model, sample):
    pairs = text_of(sample.dev)
    plain = decode(tiny_model, pairs)
    attached = decode(tiny_model, pairs, attach=True)
    assert {*joining_words(tiny_model)[1].values()} == {1, -1}
    assert all({*old} <= {*new} for old, new in zip(plain, attached, strict=True))
    assert attached != plain


def test_damaged_directions_are_refused(tiny_model):
    parts = joining_model(tiny_model).learned.to_fields()
    assert LearnedLinks.from_fields(**parts).joining == parts["joining"]
    with pytest.raises(Exception, match="'joining' has other numbers than 1 and -1"):
        LearnedLinks.from_fields(**parts | {"joining": ({"the": 2}, {})})
    assert isinstance(tiny_model.edges[0], Edges)
