"""The lexical tables: the uniform start, the M-step, and the loss-free removal of word pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import Counts
from aligner.criteria.mstep import MSTEPS
from aligner.kernels.constants import COUNT_SCALE
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from tests.support import TEXTS, bitext_of, pair_ids_by_words

FLOOR_32 = np.float32(FLOOR)
SEEDS = st.integers(0, 10**6)


def uniform_lexicon(text):
    """Return a bitext of this text, and its uniform lexicon."""
    bitext = bitext_of(text)
    return bitext, Lexicon.uniform(CooccurrenceIndex.of(bitext))


def random_counts(lexicon, seed, columns, empty=0.0):
    """Return random fixed-point counts of links and NULL, of which the share ``empty`` is 0."""
    rng = np.random.default_rng(seed)

    def counts(*shape):
        values = (rng.random(shape) * COUNT_SCALE).astype(np.int64)
        return np.where(rng.random(shape) < empty, 0, values)

    links = counts(len(lexicon.index) + 1, columns)
    links[0] = 0
    null_forward, null_reverse = counts(len(lexicon.null_forward)), counts(len(lexicon.null_reverse))
    null_forward[-1] = null_reverse[-1] = 0
    return links, null_forward, null_reverse


@given(text=TEXTS)
def test_uniform_tables_are_over_co_occurring_words(text):
    bitext, lexicon = uniform_lexicon(text)
    pair_ids = pair_ids_by_words(lexicon.index)
    for (s, t), pair_id in pair_ids.items():
        partners = sum(pair[0] == s for pair in pair_ids), sum(pair[1] == t for pair in pair_ids)
        np.testing.assert_allclose(lexicon.table[pair_id], [1 / n for n in partners], rtol=1e-6)
        shares = lexicon.uniform_shares[0][s], lexicon.uniform_shares[1][t]
        np.testing.assert_array_equal(lexicon.table[pair_id], shares)
    assert (lexicon.table[0] == FLOOR_32).all()
    for row, types in [
        (lexicon.null_forward, len(bitext.target.vocabulary)),
        (lexicon.null_reverse, len(bitext.source.vocabulary)),
    ]:
        np.testing.assert_allclose(row, [1 / types] * types + [FLOOR], rtol=1e-6)


def test_null_counts_may_sum_to_more_than_64_bits():
    """The count of each word fits into 64 bits, but the sum over all words need not."""
    _, before = uniform_lexicon([("a b c", "w x y z")])
    links, null_forward, null_reverse = random_counts(before, 1, 2)
    null_forward[:-1] = np.array([4, 3, 2, 1]) << 60
    after = Lexicon.of_counts(before.index, links, null_forward, null_reverse)
    np.testing.assert_allclose(after.null_forward, [0.4, 0.3, 0.2, 0.1, FLOOR], rtol=1e-6)


@pytest.mark.parametrize("update", ["ml", "vb"])
@pytest.mark.parametrize("threads", [1, 3])
def test_counts_of_a_row_may_sum_to_more_than_63_bits(update, threads):
    """A word may be translated by several words each time, each of which occurs less than 2**31 times."""
    for direction, text in enumerate([[("a", "w x y z"), ("b", "w")], [("w x y z", "a"), ("w", "b")]]):
        _, before = uniform_lexicon(text)
        links, *null_counts = random_counts(before, 1, 2)
        pair_ids = pair_ids_by_words(before.index)
        own = [pair_ids[pair[:: 1 - 2 * direction]] for pair in ((0, k) for k in range(4))]
        links[own] = np.array([[7], [6], [1], [1]]) << 60
        counts = Counts(links, *null_counts, distortion=None, measures=None, pairs=1)
        after = MSTEPS[update](before.index, counts, threads, alpha=1e-3)
        np.testing.assert_allclose(after.table[own, direction], np.array([7, 6, 1, 1]) / 15, rtol=1e-6)


@pytest.mark.plain_python
@pytest.mark.parametrize("columns", [1, 2])
@given(text=TEXTS, seed=SEEDS, empty=st.sampled_from([0.0, 0.6]))
def test_mstep_normalises_each_row(columns, text, seed, empty):
    _, before = uniform_lexicon(text)
    links, *null_counts = random_counts(before, seed, columns, empty)
    after = Lexicon.of_counts(before.index, links, *null_counts)
    pair_ids = pair_ids_by_words(before.index)
    for words, pair_id in pair_ids.items():
        for direction, word in enumerate(words):
            row = [k for pair, k in pair_ids.items() if pair[direction] == word]
            column = min(direction, columns - 1)
            total = sum(int(links[k, column]) for k in row)
            expected = max(links[pair_id, column] / max(total, 1), FLOOR)
            np.testing.assert_allclose(after.table[pair_id, direction], expected, rtol=1e-6)
    assert (after.table[0] == FLOOR_32).all()
    for name, counts in zip(("null_forward", "null_reverse"), null_counts, strict=True):
        expected = np.append(np.maximum(counts[:-1] / max(counts.sum(), 1), FLOOR), FLOOR)
        np.testing.assert_allclose(getattr(after, name), expected, rtol=1e-6)


@pytest.mark.parametrize("columns", [1, 2])
def test_mstep_does_not_depend_on_threads(columns, sample_bitext):
    before = Lexicon.uniform(CooccurrenceIndex.of(sample_bitext))
    links, *null_counts = random_counts(before, 1, columns, empty=0.5)
    one = Lexicon.of_counts(before.index, links, *null_counts)
    for threads in (2, 7):
        several = Lexicon.of_counts(before.index, links, *null_counts, threads)
        np.testing.assert_array_equal(several.table, one.table)


@given(text=TEXTS, seed=SEEDS)
def test_compact_keeps_every_probability(text, seed):
    bitext, uniform = uniform_lexicon(text)
    lexicon = Lexicon.of_counts(uniform.index, *random_counts(uniform, seed, 2, empty=0.7))
    compact = lexicon.compact()
    (block,) = BlockSource.of(bitext).blocks([(0, len(bitext))])
    np.testing.assert_array_equal(
        compact.table[compact.index.find(block).pair_ids], lexicon.table[lexicon.index.find(block).pair_ids]
    )
    assert (compact.table[1:] > FLOOR_32).any(axis=1).all()
    assert compact.table.dtype == np.float32
    assert len(compact.compact().index) == len(compact.index)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_compact_keeps_values_that_are_not_finite(value):
    """``save`` raises an error for such values, so they must not be dropped."""
    _, lexicon = uniform_lexicon([("a", "x y")])
    lexicon.table[1] = value
    np.testing.assert_array_equal(lexicon.compact().table, lexicon.table)
