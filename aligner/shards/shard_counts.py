"""The count of a shard in a round, on the files of a run's folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import Counts
from aligner.errors import DamagedError
from aligner.lexicon.block_sources import search_cells
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import ModelPair
from aligner.models.model_file import rebuild_directional
from aligner.models.pair import DIRECTIONS
from aligner.shards.expected_counts import ExpectedLinks, without_links
from aligner.shards.folder import Folder
from aligner.shards.latest import Latest
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.parts import Part
from aligner.shards.pieces import is_of_pieces, text_of_shard
from aligner.shards.shard import EncodedShard, ReadShard
from aligner.shards.slices import divide
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, RunState, iterations_of, shares_of
from aligner.shards.stored_file import Lineage, StoredFile
from aligner.storage.checks import require, require_rows, take_array
from aligner.storage.codec import require_like
from aligner.text.bitext import Bitext
from aligner.text.facts import TextFacts, length_pairs_of
from aligner.training.counting import LocalCounting
from aligner.training.state import TrainingState
from aligner.training.state_file import take_criterion_state
from aligner.training.usable import check_pairs


def count_words(folder: Folder, shard: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its words."""
    text, identity = _read_text(folder, shard)
    return identity, Part(text.words(shard))


def count_pairs(folder: Folder, shard: int, current: str, threads: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its word pairs; write the encoded text."""
    with folder.opened(f"state.{PAIRS_ROUND}") as file:
        state = RunState.read(file)  # existing models are not needed
        encoded = _encode(folder, shard, file, current, threads)
    rows = divide(encoded.index, state.slice_of_word, state.slices)
    pairs = tuple(WordPairs.of(encoded.index, own) for own in rows)
    return folder.identity(f"read.{shard}"), Part(
        LengthPairs(length_pairs_of(encoded.pairs.source.lengths, encoded.pairs.target.lengths)), pairs
    )


def _encode(folder: Folder, shard: int, state: StoredFile, round_1: str | None, threads: int) -> EncodedShard:
    """Write and return the encoded text of a shard.

    state: the file of a state that has vocabularies; round_1: the identity of the state before round 1.
    """
    text, identity = _read_text(folder, shard)
    if identity != folder.text_of(state.lineage, shard):
        raise folder.foreign(f"read.{shard}")
    vocabularies = state.take("facts", TextFacts).vocabularies
    encoded = EncodedShard.of(text.encoded(vocabularies, threads), threads)
    folder.write(f"encoded.{shard}", Lineage(round_1, identity), {"shard": encoded})
    return encoded


def count_links(
    folder: Folder, shard: int, round: int, current: str, threads: int, shards: Latest[LoadedShard]
) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its expected counts; write what later rounds need of it.

    round, current: the number and the identity of the state to count under, even if another process updates
    it meanwhile; shards: the shard that this process counted last.
    """
    with folder.opened(f"state.{round}") as file, ExitStack() as stack:
        run, lineage = RunState.outline(file), file.lineage
        before, text = lineage.state, folder.text_of(lineage, shard)
        numbers = range(1, run.slices + 1)
        rows = [stack.enter_context(folder.opened(f"rows.{round}.{n}", Lineage(before))) for n in numbers]
        key = folder.path, shard, text, lineage.encoded, lineage.pruned
        loaded = shards.get(key, lambda: LoadedShard.read(folder, shard, run, file, rows, threads))
        state = loaded.state(run, file, rows)
    own, pair, criterion = loaded.shard, state.pair, state.stage.criterion
    if not len(own.pairs):
        return text, loaded.part(criterion.empty_counts(pair))
    if criterion.has_pair_state:
        memory = criterion.initial_state(own.blocks, pair)
        if state.iteration:
            with folder.opened(f"remembered.{round - 1}.{shard}", Lineage(before, text)) as file:
                remembered = file.take("criterion_state", Any, criterion.state_types)
                require_like(remembered, memory, "criterion_state")
            memory = remembered
        state = replace(state, criterion_state=memory)
    counting = LocalCounting(own.blocks, search_cells(own.blocks.cells, threads), threads, kept=own.kept)
    inferred = replace(state, pair=state.inference(state.pair, threads))
    counts = counting.expected_counts(inferred, (0, len(own.pairs)))
    memory, own_lineage = state.criterion_state, Lineage(current, text)
    if counts.kept is not None:
        lexicon, _ = pair.lexicon.select(counts.kept, threads)
        folder.write(f"kept.{shard}", own_lineage, {"index": lexicon.index, "kept": counting.kept})
        memory = criterion.state_after_pruning(memory, replace(pair, lexicon=lexicon))
    if criterion.has_pair_state:
        folder.write(f"remembered.{round}.{shard}", own_lineage, {"criterion_state": memory})
    return text, loaded.part(counts)


def write_text(folder: Folder, shard: int, bitext: Bitext, origin: Any) -> None:
    """Write the text of a shard, whether the run has begun or not."""
    text = ReadShard.of(bitext)
    check_pairs(len(text.source))
    folder.write(f"read.{shard}", Lineage(origin=origin), {"text": text, "pairs": len(text.source)})


def _read_text(folder: Folder, shard: int) -> tuple[ReadShard, str]:
    """Return the text of a shard, and its identity."""
    name = f"read.{shard}"
    if is_of_pieces(folder) and not folder.exists(name):
        bitext, words = text_of_shard(folder, shard)
        write_text(folder, shard, bitext, words)
    return folder.take(name, "text", ReadShard), folder.identity(name)


class LoadedSlice(NamedTuple):
    """The pair_ids, ascending, of the word pairs that a shard has in one slice.

    in_shard: in the index of the shard, uint32 [n], or slice(1, None) for all of them; in_slice: in the index
    of the slice, uint32 [n].
    """

    in_shard: slice | NDArray[np.uint32]
    in_slice: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class LoadedShard:
    """A shard that is ready to be counted, and its word pairs in each slice."""

    shard: EncodedShard
    slices: list[LoadedSlice]

    @classmethod
    def read(
        cls,
        folder: Folder,
        shard: int,
        run: RunState,
        state: StoredFile,
        rows: Sequence[StoredFile],
        threads: int,
    ) -> LoadedShard:
        """Read a shard of a run for training; state, rows: the files of the state and of its rows."""
        name, lineage = f"encoded.{shard}", state.lineage
        text = folder.text_of(lineage, shard)
        if not folder.exists(name):
            _encode(folder, shard, state, lineage.encoded, threads)
        own: EncodedShard = folder.take(name, "shard", EncodedShard, Lineage(lineage.encoded, text))
        if (own.pairs.source_types, own.pairs.target_types) != state.take("types", tuple[int, int]):
            raise DamagedError("it has other words", folder.path / name)
        if lineage.pruned is not None and len(own.pairs):
            with folder.opened(f"kept.{shard}", Lineage(lineage.pruned, text)) as file:
                index, kept = file.take("index", CooccurrenceIndex), file.take("kept", KeptBits)
                own = replace(own, index=index, kept=kept)
                own.check_structure()
        slice_of_word = state.take("slice_of_word", NDArray[np.int32])
        if len(slice_of_word) != own.index.source_types:
            raise DamagedError("its slices are not those of the text's words", state.path)
        divided = divide(own.index, slice_of_word, run.slices)
        slices = [
            LoadedSlice(part.pair_ids, _find_pair_ids(WordPairs.of(own.index, part), own.index, file))
            for part, file in zip(divided, rows, strict=True)
        ]
        return cls(own, slices)

    def state(self, run: RunState, file: StoredFile, rows: Sequence[StoredFile]) -> TrainingState:
        """Return the state of training for this shard, whose model is over the word pairs of the shard.

        file, rows: the files of the state, and of the rows of each slice, which are read piece by piece.
        """
        index = self.shard.index
        table = np.empty((len(index) + 1, 2), np.float32)
        table[0] = FLOOR
        for (in_shard, in_slice), of_slice in zip(self.slices, rows, strict=True):
            own = table[in_shard]  # a view, if the slice has all word pairs
            for begin, piece in of_slice.pieces("lexicon.table", np.float32, 2):
                kernels.tables.take_rows(begin, piece, in_slice, own)
            if own.base is not table:
                table[in_shard] = own
        header, arrays = file.take("training", dict), file.take("arrays", dict[str, np.ndarray])
        null_forward = take_array(arrays, "lexicon.null_forward", np.float32, index.target_types + 1)
        null_reverse = take_array(arrays, "lexicon.null_reverse", np.float32, index.source_types + 1)
        lexicon = Lexicon(index, table, null_forward, null_reverse, uniform_shares=shares_of(file))
        lexicon.check_probabilities()
        pair = ModelPair(lexicon, *(rebuild_directional(header, arrays, name) for name in DIRECTIONS))
        number, iteration = iterations_of(run.recipe)[run.round - FIRST_ITERATION]
        memory = take_criterion_state(header, arrays, run.recipe.stages[number - 1].criterion)
        return TrainingState(run.recipe, pair, {}, number, iteration - 1, memory)

    def part(self, counts: Counts) -> Part:
        """Return the counts of the shard by slices."""
        used = counts.kept
        links = (
            ExpectedLinks.of(in_slice, counts.links[in_shard], None if used is None else used[in_shard])
            for in_shard, in_slice in self.slices
        )
        return Part(without_links(counts), tuple(links))


def _find_pair_ids(pairs: WordPairs, index: CooccurrenceIndex, file: StoredFile) -> NDArray[np.uint32]:
    """Return the pair_id in a slice's file of each of a shard's word pairs, uint32 [pair_ids].

    index: of the shard. Raises DamagedError if one is missing.
    """
    local = pairs.index(index.source_types, index.target_types)
    pair_ids = np.zeros(len(local) + 1, np.uint32)
    row_offsets = file.take("pairs.row_offsets", NDArray[np.int64])
    require(len(row_offsets) == len(local.row_offsets), "it has rows of other words")
    require_rows(row_offsets, 1, int(row_offsets[-1]), "pairs.row_offsets")
    for begin, piece in file.pieces("pairs.columns", np.int32):
        rows = row_offsets, local.row_offsets, local.columns
        kernels.index.find_indices(begin, piece, *rows, pair_ids)
    if not pair_ids[1:].all():
        raise DamagedError("it lacks word pairs of the shard", file.path)
    return pair_ids[1:]
