"""A shard that is ready to be counted in an iteration, with the rows of the lexicon that it needs.

A process that counts never holds the whole lexicon: it reads the file of a state piece by piece.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.errors import DamagedError
from aligner.lexicon.blocks import KeptBits
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import ModelPair
from aligner.models.model_file import rebuild_directional
from aligner.models.pair import DIRECTIONS
from aligner.shards.folder import Folder, RunFile
from aligner.shards.links import ExpectedLinks, without_links
from aligner.shards.shard import EncodedShard
from aligner.shards.state import FIRST_ITERATION, RunState, Shares, iterations_of
from aligner.storage.checks import require, require_rows, take_array
from aligner.storage.codec import require_like
from aligner.training.counting import Counting
from aligner.training.state import TrainingState
from aligner.training.state_file import take_criterion_state


@dataclass(frozen=True, eq=False)
class LoadedShard:
    """A shard, and the pair_id in the run of each of its word pairs, uint32 [n], ascending."""

    shard: EncodedShard
    pair_ids: NDArray[np.uint32]

    @classmethod
    def read(cls, folder: Folder, shard: int, run: RunState, file: RunFile, threads: int) -> LoadedShard:
        """Read a shard of a run; file: of the run's state."""
        name, text = f"encoded.{shard}", run.texts[shard - 1]
        made_from = [run.encoded, text]
        if not folder.exists(name):
            EncodedShard.write(folder, shard, made_from, threads)
        own: EncodedShard = folder.take(name, "shard", EncodedShard, made_from)
        if (own.pairs.source_types, own.pairs.target_types) != file.take("types", tuple[int, int]):
            raise DamagedError("it has other words", folder.path / name)
        if run.pruned is not None and len(own.pairs):
            with folder.opened(f"kept.{shard}", [run.pruned, text]) as kept:
                own = replace(
                    own, index=kept.take("index", CooccurrenceIndex), kept=kept.take("kept", KeptBits)
                )
                own.check_structure()
        return cls(own, _find_pair_ids(own.index, file))

    def state(self, run: RunState, file: RunFile) -> TrainingState:
        """Return the state of training for this shard, whose model is over the word pairs of the shard."""
        index = self.shard.index
        table = np.empty((len(index) + 1, 2), np.float32)
        table[0] = FLOOR
        for begin, piece in file.pieces("rows.lexicon.table", np.float32, 2):
            kernels.tables.take_rows(begin, piece, self.pair_ids, table[1:])
        header, arrays = file.take("training", dict), file.take("arrays", dict[str, np.ndarray])
        null_forward = take_array(arrays, "lexicon.null_forward", np.float32, index.target_types + 1)
        null_reverse = take_array(arrays, "lexicon.null_reverse", np.float32, index.source_types + 1)
        lexicon = Lexicon(index, table, null_forward, null_reverse, file.take("uniform_shares", Shares))
        lexicon.check_probabilities()
        pair = ModelPair(lexicon, *(rebuild_directional(header, arrays, name) for name in DIRECTIONS))
        number, iteration = iterations_of(run.recipe)[run.round - FIRST_ITERATION]
        memory = take_criterion_state(header, arrays, run.recipe.stages[number - 1].criterion)
        return TrainingState(run.recipe, pair, {}, number, iteration - 1, memory)


class LatestShard:
    """The shard that a process counted last. It is read again only if another one is counted."""

    def __init__(self) -> None:
        self._key: Any = None
        self._loaded: LoadedShard | None = None

    def _get(self, folder: Folder, shard: int, run: RunState, file: RunFile, threads: int) -> LoadedShard:
        """Return a shard."""
        key = folder.path, shard, run.texts[shard - 1], run.encoded, run.pruned
        if self._loaded is None or self._key != key:
            self._loaded = None  # frees its memory before another one is read
            self._key, self._loaded = key, LoadedShard.read(folder, shard, run, file, threads)
        return self._loaded

    def counts(
        self, folder: Folder, shard: int, round: int, made_from: list[str], threads: int
    ) -> dict[str, Any]:
        """Return the expected counts of a shard, by the names of their file; write what later rounds need.

        round, made_from: the number of the state to count under, and the identities of the state and of the
        text, even if another process updates the run meanwhile.
        """
        with folder.opened(f"state.{round}") as file:
            run = RunState.outline(file)
            loaded = self._get(folder, shard, run, file, threads)
            state = loaded.state(run, file)
        own, pair, criterion = loaded.shard, state.pair, state.stage.criterion
        counts = criterion.empty_counts(pair)
        if len(own.pairs):
            if criterion.has_pair_state:
                state.criterion_state = _remembered(folder, shard, run, state, own)
            counting = Counting(own.blocks, threads, kept=own.kept)
            state.infer(threads)
            counts = counting.counts(state, (0, len(own.pairs)))
            memory = state.criterion_state
            if counts.kept is not None:
                lexicon, _ = pair.lexicon.select(counts.kept)
                folder.write(f"kept.{shard}", made_from, {"index": lexicon.index, "kept": counting.kept})
                memory = criterion.state_after_pruning(memory, replace(pair, lexicon=lexicon))
            if criterion.has_pair_state:
                folder.write(f"remembered.{round}.{shard}", made_from, {"criterion_state": memory})
        used = None if counts.kept is None else counts.kept[1:]
        links = ExpectedLinks.of(loaded.pair_ids, counts.links[1:], used)
        return {"others": without_links(counts), "links": links}


def _remembered(folder: Folder, shard: int, run: RunState, state: TrainingState, own: EncodedShard) -> Any:
    """Return the state of the criterion for the pairs of a shard, after the last iteration of the stage."""
    memory = state.stage.criterion.initial_state(own.blocks, state.pair)
    if not state.iteration:
        return memory
    made_from = [run.before, run.texts[shard - 1]]
    with folder.opened(f"remembered.{run.round - 1}.{shard}", made_from) as file:
        remembered = file.take("criterion_state", Any, state.stage.criterion.state_types)
        require_like(remembered, memory, "criterion_state")
    return remembered


def _find_pair_ids(index: CooccurrenceIndex, file: RunFile) -> NDArray[np.uint32]:
    """Return the pair_id in a run of each of a shard's word pairs, uint32 [pair_ids].

    index: of the shard; file: of the run's state. Raises DamagedError if one is missing.
    """
    pair_ids = np.zeros(len(index) + 1, np.uint32)
    row_offsets = file.array("rows.pairs.row_offsets", NDArray[np.int64])
    require(len(row_offsets) == len(index.row_offsets), "it has rows of other words")
    require_rows(row_offsets, 1, int(row_offsets[-1]), "pairs.row_offsets")
    for begin, piece in file.pieces("rows.pairs.columns", np.int32):
        kernels.index.find_indices(begin, piece, row_offsets, index.row_offsets, index.columns, pair_ids)
    if not pair_ids[1:].all():
        raise DamagedError("it lacks word pairs of the shard", file.path)
    return pair_ids[1:]
