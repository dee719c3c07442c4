"""The text of a shard: in the words of its own, then in the word ids of the whole run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aligner.errors import DataError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models.hmm import order_by_size
from aligner.shards.folder import ENCODED, ENTRIES, KEPT, READ, STATE, Folder
from aligner.shards.run_state import Run
from aligner.storage.checks import require
from aligner.storage.codec import require_like
from aligner.text.bitext import Bitext
from aligner.text.edges import count_edges
from aligner.text.facts import TextFacts
from aligner.text.sentences import EncodedPairs
from aligner.text.side import TextSide
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import WordTable


@dataclass(frozen=True, eq=False)
class ReadShard:
    """The usable pairs of a shard in the order of the text, in a vocabulary of their own.

    report: ``Bitext.report`` of all its lines.
    """

    source: TextSide
    target: TextSide
    report: dict[str, int]

    def check_structure(self) -> None:
        """Raise DamagedError unless these are sentence pairs."""
        _check_pairs(EncodedPairs(self.source, self.target, *map(len, self.vocabularies)))
        for side in self.sides:
            require(side.oov is None and side.word_sizes is None, "it has words that are new, or in parts")

    @classmethod
    def of(cls, bitext: Bitext) -> ReadShard:
        """Return the usable pairs of a shard's lines."""
        usable = bitext.select(bitext.trainable(bitext.max_length))
        source, target = (replace(side, oov=None, word_sizes=None) for side in usable.sides)
        return cls(source, target, bitext.report.to_dict())

    @classmethod
    def take(cls, folder: Folder, shard: int) -> ReadShard:
        """Return the text of a shard of a run on words. The last shard has the entries of a dictionary."""
        text: ReadShard = folder.take(READ(shard), "text", cls)
        if shard < Run.current(folder).shards or not folder.exists(ENTRIES()):
            return text
        entries: ReadShard = folder.take(ENTRIES(), "text", cls)
        lines, further = (Bitext(part.source, part.target) for part in (text, entries))
        return replace(cls.of(lines.joined_with(further)), report=text.report)

    @property
    def sides(self) -> tuple[TextSide, TextSide]:
        """The source and the target side."""
        return self.source, self.target

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Both vocabularies."""
        return self.source.vocabulary, self.target.vocabulary

    def encoded_sides(self, whole: tuple[Vocabulary, Vocabulary]) -> tuple[TextSide, TextSide]:
        """Return both sides in the word ids of the whole text, whose vocabularies are given."""
        return self.source.encoded_in(whole[0]), self.target.encoded_in(whole[1])

    def encoded(self, whole: tuple[Vocabulary, Vocabulary], threads: int = 1) -> EncodedPairs:
        """Return the pairs in the order of training and in the word ids of the whole text.

        whole: the vocabularies of the whole text.
        """
        return _in_order(self.encoded_sides(whole), threads)


class SideWords:
    """The words of one side of a text, whose shards are added in their order."""

    def __init__(self) -> None:
        self._table, self._counts = WordTable(), np.zeros(0, np.int64)
        self._spellings: dict[str, str] = {}

    def add(self, side: TextSide) -> None:
        """Add the words of the next shard, in the order in which they first occur."""
        vocabulary = side.vocabulary
        _, order = side.count(len(vocabulary))
        numbers = self._table.add(WordTable.of_words(vocabulary.words[k] for k in order.tolist()))
        self._counts = np.pad(self._counts, (0, len(self._table) - len(self._counts)))
        self._counts[numbers] += vocabulary.counts[order]
        self._spellings = {**vocabulary.spellings, **self._spellings}

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary: most frequent words first, ties in order of first appearance."""
        order, keys = np.argsort(-self._counts, kind="stable"), self._table.words()
        words = [keys[k] for k in order.tolist()]
        spellings = {word: self._spellings[word] for word in words if word in self._spellings}
        return Vocabulary(words, self._counts[order], spellings=spellings)


@dataclass(frozen=True, eq=False)
class EncodedShard:
    """The usable pairs of a shard in the order of training, with the index of their word pairs.

    Word ids belong to the whole text, pair_ids to the shard. kept_cells: the cells that pruning
    kept, or None.
    """

    pairs: EncodedPairs
    index: CooccurrenceIndex
    kept_cells: KeptBits | None = None

    def check_structure(self) -> None:
        """Raise DamagedError unless these are sentence pairs and their index, as kernels expect."""
        pairs, index = self.pairs, self.index
        _check_pairs(pairs)
        types = index.source_types, index.target_types
        require(types == (pairs.source_types, pairs.target_types), "it has an index of other words")
        require_like(
            self.kept_cells,
            None if self.kept_cells is None else KeptBits.none(pairs.source.lengths, pairs.target.lengths),
            "kept",
        )

    @classmethod
    def read(cls, folder: Folder, shard: int, run: Run, threads: int = 1) -> EncodedShard:
        """Return a shard, with what pruning kept. It is written again if its file was deleted."""
        name, text = ENCODED(shard), run.texts[shard - 1]
        made_from = [run.encoded, text]
        if not folder.exists(name):
            cls.write(folder, shard, made_from, threads)
        encoded: EncodedShard = folder.take(name, "shard", cls, made_from)
        if run.pruned is not None and len(encoded.pairs):
            with folder.opened(KEPT(shard), [run.pruned, text]) as file:
                index, kept_cells = file.take("index", CooccurrenceIndex), file.take("kept", KeptBits)
                encoded = replace(encoded, index=index, kept_cells=kept_cells)
                encoded.check_structure()
        return encoded

    @classmethod
    def write(cls, folder: Folder, shard: int, made_from: Sequence[str | None], threads: int = 1) -> None:
        """Encode the text of a shard in the words of the whole run, and write it.

        made_from: the identities of the state before round 1 and of the text.
        """
        text = ReadShard.take(folder, shard)
        with folder.opened(STATE(folder.round())) as file:
            facts: TextFacts = file.take("facts", TextFacts)
        sides = text.encoded_sides(facts.vocabularies)
        pairs, edges = _in_order(sides, threads), tuple(map(count_edges, sides))
        encoded = cls(pairs, CooccurrenceIndex.of(pairs, threads))
        folder.write(ENCODED(shard), list(made_from), {"edges": edges, "shard": encoded})

    @property
    def blocks(self) -> BlockSource:
        """The blocks of the shard, without pair_ids."""
        return BlockSource.of(self.pairs)


def _in_order(sides: tuple[TextSide, TextSide], threads: int) -> EncodedPairs:
    """Return the pairs of both sides in the order of training."""
    source, target = (side.sentences for side in sides)
    order = order_by_size(source.lengths, target.lengths)
    return EncodedPairs(source, target, *(len(side.vocabulary) for side in sides)).select(order, threads)


def _check_pairs(pairs: EncodedPairs) -> None:
    """Raise DamagedError unless these are sentence pairs of known words, none with an empty side."""
    try:
        pairs.source.check(pairs.source_types - 1)
        pairs.target.check(pairs.target_types - 1)
    except DataError as error:
        require(False, str(error))
    lengths = pairs.source.lengths, pairs.target.lengths
    require(len(lengths[0]) == len(lengths[1]), "it has sides of different numbers of sentences")
    require(all(side.min(initial=1) > 0 for side in lengths), "it has empty sentences")
