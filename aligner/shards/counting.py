"""The counting of a shard in an iteration.

A process that counts never holds the whole lexicon: it reads the file of a state chunk by chunk, and keeps
the rows that the shard needs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.arrays import Int64s
from aligner.errors import DamagedError
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models import AlignmentModel, ModelPair
from aligner.models.pair import DIRECTIONS
from aligner.shards.folder import ENCODED, KEPT, REMEMBERED, STATE, Folder, RunFile
from aligner.shards.run_state import FIRST_ITERATION, Run, Shares, iterations_of
from aligner.shards.shard import EncodedShard
from aligner.shards.shard_counts import ShardCounts, no_counts
from aligner.storage.checks import require, require_rows, take_array
from aligner.storage.codec import decode, require_like
from aligner.text.facts import TextFacts
from aligner.text.vocabulary import Vocabulary
from aligner.training.counting import Counting
from aligner.training.state import TrainingState
from aligner.training.state_file import take_criterion_state
from aligner.training.task import Task

_NO_WORDS = Vocabulary([], np.empty(0, np.int64))
_NO_FACTS = TextFacts(_NO_WORDS, _NO_WORDS, {}, {})
"""Facts of a text that is counted: only updates need facts."""


def count_shard(folder: Folder, shard: int, round: int, made_from: list[str], threads: int) -> ShardCounts:
    """Return the expected counts of a shard; write what later rounds need.

    round, made_from: the number of the state to count under, and the identities of the state and of the text,
    even if another process updates the run meanwhile.
    """
    with folder.opened(STATE(round)) as file:
        run: Run = file.take("run", Run)
        encoded = EncodedShard.read(folder, shard, run, threads)
        if (encoded.pairs.source_types, encoded.pairs.target_types) != file.take("types", tuple[int, int]):
            raise DamagedError("it has other words", folder.path / ENCODED(shard))
        pair_ids = _find_pair_ids(encoded.index, file)
        state = _state_of_shard(encoded, pair_ids, run, file, threads)
    if not len(encoded.pairs):
        return ShardCounts.of(no_counts(state), pair_ids)
    criterion = state.stage.criterion
    if criterion.has_pair_state:
        state.criterion_state = _remembered(folder, shard, run, state, encoded)
    counts = Counting()(state, (0, len(encoded.pairs)))
    criterion_state = state.criterion_state
    if counts.kept_pairs is not None:
        lexicon = state.pair.lexicon.select(counts.kept_pairs)
        folder.write(KEPT(shard), made_from, {"index": lexicon.index, "kept": state.kept_cells})
        criterion_state = criterion.state_after_pruning(criterion_state, replace(state.pair, lexicon=lexicon))
    if criterion.has_pair_state:
        folder.write(REMEMBERED(round, shard), made_from, {"criterion_state": criterion_state})
    return ShardCounts.of(counts, pair_ids)


def _find_pair_ids(index: CooccurrenceIndex, file: RunFile) -> NDArray[np.uint32]:
    """Return the pair_id in a run of each of a shard's word pairs, uint32 [pair_ids], ascending.

    index: of the shard; file: of the run's state. Raises DamagedError if one is missing.
    """
    pair_ids = np.zeros(len(index) + 1, np.uint32)
    row_offsets = file.array("rows.pairs.row_offsets", Int64s)
    require(len(row_offsets) == len(index.row_offsets), "it has rows of other words")
    require_rows(row_offsets, 1, int(row_offsets[-1]), "pairs.row_offsets")
    for begin, chunk in file.chunks("rows.pairs.columns", np.int32):
        kernels.index.find_indices(begin, chunk, row_offsets, index.row_offsets, index.columns, pair_ids)
    if not pair_ids[1:].all():
        raise DamagedError("it lacks word pairs of the shard", file.path)
    return pair_ids[1:]


def _state_of_shard(
    encoded: EncodedShard, pair_ids: NDArray[np.uint32], run: Run, file: RunFile, threads: int
) -> TrainingState:
    """Return the state of training in a file, whose model is over the word pairs of a shard."""
    index, task = encoded.index, Task(_NO_FACTS, {}, threads, encoded.blocks)
    table = np.empty((len(index) + 1, 2), np.float32)
    table[0] = FLOOR
    for begin, chunk in file.chunks("rows.lexicon.table", np.float32, 2):
        kernels.tables.take_rows(begin, chunk, pair_ids, table[1:])
    header, arrays = file.take("training", dict), file.take("arrays", dict[str, np.ndarray])
    null_forward = take_array(arrays, "lexicon.null_forward", np.float32, index.target_types + 1)
    null_reverse = take_array(arrays, "lexicon.null_reverse", np.float32, index.source_types + 1)
    lexicon = Lexicon(index, table, null_forward, null_reverse, file.take("uniform_shares", Shares))
    lexicon.check_probabilities()
    directions = (decode(AlignmentModel, header.get(name), arrays, name) for name in DIRECTIONS)
    pair = ModelPair(lexicon, *directions)
    number, iteration = iterations_of(run.recipe)[run.round - FIRST_ITERATION]
    state = TrainingState(task, run.recipe, pair, {}, number, iteration - 1, kept_cells=encoded.kept_cells)
    state.criterion_state = take_criterion_state(header, arrays, run.stage.criterion)
    return state


def _remembered(folder: Folder, shard: int, run: Run, state: TrainingState, encoded: EncodedShard) -> Any:
    """Return the state of the criterion for the pairs of a shard, after the last iteration of the stage."""
    initial = state.stage.criterion.initial_state(encoded.blocks, state.pair)
    if not state.iteration:
        return initial
    made_from = [run.before, run.texts[shard - 1]]
    with folder.opened(REMEMBERED(run.round - 1, shard), made_from) as file:
        remembered = file.take("criterion_state", state.stage.criterion.state_type)
        require_like(remembered, initial, "criterion_state")
    return remembered
