"""The index of co-occurring word pairs against a dictionary, and the blocks that a text is cut into."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.lexicon.block_sources import BlockSource
from aligner.text.bitext import Bitext
from aligner.errors import DataError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.sample.files import generate_sample
from tests.support import TEXTS, bitext_of, index_pairs, pair_ids_by_words, text_of


def naive_index(bitext):
    """(source, target) -> pair_id: pair_ids from 1 in order of source type, then target type."""
    together = set()
    for source, target in zip(bitext.source, bitext.target, strict=True):
        together |= {(int(s), int(t)) for s in source for t in target}
    known = len(bitext.source_vocabulary), len(bitext.target_vocabulary)
    pairs = sorted(pair for pair in together if pair[0] < known[0] and pair[1] < known[1])
    return {pair: pair_id for pair_id, pair in enumerate(pairs, start=1)}


def naive_slots(bitext, pair_ids):
    """The pair_id of every cell, source-major, pair after pair."""
    return [
        pair_ids.get((int(s), int(t)), 0)
        for source, target in zip(bitext.source, bitext.target, strict=True)
        for s in source
        for t in target
    ]


def whole(bitext):
    return BlockSource.of(bitext).block(0, len(bitext))


@given(text=TEXTS)
def test_index_and_slots_are_those_of_a_dictionary(text):
    bitext = bitext_of(text)
    index, cells = index_pairs(bitext)
    expected = naive_index(bitext)
    assert pair_ids_by_words(index) == expected
    assert len(index) == len(expected)
    assert index.rows()[1:].tolist() == [s for s, _ in expected]
    assert index.columns[1:].tolist() == [t for _, t in expected]
    assert cells.pair_ids.tolist() == naive_slots(bitext, expected)
    assert index.find(whole(bitext)).pair_ids.tolist() == cells.pair_ids.tolist()


@given(text=TEXTS, other=TEXTS)
def test_find_gives_unknown_words_and_unseen_pairs_slot_zero(text, other):
    bitext = bitext_of(text)
    index, _ = index_pairs(bitext)
    vocabularies = bitext.source_vocabulary, bitext.target_vocabulary
    strange = Bitext.from_text([*other, ("x a", "a y"), ("x", "y")], vocabularies=vocabularies)
    found = index.find(whole(strange)).pair_ids
    assert found.tolist() == naive_slots(strange, naive_index(bitext))
    assert found[-1] == 0


@given(text=TEXTS, data=st.data())
def test_select_renumbers(text, data):
    bitext = bitext_of(text)
    index, _ = index_pairs(bitext)
    size = len(index) + 1
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    selected, renumber = index.select(keep, threads=data.draw(st.integers(1, 3)))
    kept = [pair for pair, pair_id in naive_index(bitext).items() if keep[pair_id]]
    assert pair_ids_by_words(selected) == {pair: pair_id for pair_id, pair in enumerate(kept, start=1)}
    assert (selected.source_types, selected.target_types) == (index.source_types, index.target_types)
    old = whole(bitext)
    np.testing.assert_array_equal(renumber[index.find(old).pair_ids], selected.find(old).pair_ids)


@pytest.mark.parametrize("at_once", [1, 1 << 22])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_index_does_not_depend_on_threads_or_pieces(threads, at_once, monkeypatch):
    bitext = bitext_of(text_of(generate_sample(pairs=200, dev=0).train))
    one, cells = index_pairs(bitext)
    monkeypatch.setattr("aligner.lexicon.cooccurrence._AT_ONCE", at_once)
    other, other_cells = index_pairs(bitext, threads)
    np.testing.assert_array_equal(one.row_offsets, other.row_offsets)
    np.testing.assert_array_equal(one.columns, other.columns)
    np.testing.assert_array_equal(cells.pair_ids, other_cells.pair_ids)


def test_words_that_train_nothing_have_empty_rows():
    """A vocabulary may hold words of pairs that were left out: they own no pair_id."""
    bitext = bitext_of([("a b", "x"), ("c", "y")]).select([0])
    index, cells = index_pairs(bitext)
    assert len(index) == 2
    assert np.diff(index.row_offsets).tolist() == [1, 1, 0, 0]
    assert cells.pair_ids.tolist() == [1, 2]


@given(text=TEXTS, block_cells=st.integers(1, 40))
def test_blocks_cover_the_text_once_and_keep_to_their_size(text, block_cells):
    bitext = bitext_of(text)
    _, cells = index_pairs(bitext)
    spans = list(cells.spans(block_cells))
    assert [0, *(stop for _, stop in spans)] == [*(start for start, _ in spans), len(bitext)]
    blocks = [cells.block(*span) for span in spans]
    assert all(block.cells <= block_cells or len(block) == 1 for block in blocks)
    assert sum(block.cells for block in blocks) == cells.cells
    for name, expected in [("source", bitext.source.tokens), ("target", bitext.target.tokens)]:
        np.testing.assert_array_equal(np.concatenate([getattr(b, name) for b in blocks]), expected)
        lengths = np.concatenate([getattr(b, f"{name}_lengths") for b in blocks])
        np.testing.assert_array_equal(lengths, getattr(bitext, name).lengths)
    np.testing.assert_array_equal(np.concatenate([block.pair_ids for block in blocks]), cells.pair_ids)
    assert [block.start for block in blocks] == [start for start, _ in spans]


def test_more_word_pairs_than_slots_have_numbers_are_refused(monkeypatch):
    monkeypatch.setattr("aligner.lexicon.cooccurrence.MAX_PAIR_IDS", 4)
    assert len(CooccurrenceIndex.of(bitext_of([("a", "x y z")]))) == 3
    with pytest.raises(DataError, match="found 4 different word pairs; expected at most 3"):
        CooccurrenceIndex.of(bitext_of([("a b", "x y")]))
