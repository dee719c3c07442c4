"""The text of a shard: as it was read, and as it is trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import offsets_of
from aligner.lexicon.block_sources import BlockSource, SearchedBlocks, search_cells
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models.hmm import order_by_size
from aligner.models.storage import take_vocabulary, vocabulary_arrays
from aligner.shards.words import Words
from aligner.text.bitext import Bitext
from aligner.text.sentences import Sentences
from aligner.text.vocabulary import Vocabulary


class ReadShard(NamedTuple):
    """The usable pairs of a shard in the order of the text, in a vocabulary of their own.

    report: ``Bitext.report`` of all its lines.
    """

    usable: Bitext
    report: dict[str, int]

    @classmethod
    def of(cls, bitext: Bitext) -> ReadShard:
        """Return the usable pairs of a shard's lines."""
        return cls(bitext.select(bitext.trainable(bitext.max_length)), bitext.report.to_dict())

    def words(self, shard: int) -> Words:
        """Return the words of the shard, which has this number."""
        return Words.of(self.usable, self.report, shard)

    def encoded(self, whole: tuple[Vocabulary, Vocabulary], threads: int = 1) -> Bitext:
        """Return the pairs in the order of training and in the word ids of the whole text.

        whole: the vocabularies of the whole text.
        """
        sides, vocabularies = [], (self.usable.source_vocabulary, self.usable.target_vocabulary)
        for side, own, words in zip(self._sides, vocabularies, whole, strict=True):
            ids = words.table.find(own.table)
            tokens = np.empty_like(side.tokens)
            kernels.words.renumber(side.tokens, ids, tokens)
            sides.append(Sentences(tokens, side.offsets))
        order = order_by_size(sides[0].lengths, sides[1].lengths)
        return text_of(sides[0], sides[1], (len(whole[0]), len(whole[1]))).select(order, threads)

    @property
    def _sides(self) -> tuple[Sentences, Sentences]:
        return self.usable.source, self.usable.target

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the shard, for its file."""
        vocabularies = self.usable.source_vocabulary, self.usable.target_vocabulary
        return _arrays_of(self.usable) | vocabulary_arrays(*vocabularies)

    @classmethod
    def rebuild(cls, report: dict[str, int], arrays: Mapping[str, NDArray]) -> ReadShard:
        """Return the shard with these arrays."""
        source, target = (take_vocabulary(arrays, side) for side in ("source", "target"))
        return cls(Bitext(*_sides_of(arrays), source, target), report)


@dataclass(frozen=True, eq=False)
class EncodedShard:
    """The usable pairs of a shard in the order of training, with the index of their word pairs.

    Word ids are those of the whole text; pair_ids are the shard's own. kept: the cells that pruning kept, or
    None.
    """

    bitext: Bitext
    index: CooccurrenceIndex
    kept: KeptBits | None = None

    def blocks(self, threads: int) -> SearchedBlocks:
        """Return the blocks of the shard."""
        source = BlockSource.of(self.bitext)
        return source.searched(self.index, search_cells(source.cells, threads), self.kept)

    @classmethod
    def of(cls, bitext: Bitext, threads: int = 1) -> EncodedShard:
        """Return a shard with all its word pairs. bitext: its pairs, in the word ids of the whole text."""
        return cls(bitext, CooccurrenceIndex.of(bitext, threads))

    def arrays(self) -> dict[str, NDArray]:
        """Return the arrays of the shard before pruning, for its file."""
        return _arrays_of(self.bitext) | _arrays_of_index(self.index)

    def pruned_arrays(self) -> dict[str, NDArray]:
        """Return the arrays that pruning has changed, for a file."""
        assert self.kept is not None, "the shard is not pruned"
        return _arrays_of_index(self.index) | {"kept.bits": self.kept.bits}

    @classmethod
    def rebuild(cls, arrays: Mapping[str, NDArray], types: tuple[int, int]) -> EncodedShard:
        """Return the shard with these arrays; types: the sizes of the vocabularies of the whole text."""
        return cls(text_of(*_sides_of(arrays), types), _index_of(arrays, types))

    def pruned(self, arrays: Mapping[str, NDArray]) -> EncodedShard:
        """Return the shard after pruning, with the arrays that pruning has changed."""
        kept = replace(KeptBits.none(self.bitext), bits=arrays["kept.bits"])
        index = _index_of(arrays, (self.index.source_types, self.index.target_types))
        return replace(self, index=index, kept=kept)


def text_of(source: Sentences, target: Sentences, types: tuple[int, int]) -> Bitext:
    """Return sentence pairs of word ids, with vocabularies of which only the size is known.

    types: the sizes of the source and of the target vocabulary.
    """
    words = [Vocabulary([""] * size, np.zeros(size, np.int64)) for size in types]
    return Bitext(source, target, words[0], words[1])


def text_of_lengths(pairs: NDArray[np.int64], vocabularies: tuple[Vocabulary, Vocabulary]) -> Bitext:
    """Return a text with these sentence lengths, for models whose parameters depend on lengths.

    pairs: int64 [n], I * 2**32 + J; vocabularies: of the whole text.
    """
    offsets = [offsets_of(lengths) for lengths in (pairs >> 32, pairs & 0xFFFFFFFF)]
    source, target = (Sentences(np.zeros(ends[-1], np.int32), ends) for ends in offsets)
    return Bitext(source, target, *vocabularies)


def _arrays_of_index(index: CooccurrenceIndex) -> dict[str, NDArray]:
    """Return the arrays of an index by name."""
    return {"row_offsets": index.row_offsets, "columns": index.columns}


def _index_of(arrays: Mapping[str, NDArray], types: tuple[int, int]) -> CooccurrenceIndex:
    """Return the index of the arrays of ``_arrays_of_index``."""
    return CooccurrenceIndex(arrays["row_offsets"], arrays["columns"], types[1])


def _arrays_of(bitext: Bitext) -> dict[str, NDArray]:
    """Return the tokens and the lengths of both sides by name."""
    named: dict[str, NDArray] = {}
    for name, side in (("source", bitext.source), ("target", bitext.target)):
        named |= {f"{name}.tokens": side.tokens, f"{name}.lengths": side.lengths.astype(np.uint16)}
    return named


def _sides_of(arrays: Mapping[str, NDArray]) -> tuple[Sentences, Sentences]:
    """Return both sides of the arrays of ``_arrays_of``."""
    source, target = (
        Sentences(arrays[f"{name}.tokens"], offsets_of(arrays[f"{name}.lengths"].astype(np.int64)))
        for name in ("source", "target")
    )
    return source, target
