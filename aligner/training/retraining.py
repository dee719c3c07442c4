"""Training anew: the model that the recipe of a model gives on its text, with known links."""

from __future__ import annotations

from collections.abc import Iterator

from aligner.errors import ConfigError
from aligner.links.known_links import KnownLinks
from aligner.models.trained import TrainedModel
from aligner.priors.evidence import Evidence
from aligner.recipe.load import recipe_from_dict
from aligner.text.bitext import Bitext
from aligner.training.loop import train
from aligner.training.step import Step

_LEAST_SHARE = 0.5
"""A text with a smaller share of the training pairs of a model is another text."""


def reason_against_retraining(model: TrainedModel, text: Bitext) -> str:
    """Return why a model cannot be trained anew on a text, as a sentence, or an empty string."""
    for name in ("prior", "init", "dictionary"):
        if any(key.startswith(f"{name}_") for key in model.corpus):
            return f"The model was trained with --{name}, which would be lost."
    share = text.report.trainable / max(model.corpus.get("trainable", 0), 1)
    if share < _LEAST_SHARE:
        return f"This text has {share:.0%} of the lines that the model was trained on."
    return ""


def retrain(model: TrainedModel, text: Bitext, known: KnownLinks, *, threads: int = 1) -> Iterator[Step]:
    """Train by the recipe of a model on its training text, with known links, and yield the steps.

    Raises
    ------
    ConfigError
        If training would lose what the model was trained with (see ``reason_against_retraining``).
    DataError
        If known links do not fit the text.
    """
    reason = reason_against_retraining(model, text)
    if reason:
        raise ConfigError(reason)
    return train(text, recipe_from_dict(model.config), evidence=Evidence(links=known), threads=threads)


def iterations_of(model: TrainedModel) -> int:
    """Return the number of iterations of the recipe of a model."""
    return sum(stage.iterations for stage in recipe_from_dict(model.config).stages)
