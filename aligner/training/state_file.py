"""The state of training as plain data and arrays, for checkpoints and for the folders of runs by shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from aligner.criteria import Counts, Criterion
from aligner.models import MODELS
from aligner.models.model_file import (
    describe_pair,
    link_arrays,
    pair_arrays,
    rebuild_pair,
    take_history,
    take_links,
)
from aligner.recipe.config import Recipe
from aligner.storage.checks import require, take
from aligner.storage.codec import decode, encode
from aligner.training.state import TrainingState


def describe_state(state: TrainingState) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Return the header and the arrays of a state. Names are those of the file of its model."""
    arrays = pair_arrays(state.pair) | link_arrays(state.links)
    header = describe_pair(state.pair) | {
        "corpus": state.report,
        "history": state.history,
        "stage_number": state.stage_number,
        "iteration": state.iteration,
        "criterion_state": encode(
            state.criterion_state, arrays, "criterion_state", state.stage.criterion.state_types
        ),
        "running": encode(state.running, arrays, "running"),
    }
    return header, arrays


def rebuild_state(
    header: dict[str, Any], arrays: Mapping[str, NDArray], recipe: Recipe, types: tuple[int, int]
) -> TrainingState:
    """Return the state of a header and arrays; raise DamagedError if they are invalid.

    types: the sizes of the source and of the target vocabulary.
    """
    number, iteration = take(header, "stage_number", int), take(header, "iteration", int)
    require(1 <= number <= len(recipe.stages), f"'stage_number' is {number}")
    stage = recipe.stages[number - 1]
    require(0 <= iteration <= stage.iterations, f"'iteration' is {iteration}")
    pair = rebuild_pair(header, arrays, *types)
    for model in pair.directions:
        require(type(model) is MODELS[stage.model], f"its model is not that of '{stage.model}'")
    report, history = take(header, "corpus", dict), take_history(header)
    state = take_criterion_state(header, arrays, stage.criterion)
    running = decode(tuple[int, Counts] | None, header.get("running"), arrays, "running")
    links = take_links(arrays, *types)
    return TrainingState(recipe, pair, report, number, iteration, state, running, list(history), links)


def take_criterion_state(header: dict[str, Any], arrays: Mapping[str, NDArray], criterion: Criterion) -> Any:
    """Return the state of a criterion from the header and arrays of a state of training."""
    encoded = header.get("criterion_state")
    return decode(Any, encoded, arrays, "criterion_state", criterion.state_types)
