"""The state of training as plain data and arrays, for checkpoints and for the folders of runs by shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from aligner.criteria import Counts, Criterion
from aligner.models import MODELS, ModelPair
from aligner.models.trained import WordLinks
from aligner.recipe.config import Recipe
from aligner.storage.checks import require, take
from aligner.storage.codec import decode, encode
from aligner.training.state import TrainingState
from aligner.training.task import Task


def describe_state(state: TrainingState) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Return the header and the arrays of a state. The model pair has the names of a model file."""
    arrays: dict[str, NDArray] = {}
    criterion = state.stage.criterion
    if criterion.state_type is None and state.criterion_state is not None:
        raise TypeError(f"criterion {criterion.name!r} has a state; expected its type, as ``state_type``")
    header = encode(state.pair, arrays) | {
        "corpus": state.report,
        "history": state.history,
        "stage_number": state.stage_number,
        "iteration": state.iteration,
        "criterion_state": encode(state.criterion_state, arrays, "criterion_state"),
        "running": encode(state.running, arrays, "running"),
        "links": encode(state.links, arrays, "links"),
    }
    return header, arrays


def rebuild_state(
    header: dict[str, Any], arrays: Mapping[str, NDArray], task: Task, recipe: Recipe
) -> TrainingState:
    """Return the state of a header and arrays; raise DamagedError if they are invalid."""
    types = len(task.facts.source_vocabulary), len(task.facts.target_vocabulary)
    number, iteration = take(header, "stage_number", int), take(header, "iteration", int)
    require(1 <= number <= len(recipe.stages), f"'stage_number' is {number}")
    stage = recipe.stages[number - 1]
    require(0 <= iteration <= stage.iterations, f"'iteration' is {iteration}")
    pair: ModelPair = decode(ModelPair, header, arrays, "")
    pair.require_types(*types)
    for model in pair.directions:
        require(type(model) is MODELS[stage.model], f"its model is not that of '{stage.model}'")
    report, history = take(header, "corpus", dict), take(header, "history", list)
    require(all(type(record) is dict for record in history), "'history' is no list of records")
    state = take_criterion_state(header, arrays, stage.criterion)
    running = decode(tuple[int, Counts] | None, header.get("running"), arrays, "running")
    links = decode(WordLinks | None, header.get("links"), arrays, "links")
    require(links is None or tuple(map(len, links)) == types, "it has links of other words")
    return TrainingState(task, recipe, pair, report, number, iteration, state, running, history, links)


def take_criterion_state(header: dict[str, Any], arrays: Mapping[str, NDArray], criterion: Criterion) -> Any:
    """Return the state of a criterion from the header and arrays of a state of training."""
    return decode(criterion.state_type, header.get("criterion_state"), arrays, "criterion_state")
