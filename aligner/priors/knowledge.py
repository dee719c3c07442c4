"""Knowledge besides the text: evidence, and existing models."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from aligner.criteria import check_compatible
from aligner.models.trained import TrainedModel
from aligner.priors.evidence import Evidence
from aligner.priors.existing_models import Prior, extended, report_known
from aligner.recipe.config import Recipe
from aligner.storage.codec import checksum
from aligner.text.facts import TextFacts
from aligner.text.splits import Splits


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Knowledge that a run of training has besides its text; none by default.

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

    def split(self, facts: TextFacts, split: str) -> TextFacts:
        """Return the facts about a text whose words are split, as an existing model's or by its own counts.

        split: one of ``SPLITS``.
        """
        if split == "none":
            return facts
        existing = [model.splits for model in self.models.values()]
        own = (Splits.find(words, split) for words in facts.vocabularies)
        return facts.split(*(existing[-1] if existing else own))

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
