"""The decoder: the settings by which a model's links are chosen, and their application to a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias, TypedDict, Unpack

import numpy as np

from aligner.arguments import check_types
from aligner.arrays import Float32s, Float64s, Int32s, offsets_of
from aligner.criteria import CRITERIA
from aligner.criteria.constrained import Constrained
from aligner.decoding.attachment import Attachment, joining_words
from aligner.decoding.methods import (
    COMBINATIONS,
    LINK_METHODS,
    LinkSettings,
    check_combination,
    choose_links,
    combinations_of,
    default_combination,
    has_probabilities,
)
from aligner.decoding.other_mixture import mix_in_others
from aligner.decoding.piece_mixture import mix_in_pieces
from aligner.decoding.text_block import TextBlock, tokens_of_links
from aligner.errors import ConfigError, ModelError
from aligner.links.alignments import Alignments
from aligner.links.link_sets import select
from aligner.links.symmetrize import symmetrize
from aligner.models.cells import CellPair
from aligner.models.trained import TrainedModel
from aligner.registry import check_known
from aligner.text.bitext import Bitext
from aligner.text.kinds import PUNCTUATION, WORD, kinds_of_tokens

GREATEST_POWER = 2.0
"""The largest lexical power: (1e-12)^2 times a jump probability must not underflow float32."""

Inferred: TypeAlias = Sequence[Any]
"""Both directions' posteriors, float32 [cells], or their most probable alignments, ``Alignments``."""

_CONSTRAINT_SETTINGS = ("slack", "steps")
"""The settings that have a meaning only with a constraint."""


def constraints() -> dict[str, type[Constrained]]:
    """Return the constraints that decoding can impose: the training criteria with posterior constraints."""
    return {name: criterion for name, criterion in CRITERIA.items() if issubclass(criterion, Constrained)}


class DecoderSettings(TypedDict, total=False):
    """The settings of a ``Decoder`` by name; None keeps the setting of the recipe."""

    method: str | None
    combine: str | None
    threshold: float | None
    lexical_power: float | None
    constraint: str | None
    slack: float | None
    steps: int | None
    punctuation_apart: bool | None
    attach: bool | None
    groups: bool | None


class LinkChoice(DecoderSettings, total=False):
    """The settings by which links are chosen: a decoder's, and whether links are as learned."""

    learned: bool | None


@dataclass(frozen=True, repr=False)
class Decoder:
    """Settings for choosing links. A decoder is immutable and works with every model.

    Parameters
    ----------
    method
        The name of a link method (see ``aligner.decoding.methods.LINK_METHODS``). "posterior" keeps every
        cell whose combined posterior reaches ``threshold`` [1]_. "competitive" keeps the cells that reach it
        and are a word's best, or adjacent to it or near it [2]_. "attaching" then links words without links
        by the posteriors of the direction that generates them, if such a link touches another. "viterbi"
        combines the most probable alignments of both directions.
    combine
        How both directions become one. For posteriors F and R: "product", "average", "geometric", "forward",
        "reverse", "intersection" (their minimum) or "union" (their maximum). For "viterbi": a symmetrisation,
        such as "forward" or "grow-diag-final-and". The empty string stands for the default of the method:
        "average" of posteriors, "intersection" for "viterbi".
    threshold
        The least combined posterior of a link, above 0 and at most 1. It has no effect on "viterbi".
    lexical_power
        Exponent of the lexical probabilities, above 0 and at most 2. With 2, "viterbi" is the decision rule
        of maximum reconstruction, argmax over z of P(x | z, y) P(z | x, y) ([3]_, equation 7).
    constraint
        The training criterion, "substochastic" or "symmetric", whose constraints are first imposed on the
        posteriors [4]_. Any model can be decoded under constraints. The empty string imposes none.
    slack
        With slack above 0, constraints are soft: a violation v costs v^2 / (2 slack) nats. 0 makes them hard,
        which takes many more steps. Only with a constraint.
    steps
        The largest number of gradient steps per sentence pair. Each step is one more inference, so the
        constraints hold only approximately after few steps. Only with a constraint.
    punctuation_apart
        True to drop links between punctuation and words (see ``aligner.text.kinds``).
    attach
        True to let frequent words without links join the next linked word, as gold that links phrases has it
        (see ``aligner.decoding.attachment``).
    groups
        True to keep only links that form groups (see ``aligner.links.groups``). Known links are kept.

    Raises
    ------
    ConfigError
        If a name is unknown, a number is out of range, or a combination has no meaning for the method.

    References
    ----------
    .. [1] P. Liang, B. Taskar, D. Klein (2006). Alignment by agreement. HLT-NAACL, section 3.
    .. [2] J. DeNero, D. Klein (2007). Tailoring word alignments to syntactic machine translation. ACL.
    .. [3] Y. Cheng, Y. Liu, W. Xu (2017). Maximum reconstruction estimation for generative latent-variable
       models. AAAI.
    .. [4] J. V. Graca, K. Ganchev, B. Taskar (2007). Expectation maximization and posterior constraints.
       NIPS 20.
    """

    method: str = "competitive"
    combine: str = ""
    threshold: float = 0.5
    lexical_power: float = 1.0
    constraint: str = ""
    slack: float = 0.3
    steps: int = 5
    punctuation_apart: bool = False
    attach: bool = False
    groups: bool = False

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        if not self.combine:
            object.__setattr__(self, "combine", default_combination(self.method))
        check_combination(self.method, self.combine)
        check_threshold(self.threshold)
        if not 0.0 < self.lexical_power <= GREATEST_POWER:
            raise ConfigError(
                f"lexical_power = {self.lexical_power}: expected a number above 0 and at most"
                f" {GREATEST_POWER:g}"
            )
        _ = self._constraint  # raises for an unknown constraint, and for slack or steps out of range
        if not self.constraint:
            values = {name: getattr(self, name) for name in _CONSTRAINT_SETTINGS}
            _check_without_constraint({k: v for k, v in values.items() if v != getattr(Decoder, k)})

    @classmethod
    def of(cls, model: TrainedModel, **settings: Unpack[DecoderSettings]) -> Decoder:
        """Return the decoder of a model's recipe, with the given settings changed.

        If the method changes between "viterbi" and a method on posteriors, whose combinations are others, and
        ``combine`` is not given, the combination becomes the default of the new method. Between two methods
        on posteriors, the combination of the recipe stays.

        Parameters
        ----------
        model
            A trained model.
        settings
            The settings to change, named as for ``Decoder``. None keeps the setting of the recipe.

        Returns
        -------
        Decoder
            The decoder.

        Raises
        ------
        ConfigError
            If ``threshold`` is given and the method has no posteriors, if ``slack`` or ``steps`` is given
            without a constraint, and for settings that ``Decoder`` does not accept.
        ModelError
            If a decoding setting of the model is unknown, or of the wrong type.
        """
        check_types(cls.of, {"model": model})
        defaults: dict[str, Any] = {f.name: f.default for f in fields(cls)}
        before = defaults | _settings_of(model)
        given = {name: value for name, value in settings.items() if value is not None}
        now = before | given
        # The recipe may name a method that only the program that trained the model has registered.
        method_before = before["method"] if before["method"] in LINK_METHODS else now["method"]
        if "threshold" in given and not has_probabilities(now["method"]):
            raise ConfigError(
                f"threshold = {given['threshold']} has no meaning for method {now['method']!r}: its links"
                f" have no probability"
            )
        if "combine" not in given and combinations_of(now["method"]) is not combinations_of(method_before):
            now["combine"] = default_combination(now["method"])
        if not now["constraint"]:
            _check_without_constraint({k: v for k, v in given.items() if k in _CONSTRAINT_SETTINGS})
            now |= {name: defaults[name] for name in _CONSTRAINT_SETTINGS}
        return cls(**now)

    def __repr__(self) -> str:
        """Return an expression: method, combine and every other setting that is not the default."""
        shown = {"method": self.method, "combine": self.combine}
        shown |= {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return f"Decoder({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data; a setting of a constraint or of groups only if it is used."""
        settings = asdict(self)
        if not self.groups:
            del settings["groups"]  # models without groups can be read by versions that did not know of them
        if not self.constraint:
            for name in _CONSTRAINT_SETTINGS:
                del settings[name]
        return settings

    @property
    def has_probabilities(self) -> bool:
        """True if links are chosen by posteriors, which become their probabilities."""
        return has_probabilities(self.method)

    def describe(self) -> str:
        """Return the method, the combination and other settings in a few words, for messages."""
        settings = [
            (self.has_probabilities, f"threshold {self.threshold:g}"),
            (self.lexical_power != 1.0, f"lexical power {self.lexical_power:g}"),
            (self.constraint, self.constraint),
            (self.slack != Decoder.slack, f"slack {self.slack:g}"),
            (self.steps != Decoder.steps, f"steps {self.steps}"),
            (self.punctuation_apart, "punctuation apart"),
            (self.attach, "attach"),
            (self.groups, "groups"),
        ]
        return ", ".join([self.method, self.combine, *(text for is_said, text in settings if is_said)])

    def attachment(self, model: TrainedModel) -> Attachment | None:
        """Return how words without links join others, or None if none does."""
        return Attachment.of(model, joining_words(model)) if self.attach else None

    def infer(self, text: TextBlock) -> tuple[Inferred, Float64s | None]:
        """Return what ``links`` chooses by, and log-likelihoods, float64 [2, pairs], of the plain model.

        Log-likelihoods are None if they are not computed. Decoders of the same lexical power and constraint
        infer the same, but for methods without posteriors.
        """
        if self.has_probabilities:
            return self.posteriors(text)
        if text.bitext.others is not None:
            raise ConfigError(
                f"links of other aligners have no meaning for method {self.method!r}, which has no"
                f" posteriors; choose another method, or leave them out"
            )
        return self.best_alignments(text), None

    def links(self, text: TextBlock, inferred: Inferred) -> Alignments:
        """Return the links of a block, chosen by what ``infer`` returned."""
        forward, reverse = inferred
        if self.has_probabilities:
            threshold = float(np.float32(self.threshold))
            settings = LinkSettings(COMBINATIONS[self.combine], threshold, text.bitext.token_ids_with_oov)
            found = choose_links(self.method, text.block, forward, reverse, settings)
        else:
            found = symmetrize(forward, reverse, self.combine)
        return self.kept(found, text.bitext)

    def kept(self, links: Alignments, text: Bitext) -> Alignments:
        """Drop the links between punctuation and words if ``punctuation_apart`` is set."""
        if not self.punctuation_apart:
            return links
        source, target = tokens_of_links(links, text)
        kinds = kinds_of_tokens(text.source)[source] * kinds_of_tokens(text.target)[target]
        return select(links, kinds != WORD * PUNCTUATION)

    def posteriors(self, text: TextBlock) -> tuple[list[Float32s], Float64s | None]:
        """Return both directions' link posteriors, [cells] each, and the log-likelihoods of the words.

        Posteriors of words and of pieces are mixed. Log-likelihoods are computed by the plain model, float64
        [2, pairs], or None if a lexical power changes them.
        """
        posteriors, log_likelihoods = self.posteriors_of_words(text)
        mix_in_pieces(text, posteriors, lambda pieces: self.posteriors_of_words(pieces)[0])
        mix_in_others(text, posteriors)
        return posteriors, log_likelihoods if self.lexical_power == 1.0 else None

    def posteriors_of_words(self, text: TextBlock) -> tuple[list[Float32s], Float64s]:
        """Return the posteriors by the model of words alone, and log-likelihoods without the constraint."""
        potentials = self._potentials(text)
        if self._constraint is not None:
            return self._constraint.link_posteriors(text.pair, potentials)
        log_likelihoods = text.pair.infer(potentials)
        return [cells.links for cells in potentials], log_likelihoods

    def best_alignments(self, text: TextBlock) -> tuple[Alignments, Alignments]:
        """Return the most probable alignment of each direction, without pieces."""
        potentials = self._potentials(text)
        if self._constraint is not None:
            potentials = self._constraint.tilt(text.pair, potentials)
        forward, reverse = (
            _links_of_direction(model.viterbi(cells), cells.emitted)
            for model, cells in zip(text.pair.directions, potentials, strict=True)
        )
        return forward, reverse.reversed()

    def _potentials(self, text: TextBlock) -> CellPair:
        """Return both directions' potentials, raised to the lexical power."""
        forward, reverse = text.pair.potentials(text.block)
        return forward.to_power(self.lexical_power), reverse.to_power(self.lexical_power)

    @cached_property
    def _constraint(self) -> Constrained | None:
        """The constraint that is imposed, or None."""
        if not self.constraint:
            return None
        known = constraints()
        check_known(self.constraint, known, "constraint")
        return known[self.constraint](slack=self.slack, steps=self.steps)


def check_threshold(threshold: float) -> None:
    """Raise ConfigError for a threshold that is no probability above 0."""
    if not 0.0 < threshold <= 1.0:
        raise ConfigError(f"threshold = {threshold}: expected a probability above 0 and at most 1")


def _settings_of(model: TrainedModel) -> dict[str, Any]:
    """Return a model's decoding settings; raise ModelError if one is unknown, or of the wrong type."""
    settings: dict[str, Any] = model.config["decode"]
    kinds = {f.name: type(f.default) for f in fields(Decoder)}
    for name, value in settings.items():
        kind = kinds.get(name)
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise ModelError(
                f"found decode.{name} = {value!r:.40} in the model; expected a setting and a value that"
                f" this version knows; upgrade accord-align, or train the model anew"
            )
    return settings


def _check_without_constraint(settings: dict[str, Any]) -> None:
    """Raise ConfigError if there are settings of a constraint; there is no constraint."""
    if settings:
        found = ", ".join(f"{name} = {value}" for name, value in settings.items())
        raise ConfigError(f"{found} without a constraint; name one ({', '.join(constraints())})")


def _links_of_direction(alignment: Int32s, emitted: Int32s) -> Alignments:
    """Return the links (conditioning position, emitted position) of an alignment.

    alignment: int32 [emitted tokens], the conditioning position, or below 0 for NULL; emitted: int32 [pairs],
    lengths.
    """
    pair = np.repeat(np.arange(len(emitted)), emitted)
    position = np.arange(len(pair)) - offsets_of(emitted)[pair]
    linked = alignment >= 0
    return Alignments.from_links(len(emitted), pair[linked], alignment[linked], position[linked])
