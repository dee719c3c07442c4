"""Training recipes: TOML to frozen dataclasses; an unknown key is an error that names the nearest known."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from aligner.decoder import Decoder
from aligner.errors import ConfigError
from aligner.models import DISTORTIONS
from aligner.models.base import NULL_BY_LENGTH
from aligner.objectives import OBJECTIVES, Independent, Objective
from aligner.objectives.updates import MAP, UPDATES, MaximumLikelihood, Update, VariationalBayes
from aligner.pruning import PRUNED_AFTER
from aligner.recipes import read_recipe, require_known
from aligner.stepwise import Stepwise, WholeText
from aligner.variants import Inference, Viterbi, annealing

_T = TypeVar("_T")

GREATEST_ALPHA = 100.0
"""Such pseudo-counts for each of ten million words still add up in 64-bit fixed point."""

LEAST_BETA = 0.01
"""At this inverse temperature the least lexical probability is 0.76 of the greatest: flatter is of no use."""

MOST_ITERATIONS = 10_000
"""Of a stage; EM is done long before."""

_HUGE = 10**18

_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}

_VARIANTS = ("update", "alpha", "hard", "anneal_from", "batch_pairs", "decay", "restarts", "cognates")


@dataclass(frozen=True)
class DataConfig:
    """How text is read.

    lowercase: for looking words up; indices never change. max_length: pairs with a longer side are not
    trained on, 0 for no limit but that of the program, 65,535. A bitext is read by these: ``**vars(data)``.
    """

    lowercase: bool = True
    max_length: int = 100

    def __post_init__(self) -> None:
        if self.max_length < 0:
            raise ConfigError(
                f"max_length = {self.max_length}: expected a number of tokens, or 0 for no limit"
            )


@dataclass(frozen=True)
class StageConfig:
    """One stage of training: a model, a criterion with its options, a number of EM iterations.

    p0: probability of NULL, or -1 for 1 / (I + 1). prune: after the stage's second iteration, drop the cells
    whose expected link counts are all below this (see ``pruning``); 0 drops none.

    Variants of EM, which compose with each other and with the criteria unless refused. update: "ml", "map"
    or "vb", with the Dirichlet parameter alpha (see ``objectives.updates``). hard: best alignments instead
    of posteriors. anneal_from: the first iteration's inverse temperature, which rises to 1 by the last
    (both: ``variants``). batch_pairs: update after every so many pairs, with running counts that forget by
    decay; 0 updates after the whole text (``stepwise``). restarts: of so many random starts the best is
    taken; first stage only (``restarts``). cognates: the pseudo-count of word pairs that are spelled alike
    (``cognates``).
    """

    model: str
    iterations: int
    criterion: Objective = field(default_factory=Independent)
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
        require_known(self.model, DISTORTIONS, "model")
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
        require_known(self.update, UPDATES, "update")
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
        if not self.batch_pairs and self.decay != StageConfig.decay:
            raise ConfigError(f"decay = {self.decay} without batch_pairs: it plays no part")
        if self.restarts < 1:
            raise ConfigError(f"restarts = {self.restarts}: expected a number of starts from 1")
        if not 0.0 <= self.cognates <= GREATEST_ALPHA:
            raise ConfigError(
                f"cognates = {self.cognates}: expected a pseudo-count from 0 to {GREATEST_ALPHA:g}"
            )
        require_admitted(self.criterion, self._variants())
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

    def _variants(self) -> dict[str, Any]:
        """The options that say how this stage's EM differs from plain EM."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name in _VARIANTS}
        plain = {f.name: f.default for f in fields(self)}
        return {name: value for name, value in values.items() if value != plain[name]}

    @property
    def prunes(self) -> bool:
        """Whether it drops cells, which it does after its second iteration."""
        return self.prune > 0.0 and self.iterations >= PRUNED_AFTER

    @property
    def rule(self) -> Update:
        """The M-step of the lexical tables."""
        smoothed = {kind.name: kind for kind in (MAP, VariationalBayes)}
        return smoothed[self.update](self.alpha) if self.update in smoothed else MaximumLikelihood()

    def inferences(self) -> Sequence[Inference]:
        """How each iteration infers."""
        if self.hard:
            return [Viterbi()] * self.iterations
        if self.anneal_from < 1.0:
            return annealing(self.anneal_from, self.iterations)
        return [Inference()] * self.iterations

    def stepping(self) -> WholeText:
        """How often an iteration updates, with what that has to remember, from the stage's start."""
        return Stepwise(self.batch_pairs, self.decay) if self.batch_pairs else WholeText()


def require_admitted(criterion: Objective, variants: Iterable[str]) -> None:
    """Raise ConfigError, with the reason, for a variant that has no meaning with the criterion."""
    for name in variants:
        if name in criterion.refuses:
            why = criterion.refuses[name]
            raise ConfigError(f"{name} does not go with criterion {criterion.name!r}: {why}")


@dataclass(frozen=True)
class Config:
    """A whole recipe."""

    stages: tuple[StageConfig, ...]
    data: DataConfig = field(default_factory=DataConfig)
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
        """The recipe as plain data, the inverse of ``Config.from_dict``."""
        stages = [
            {
                "model": stage.model,
                "iterations": stage.iterations,
                "p0": stage.p0,
                "prune": stage.prune,
                **stage._variants(),
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

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any]) -> Config:
        """Check and build a recipe; ConfigError on anything unknown or of the wrong type."""
        for key in tables:
            require_known(key, ("summary", "data", "stage", "decode"), "table")
        stages = tables.get("stage", [])
        if not isinstance(stages, list):
            raise ConfigError("stage: expected an array of tables, written [[stage]]")
        return cls(
            stages=tuple(_stage(table, f"stage.{n}") for n, table in enumerate(stages, start=1)),
            data=_build(DataConfig, tables.get("data", {}), "data"),
            decode=_build(Decoder, tables.get("decode", {}), "decode"),
            summary=_checked(tables.get("summary", ""), str, "summary"),
        )


def load_config(name: str | Path = "default", overrides: Iterable[str] = ()) -> Config:
    """A recipe by the name of an installed one or by path, with ``key=value`` overrides applied.

    Keys are dotted, stages count from 1: ``stage.2.iterations=10``, ``decode.threshold=0.3``.
    """
    text, where = read_recipe(name)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None
    for override in overrides:
        _override(tables, override)
    try:
        return Config.from_dict(tables)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _override(tables: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals:
        raise ConfigError(f"--set {override}: expected KEY=VALUE, such as stage.2.iterations=10")
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    *path, last = key.strip().split(".")
    place: Any = tables
    for part in path:
        if isinstance(place, list):
            if not part.isdigit() or not 1 <= int(part) <= len(place):
                raise ConfigError(f"--set {key}: there is no stage {part} (stages are 1 to {len(place)})")
            place = place[int(part) - 1]
        elif isinstance(place, dict):
            place = place.setdefault(part, {})
        else:
            raise ConfigError(f"--set {key}: {part!r} is not a table")
    if not isinstance(place, dict):
        raise ConfigError(f"--set {key}: expected a key such as stage.1.iterations")
    place[last] = value


def _stage(table: Any, where: str) -> StageConfig:
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: expected a table")
    table = dict(table)
    for key in ("model", "iterations"):
        if key not in table:
            raise ConfigError(f"{where}: {key} is missing")
    name = _checked(table.pop("criterion", Independent.name), str, f"{where}.criterion")
    require_known(name, OBJECTIVES, f"{where}.criterion")
    kind = OBJECTIVES[name]
    options = {f.name: table.pop(f.name) for f in fields(kind) if f.name in table}
    keys = {f.name for f in (*fields(StageConfig), *fields(kind))}
    for key in table:
        require_known(key, sorted(keys), f"key in {where}")
    return _build(StageConfig, table, where, criterion=_build(kind, options, where))


def _build(kind: type[_T], table: Any, where: str, **built: Any) -> _T:
    """A frozen dataclass of what is built already and of a table, its values checked for their types."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where}: expected a table")
    types = get_type_hints(kind)
    names = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    for key in table:
        require_known(key, names, f"key in {where}")
    values = {key: _checked(value, types[key], f"{where}.{key}") for key, value in table.items()}
    try:
        return kind(**values, **built)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _checked(value: Any, expected: type, where: str) -> Any:
    """The value, if it has the expected type and is finite; an integer will do for a float."""
    if type(value) is int and not -_HUGE < value < _HUGE:
        raise ConfigError(f"{where} = {value}: expected a number of at most 18 digits")
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:
        raise ConfigError(f"{where} = {value!r}: expected {_EXPECTED[expected]}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where} = {value}: expected a finite number")
    return value
