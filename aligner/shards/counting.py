"""The count of a shard in a round, on the files of a run's folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.criteria import Counts
from aligner.errors import DamagedError
from aligner.lexicon.block_sources import search_cells
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import ModelPair
from aligner.models.model_file import rebuild_directional
from aligner.shards.counts import CountsWithoutLinks, ExpectedLinks
from aligner.shards.folder import Folder
from aligner.shards.pairs import LengthPairs, WordPairs
from aligner.shards.parts import Part
from aligner.shards.shard import EncodedShard, ReadShard
from aligner.shards.slices import divide
from aligner.shards.state import FIRST_ITERATION, PAIRS_ROUND, RunState, iterations_of, shares_of
from aligner.shards.stored_file import StoredFile
from aligner.storage.checks import require, require_rows, take_array
from aligner.storage.codec import require_like
from aligner.text.facts import length_pairs_of
from aligner.training.counting import LocalCounting
from aligner.training.state import TrainingState
from aligner.training.state_file import take_criterion_state


def count_words(folder: Folder, shard: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its words."""
    text, identity = _read_text(folder, shard)
    return identity, Part(text.words(shard))


def count_pairs(folder: Folder, shard: int, current: str, threads: int) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its word pairs; write the encoded text."""
    text, identity = _read_text(folder, shard)
    folder.require(f"read.{shard}", folder.text_of(folder.made_from(f"state.{PAIRS_ROUND}"), shard))
    with folder.opened(f"state.{PAIRS_ROUND}") as file:
        state = RunState.read(file)  # existing models are not needed
        encoded = EncodedShard.of(text.encoded(state.known_facts.vocabularies, threads), threads)
    folder.write(f"encoded.{shard}", {"text": identity, "state": current}, {"shard": encoded})
    rows = divide(encoded.index, state.slice_of_word, state.slices)
    pairs = tuple(WordPairs.of(encoded.index, own) for own in rows)
    return identity, Part(LengthPairs(length_pairs_of(encoded.pairs)), pairs)


def count_links(
    folder: Folder, shard: int, round: int, current: str, threads: int, cache: ShardCache
) -> tuple[str, Part]:
    """Return the identity of a shard's text, and its expected counts; write what later rounds need of it.

    round, current: the number and the identity of the state to count under, even if another process updates
    it meanwhile.
    """
    with folder.opened(f"state.{round}") as file, ExitStack() as stack:
        run, lineage = RunState.outline(file), file.made_from
        slices = (folder.rows_file(round, number) for number in range(1, run.slices + 1))
        rows = [stack.enter_context(folder.opened(*of_slice)) for of_slice in slices]
        loaded = cache.load(folder, shard, run, lineage, file, rows)
        state = _state_of_shard(run, loaded, file, rows)
    text, pair, criterion = folder.text_of(lineage, shard), state.pair, state.stage.criterion
    if not len(loaded.shard.pairs):
        return text, loaded.part(criterion.empty_counts(pair))
    if criterion.has_pair_state:
        made_before = {"text": text, "state": lineage["before"]}
        state = _with_pair_state(state, folder, round, shard, loaded.shard, made_before)
    blocks = loaded.shard.blocks
    counting = LocalCounting(blocks, search_cells(blocks.cells, threads), threads, kept=loaded.shard.kept)
    counts = counting.expected_counts(state, (0, len(loaded.shard.pairs)))
    memory, made_from = state.criterion_state, {"text": text, "state": current}
    if counts.kept is not None:
        lexicon, _ = pair.lexicon.select(counts.kept, threads)
        pruned = replace(loaded.shard, index=lexicon.index, kept=counting.kept)
        folder.write(f"kept.{shard}", made_from, pruned.pruned_values())
        memory = criterion.state_after_pruning(memory, replace(pair, lexicon=lexicon))
    if criterion.has_pair_state:
        folder.write(f"remembered.{round}.{shard}", made_from, {"criterion_state": memory})
    return text, loaded.part(counts)


def _state_of_shard(
    run: RunState, loaded: LoadedShard, file: StoredFile, rows: Sequence[StoredFile]
) -> TrainingState:
    """Return the state of training for one shard, whose model is over the word pairs of the shard.

    file, rows: the files of the state, and of the rows of each slice.
    """
    number, iteration = iterations_of(run.recipe)[run.round - FIRST_ITERATION]
    header, arrays = file.take("training", dict), file.take("arrays", dict)
    pair = loaded.local_model(header, arrays, shares_of(file), rows)
    memory = take_criterion_state(header, arrays, run.recipe.stages[number - 1].criterion)
    return TrainingState(run.recipe, pair, {}, number, iteration - 1, memory)


def _with_pair_state(
    state: TrainingState,
    folder: Folder,
    round: int,
    shard: int,
    own: EncodedShard,
    made_before: dict[str, Any],
) -> TrainingState:
    """Return the state of training with the state of the criterion for the pairs of a shard.

    made_before: what the file of the latter was made from in the round before.
    """
    criterion = state.stage.criterion
    memory = criterion.initial_state(own.blocks, state.pair)
    if state.iteration:
        with folder.opened(f"remembered.{round - 1}.{shard}", made_before) as file:
            remembered = file.take("criterion_state", Any, criterion.state_types)
            require_like(remembered, memory, "criterion_state")
        memory = remembered
    return replace(state, criterion_state=memory)


def _read_text(folder: Folder, shard: int) -> tuple[ReadShard, str]:
    """Return the text of a shard, and its identity."""
    name = f"read.{shard}"
    return folder.take(name, "text", ReadShard), folder.identity(name)


def is_of_text(folder: Folder, part: str) -> bool:
    """Return True if the texts of a part are still the same."""
    texts = folder.made_from(part)["texts"]
    return all(folder.identity(f"read.{shard}") == text for shard, text in texts.items())


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

    def local_model(
        self,
        header: dict[str, Any],
        arrays: Mapping[str, NDArray],
        uniform_shares: tuple[NDArray[np.float32], NDArray[np.float32]] | None,
        rows: Sequence[StoredFile],
    ) -> ModelPair:
        """Return the model over the word pairs of the shard.

        header, arrays, uniform_shares: of the state of training; rows: the files of the rows of each slice,
        which are read piece by piece.
        """
        index = self.shard.index
        table = np.empty((len(index) + 1, 2), np.float32)
        table[0] = FLOOR
        for (in_shard, in_slice), file in zip(self.slices, rows, strict=True):
            own = np.empty((len(in_slice), 2), np.float32)
            for begin, piece in file.pieces("lexicon.table", np.float32, 2):
                kernels.tables.take_rows(begin, piece, in_slice, own)
            table[in_shard] = own
        null_forward = take_array(arrays, "lexicon.null_forward", np.float32, index.target_types + 1)
        null_reverse = take_array(arrays, "lexicon.null_reverse", np.float32, index.source_types + 1)
        lexicon = Lexicon(index, table, null_forward, null_reverse, uniform_shares=uniform_shares)
        lexicon.check_probabilities()
        models = (rebuild_directional(header, arrays, direction) for direction in ("forward", "reverse"))
        return ModelPair(lexicon, *models)

    def part(self, counts: Counts) -> Part:
        """Return the counts of the shard by slices."""
        used = counts.kept
        links = (
            ExpectedLinks.of(in_slice, counts.links[in_shard], None if used is None else used[in_shard])
            for in_shard, in_slice in self.slices
        )
        return Part(CountsWithoutLinks.of(counts), tuple(links))


class ShardCache:
    """The shard that was counted last. It is read again only if another one, or a pruned one, is needed."""

    def __init__(self) -> None:
        self._key: Any = None
        self._loaded: LoadedShard | None = None

    def load(
        self,
        folder: Folder,
        shard: int,
        run: RunState,
        lineage: dict[str, Any],
        state: StoredFile,
        rows: Sequence[StoredFile],
    ) -> LoadedShard:
        """Return a shard of a run.

        lineage: what the state was made from; state, rows: the files of the state and of its rows.
        """
        text = {"text": folder.text_of(lineage, shard)}
        key = folder.path, shard, text, lineage["encoded"], lineage["pruned"]
        if self._loaded is None or self._key != key:
            self._loaded = None  # frees its memory before another shard is read
            encoded = _read_encoded(folder, shard, text, lineage, state)
            divided = divide(encoded.index, state.take("slice_of_word", NDArray[np.int32]), run.slices)
            slices = [
                LoadedSlice(
                    own.pair_ids, _find_pair_ids(WordPairs.of(encoded.index, own), encoded.index, file)
                )
                for own, file in zip(divided, rows, strict=True)
            ]
            self._key, self._loaded = key, LoadedShard(encoded, slices)
        return self._loaded


def _read_encoded(
    folder: Folder, shard: int, text: dict[str, str], lineage: dict[str, Any], state: StoredFile
) -> EncodedShard:
    """Return the text of a shard as it is trained on."""
    encoded: EncodedShard = folder.take(
        f"encoded.{shard}", "shard", EncodedShard, text | {"state": lineage["encoded"]}
    )
    if (encoded.pairs.source_types, encoded.pairs.target_types) != state.take("types", tuple[int, int]):
        raise DamagedError("it has other words", folder.path / f"encoded.{shard}")
    if lineage["pruned"] is None or not len(encoded.pairs):
        return encoded
    with folder.opened(f"kept.{shard}", text | {"state": lineage["pruned"]}) as file:
        return encoded.pruned(file)


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
