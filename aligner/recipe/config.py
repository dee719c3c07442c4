"""Training recipes as frozen dataclasses. A recipe is data; ``training`` interprets it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from aligner.criteria import Criterion, Independent, check_compatible
from aligner.criteria.mstep import MSTEPS, MaximumLikelihood
from aligner.decoding.decoder import Decoder
from aligner.errors import ConfigError
from aligner.models import DISTORTIONS
from aligner.models.base import NULL_BY_LENGTH

GREATEST_ALPHA = 100.0
"""The largest pseudo-count: for each of ten million words, it still adds up in 64-bit fixed point."""

LEAST_BETA = 0.01
"""The lowest inverse temperature. There, the least lexical probability is 0.76 of the greatest."""

MOST_ITERATIONS = 10_000
"""The most iterations of a stage."""

PRUNING_ITERATION = 2
"""The iteration of a stage that decides which cells are kept (see ``training.pruning``)."""

_VARIANTS = ("update", "alpha", "hard", "anneal_from", "batch_pairs", "decay", "restarts", "cognates")


@dataclass(frozen=True)
class DataSettings:
    """Settings for reading text: ``read_bitext(..., **vars(recipe.data))``.

    Attributes
    ----------
    lowercase
        True to look words up in lowercase. Positions never change.
    max_length
        Pairs with a longer side, in tokens, are not trained on. 0 is no limit but that of the program, 65,535.
    """

    lowercase: bool = True
    max_length: int = 100

    def __post_init__(self) -> None:
        if self.max_length < 0:
            raise ConfigError(
                f"max_length = {self.max_length}: expected a number of tokens, or 0 for no limit"
            )


@dataclass(frozen=True)
class Stage:
    """One stage of training: a model, a criterion with its options, a number of EM iterations.

    The variants of EM, from ``update`` on, compose with each other and with the criteria unless refused.

    Attributes
    ----------
    model, iterations, criterion
        See ``models`` and ``criteria``.
    p0
        Probability of NULL, or -1 for 1 / (I + 1).
    prune
        After the second iteration, cells whose expected link counts are all below this are dropped (see
        ``training.pruning``). 0 drops none.
    update, alpha
        The M-step of the lexical tables, "ml", "map" or "vb", and its Dirichlet parameter (see
        ``criteria.mstep``).
    hard
        True to learn from best alignments instead of posteriors (see ``models.variants``).
    anneal_from
        The inverse temperature of the first iteration, which rises to 1 by the last.
    batch_pairs, decay
        Sentence pairs after which the model is updated, and how fast running counts forget (see
        ``training.stepwise``). 0 pairs updates after the whole text.
    restarts
        Number of random starts, of which the best is taken; first stage only (see ``training.restarts``).
    cognates
        Pseudo-count of word pairs that are spelled alike (see ``training.cognates``).
    """

    model: str
    iterations: int
    criterion: Criterion = field(default_factory=Independent)
    p0: float = NULL_BY_LENGTH
    prune: float = 0.0
    update: str = MaximumLikelihood.name
    alpha: float = 0.0
    hard: bool = False
    anneal_from: float = 1.0
    batch_pairs: int = 0
    decay: float = 0.7
    restarts: int = 1
    cognates: float = 0.0

    def __post_init__(self) -> None:
        DISTORTIONS.find(self.model)
        if not 0 <= self.iterations <= MOST_ITERATIONS:
            raise ConfigError(
                f"iterations = {self.iterations}: expected a number from 0 to {MOST_ITERATIONS:,}"
            )
        if self.p0 != NULL_BY_LENGTH and not 0.0 < self.p0 < 1.0:
            raise ConfigError(
                f"p0 = {self.p0}: expected a probability between 0 and 1, or -1 for 1 / (I + 1)"
            )
        if not 0.0 <= self.prune < 0.1:
            raise ConfigError(f"prune = {self.prune}: expected an expected count from 0 to 0.1")
        self._check_variants()

    def _check_variants(self) -> None:
        MSTEPS.find(self.update)
        smoothed = self.update != MaximumLikelihood.name
        if not (0.0 < self.alpha <= GREATEST_ALPHA if smoothed else self.alpha == 0.0):
            expected = f"above 0, at most {GREATEST_ALPHA:g}" if smoothed else "0, since it plays no part"
            raise ConfigError(f"alpha = {self.alpha} with update = {self.update!r}: expected {expected}")
        if not LEAST_BETA <= self.anneal_from <= 1.0:
            raise ConfigError(
                f"anneal_from = {self.anneal_from}: expected an inverse temperature from {LEAST_BETA:g} to 1"
            )
        if self.batch_pairs < 0 or not 0.0 <= self.decay <= 1.0:
            raise ConfigError(
                f"batch_pairs = {self.batch_pairs}, decay = {self.decay}: expected a number of pairs, or 0"
                f" for the whole text, and a decay from 0 to 1"
            )
        if not self.batch_pairs and self.decay != Stage.decay:
            raise ConfigError(f"decay = {self.decay} without batch_pairs: it plays no part")
        if self.batch_pairs and self.iterations == 1:
            raise ConfigError(
                "batch_pairs with one iteration: the first iteration of a stage is batch EM; expected two or more"
            )
        if self.restarts < 1:
            raise ConfigError(f"restarts = {self.restarts}: expected a number of starts from 1")
        if not 0.0 <= self.cognates <= GREATEST_ALPHA:
            raise ConfigError(
                f"cognates = {self.cognates}: expected a pseudo-count from 0 to {GREATEST_ALPHA:g}"
            )
        check_compatible(self.criterion, self.variants())
        softened = self.anneal_from < 1.0
        if softened and self.hard:
            raise ConfigError("hard with anneal_from: the best alignment is the same at every temperature")
        if softened and self.iterations == 1:
            raise ConfigError("anneal_from with one iteration: it is annealed to 1, where it ends, at once")
        if self.prune and self.hard:
            raise ConfigError("hard with prune: cells off the first best alignments would not be seen again")
        if self.prune and self.batch_pairs:
            raise ConfigError("batch_pairs with prune: running counts would be of cells no longer there")
        if self.restarts > 1 and not self.iterations:
            raise ConfigError("restarts with no iterations: there is nothing to compare the starts by")

    def variants(self) -> dict[str, Any]:
        """Return the options in which the stage's EM differs from plain EM."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name in _VARIANTS}
        plain = {f.name: f.default for f in fields(self)}
        return {name: value for name, value in values.items() if value != plain[name]}

    @property
    def prunes(self) -> bool:
        """True if the stage drops cells, which it does after its second iteration."""
        return self.prune > 0.0 and self.iterations >= PRUNING_ITERATION


@dataclass(frozen=True)
class Recipe:
    """A whole recipe: stages of training, settings for reading text and for decoding.

    Attributes
    ----------
    stages
        Trained one after another.
    data
        Settings for reading text.
    decode
        How links are chosen by default.
    summary
        One line for people.
    """

    stages: tuple[Stage, ...]
    data: DataSettings = field(default_factory=DataSettings)
    decode: Decoder = field(default_factory=Decoder)
    summary: str = ""

    def __post_init__(self) -> None:
        if not any(stage.iterations for stage in self.stages):
            raise ConfigError("a recipe needs at least one [[stage]] with at least one iteration")
        if any(stage.restarts > 1 for stage in self.stages[1:]):
            raise ConfigError("restarts in a later stage: only the first has a start that can be random")
        pruned = [n for n, stage in enumerate(self.stages, 1) if stage.prunes]
        if len(pruned) > 1:
            raise ConfigError(
                f"prune in stage {pruned[1]}: stage {pruned[0]} has dropped cells already, once for all;"
                f" leave it out of either"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``recipe_from_dict``."""
        stages = [
            {
                "model": stage.model,
                "iterations": stage.iterations,
                "p0": stage.p0,
                "prune": stage.prune,
                **stage.variants(),
                "criterion": stage.criterion.name,
                **asdict(stage.criterion),
            }
            for stage in self.stages
        ]
        return {
            "summary": self.summary,
            "data": asdict(self.data),
            "stage": stages,
            "decode": asdict(self.decode),
        }
