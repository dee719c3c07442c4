"""What is known besides the text: evidence, and existing models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from aligner.criteria import check_compatible
from aligner.models.model_file import collect_arrays, describe_model, rebuild_model
from aligner.models.trained import TrainedModel
from aligner.priors.dictionary import Dictionary
from aligner.priors.evidence import Evidence
from aligner.priors.prior import Prior, extended, report_known
from aligner.recipe.config import Recipe
from aligner.storage.codec import checksum
from aligner.text.facts import TextFacts


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What a run of training knows besides its text; nothing by default.

    Attributes
    ----------
    evidence
        A dictionary, and known links.
    prior
        A model that is the prior.
    init
        A model to go on from.
    """

    evidence: Evidence = field(default_factory=Evidence)
    prior: Prior | None = None
    init: TrainedModel | None = None

    @property
    def models(self) -> dict[str, TrainedModel]:
        """The existing models by name."""
        models = {"prior": None if self.prior is None else self.prior.model, "init": self.init}
        return {name: model for name, model in models.items() if model is not None}

    @property
    def identity(self) -> list[str]:
        """Strings that differ between different knowledge; none if nothing is known."""
        dictionary, weight, links = self.evidence.dictionary, self.evidence.weight, self.evidence.links
        own = [] if dictionary is None else ["dictionary", f"{checksum([dictionary, weight]):08x}"]
        own += [] if links is None else ["known links", f"{links.checksum:08x}"]
        own += [] if self.prior is None else ["prior", *self.prior.identity]
        return own + ([] if self.init is None else ["init", *Prior(self.init).identity])

    def check(self, recipe: Recipe) -> None:
        """Raise ConfigError if a criterion of a recipe refuses a part of it."""
        for stage in recipe.stages:
            check_compatible(stage.criterion, [*self.evidence.kinds, *self.models])

    def about(self, facts: TextFacts) -> TextFacts:
        """Return the facts about a text with the tokens that existing models know.

        The vocabularies have the words of the model to go on from, too. Raises ConfigError or DataError if a
        model does not fit the text.
        """
        known_tokens: dict[str, int] = {}
        for name in ("init", "prior"):
            if name in self.models:
                known_tokens |= report_known(name, self.models[name], facts)
        facts = replace(facts, known_tokens=known_tokens)
        return facts if self.init is None else extended(facts, self.init)

    def describe(self) -> tuple[dict[str, Any], dict[str, NDArray]]:
        """Return plain data and arrays, for a file; known links are not among them."""
        dictionary = self.evidence.dictionary
        weight = None if self.prior is None else self.prior.weight
        values: dict[str, Any] = {
            "dictionary": None if dictionary is None else dictionary.entries,
            "dictionary_weight": self.evidence.weight,
            "prior_weight": None if weight is None else repr(weight),  # JSON has no infinity
        }
        arrays: dict[str, NDArray] = {}
        for name, model in self.models.items():
            values[name] = describe_model(model)
            arrays |= {f"{name}.{key}": array for key, array in collect_arrays(model).items()}
        return values, arrays

    @classmethod
    def rebuild(cls, values: dict[str, Any], arrays: Mapping[str, NDArray]) -> Knowledge:
        """Return the knowledge whose values and arrays ``describe`` returned."""
        models = {
            name: rebuild_model(
                values[name],
                {key.removeprefix(f"{name}."): a for key, a in arrays.items() if key.startswith(f"{name}.")},
            )
            for name in ("prior", "init")
            if name in values
        }
        entries, weight = values["dictionary"], values["prior_weight"]
        dictionary = None if entries is None else Dictionary(tuple(map(tuple, entries)))
        prior = models.get("prior")
        return cls(
            Evidence(dictionary, values["dictionary_weight"]),
            None if prior is None else Prior(prior, None if weight is None else float(weight)),
            models.get("init"),
        )
