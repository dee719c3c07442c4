"""Existing models as values that training takes: a prior, and a model to go on from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from numpy.typing import NDArray

from aligner.arguments import check_types
from aligner.errors import ConfigError, DataError
from aligner.models.trained import TrainedModel
from aligner.storage.codec import checksum, encode
from aligner.text.facts import TextFacts
from aligner.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Prior:
    """An existing model as the prior of training on another text (see ``priors.model_prior``).

    Parameters
    ----------
    model
        The model.
    weight
        The occurrences that a word of the model counts for, at most, from 0 to infinity. By default, weights
        are learned from the text.

    Raises
    ------
    ConfigError
        If the weight is out of range.
    """

    model: TrainedModel
    weight: float | None = None

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        if self.weight is not None and not self.weight >= 0.0:
            raise ConfigError(
                f"prior weight {self.weight}: expected a number from 0, or inf; or leave it out, to learn it"
                f" from the text"
            )

    @property
    def identity(self) -> list[str]:
        """The weight, and a checksum of the model."""
        arrays: dict[str, NDArray] = {}
        header = encode(self.model, arrays)
        kinds = repr((header["forward"], header["reverse"]))
        return [repr(self.weight), f"{checksum([kinds, *arrays.values()]):08x}"]


def extended(facts: TextFacts, model: TrainedModel) -> TextFacts:
    """Return the facts about a text with the words of a model, too, and the sums of their frequencies."""
    return replace(
        facts,
        source_vocabulary=facts.source_vocabulary.joined_with(model.source_vocabulary),
        target_vocabulary=facts.target_vocabulary.joined_with(model.target_vocabulary),
    )


def report_known(name: str, model: TrainedModel, facts: TextFacts) -> dict[str, int]:
    """Check that a model is of the languages of a text, and return how many tokens it knows on each side.

    name: what the model is for training, "prior" or "init".

    Raises
    ------
    ConfigError
        If the model's text was read with other settings.
    DataError
        If the model knows no word of a side, or seems to be of the other direction.
    """
    for setting, found in (model.config["data"] | model.reading).items():
        expected = facts.settings.get(setting, found)
        if setting != "max_length" and found != expected:
            raise ConfigError(
                f"{name}: found a model of a text read with {setting}={found}; expected {expected}, as this"
                f" text is read; set data.{setting}, or train the model anew"
            )
    own, others = facts.vocabularies, model.vocabularies
    known = [_known_tokens(words, other) for words, other in zip(own, others, strict=True)]
    crossed = [_known_tokens(words, other) for words, other in zip(own, reversed(others), strict=True)]
    if all(a > b for a, b in zip(crossed, known, strict=True)):
        raise DataError(
            f"{name}: found a model of the other direction: {crossed[0]:,} source tokens of this text are in"
            f" its target vocabulary, {known[0]:,} in its source vocabulary; expected a model with the same"
            f" source; exchange the sides of this text"
        )
    for side, count in zip(("source", "target"), known, strict=True):
        if not count:
            raise DataError(
                f"{name}: found a model without any {side} word of this text; expected a model of the same"
                f" languages; leave it out, or tokenise both texts alike"
            )
    return {f"{name}_source_tokens": known[0], f"{name}_target_tokens": known[1]}


def _known_tokens(own: Vocabulary, other: Vocabulary) -> int:
    """Return the number of tokens whose word is in another vocabulary."""
    return int(own.counts[own.ids_in(other)[:-1] >= 0].sum())
