"""The decoder: the settings by which a model's links are chosen, and their application to a block."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.criteria import CRITERIA
from aligner.criteria.constrained import Constrained
from aligner.decoding.block_links import links_of_cells, viterbi_links
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
from aligner.decoding.scores import Scorer
from aligner.decoding.text_block import TextBlock
from aligner.errors import ConfigError, ModelError
from aligner.links.alignments import Alignments
from aligner.links.symmetrize import symmetrize
from aligner.models import DirectionalCells
from aligner.models.trained import TrainedModel
from aligner.registry import check_known

GREATEST_POWER = 2.0
"""The largest lexical power: (1e-12)^2 times a jump probability must not underflow float32."""

_CONSTRAINT_SETTINGS = ("slack", "steps")
"""The settings that have a meaning only with a constraint."""


def constraints() -> dict[str, type[Constrained]]:
    """Return the constraints that decoding can impose: the training criteria with posterior constraints."""
    return {name: criterion for name, criterion in CRITERIA.items() if issubclass(criterion, Constrained)}


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

    def __post_init__(self) -> None:
        if not self.combine:
            object.__setattr__(self, "combine", default_combination(self.method))
        check_combination(self.method, self.combine)
        if not 0.0 < self.threshold <= 1.0:
            raise ConfigError(f"threshold = {self.threshold}: expected a probability above 0 and at most 1")
        if not 0.0 < self.lexical_power <= GREATEST_POWER:
            raise ConfigError(
                f"lexical_power = {self.lexical_power}: expected a number above 0 and at most"
                f" {GREATEST_POWER:g}"
            )
        if self.constraint:
            self._criterion()  # raises for an unknown constraint, and for slack or steps out of range
        values = {name: getattr(self, name) for name in _CONSTRAINT_SETTINGS}
        changed = {name: value for name, value in values.items() if value != getattr(Decoder, name)}
        _check_constraint_settings(self.constraint, changed)

    @classmethod
    def of(
        cls,
        model: TrainedModel,
        method: str | None = None,
        combine: str | None = None,
        threshold: float | None = None,
        lexical_power: float | None = None,
        constraint: str | None = None,
        slack: float | None = None,
        steps: int | None = None,
    ) -> Decoder:
        """Return the decoder of a model's recipe, with the given settings changed.

        If the method changes between "viterbi" and a method on posteriors, whose combinations are others, and
        ``combine`` is not given, the combination becomes the default of the new method. Between two methods
        on posteriors, the combination of the recipe stays.

        Parameters
        ----------
        model
            A trained model.
        method, combine, threshold, lexical_power, constraint, slack, steps
            The settings to change, as for ``Decoder``. None keeps the setting of the recipe.

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
        defaults: dict[str, Any] = {f.name: f.default for f in fields(cls)}
        before = defaults | _settings_of(model)
        arguments = {
            "method": method,
            "combine": combine,
            "threshold": threshold,
            "lexical_power": lexical_power,
            "constraint": constraint,
            "slack": slack,
            "steps": steps,
        }
        overrides = {name: value for name, value in arguments.items() if value is not None}
        settings = before | overrides
        method_now = settings["method"]
        # The recipe may name a method that only the program that trained the model has registered.
        method_before = before["method"] if before["method"] in LINK_METHODS else method_now
        if threshold is not None and not has_probabilities(method_now):
            raise ConfigError(
                f"threshold = {threshold} has no meaning for method {method_now!r}: its links have no"
                f" probability"
            )
        if combine is None and combinations_of(method_now) is not combinations_of(method_before):
            settings["combine"] = default_combination(method_now)
        given = {name: overrides[name] for name in _CONSTRAINT_SETTINGS if name in overrides}
        _check_constraint_settings(settings["constraint"], given)
        if not settings["constraint"]:
            settings |= {name: defaults[name] for name in _CONSTRAINT_SETTINGS}
        return cls(**settings)

    def __repr__(self) -> str:
        """Return an expression: method, combine and every other setting that is not the default."""
        shown = {"method": self.method, "combine": self.combine}
        shown |= {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return f"Decoder({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data, without ``slack`` and ``steps`` if there is no constraint."""
        settings = asdict(self)
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
        parts = [self.method, self.combine]
        if self.has_probabilities:
            parts.append(f"threshold {self.threshold:g}")
        if self.lexical_power != 1.0:
            parts.append(f"lexical power {self.lexical_power:g}")
        if self.constraint:
            parts.append(self.constraint)
        if self.slack != Decoder.slack:
            parts.append(f"slack {self.slack:g}")
        if self.steps != Decoder.steps:
            parts.append(f"steps {self.steps}")
        return ", ".join(parts)

    def align(self, text: TextBlock, scorer: Scorer | None = None) -> Alignments:
        """Align the sentence pairs of a block.

        Parameters
        ----------
        text
            The block.
        scorer
            If given, the alignments have scores (see ``aligner.decoding.scores``). Scores are the plain
            model's, whatever the decoder.

        Returns
        -------
        Alignments
            The links, with probabilities if the method chooses by posteriors.
        """
        links, log_likelihoods = self._links(text)
        if scorer is None:
            return links
        if log_likelihoods is None:
            log_likelihoods = text.pair.infer(text.pair.potentials(text.block))
        return replace(links, scores=scorer.scores(text.block, *log_likelihoods))

    def _links(self, text: TextBlock) -> tuple[Alignments, NDArray[np.float64] | None]:
        """Return the links, and the plain model's log-likelihoods if choosing the links computes them."""
        if not self.has_probabilities:
            potentials = self._potentials(text)
            if self.constraint:
                potentials = self._criterion().tilt(text.pair, potentials)
            return symmetrize(*viterbi_links(text.pair, potentials), self.combine), None
        (forward, reverse), log_likelihoods = self.posteriors(text)
        threshold = float(np.float32(self.threshold))
        settings = LinkSettings(COMBINATIONS[self.combine], threshold, text.text.token_ids_with_oov)
        chosen, posteriors = choose_links(self.method, text.block, forward, reverse, settings)
        is_plain = self.lexical_power == 1.0
        return links_of_cells(text.block, chosen, posteriors), log_likelihoods if is_plain else None

    def _potentials(self, text: TextBlock) -> tuple[DirectionalCells, DirectionalCells]:
        """Return both directions' potentials, raised to the lexical power."""
        forward, reverse = (cells.to_power(self.lexical_power) for cells in text.pair.potentials(text.block))
        return forward, reverse

    def posteriors(self, text: TextBlock) -> tuple[list[NDArray[np.float32]], NDArray[np.float64]]:
        """Return both directions' link posteriors, [cells] each, and the log-likelihoods of the words.

        The posteriors are under the constraint. Posteriors of words and of pieces are mixed.
        """
        words, log_likelihoods = self.posteriors_of_words(text)
        for block in text.in_pieces():
            pieces, _ = self.posteriors_of_words(block.text)
            block.mix(pieces, words)
        return words, log_likelihoods

    def posteriors_of_words(self, text: TextBlock) -> tuple[list[NDArray[np.float32]], NDArray[np.float64]]:
        """Return the posteriors by the model of words alone, and log-likelihoods without the constraint."""
        potentials = self._potentials(text)
        if self.constraint:
            return self._criterion().link_posteriors(text.pair, potentials)
        log_likelihoods = text.pair.infer(potentials)
        return [cells.links for cells in potentials], log_likelihoods

    def _criterion(self) -> Constrained:
        """Return the criterion of the constraint, with this decoder's slack and steps."""
        known = constraints()
        check_known(self.constraint, known, "constraint")
        return known[self.constraint](slack=self.slack, steps=self.steps)


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


def _check_constraint_settings(constraint: str, settings: dict[str, Any]) -> None:
    """Raise ConfigError if there are settings of a constraint, and no constraint."""
    if settings and not constraint:
        found = ", ".join(f"{name} = {value}" for name, value in settings.items())
        raise ConfigError(f"{found} without a constraint; name one ({', '.join(constraints())})")
