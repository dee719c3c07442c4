"""Parts: words, word pairs and counts of shards add up to those of the whole text, in any order and tree."""

import random
from dataclasses import replace
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import kernels
from aligner.criteria import Independent
from aligner.errors import ConfigError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.shards.counts import ShardCounts
from aligner.shards.pairs import WordPairs
from aligner.shards.ranges import describe_shards, parse_shards
from aligner.shards.text import EncodedShard, ReadShard
from aligner.shards.words import Words, lines_of, table_of
from aligner.text.bitext import Bitext
from aligner.training.estep import BlockEStep
from tests.support import LINE, TEXTS, index_pairs, random_pair, text_of

CUT_TEXTS = st.tuples(TEXTS, st.lists(st.integers(0, 6), min_size=1, max_size=3).map(sorted), st.randoms())


def cut(pairs, cuts):
    """Cut a text before these numbers; a shard may be empty."""
    edges = [0, *(min(n, len(pairs)) for n in cuts), len(pairs)]
    return [pairs[begin:end] for begin, end in pairwise(edges)]


def added(parts, rng: random.Random):
    """Add parts two at a time, in an order and a tree drawn at random; each is stored and rebuilt first."""
    parts = [type(part).rebuild(part.values(), part.arrays()) for part in parts]
    while len(parts) > 1:
        one, other = (parts.pop(rng.randrange(len(parts))) for _ in range(2))
        parts.append(one.plus(other))
    return parts[0]


@given(
    st.lists(st.tuples(LINE, LINE), max_size=8),
    st.lists(st.integers(0, 8), max_size=3).map(sorted),
    st.randoms(),
)
def test_words_of_shards_give_the_vocabularies_of_the_text(pairs, cuts, rng):
    pairs = [tuple(side.replace("\n", " ").replace("\0", "") for side in pair) for pair in pairs]
    whole = Bitext.from_text(pairs, max_length=3)
    shards = [ReadShard.of(Bitext.from_text(part, max_length=3)) for part in cut(pairs, cuts)]
    words = added([shard.words(n) for n, shard in enumerate(shards, 1)], rng)
    for side, expected in ((words.source, whole.source_vocabulary), (words.target, whole.target_vocabulary)):
        assert side.vocabulary().words == expected.words
        assert side.vocabulary().counts.tolist() == expected.counts.tolist()
    assert words.report == whole.report.to_dict()


def encoded_shards(pairs, cuts):
    """Return the whole text, and its shards in its word ids."""
    whole = Bitext.from_text(pairs)
    vocabularies = whole.source_vocabulary, whole.target_vocabulary
    tables = tuple(table_of(lines_of(words), len(words)) for words in vocabularies)
    shards = [ReadShard.of(Bitext.from_text(part)) for part in cut(pairs, cuts)]
    return whole, [EncodedShard.of(shard.encoded(tables)) for shard in shards]


@given(CUT_TEXTS)
def test_word_pairs_of_shards_give_the_index_of_the_text(text):
    pairs, cuts, rng = text
    whole, shards = encoded_shards(pairs, cuts)
    parts = [WordPairs.of(shard.bitext, shard.index) for shard in shards]
    index, expected = added(parts, rng).index, CooccurrenceIndex.of(whole)
    np.testing.assert_array_equal(index.row_offsets, expected.row_offsets)
    np.testing.assert_array_equal(index.columns, expected.columns)
    assert index.target_types == expected.target_types


@pytest.mark.parametrize("seed", range(3))
def test_counts_of_shards_give_the_counts_of_the_text(seed, sample_bitext, sample):
    pairs, rng = text_of(sample.train), random.Random(seed)
    whole, shards = encoded_shards(pairs, sorted(rng.sample(range(len(pairs)), 3)))
    model = random_pair("hmm", whole, seed)
    _, source = index_pairs(whole)
    expected = BlockEStep(source)(Independent(), model)
    parts = []
    for shard in shards:
        local, pair_ids = locally(model, shard)
        counts = BlockEStep(shard.blocks(1))(Independent(), local)
        used = np.ones(len(shard.index) + 1, np.bool_)
        parts.append(ShardCounts.of(pair_ids, counts, used))
    total = added([*parts, ShardCounts.none(Independent(), model)], rng)
    dense = reduce(lambda sums, part: part.add_to(sums), [total], Independent().empty_counts(model))
    for counts in (total.add_to(Independent().empty_counts(model)), dense):
        np.testing.assert_array_equal(counts.links, expected.links)
        np.testing.assert_array_equal(counts.null_forward, expected.null_forward)
        np.testing.assert_array_equal(counts.distortion.reverse, expected.distortion.reverse)
        np.testing.assert_array_equal(counts.measures, expected.measures)
        assert counts.pairs == expected.pairs
    assert total.used.all()


def locally(model, shard):
    """Return the model over the word pairs of a shard, and their pair_ids in the text."""
    lexicon, index = model.lexicon, shard.index
    places = np.zeros(len(index) + 1, np.uint32)
    rows = lexicon.index.row_offsets, index.row_offsets, index.columns
    kernels.merged_rows.find_places(0, lexicon.index.columns, *rows, places)
    return replace(model, lexicon=replace(lexicon, index=index, table=lexicon.table[places])), places[1:]


@given(st.sets(st.integers(1, 40), min_size=1))
def test_shards_are_described_and_parsed(shards):
    assert parse_shards(describe_shards(shards)) == sorted(shards)


@pytest.mark.parametrize("text", ["", "0", "1,1", "2-1", "a", "1-", "1 2", "1-3,2"])
def test_other_text_is_no_set_of_shards(text):
    with pytest.raises(ConfigError, match="expected"):
        parse_shards(text)


def test_parts_are_of_three_kinds():
    assert [kind.kind for kind in (Words, WordPairs, ShardCounts)] == ["words", "pairs", "counts"]
