"""Pieces of words: segmentation and expected counts by enumeration, learning, unknown letters, damage."""

import math
import zlib
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aligner import kernels
from aligner.errors import DamagedError
from aligner.pieces.segmenter import MOST_LETTERS, Segmenter
from aligner.pieces.trie import LONGEST, MARKER, PieceTrie, SpelledText
from aligner.storage import codec
from aligner.text.vocabulary import MOST_COUNT, Vocabulary
from tests.hostile import changed_values

ONE = 1 << 16
BIT = 1024

WORDS = st.lists(st.text("abé▁", min_size=1, max_size=6), unique=True, max_size=12)
ANY_WORDS = st.lists(st.text(st.characters(exclude_characters=" \t\n"), min_size=1), max_size=5)
ENGLISH = ["house", "houses", "horse", "horses", "nurse", "nurses", "the", "these", "then", "rose", "roses"]


@st.composite
def vocabularies(draw):
    """Draw a vocabulary of short words."""
    words = draw(WORDS)
    counts = draw(st.lists(st.integers(1, 1000), min_size=len(words), max_size=len(words)))
    return Vocabulary(words, np.array(sorted(counts, reverse=True), np.int64))


@st.composite
def models(draw):
    """Draw a piece model of any few pieces."""
    pieces = draw(st.lists(st.text("abé▁", min_size=1, max_size=3), unique=True, max_size=12))
    counts = draw(st.lists(st.integers(1, 1 << 20), min_size=len(pieces), max_size=len(pieces)))
    return Segmenter(Vocabulary(pieces, np.array(sorted(counts, reverse=True), np.int64)))


def english():
    """Return a vocabulary in which some words share stems and endings."""
    return Vocabulary(ENGLISH, np.arange(2 * len(ENGLISH), len(ENGLISH), -1))


def segment(model, words):
    """Return the pieces of each word as strings."""
    found = model.segment(words)
    pieces = [*model.pieces.words, *found.unknown]
    return [[pieces[k] for k in row] for row in found]


def letters_of(string):
    """Return the letters of a piece, or of a word with the marker before it."""
    is_first = len(string) > 1 and string[0] == MARKER
    return [string[:2], *string[2:]] if is_first else list(string)


def log2(number):
    """Return the logarithm of the first 11 bits of a number, in units of 2**-10."""
    bits = number.bit_length() - 1
    return BIT * bits + round(BIT * math.log2((number << 60 >> bits + 60 - 10) / BIT))


def costs_of(model):
    """Return the cost of each piece by its letters, and that of an unknown letter."""
    counts = model.pieces.counts.tolist()
    total = log2(max(sum(counts), 1))
    pieces = [tuple(letters_of(piece)) for piece in model.pieces.words]
    return dict(zip(pieces, [total - log2(count) for count in counts], strict=True)), total + BIT


def segmentations(model, string):
    """Yield every segmentation of a string as tuples of letters, with its cost."""
    letters, (costs, unknown) = letters_of(string), costs_of(model)
    inner = range(1, len(letters))
    for cuts in (c for size in range(len(letters)) for c in combinations(inner, size)):
        pieces = [tuple(letters[a:b]) for a, b in pairwise([0, *cuts, len(letters)])]
        if all(piece in costs or len(piece) == 1 for piece in pieces):
            yield pieces, sum(costs.get(piece, unknown) for piece in pieces)


@pytest.mark.plain_python
@given(model=models(), words=WORDS)
def test_the_most_probable_segmentation_is_found(model, words):
    for word, found in zip(words, segment(model, words), strict=True):
        best, _ = min(
            segmentations(model, MARKER + word),
            key=lambda one: (one[1], [-len(piece) for piece in reversed(one[0])]),
        )
        assert found == ["".join(piece) for piece in best]


@pytest.mark.plain_python
@given(model=models(), vocabulary=vocabularies())
def test_expected_counts_are_sums_over_all_segmentations(model, vocabulary):
    trie, nodes = PieceTrie.of_pieces(model.pieces.words, model.pieces.counts)
    expected = dict.fromkeys((tuple(letters_of(piece)) for piece in model.pieces.words), 0.0)
    for word, frequency in zip(vocabulary.words, vocabulary.counts.tolist(), strict=True):
        ways = [(pieces, 2.0 ** (-cost / BIT)) for pieces, cost in segmentations(model, MARKER + word)]
        for pieces, weight in ways:
            for piece in filter(expected.__contains__, pieces):
                expected[piece] += frequency * weight / sum(weight for _, weight in ways)
    words = SpelledText.of(MARKER + word for word in vocabulary.words)
    found = np.zeros(len(trie.counts), np.int64)
    kernels.segmentation.expect(trie.for_kernels, *words, vocabulary.counts, found)
    np.testing.assert_allclose(found[nodes] / ONE, list(expected.values()), rtol=0.02, atol=0.02)


@given(model=models(), words=ANY_WORDS)
@example(model=Segmenter(Vocabulary([], np.empty(0, np.int64))), words=["0" * MOST_LETTERS, "1" * 65])
def test_no_letter_of_a_word_is_lost(model, words):
    """But for words of over ``MOST_LETTERS`` letters, which are one piece."""
    expected = [MARKER + (word if len(word) <= MOST_LETTERS else "\ufffd") for word in words]
    assert ["".join(pieces) for pieces in segment(model, words)] == expected
    unknown = model.segment(words).unknown
    assert len({*model.pieces.words, *unknown}) == len(model) + len(unknown)


@given(vocabulary=vocabularies(), data=st.data())
def test_learning_does_not_depend_on_the_order_of_words(vocabulary, data):
    order = data.draw(st.permutations(range(len(vocabulary))))
    other = Vocabulary([vocabulary.words[k] for k in order], vocabulary.counts[order])
    one, two = Segmenter.learn(vocabulary), Segmenter.learn(other)
    assert one.pieces.words == two.pieces.words
    assert one.pieces.counts.tolist() == two.pieces.counts.tolist()
    one.check_structure()


@given(vocabulary=vocabularies())
def test_pieces_are_all_letters_and_substrings_that_occur_twice(vocabulary):
    places = Counter()
    for word in vocabulary.words:
        letters = letters_of(MARKER + word)
        places.update(tuple(letters[a:b]) for a, b in combinations(range(len(letters) + 1), 2))
    model = Segmenter.learn(vocabulary)
    pieces = {tuple(letters_of(piece)) for piece in model.pieces.words}
    assert pieces >= {place for place in places if len(place) == 1}
    assert all(places[piece] > 1 for piece in pieces if len(piece) > 1)
    assert model.segment(vocabulary.words).unknown == []


def test_words_become_stems_and_endings():
    found = segment(Segmenter.learn(english()), ["houses", "horses", "ždse", "ss", "s" * 64])
    assert found[:4] == [["▁house", "s"], ["▁horse", "s"], ["▁ž", "d", "se"], ["▁s", "s"]]
    assert set(found[4][1:]) == {"s"}


def test_a_frequency_may_be_as_large_as_any():
    words = Vocabulary(["ab", "abab", "cab"], np.array([1 << 31] * 3))
    assert segment(Segmenter.learn(words), ["abab"]) == [["▁ab", "ab"]]


def test_words_beyond_a_length_are_one_piece():
    """They would take time and memory by the square of their letters."""
    words = ["ab" * 32, "ab" * 32 + "c", "x" * 20_000]
    model = Segmenter.learn(Vocabulary(words, np.array([3, 2, 1])))
    assert "x" not in "".join(model.pieces.words)
    counts = np.diff(model.segment([*words, "y" * 99]).offsets)
    assert counts[0] > 1
    assert counts[1:].tolist() == [1, 1, 1]


def test_no_word_gives_no_piece():
    model = Segmenter.learn(Vocabulary([], np.empty(0, np.int64)))
    assert len(model) == 0
    assert model.segment([]).offsets.tolist() == [0]


def test_pieces_are_the_same_everywhere():
    """Platforms differ in floating point, which learning therefore avoids."""
    pieces = Segmenter.learn(english()).pieces
    assert zlib.crc32(pieces.to_bytes() + pieces.counts.astype("<i8").tobytes()) == 994282731


def test_tables_are_far_from_ties():
    """Else their integers could depend on the platform's logarithm."""
    k = np.arange(BIT)
    for exact in (BIT * np.log2(1 + k / BIT), 2.0 ** (30 - k / BIT)):
        assert np.abs(exact % 1 - 0.5).min() > 1e-5


def stored(model):
    """Return what a file holds of a model."""
    arrays = {}
    return codec.encode(model, arrays, "pieces"), arrays


def test_a_stored_model_is_the_same():
    model = Segmenter.learn(english())
    again = codec.decode(Segmenter, *stored(model), "pieces")
    assert again.pieces.words == model.pieces.words
    assert again.pieces.counts.tolist() == model.pieces.counts.tolist()


@given(st.data())
def test_changed_arrays_are_a_model_or_refused(data):
    encoded, arrays = stored(Segmenter.learn(english()))
    try:
        model = codec.decode(Segmenter, encoded, changed_values(data, arrays), "pieces")
    except DamagedError:
        return
    assert ["".join(pieces) for pieces in segment(model, ENGLISH)] == [MARKER + word for word in ENGLISH]


@pytest.mark.parametrize(
    ("pieces", "counts"),
    [(["a" * (LONGEST + 2)], [1]), (["a", "b"], [MOST_COUNT, 1])],
)
def test_pieces_that_learning_does_not_make_are_refused(pieces, counts):
    with pytest.raises(DamagedError):
        Segmenter(Vocabulary(pieces, np.array(counts))).check_structure()
