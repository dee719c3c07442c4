"""Training recipes as frozen dataclasses. A recipe is data; ``training`` interprets it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from typing import Any

from aligner.criteria import Criterion, Independent, check_compatible, check_model
from aligner.criteria.mstep import DEFAULT, MSTEPS, LexiconMStep
from aligner.decoding.decoder import Decoder
from aligner.errors import ConfigError
from aligner.models import MODELS
from aligner.models.alignment_model import NULL_BY_LENGTH
from aligner.models.start import STARTS
from aligner.recipe.settings import DataSettings, PieceSettings
from aligner.text.splits import SPLITS

GREATEST_ALPHA = 100.0
"""The largest pseudo-count: added for each of ten million words, it still fits into 64-bit fixed point."""

LEAST_BETA = 0.01
"""The lowest inverse temperature. There, the least lexical probability is 0.76 of the greatest."""

GREATEST_PRUNE = 0.1
"""The pruning threshold is below this expected count."""

MOST_ITERATIONS = 10_000
"""The most iterations of a stage."""

MOST_RESTARTS = 1000
"""The largest number of restarts. Each trains the first stage, so that more would hardly ever end."""

PRUNING_ITERATION = 2
"""The iteration of a stage that decides which cells are kept (see ``training.pruning``)."""


_RANGES = {
    "iterations": (0, MOST_ITERATIONS, f"a number from 0 to {MOST_ITERATIONS:,}"),
    "anneal_from": (LEAST_BETA, 1.0, f"an inverse temperature from {LEAST_BETA:g} to 1"),
    "batch_pairs": (0, math.inf, "a number of pairs, or 0 for the whole text"),
    "decay": (0.0, 1.0, "a number from 0 to 1"),
    "restarts": (1, MOST_RESTARTS, f"a number of starts from 1 to {MOST_RESTARTS}"),
    "cognates": (0.0, GREATEST_ALPHA, f"a pseudo-count from 0 to {GREATEST_ALPHA:g}"),
    "word_jumps": (0, math.inf, "the least frequency of words with jumps of their own, or 0 for none"),
}
"""The least and the greatest value of options of a stage, and what they are, for messages."""


@dataclass(frozen=True)
class Stage:
    """One stage of training: a model, a criterion with its options, a number of EM iterations.

    The variants of EM, from ``update`` on, compose with each other and with the criteria unless refused.

    Attributes
    ----------
    model
        The alignment model (see ``models``).
    iterations
        Number of EM iterations.
    criterion
        The training criterion, with its options (see ``criteria``).
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
        The inverse temperature of the first of several iterations, which rises to 1 by the last.
    batch_pairs, decay
        Sentence pairs after which the model is updated, and how fast running counts forget (see
        ``training.stepwise``). 0 pairs updates after the whole text.
    restarts
        Number of random starts, of which the best is taken; first stage only (see ``training.restarts``).
    cognates
        Pseudo-count of word pairs that are spelled alike (see ``priors.cognates``).
    word_forms
        True for pseudo-counts from the translations of a word's other forms (see ``priors.word_forms``).
    word_jumps
        The HMM's conditioning words that occur at least this often have jumps of their own, at most 65,536 of
        a language (see ``models.hmm``). 0 if no word has.

    Raises
    ------
    ConfigError
        If a name is unknown, a number is out of range, or options do not go together.
    """

    model: str
    iterations: int
    criterion: Criterion = field(default_factory=Independent)
    p0: float = NULL_BY_LENGTH
    prune: float = 0.0
    update: str = DEFAULT
    alpha: float = 0.0
    hard: bool = False
    anneal_from: float = 1.0
    batch_pairs: int = 0
    decay: float = 0.7
    restarts: int = 1
    cognates: float = 0.0
    word_forms: bool = False
    word_jumps: int = 0

    def __post_init__(self) -> None:
        MODELS.find(self.model)
        MSTEPS.find(self.update)
        self._check_ranges()
        self._check_alpha()
        check_model(self.criterion, MODELS[self.model])
        chosen = [option.name for option in fields(self) if getattr(self, option.name) != option.default]
        check_compatible(self.criterion, chosen)
        self._check_combinations()

    def _check_ranges(self) -> None:
        """Raise ConfigError for a value out of range."""
        for name, (least, greatest, expected) in _RANGES.items():
            value = getattr(self, name)
            _require(least <= value <= greatest, f"{name} = {value}: expected {expected}")
        _require(
            self.p0 == NULL_BY_LENGTH or 0.0 < self.p0 < 1.0,
            f"p0 = {self.p0}: expected a probability between 0 and 1, or -1 for 1 / (I + 1)",
        )
        _require(
            0.0 <= self.prune < GREATEST_PRUNE,
            f"prune = {self.prune}: expected an expected count from 0 to below {GREATEST_PRUNE}",
        )

    def _check_alpha(self) -> None:
        """Raise ConfigError if the Dirichlet parameter does not go with the M-step."""
        found = f"alpha = {self.alpha} with update = {self.update!r}"
        if self.update == DEFAULT:
            _require(self.alpha == 0.0, f"{found}: maximum likelihood has no alpha; expected 0")
        else:
            expected = f"expected a number above 0 and at most {GREATEST_ALPHA:g}"
            _require(0.0 < self.alpha <= GREATEST_ALPHA, f"{found}: {expected}")

    def _check_combinations(self) -> None:
        """Raise ConfigError for options that have no meaning with each other."""
        _require(
            self.batch_pairs > 0 or self.decay == Stage.decay,
            f"decay = {self.decay} without batch_pairs: there are no running counts that decay; set"
            f" batch_pairs, or leave decay out",
        )
        _require(
            not self.word_jumps or MODELS[self.model].has_word_jumps,
            f"word_jumps with model = {self.model!r}: its jumps do not depend on words; leave word_jumps out",
        )
        _require(
            not self.batch_pairs or self.iterations != 1,
            "batch_pairs with one iteration: the first iteration of a stage is batch EM; expected 2 or more"
            " iterations",
        )
        _require(
            not (self.anneal_from < 1.0 and self.hard),
            "hard with anneal_from: the best alignment is the same at every temperature; leave out either",
        )
        _require(
            not (self.prune and self.hard),
            "hard with prune: all cells off the first best alignments would be dropped; leave out either",
        )
        _require(
            not (self.prune and self.batch_pairs),
            "batch_pairs with prune: running counts would include dropped cells; leave out either",
        )
        _require(
            self.restarts == 1 or self.iterations > 0,
            "restarts with no iterations: starts are compared after their last iteration; expected 1 or more"
            " iterations",
        )

    def variants(self) -> dict[str, Any]:
        """Return the options, from ``update`` on, in which the stage's EM differs from plain EM."""
        names = [option.name for option in fields(self)]
        options = fields(self)[names.index("update") :]
        return {o.name: getattr(self, o.name) for o in options if getattr(self, o.name) != o.default}

    @property
    def prunes(self) -> bool:
        """True if the stage drops cells, which it does after its second iteration."""
        return self.prune > 0.0 and self.iterations >= PRUNING_ITERATION

    def inverse_temperature(self, iteration: int) -> float:
        """Return the inverse temperature of an iteration, from 0. It rises to 1 by equal factors.

        The last iteration is plain EM, also if it is the only one (Ueda & Nakano 1998).
        """
        return float(self.anneal_from ** ((self.iterations - 1 - iteration) / max(self.iterations - 1, 1)))

    @property
    def mstep(self) -> LexiconMStep:
        """The M-step of the lexical tables."""
        return partial(MSTEPS[self.update], alpha=self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Return the stage as plain data: one table with the options of the criterion."""
        return {
            "model": self.model,
            "iterations": self.iterations,
            "p0": self.p0,
            "prune": self.prune,
            **self.variants(),
            "criterion": self.criterion.name,
            **asdict(self.criterion),
        }


@dataclass(frozen=True)
class Recipe:
    """A training recipe: stages of training, settings for reading text and for decoding.

    Recipes are immutable and compare by value. ``load_recipe`` reads one from a file or by name;
    ``dataclasses.replace`` changes one.

    Parameters
    ----------
    stages
        Stages of training, in order. At least one has an iteration, and at most one drops cells.
    data
        Settings for reading text.
    decode
        Default settings for choosing links.
    split
        What is split off words: "marks" for punctuation and clitics in text without tokenisation (see
        ``aligner.text.marks``), "prefixes" for frequent prefixes (see ``aligner.text.prefixes``),
        "marks+prefixes", or "none".
    pieces
        Settings for a second model of pieces of words, or None for a model of words alone.
    start
        The start of learning that chooses links until the model has learned from corrected lines, and that
        learning then prefers (see ``aligner.models.start``); none by default.
    summary
        One line for people.

    Raises
    ------
    ConfigError
        If there is nothing to train, or if the stages do not go together.
    """

    stages: tuple[Stage, ...]
    data: DataSettings = field(default_factory=DataSettings)
    decode: Decoder = field(default_factory=Decoder)
    split: str = "none"
    pieces: PieceSettings | None = None
    start: str = ""
    summary: str = ""

    @property
    def passes(self) -> int:
        """The number of times that training goes through the text, with restarts and the model of pieces."""
        return sum(stage.iterations * stage.restarts for stage in self.stages) * (
            1 if self.pieces is None else 2
        )

    def __post_init__(self) -> None:
        _require(
            any(stage.iterations for stage in self.stages),
            "found a recipe without iterations; expected at least one [[stage]] with at least one iteration",
        )
        _require(self.split in SPLITS, f"split = {self.split!r}: expected one of {', '.join(SPLITS)}")
        _require(self.start in ("", *STARTS), f"start = {self.start!r}: expected one of {', '.join(STARTS)}")
        for number, stage in enumerate(self.stages[1:], start=2):
            _require(
                stage.restarts == 1,
                f"restarts in a later stage: stage {number} starts from the model of the stage before; set"
                f" restarts in stage 1 only",
            )
        pruning = [number for number, stage in enumerate(self.stages, start=1) if stage.prunes]
        _require(
            len(pruning) <= 1,
            f"prune in stages {pruning}: cells can be dropped only once; set prune in one stage only",
        )

    def __repr__(self) -> str:
        stages = (f"{stage.iterations} x {stage.model} ({stage.criterion.name})" for stage in self.stages)
        return f"<Recipe: {', '.join(stages)}>"

    def is_pruned_after(self, stage: int, iteration: int) -> bool:
        """Return True if cells have been dropped by the end of an iteration; both are numbered from 1."""
        if any(earlier.prunes for earlier in self.stages[: stage - 1]):
            return True
        return self.stages[stage - 1].prunes and iteration >= PRUNING_ITERATION

    @property
    def of_pieces(self) -> Recipe:
        """The recipe of the model of pieces: the same stages for the same pairs, however long in pieces."""
        return replace(self, split="none", pieces=None, start="", data=replace(self.data, max_length=0))

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``recipe_from_dict``."""
        return {
            "summary": self.summary,
            "data": {name: value for name, value in asdict(self.data).items() if value != ""},
            "stage": [stage.to_dict() for stage in self.stages],
            "decode": self.decode.to_dict(),
            **({} if self.split == "none" else {"split": self.split}),
            **({} if self.pieces is None else {"pieces": asdict(self.pieces)}),
            **({"start": self.start} if self.start else {}),
        }


def _require(holds: bool, message: str) -> None:
    """Raise ConfigError with this message unless the condition holds."""
    if not holds:
        raise ConfigError(message)
