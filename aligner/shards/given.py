"""The inputs of a run by shards besides its text: a dictionary, and existing models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from aligner.criteria import check_compatible
from aligner.errors import ConfigError
from aligner.models.storage import collect_arrays, describe_model, rebuild_model
from aligner.models.trained import TrainedModel
from aligner.recipe.config import Recipe
from aligner.training.dictionary import Dictionary
from aligner.training.evidence import Evidence
from aligner.training.packing import checksum
from aligner.training.prior import Prior


@dataclass(frozen=True, eq=False)
class Given:
    """A dictionary, a model that is the prior, and a model to go on from; none by default.

    evidence: known links are refused, because they are of lines of one text; prior, init: see ``train``.

    Raises
    ------
    ConfigError
        If there are known links.
    """

    evidence: Evidence = field(default_factory=Evidence)
    prior: Prior | None = None
    init: TrainedModel | None = None

    def __post_init__(self) -> None:
        if self.evidence.links is not None:
            raise ConfigError(
                "known links do not go with shards: they are of the lines of one text; leave them out, or"
                " train on one machine"
            )

    @property
    def models(self) -> dict[str, TrainedModel]:
        """The existing models by name."""
        models = {"prior": None if self.prior is None else self.prior.model, "init": self.init}
        return {name: model for name, model in models.items() if model is not None}

    @property
    def identity(self) -> list[str]:
        """Strings that differ between different inputs; none if there is no input."""
        dictionary, weight = self.evidence.dictionary, self.evidence.weight
        own = [] if dictionary is None else ["dictionary", f"{checksum([dictionary, weight]):08x}"]
        own += [] if self.prior is None else ["prior", *self.prior.identity]
        return own + ([] if self.init is None else ["init", *Prior(self.init).identity])

    def check(self, recipe: Recipe) -> None:
        """Raise ConfigError if a criterion of a recipe refuses one of these inputs."""
        for stage in recipe.stages:
            check_compatible(stage.criterion, [*self.evidence.kinds, *self.models])

    def describe(self) -> tuple[dict[str, Any], dict[str, NDArray]]:
        """Return plain data and arrays, for a file."""
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
    def rebuild(cls, values: dict[str, Any], arrays: Mapping[str, NDArray]) -> Given:
        """Return the inputs whose values and arrays ``describe`` returned."""
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
