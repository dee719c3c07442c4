"""The E-step over one shard."""

from __future__ import annotations

from typing import Any, NamedTuple

from aligner.models import ModelPair
from aligner.recipe.config import PRUNING_ITERATION, Stage
from aligner.shards.counts import ShardCounts
from aligner.shards.loading import LoadedShard
from aligner.shards.text import EncodedShard
from aligner.training.estep_choice import choose_estep
from aligner.training.evidence import KnownFacts
from aligner.training.pruning import Pruner
from aligner.training.schedule import inferences_of


class Expectation(NamedTuple):
    """The result of an E-step over one shard.

    counts: its expected counts; shard: the shard after pruning, or None if it did not change; remembered: the
    state of the criterion for the pairs of this shard.
    """

    counts: ShardCounts
    shard: EncodedShard | None
    remembered: Any


def expect(
    loaded: LoadedShard,
    model: ModelPair,
    stage: Stage,
    iteration: int,
    remembered: Any = None,
    threads: int = 1,
) -> Expectation:
    """Return the expected counts of a shard for one iteration of a stage.

    model: over the word pairs of the shard; remembered: the state of the criterion after the last iteration
    of this stage, or None.
    """
    shard, criterion = loaded.shard, stage.criterion
    if not len(shard.bitext):
        return Expectation(ShardCounts.none(criterion, model), None, None)
    source = shard.blocks(threads)
    prunes = stage.prunes and iteration == PRUNING_ITERATION
    pruner = Pruner(stage.prune, source) if prunes else None
    state = criterion.initial_state(source) if remembered is None else remembered
    counts = choose_estep(stage, KnownFacts(), source, threads)(
        criterion, inferences_of(stage)[iteration - 1](model), state, block_filter=pruner
    )
    if pruner is None:
        return Expectation(ShardCounts.of(loaded.places[1:], counts), None, state)
    pruned, _ = pruner.prune(model, threads)
    return Expectation(
        ShardCounts.of(loaded.places[1:], counts, pruner.used),
        EncodedShard(shard.bitext, pruned.index, pruned.kept),
        criterion.state_after_pruning(state),
    )
