"""The lexical tables: uniform start, normalised counts, and what may be dropped from a saved one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.lexicon.block_sources import BlockSource
from aligner.kernels.fixed import SCALE
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.criteria.mstep import MaximumLikelihood, VariationalBayes
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from tests.support import TEXTS, bitext_of, index_pairs, pair_ids_by_words

TINY = np.float32(FLOOR)


def uniform_of(text):
    bitext = bitext_of(text)
    index, _ = index_pairs(bitext)
    return bitext, Lexicon.uniform(index)


def random_counts(lexicon, seed, columns, empty=0.0):
    """Fixed-point counts of everything; a share ``empty`` of them is zero."""
    rng = np.random.default_rng(seed)

    def counts(*shape):
        values = (rng.random(shape) * SCALE).astype(np.int64)
        return np.where(rng.random(shape) < empty, 0, values)

    links = counts(len(lexicon.index) + 1, columns)
    links[0] = 0
    null_forward, null_reverse = counts(len(lexicon.null_forward)), counts(len(lexicon.null_reverse))
    null_forward[-1] = null_reverse[-1] = 0
    return links, null_forward, null_reverse


@given(text=TEXTS)
def test_uniform_is_over_the_words_seen_together(text):
    bitext, lexicon = uniform_of(text)
    pair_ids = pair_ids_by_words(lexicon.index)
    for (s, t), pair_id in pair_ids.items():
        partners = sum(pair[0] == s for pair in pair_ids), sum(pair[1] == t for pair in pair_ids)
        np.testing.assert_allclose(lexicon.table[pair_id], [1 / n for n in partners], rtol=1e-6)
    assert (lexicon.table[0] == TINY).all()
    for row, types in [
        (lexicon.null_forward, len(bitext.target_vocabulary)),
        (lexicon.null_reverse, len(bitext.source_vocabulary)),
    ]:
        np.testing.assert_allclose(row, [1 / types] * types + [FLOOR], rtol=1e-6)


def test_more_unaligned_words_than_64_bits_of_fixed_point_hold():
    """Each word's count fits; that of all words together need not."""
    _, before = uniform_of([("a b c", "w x y z")])
    links, null_forward, null_reverse = random_counts(before, 1, 2)
    null_forward[:-1] = np.array([4, 3, 2, 1]) << 60
    after = before.mstep(links, null_forward, null_reverse)
    np.testing.assert_allclose(after.null_forward, [0.4, 0.3, 0.2, 0.1, FLOOR], rtol=1e-6)


@pytest.mark.parametrize("update", [MaximumLikelihood(), VariationalBayes(1e-3)])
@pytest.mark.parametrize("threads", [1, 3])
def test_so_may_the_words_be_that_one_word_explains(update, threads):
    """One that is, each time, translated by several words, each of which occurs less than 2**31 times."""
    for direction, text in enumerate([[("a", "w x y z"), ("b", "w")], [("w x y z", "a"), ("w", "b")]]):
        _, before = uniform_of(text)
        links, *null = random_counts(before, 1, 2)
        pair_ids = pair_ids_by_words(before.index)
        own = [pair_ids[pair[:: 1 - 2 * direction]] for pair in ((0, k) for k in range(4))]
        links[own] = np.array([[7], [6], [1], [1]]) << 60
        after = update.lexicon(before, links.copy(), *null, threads)
        np.testing.assert_allclose(after.table[own, direction], np.array([7, 6, 1, 1]) / 15, rtol=1e-6)


@pytest.mark.parametrize(("columns", "large"), [(1, 0), (2, 0), (2, 1 << 20)])
@given(text=TEXTS, seed=st.integers(0, 10**6), empty=st.sampled_from([0.0, 0.6]))
def test_maximise_normalises_each_row(columns, large, text, seed, empty):
    _, before = uniform_of(text)
    counts = random_counts(before, seed, columns, empty)
    links = counts[0].copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aligner.lexicon.table._LARGE", large)
        after = before.mstep(*counts)
    in_place = large == 0
    assert np.shares_memory(after.table, counts[0]) == in_place
    assert (counts[0].nbytes == after.table.nbytes) == in_place
    pair_ids = pair_ids_by_words(before.index)
    for (s, t), pair_id in pair_ids.items():
        for direction, word in enumerate((s, t)):
            row = [k for pair, k in pair_ids.items() if pair[direction] == word]
            column = min(direction, columns - 1)
            total = sum(int(links[k, column]) for k in row)
            # A row without counts has no evidence to change it.
            expected = max(links[pair_id, column] / total, FLOOR) if total > 0 else before.table[pair_id, direction]
            np.testing.assert_allclose(after.table[pair_id, direction], expected, rtol=1e-6)
    assert (after.table[0] == TINY).all()
    for name, count in zip(("null_forward", "null_reverse"), counts[1:], strict=True):
        expected = (
            np.append(np.maximum(count[:-1] / count.sum(), FLOOR), FLOOR)
            if count.sum() > 0
            else getattr(before, name)
        )
        np.testing.assert_allclose(getattr(after, name), expected, rtol=1e-6)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("few", [1, 100, 1 << 18])
def test_no_row_is_written_where_another_is_still_to_be_read(columns, few, sample_bitext, monkeypatch):
    """However many threads there are, and whether the memory of counts can be given back or not."""
    monkeypatch.setattr("aligner.lexicon.table._FEW_SLOTS", few)
    monkeypatch.setattr("aligner.lexicon.table._LARGE", 0)
    before = Lexicon.uniform(CooccurrenceIndex.of(sample_bitext))
    links, *null = random_counts(before, 1, columns, empty=0.5)
    rows = before.index.rows()[1:], before.index.columns[1:]
    shares = []
    for direction in (0, 1):
        column = links[1:, min(direction, columns - 1)]
        totals = np.bincount(rows[direction], column.astype(float))[rows[direction]]
        shares.append(np.where(totals > 0, column / np.maximum(totals, 1), before.table[1:, direction]))
    expected = np.maximum(np.stack(shares, axis=1), FLOOR)
    for threads in (1, 2, 7):
        after = before.mstep(links.copy(), *null, threads)
        np.testing.assert_allclose(after.table[1:], expected, rtol=1e-6)
        room = np.zeros((len(links) + 1, columns), np.int64)
        room[1:] = links
        np.testing.assert_array_equal(before.mstep(room[1:], *null, threads).table, after.table)


@given(text=TEXTS, seed=st.integers(0, 10**6))
def test_maximise_leaves_the_lexicon_it_came_from_alone(text, seed):
    _, before = uniform_of(text)
    copies = before.table.copy(), before.null_forward.copy(), before.null_reverse.copy()
    before.mstep(*random_counts(before, seed, 2))
    for kept, copy in zip((before.table, before.null_forward, before.null_reverse), copies, strict=True):
        np.testing.assert_array_equal(kept, copy)


def test_nothing_counted_changes_nothing():
    _, before = uniform_of([("a b", "x y"), ("b", "y")])
    zeros = [np.zeros_like(counts) for counts in random_counts(before, 0, 2)]
    after = before.mstep(*zeros)
    np.testing.assert_array_equal(after.table, before.table)
    np.testing.assert_array_equal(after.null_forward, before.null_forward)
    np.testing.assert_array_equal(after.null_reverse, before.null_reverse)


@given(text=TEXTS, seed=st.integers(0, 10**6))
def test_compact_loses_nothing(text, seed):
    bitext, uniform = uniform_of(text)
    lexicon = uniform.mstep(*random_counts(uniform, seed, 2, empty=0.7))
    compact = lexicon.compact()
    block = BlockSource.of(bitext).block(0, len(bitext))
    np.testing.assert_array_equal(
        compact.table[compact.pairs.find(block).pair_ids], lexicon.table[lexicon.index.find(block).pair_ids]
    )
    assert (compact.table[1:] > TINY).any(axis=1).all()
    assert compact.table.dtype == np.float32
    assert len(compact.compact().pairs) == len(compact.pairs)
