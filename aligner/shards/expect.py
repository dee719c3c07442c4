"""The E-step over one shard."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import Counts
from aligner.models import ModelPair
from aligner.recipe.config import PRUNING_ITERATION, Stage
from aligner.shards.counts import CountsWithoutLinks, ExpectedLinks
from aligner.shards.loading import LoadedShard
from aligner.shards.parts import Part
from aligner.shards.shard import EncodedShard
from aligner.training.estep_choice import choose_estep
from aligner.training.evidence import KnownFacts
from aligner.training.pruning import Pruner
from aligner.training.schedule import inferences_of


class Expectation(NamedTuple):
    """The result of an E-step over one shard.

    part: its expected counts; shard: the shard after pruning, or None if it did not change; remembered: the
    state of the criterion for the pairs of this shard.
    """

    part: Part
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
    of this stage, or None, for the pairs of this shard if it has a state of pairs.
    """
    shard, criterion = loaded.shard, stage.criterion
    if not len(shard.bitext):
        return Expectation(_part_of(loaded, criterion.empty_counts(model)), None, None)
    source = shard.blocks(threads)
    prunes = stage.prunes and iteration == PRUNING_ITERATION
    pruner = Pruner(stage.prune, source) if prunes else None
    state = criterion.initial_state(source, model) if remembered is None else remembered
    counts = choose_estep(stage, KnownFacts(), source, threads)(
        criterion, inferences_of(stage)[iteration - 1](model), state, block_filter=pruner
    )
    if pruner is None:
        return Expectation(_part_of(loaded, counts), None, state)
    pruned, smaller = pruner.prune(model, threads)
    return Expectation(
        _part_of(loaded, counts, pruner.used),
        EncodedShard(shard.bitext, pruned.index, pruned.kept),
        criterion.state_after_pruning(state, pruned, smaller),
    )


def _part_of(loaded: LoadedShard, counts: Counts, used: NDArray[np.bool_] | None = None) -> Part:
    """Return the counts of a shard by slices; used: bool [pair_ids + 1], the kept word pairs, or None."""
    links = (
        ExpectedLinks.of(in_slice, counts.links[in_shard], None if used is None else used[in_shard])
        for in_shard, in_slice in loaded.slices
    )
    return Part(CountsWithoutLinks.of(counts), tuple(links))
