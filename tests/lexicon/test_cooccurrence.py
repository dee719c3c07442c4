"""The co-occurrence index, compared with a dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.errors import DataError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.occurrences import Occurrences
from aligner.sample.files import generate_sample
from aligner.text.bitext import Bitext
from tests.support import TEXTS, bitext_of, pair_ids_by_words, text_of


def naive_index(bitext):
    """Return (source, target) -> pair_id, from 1, in order of source type, then target type."""
    together = set()
    for source, target in zip(bitext.source, bitext.target, strict=True):
        together |= {(int(s), int(t)) for s in source for t in target}
    known = len(bitext.source.vocabulary), len(bitext.target.vocabulary)
    pairs = sorted(pair for pair in together if pair[0] < known[0] and pair[1] < known[1])
    return {pair: pair_id for pair_id, pair in enumerate(pairs, start=1)}


def naive_pair_ids(bitext, pair_ids):
    """Return the pair_id of every cell, source-major, pair after pair."""
    return [
        pair_ids.get((int(s), int(t)), 0)
        for source, target in zip(bitext.source, bitext.target, strict=True)
        for s in source
        for t in target
    ]


def find_all(index, bitext):
    """Return the pair_ids of all cells of a text, looked up at once."""
    (block,) = BlockSource.of(bitext).blocks([(0, len(bitext))])
    return index.find(block).pair_ids


@pytest.mark.plain_python
@given(text=TEXTS, first=st.sampled_from([0, 1]))
def test_index_equals_dictionary(text, first):
    bitext = bitext_of(text).slice(first, len(text))  # words of other pairs have no word pairs
    index = CooccurrenceIndex.of(bitext)
    expected = naive_index(bitext)
    assert pair_ids_by_words(index) == expected
    assert len(index) == len(expected)
    assert index.rows()[1:].tolist() == [s for s, _ in expected]
    assert index.columns[1:].tolist() == [t for _, t in expected]
    assert find_all(index, bitext).tolist() == naive_pair_ids(bitext, expected)
    heights = [sum(pair[1] == t for pair in expected) for t in range(index.target_types)]
    assert index.column_sizes().tolist() == [*heights, 0]


@given(text=TEXTS, other=TEXTS)
def test_unseen_pairs_and_oov_words_have_pair_id_0(text, other):
    bitext = bitext_of(text)
    index = CooccurrenceIndex.of(bitext)
    vocabularies = bitext.vocabularies
    unseen = Bitext.from_text([*other, ("x a", "a y"), ("x", "y")], vocabularies=vocabularies)
    found = find_all(index, unseen)
    assert found.tolist() == naive_pair_ids(unseen, naive_index(bitext))
    assert found[-1] == 0


def test_pairs_one_at_a_time_have_the_pair_ids_of_the_text():
    sentences = generate_sample(pairs=400, dev=0).train
    bitext = bitext_of(text_of(pair for pair in sentences if len(pair.source) * len(pair.target) < 100))
    index = CooccurrenceIndex.of(bitext.slice(0, 300))
    alone = [find_all(index, bitext.slice(n, n + 1)) for n in range(len(bitext))]
    assert all(len(pair_ids) < index.source_types for pair_ids in alone)  # searched for, and not spread out
    np.testing.assert_array_equal(np.concatenate(alone), find_all(index, bitext))


@given(text=TEXTS, data=st.data())
def test_select_renumbers_pair_ids(text, data):
    bitext = bitext_of(text)
    index = CooccurrenceIndex.of(bitext)
    size = len(index) + 1
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    selected, kept = index.select(keep)
    renumber = np.zeros(len(index) + 1, np.int64)
    renumber[kept] = np.arange(len(kept))
    kept = [pair for pair, pair_id in naive_index(bitext).items() if keep[pair_id]]
    assert pair_ids_by_words(selected) == {pair: pair_id for pair_id, pair in enumerate(kept, start=1)}
    assert (selected.source_types, selected.target_types) == (index.source_types, index.target_types)
    np.testing.assert_array_equal(renumber[find_all(index, bitext)], find_all(selected, bitext))


@pytest.mark.parametrize("sorted_at_once", [1, 1 << 22])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_index_does_not_depend_on_threads_or_pieces(threads, sorted_at_once, monkeypatch):
    bitext = bitext_of(text_of(generate_sample(pairs=200, dev=0).train))
    expected = CooccurrenceIndex.of(bitext)
    monkeypatch.setattr("aligner.lexicon.cooccurrence._SORTED_AT_ONCE", sorted_at_once)
    for occurrences in (None, Occurrences.of_source(bitext, threads)):
        found = CooccurrenceIndex.of(bitext, threads, occurrences)
        np.testing.assert_array_equal(found.row_offsets, expected.row_offsets)
        np.testing.assert_array_equal(found.columns, expected.columns)
        np.testing.assert_array_equal(find_all(found, bitext), find_all(expected, bitext))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("text", [[], [("", "")], [("a", "")]])
def test_text_without_words_to_train_on_has_an_empty_index(text, threads):
    index = CooccurrenceIndex.of(bitext_of(text), threads)
    assert len(index) == 0
    assert index.row_offsets.tolist() == [1, 1]


def test_too_many_word_pairs_are_an_error(monkeypatch):
    monkeypatch.setattr("aligner.lexicon.cooccurrence.MAX_PAIR_IDS", 4)
    assert len(CooccurrenceIndex.of(bitext_of([("a", "x y z")]))) == 3
    with pytest.raises(DataError, match="found 4 different word pairs; expected at most 3"):
        CooccurrenceIndex.of(bitext_of([("a b", "x y")]))


@pytest.mark.plain_python
@given(first=TEXTS, second=TEXTS, threads=st.sampled_from([1, 3]))
def test_indices_of_two_texts_match_dictionaries(first, second, threads):
    """The pair_ids of a text in the index of another one, and the index of both in the words of both."""
    known, other = bitext_of(first), bitext_of(second)
    both = bitext_of(first + second)
    wider = known.encoded_in(*both.vocabularies)
    index, other_index = CooccurrenceIndex.of(wider, threads), CooccurrenceIndex.of(other, threads)
    sources = wider.source.vocabulary.ids_in(other.source.vocabulary)
    targets = other.target.vocabulary.ids_in(wider.target.vocabulary)

    def words_of(index, text):
        pairs = pair_ids_by_words(index).items()
        source, target = text.source.vocabulary.words, text.target.vocabulary.words
        return {(source[s], target[t]): pair_id for (s, t), pair_id in pairs}

    found = index.pair_ids_in(other_index, sources, targets, threads)
    expected = words_of(other_index, other)
    assert {pair: found[k] for pair, k in words_of(index, wider).items()} == {
        pair: expected.get(pair, 0) for pair in words_of(index, wider)
    }
    joined, whole = index.joined_with(other_index, sources, targets), CooccurrenceIndex.of(both)
    np.testing.assert_array_equal(joined.row_offsets, whole.row_offsets)
    np.testing.assert_array_equal(joined.columns, whole.columns)
