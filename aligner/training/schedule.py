"""The schedule of a stage: the inference of each iteration, and the M-step of the lexical tables."""

from __future__ import annotations

from collections.abc import Sequence

from aligner.criteria.mstep import MSTEPS, MaximumLikelihood, MStep
from aligner.models.variants import Inference, Viterbi, annealing
from aligner.recipe.config import Stage


def inferences_of(stage: Stage) -> Sequence[Inference]:
    """Return the inference of each iteration."""
    if stage.hard:
        return [Viterbi()] * stage.iterations
    if stage.anneal_from < 1.0:
        return annealing(stage.anneal_from, stage.iterations)
    return [Inference()] * stage.iterations


def mstep_of(stage: Stage) -> MStep:
    """Return the M-step of the lexical tables."""
    kind = MSTEPS[stage.update]
    return kind() if kind is MaximumLikelihood else kind(stage.alpha)  # type: ignore[call-arg]
