"""The task of a training run: its text, recipe, evidence and options. They do not change during the run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from aligner.criteria import check_compatible
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.models import ModelPair
from aligner.models.trained import TrainedModel
from aligner.recipe.config import Recipe
from aligner.system.threads import check_threads
from aligner.text.bitext import Bitext
from aligner.training.checkpoint import Checkpoints
from aligner.training.cognates import Cognates
from aligner.training.evidence import Evidence, KnownFacts
from aligner.training.memory_plan import Plan
from aligner.training.model_prior import ModelPrior
from aligner.training.prior import Prior, extended, report_known
from aligner.training.usable import usable_pairs
from aligner.training.word_forms import WordForms


@dataclass(frozen=True)
class Options:
    """Parameters of ``training.loop.train`` that no result depends on."""

    threads: int = 1
    progress: Callable[[int], None] | None = None
    max_memory: int | str | None = None
    announce: Callable[[Plan], None] | None = None
    checkpoints: Checkpoints | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """The constant inputs of a training run, checked.

    Attributes
    ----------
    bitext
        The whole text.
    recipe, options
        The stages, and how to run them.
    usable_blocks
        Blocks of the usable pairs, in the order of training, without pair_ids.
    facts
        Evidence about the usable pairs.
    cognates, word_forms
        Pseudo-counts of words that are spelled alike, and of words whose other forms translate each other.
    prior, init
        The existing model that is the prior, and the existing model from which training goes on.
    known_tokens
        The tokens of the text that these models know, by model and side.
    """

    bitext: Bitext
    recipe: Recipe
    options: Options
    usable_blocks: BlockSource
    facts: KnownFacts
    cognates: Cognates
    word_forms: WordForms
    prior: ModelPrior | None = None
    init: ModelPrior | None = None
    known_tokens: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        bitext: Bitext,
        recipe: Recipe,
        evidence: Evidence,
        options: Options,
        prior: Prior | TrainedModel | None = None,
        init: TrainedModel | None = None,
    ) -> Task:
        """Check that text, recipe and evidence go together, and select the pairs to train on.

        Raises ConfigError or DataError as ``train`` does.
        """
        check_threads(options.threads)
        given = Prior(prior) if isinstance(prior, TrainedModel) else prior
        models = {} if init is None else {"init": init}
        models |= {} if given is None else {"prior": given.model}
        for stage in recipe.stages:
            check_compatible(stage.criterion, [*evidence.kinds, *models])
        _check_reading(bitext, recipe)
        known_tokens: dict[str, int] = {}
        for name, model in models.items():
            known_tokens |= report_known(name, model, bitext)
        if init is not None:
            bitext = extended(bitext, init)
        numbers, threads = usable_pairs(bitext, recipe), options.threads
        usable = bitext.select(numbers, threads)
        return cls(
            bitext,
            recipe,
            options,
            usable_blocks=BlockSource.of(usable),
            facts=evidence.about(bitext, numbers),
            cognates=Cognates(bitext, threads),
            word_forms=WordForms(bitext, threads),
            prior=None if given is None else ModelPrior.of(given, usable, threads),
            init=None if init is None else ModelPrior.of(Prior(init, math.inf), usable, threads),
            known_tokens=known_tokens,
        )

    @property
    def priors(self) -> list[ModelPrior]:
        """The existing models, whose pseudo-counts are added in every M-step."""
        return [model for model in (self.init, self.prior) if model is not None]

    @property
    def init_pair(self) -> ModelPair | None:
        """The parameters of the model from which training goes on, if there is one."""
        return None if self.init is None else self.init.model.pair

    def count_cognates(self, index: CooccurrenceIndex) -> int:
        """Return the number of cognates in an index that some stage gives pseudo-counts to."""
        return (
            len(self.cognates.pair_ids(index)) if any(stage.cognates for stage in self.recipe.stages) else 0
        )

    @property
    def last_stage(self) -> int:
        """The number of the last stage with an iteration."""
        return max(n for n, stage in enumerate(self.recipe.stages, start=1) if stage.iterations)


def _check_reading(bitext: Bitext, recipe: Recipe) -> None:
    """Raise ConfigError if the text was read with other settings than the recipe's.

    Its vocabularies and its report would then not fit the pairs that are trained on.
    """
    for name, expected in vars(recipe.data).items():
        found = getattr(bitext, name)
        if found != expected:
            raise ConfigError(
                f"the text was read with {name}={found}; expected {expected}, as in the recipe; read it by"
                f" read_bitext(..., **vars(recipe.data))"
            )
