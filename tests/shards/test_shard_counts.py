"""Words, word pairs and counts of shards add up to those of the whole text."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aligner.criteria import Independent
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.shards.shard import EncodedShard, ReadShard, SideWords
from aligner.shards.shard_counts import ShardCounts
from aligner.text.bitext import Bitext
from aligner.training.estep import BlockEStep
from tests.support import LINE, index_pairs, random_pair, text_of

LINES = st.lists(st.tuples(LINE, LINE), max_size=8)
CUTS = st.lists(st.integers(0, 8), max_size=3).map(sorted)


def cut(pairs, cuts):
    """Cut a text before these numbers; a shard may be empty."""
    edges = [0, *(min(n, len(pairs)) for n in cuts), len(pairs)]
    return [pairs[begin:end] for begin, end in pairwise(edges)]


@given(LINES, CUTS)
def test_words_of_shards_give_the_vocabularies_of_the_text(pairs, cuts):
    pairs = [tuple(side.replace("\n", " ").replace("\0", "") for side in pair) for pair in pairs]
    whole = Bitext.from_text(pairs, max_length=3)
    sides = SideWords(), SideWords()
    for part in cut(pairs, cuts):
        shard = ReadShard.of(Bitext.from_text(part, max_length=3))
        for words, side in zip(sides, shard.sides, strict=True):
            words.add(side)
    for words, expected in zip(sides, whole.vocabularies, strict=True):
        found = words.vocabulary()
        assert (found.words, found.counts.tolist()) == (expected.words, expected.counts.tolist())


def test_counts_of_shards_give_the_counts_of_the_text(sample):
    pairs = text_of(sample.train)
    whole = Bitext.from_text(pairs)
    model = random_pair("hmm", whole, 1)
    index, source = index_pairs(whole)
    unchanged = [np.arange(n + 1, dtype=np.int32) for n in (index.source_types, index.target_types)]
    expected = BlockEStep(source)(Independent(), model)
    total = replace(Independent().empty_counts(model), kept_pairs=np.zeros(len(index) + 1, np.bool_))
    for part in cut(pairs, [7, 7, 40]):
        text = ReadShard.of(Bitext.from_text(part))
        own = text.encoded(whole.vocabularies)
        shard = EncodedShard(own, CooccurrenceIndex.of(own))
        pair_ids = shard.index.pair_ids_in(index, *unchanged)
        lexicon = replace(model.lexicon, index=shard.index, table=model.lexicon.table[pair_ids])
        blocks = shard.blocks.searched(shard.index, 1 << 20)
        counts = BlockEStep(blocks)(Independent(), replace(model, lexicon=lexicon))
        counts = replace(counts, kept_pairs=np.ones(len(counts.links), np.bool_))
        total = ShardCounts.of(counts, pair_ids[1:]).add_to(total, threads=2)
    np.testing.assert_array_equal(total.links, expected.links)
    np.testing.assert_array_equal(total.null_forward, expected.null_forward)
    np.testing.assert_array_equal(total.distortion.reverse, expected.distortion.reverse)
    np.testing.assert_array_equal(total.measures, expected.measures)
    assert total.pairs == expected.pairs
    assert total.kept_pairs[1:].all()
