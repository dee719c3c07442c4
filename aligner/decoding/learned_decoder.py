"""The decoder of learned links: candidates whose probability, by a model's trees, reaches the threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeAlias, Unpack

import numpy as np

from aligner.arrays import Float32s, Float64s
from aligner.decoding.attachment import Attachment
from aligner.decoding.candidates import find_candidates
from aligner.decoding.decoder import Decoder, DecoderSettings, check_threshold
from aligner.decoding.methods import links_of_cells
from aligner.decoding.text_block import TextBlock
from aligner.errors import ConfigError
from aligner.links.alignments import Alignments
from aligner.models.learned_links import Joining, LearnedLinks
from aligner.models.trained import TrainedModel
from aligner.registry import check_known

_SETTINGS = ("threshold", "groups")
"""The settings of a recipe's decoder that a decoder of learned links has, too."""

_GREATEST_EXACT = 0.99
_MARGIN = 1e-3
"""Far more than the rounding of a probability up to ``_GREATEST_EXACT`` changes its logit."""


@dataclass(frozen=True)
class LearnedDecoder:
    """A decoder by what a model has learned from corrected lines. ``decoder_of`` returns one.

    Attributes
    ----------
    threshold
        The least probability of a link, by the trees of the model, above 0 and at most 1.
    of_recipe
        The decoder of the model's recipe, whose posteriors the trees look at.
    name
        What chooses links, for messages: "learned", or the start of a model without corrected lines.
    groups
        True if links form groups (see ``aligner.links.groups``).
    joining
        The words that join others if they have no link (see ``decoding.attachment``).
    """

    threshold: float
    of_recipe: Decoder
    name: str
    groups: bool = False
    joining: Joining = field(default_factory=lambda: ({}, {}))
    has_probabilities: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    def describe(self) -> str:
        """Return the settings in a few words, for messages."""
        return f"{self.name}, threshold {self.threshold:.3g}{', groups' if self.groups else ''}"

    def attachment(self, model: TrainedModel) -> Attachment | None:
        """Return how words without links join others, or None if none does."""
        return Attachment.of(model, self.joining) if any(self.joining) else None

    def infer(self, text: TextBlock) -> tuple[Any, Float64s | None]:
        """Return what ``links`` chooses by, and log-likelihoods, as ``Decoder.infer``."""
        if not learned_of(text.model).chooses:
            return self.of_recipe.infer(text)
        found = find_candidates(self.of_recipe, text)
        return found, found.log_likelihoods

    def links(self, text: TextBlock, inferred: Any) -> Alignments:
        """Return the links of a block, chosen by what ``infer`` returned."""
        learned = learned_of(text.model)
        if not learned.chooses:
            return self.of_recipe.links(text, inferred)
        cells, features, _ = inferred
        probabilities = to_probabilities(learned.logits(features, _least_logit(self.threshold)))
        chosen = probabilities >= np.float32(self.threshold)
        return links_of_cells(text.block, cells[chosen], probabilities[chosen])


AnyDecoder: TypeAlias = Decoder | LearnedDecoder
"""What chooses links: settings, or what a model has learned."""


def learned_of(model: TrainedModel) -> LearnedLinks:
    """Return what a model has learned; raise ConfigError if it has learned nothing."""
    if model.learned is None:
        raise ConfigError(
            "found a model that has learned no links; expected one that has; teach it with align learn, with"
            " corrected lines or without, or leave --learned out"
        )
    return model.learned


def decoder_of(
    model: TrainedModel, *, learned: bool | None = None, **settings: Unpack[DecoderSettings]
) -> AnyDecoder:
    """Return the decoder that a model's links are chosen by, with the given settings changed.

    Parameters
    ----------
    model
        A trained model.
    learned
        True to require learned links, False for links of the recipe. By default, learned links if the model
        has learned from corrected lines and no setting but ``threshold`` and ``groups`` is given.
    settings
        The settings to change, as for ``Decoder.of``. None keeps a setting.

    Raises
    ------
    ConfigError
        As for ``Decoder.of``. With ``learned``, if the model has learned nothing, or if a setting is given
        that has no meaning for learned links.
    """
    for name in settings:
        check_known(name, [setting.name for setting in fields(Decoder)], "setting")
    changed: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    others = [name for name in changed if name not in _SETTINGS]
    if learned and others:
        raise ConfigError(
            f"{others[0]} = {changed[others[0]]} has no meaning for learned links; leave it out"
        )
    if learned is False or others or (model.learned is None and not learned):
        return Decoder.of(model, **settings)
    own = learned_of(model)
    recipe = Decoder.of(model, threshold=None if own.chooses else changed.get("threshold"))
    name = "learned" if own.record["lines"] else own.record["start"]
    decoder = LearnedDecoder(own.threshold, recipe, name, own.groups, own.joining)
    return replace(decoder, **{setting: changed[setting] for setting in _SETTINGS if setting in changed})


def _least_logit(threshold: float) -> float:
    """Return a logit whose probability, float32, is below the threshold, and nearly the threshold."""
    probability = min(threshold, _GREATEST_EXACT)
    return math.log(probability / (1 - probability)) - _MARGIN


def to_probabilities(logits: Float64s) -> Float32s:
    """Return the probabilities of logits, float32."""
    return (1 / (1 + np.exp(-logits))).astype(np.float32)
