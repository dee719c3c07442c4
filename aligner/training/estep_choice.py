"""The choice of the E-step for a stage: Model 1 alone has a fast one of its own."""

from __future__ import annotations

from aligner.lexicon.block_sources import SearchedBlocks
from aligner.lexicon.occurrences import Occurrences
from aligner.models import MODELS
from aligner.recipe.config import Stage
from aligner.training.estep import BlockEStep, EStep
from aligner.training.model1_estep import Model1EStep


def is_model1_alone(stage: Stage, restricted: bool) -> bool:
    """Return True if a stage learns from each direction's plain Model 1 posteriors over the whole text."""
    return (
        MODELS[stage.model].is_uniform
        and stage.criterion.uses_own_posteriors
        and not (stage.hard or stage.anneal_from < 1.0 or stage.prune or stage.batch_pairs)
        and not restricted
    )


def choose_estep(
    stage: Stage,
    restricted: bool,
    source: SearchedBlocks,
    threads: int,
    occurrences: Occurrences | None = None,
) -> EStep:
    """Return the fastest E-step for a stage.

    occurrences: the occurrences of the text's source words; by default, they are found anew.
    """
    if is_model1_alone(stage, restricted) and source.kept is None:
        return Model1EStep(source, occurrences or Occurrences.of_source(source.bitext, threads), threads)
    return BlockEStep(source, threads)
