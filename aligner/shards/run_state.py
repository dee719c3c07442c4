"""The state of a run by shards between two rounds, and its file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from aligner.arrays import Float32s
from aligner.errors import ConfigError, DamagedError
from aligner.models.model_file import ROWS
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import prior_names, priors_of
from aligner.recipe.config import Recipe, Stage
from aligner.recipe.load import recipe_from_dict
from aligner.shards.folder import KNOWLEDGE, STATE, Folder
from aligner.storage.checks import require
from aligner.text.facts import TextFacts
from aligner.training.state import TrainingState
from aligner.training.state_file import describe_state, rebuild_state
from aligner.training.task import Task

WORDS_ROUND, PAIRS_ROUND, FIRST_ITERATION = 0, 1, 2
"""The rounds: words, word pairs, then one for each iteration."""

Shares = tuple[Float32s, Float32s] | None
"""The type of ``Lexicon.uniform_shares``."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run before a round: the header of its state.

    Attributes
    ----------
    config
        The recipe, as plain data.
    shards
        The number of shards.
    priors
        The names of the priors that the process knew that began the run.
    round
        The number of the round, from 0.
    texts
        The identities of the texts of all shards, after round 0.
    before
        The identity of the state before the last round; None before round 1.
    encoded
        The identity of the state before round 1, which has the vocabularies of the encoded texts; or None.
    pruned
        The identity of the state before the iteration that pruned; None before it.
    """

    config: dict[str, Any]
    shards: int
    priors: list[str] = field(default_factory=prior_names)
    round: int = WORDS_ROUND
    texts: list[str] = field(default_factory=list)
    before: str | None = None
    encoded: str | None = None
    pruned: str | None = None

    def check_structure(self) -> None:
        """Raise DamagedError unless this is a run by a recipe."""
        try:
            require(self.shards > 0 and 0 <= self.round <= self.rounds, f"its round is {self.round}")
        except ConfigError as error:
            raise DamagedError(f"its recipe is none: {error}") from None
        require(len(self.texts) == (self.shards if self.round else 0), "it has texts of other shards")

    @classmethod
    def current(cls, folder: Folder) -> Run:
        """Return the run in a folder before its current round. Only a header is read."""
        run: Run = folder.take(STATE(folder.round()), "run", cls)
        return run

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe."""
        return recipe_from_dict(self.config)

    @property
    def numbers(self) -> range:
        """The numbers of all shards."""
        return range(1, self.shards + 1)

    @property
    def rounds(self) -> int:
        """The number of rounds of the whole run."""
        return FIRST_ITERATION + len(iterations_of(self.recipe))

    @property
    def stage(self) -> Stage:
        """The stage of the current iteration."""
        return self.recipe.stages[iterations_of(self.recipe)[self.round - FIRST_ITERATION][0] - 1]

    @property
    def done(self) -> bool:
        """True if the model is trained."""
        return self.round == self.rounds


@dataclass(frozen=True, eq=False)
class RunState:
    """The state of a run before a round.

    Attributes
    ----------
    run
        Its header.
    knowledge
        A dictionary, and existing models.
    facts
        Facts about the text, after round 0; all of them after round 1.
    training
        The state of training, after round 1.
    threads
        Number of threads of updates. It is not stored.
    """

    run: Run
    knowledge: Knowledge = field(default_factory=Knowledge)
    facts: TextFacts | None = None
    training: TrainingState | None = None
    threads: int = 1

    @cached_property
    def task(self) -> Task:
        """The task of training, after round 0."""
        assert self.facts is not None
        return Task(self.facts, priors_of(self.facts, self.knowledge, self.threads), self.threads)

    def write(self, folder: Folder) -> None:
        """Write the file of the state."""
        values: dict[str, Any] = {"run": self.run, "facts": self.facts}
        if self.facts is not None:
            values["types"] = tuple(map(len, self.facts.vocabularies))
        if self.training is not None:
            values["training"], arrays = describe_state(self.training)
            values["rows"] = {name: arrays.pop(name) for name in ROWS}
            values["arrays"] = arrays
            values["uniform_shares"] = self.training.pair.lexicon.uniform_shares
        folder.write(STATE(self.run.round), self.knowledge.identity, values)

    @classmethod
    def read(cls, folder: Folder, threads: int = 1) -> RunState:
        """Return the current state of a run."""
        with folder.opened(STATE(folder.round())) as file:
            run, identity = file.take("run", Run), file.made_from
            knowledge = (
                folder.take(KNOWLEDGE(), "knowledge", Knowledge, identity) if identity else Knowledge()
            )
            state = cls(run, knowledge, threads=threads)
            if run.round == WORDS_ROUND:
                return state
            facts = file.take("facts", TextFacts)
            types = len(facts.source_vocabulary), len(facts.target_vocabulary)
            require("trainable" in facts.report and "lowercase" in facts.settings, "it has no report")
            require(file.take("types", tuple[int, int]) == types, "it has other numbers of words")
            state = replace(state, facts=facts)
            if run.round == PAIRS_ROUND:
                return state
            arrays = file.take("rows", dict[str, np.ndarray]) | file.take("arrays", dict[str, np.ndarray])
            training = rebuild_state(file.take("training", dict), arrays, state.task, run.recipe)
            require(len(training.history) == run.round - FIRST_ITERATION, "its history is of another round")
            lexicon = replace(training.pair.lexicon, uniform_shares=file.take("uniform_shares", Shares))
            training.pair = replace(training.pair, lexicon=lexicon)
            return replace(state, training=training)


def iterations_of(recipe: Recipe) -> list[tuple[int, int]]:
    """Return the numbers of stage and iteration of each iteration of a recipe, from 1."""
    return [
        (number, iteration)
        for number, stage in enumerate(recipe.stages, start=1)
        for iteration in range(1, stage.iterations + 1)
    ]
