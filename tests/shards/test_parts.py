"""Parts: words, word pairs and counts of shards add up to the whole text's, in any order and tree."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aligner import kernels
from aligner.criteria import Independent
from aligner.errors import ConfigError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import Lexicon
from aligner.shards.expected_counts import ExpectedLinks, without_links
from aligner.shards.folder import Folder
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.parts import Part
from aligner.shards.ranges import describe_shards, parse_shards
from aligner.shards.shard import EncodedShard, ReadShard
from aligner.shards.slices import divide, join, slices_of
from aligner.shards.state import FIRST_ITERATION
from aligner.shards.stored_file import Lineage
from aligner.text.bitext import Bitext
from aligner.text.facts import length_pairs_of
from aligner.training.estep import BlockEStep
from tests.support import LINE, TEXTS, index_pairs, random_pair, text_of

CUT_TEXTS = st.tuples(TEXTS, st.lists(st.integers(0, 6), min_size=1, max_size=3).map(sorted), st.randoms())


def cut(pairs, cuts):
    """Cut a text before these numbers; a shard may be empty."""
    edges = [0, *(min(n, len(pairs)) for n in cuts), len(pairs)]
    return [pairs[begin:end] for begin, end in pairwise(edges)]


def added(parts, rng: random.Random):
    """Add parts two at a time, in an order and a tree drawn at random."""
    parts = list(parts)
    while len(parts) > 1:
        one, other = (parts.pop(rng.randrange(len(parts))) for _ in range(2))
        parts.append(one + other)
    return parts[0]


def stored(part, path, round, slices):
    """Write a part to a file, read it again, and return it."""
    folder = Folder(path)
    folder.path.mkdir(exist_ok=True)
    folder.write("part", Lineage(), part.values())
    with folder.opened("part") as file:
        return Part.read(file, round, slices)


@given(
    st.lists(st.tuples(LINE, LINE), max_size=8),
    st.lists(st.integers(0, 8), max_size=3).map(sorted),
    st.randoms(),
)
def test_words_of_shards_give_the_vocabularies_of_the_text(pairs, cuts, rng):
    pairs = [tuple(side.replace("\n", " ").replace("\0", "") for side in pair) for pair in pairs]
    whole = Bitext.from_text(pairs, max_length=3)
    shards = [ReadShard.of(Bitext.from_text(part, max_length=3)) for part in cut(pairs, cuts)]
    parts = [shard.words(n) for n, shard in enumerate(shards, 1)]
    words = added(parts, rng)
    for side, expected in ((words.source, whole.source_vocabulary), (words.target, whole.target_vocabulary)):
        assert side.vocabulary().words == expected.words
        assert side.vocabulary().counts.tolist() == expected.counts.tolist()
    assert words.report == whole.report.to_dict()


def encoded_shards(pairs, cuts):
    """Return the whole text, and its shards in its word ids."""
    whole = Bitext.from_text(pairs)
    vocabularies = whole.source_vocabulary, whole.target_vocabulary
    shards = [ReadShard.of(Bitext.from_text(part)) for part in cut(pairs, cuts)]
    return whole, [EncodedShard.of(shard.encoded(vocabularies)) for shard in shards]


@given(CUT_TEXTS, st.integers(1, 4))
def test_word_pairs_of_shards_give_the_index_of_the_text(text, slices):
    pairs, cuts, rng = text
    whole, shards = encoded_shards(pairs, cuts)
    of_words = slices_of(whole.source_vocabulary, slices)
    parts = [part_of(shard, of_words, slices) for shard in shards]
    expected = CooccurrenceIndex.of(whole)
    indices = [part.index(expected.source_types, expected.target_types) for part in added(parts, rng).slices]
    lexicons = [Lexicon.uniform(index) for index in indices]
    index = join(lexicons).index
    np.testing.assert_array_equal(index.row_offsets, expected.row_offsets)
    np.testing.assert_array_equal(index.columns, expected.columns)
    assert index.target_types == expected.target_types
    for number, own in enumerate(indices, start=1):
        assert set(of_words[np.flatnonzero(np.diff(own.row_offsets))]) <= {number}


def part_of(shard, of_words, slices):
    """Return the word pairs of a shard by slices."""
    rows = divide(shard.index, of_words, slices)
    return Part(
        LengthPairs(length_pairs_of(shard.pairs.source.lengths, shard.pairs.target.lengths)),
        tuple(WordPairs.of(shard.index, own) for own in rows),
    )


@pytest.mark.parametrize("slices", [1, 3])
def test_counts_of_shards_give_the_counts_of_the_text(slices, sample_bitext, sample, tmp_path):
    pairs, rng = text_of(sample.train), random.Random(slices)
    whole, shards = encoded_shards(pairs, sorted(rng.sample(range(len(pairs)), 3)))
    model = random_pair("hmm", whole, slices)
    index = model.lexicon.index
    own = divide(index, slices_of(whole.source_vocabulary, slices), slices)
    _, source = index_pairs(whole)
    expected = BlockEStep(source)(Independent(), model)
    parts = []
    for number, shard in enumerate(shards):
        local, pair_ids = locally(model, shard)
        blocks = shard.blocks.searched(shard.index, 1 << 20)
        counts = BlockEStep(blocks)(Independent(), local)
        links = (in_slice(index, rows, pair_ids, counts.links[1:]) for rows in own)
        parts.append(
            stored(
                Part(without_links(counts), tuple(links)),
                tmp_path / str(number),
                FIRST_ITERATION,
                slices,
            )
        )
    total = added(parts, rng)
    links = np.zeros_like(expected.links)
    for part, rows in zip(total.slices, own, strict=True):
        of_slice = links[rows.pair_ids]
        with_zero = np.concatenate([np.zeros_like(links[:1]), of_slice])
        used = np.zeros(len(with_zero), np.bool_)
        part.add_to(with_zero, used)
        links[rows.pair_ids] = with_zero[1:]
        assert used[1:].all()
    counts = replace(total.common, links=links)
    np.testing.assert_array_equal(counts.links, expected.links)
    np.testing.assert_array_equal(counts.null_forward, expected.null_forward)
    np.testing.assert_array_equal(counts.distortion.reverse, expected.distortion.reverse)
    np.testing.assert_array_equal(counts.measures, expected.measures)
    assert counts.pairs == expected.pairs


def in_slice(index, rows, pair_ids, links):
    """Return the counts of a shard in one slice; pair_ids: of the whole text."""
    numbers = np.zeros(len(index) + 1, np.uint32)
    numbers[rows.pair_ids] = np.arange(1, rows.sizes.sum() + 1)
    indices = numbers[pair_ids]
    chosen = indices > 0
    return ExpectedLinks.of(indices[chosen], links[chosen], np.ones(np.count_nonzero(chosen), np.bool_))


def locally(model, shard):
    """Return the model over the word pairs of a shard, and their pair_ids in the text."""
    lexicon, index = model.lexicon, shard.index
    indices = np.zeros(len(index) + 1, np.uint32)
    rows = lexicon.index.row_offsets, index.row_offsets, index.columns
    kernels.index.find_indices(0, lexicon.index.columns, *rows, indices)
    return replace(model, lexicon=replace(lexicon, index=index, table=lexicon.table[indices])), indices[1:]


@given(st.sets(st.integers(1, 40), min_size=1))
def test_shards_are_described_and_parsed(shards):
    assert parse_shards(describe_shards(shards)) == sorted(shards)


@pytest.mark.parametrize("text", ["", "0", "1,1", "2-1", "a", "1-", "1 2", "1-3,2", "1,3-2"])
def test_other_text_is_no_set_of_shards(text):
    with pytest.raises(ConfigError, match="expected"):
        parse_shards(text)
