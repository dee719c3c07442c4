"""The record of one training iteration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from aligner.models.trained import TrainedModel, agreed_share
from aligner.recipe.config import Stage
from aligner.training.state import TrainingState


@dataclass(frozen=True, eq=False)
class Step:
    """One training iteration: the model after it, and the measures of its E-step.

    Attributes
    ----------
    stage, iteration
        Numbers from 1.
    settings
        The settings of the stage.
    model
        The model after the iteration.
    measures
        Sums over the training text in nats, by name, under the model before the iteration. In stepwise EM,
        each mini-batch is measured under the model before its own update. The criterion defines the names.
    pairs
        Number of sentence pairs that are trained on.
    source_tokens, target_tokens
        Number of tokens on each side of these pairs.
    seconds
        Wall time of the iteration.
    last
        True if training ends with this iteration.
    """

    stage: int
    iteration: int
    settings: Stage
    model: TrainedModel
    measures: dict[str, float]
    pairs: int
    source_tokens: int
    target_tokens: int
    seconds: float
    last: bool

    @classmethod
    def of(cls, state: TrainingState, seconds: float) -> Step:
        """Return the record of the iteration that has led to a state of training."""
        facts = state.task.facts
        return cls(
            stage=state.stage_number,
            iteration=state.iteration,
            settings=state.stage,
            model=state.trained,
            measures={name: state.history[-1][name] for name in state.stage.criterion.measures},
            pairs=facts.pairs,
            source_tokens=facts.source_tokens,
            target_tokens=facts.target_tokens,
            seconds=seconds,
            last=state.ends_training,
        )

    def __repr__(self) -> str:
        measures = "".join(f", {name} {value:.6g}" for name, value in self.measures.items())
        return (
            f"<Step: stage {self.stage}, iteration {self.iteration} of {self.settings.iterations},"
            f" {self.settings.model} ({self.settings.criterion.name}){measures}>"
        )

    @property
    def forward_perplexity(self) -> float | None:
        """Perplexity of the target given the source, per target token; in hard EM, with its best alignments.

        None if the criterion does not measure log-likelihoods, or in an annealed iteration, which measures
        log sum_a p(t, a | s)^beta in their place.
        """
        return self._perplexity("forward_log_likelihood", self.target_tokens)

    @property
    def reverse_perplexity(self) -> float | None:
        """Perplexity of the source given the target, per source token; None as for the forward one."""
        return self._perplexity("reverse_log_likelihood", self.source_tokens)

    @property
    def inverse_temperature(self) -> float:
        """The inverse temperature of the iteration, below 1 if it is annealed (see ``models.variants``)."""
        beta: float = self.record.get("inverse_temperature", 1.0)
        return beta

    @property
    def record(self) -> dict[str, Any]:
        """The record of the iteration in the history of the model, which is of words or of their pieces."""
        member = self.model if self.model.pieces is None else self.model.pieces.model
        return member.history[-1]

    @property
    def agreed_share(self) -> float | None:
        """The share of the expected links that both directions have; None if it was not measured."""
        return agreed_share(self.measures)

    def to_dict(self) -> dict[str, Any]:
        """Return the measured figures of the iteration as plain data."""
        figures = {
            "stage": self.stage,
            "iteration": self.iteration,
            "iterations": self.settings.iterations,
            "text": "words" if self.model.pieces is None else "pieces",
            "model": self.settings.model,
            "criterion": self.settings.criterion.name,
            "forward_perplexity": self.forward_perplexity,
            "reverse_perplexity": self.reverse_perplexity,
            "inverse_temperature": self.inverse_temperature,
            "agreed_share": self.agreed_share,
            "measures": self.measures,
            "pairs": self.pairs,
            "source_tokens": self.source_tokens,
            "target_tokens": self.target_tokens,
            "seconds": round(self.seconds, 3),
        }
        return {name: figure for name, figure in figures.items() if figure is not None}

    def _perplexity(self, measure: str, tokens: int) -> float | None:
        """Return exp(-log-likelihood / tokens), or None."""
        if measure not in self.measures or self.inverse_temperature < 1.0:
            return None
        return math.exp(-self.measures[measure] / tokens)
