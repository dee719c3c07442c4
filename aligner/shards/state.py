"""The state of a run by shards between two rounds, and its file.

The word pairs and their probabilities, the rows of the lexicon, are in files of their own, one for each slice
(see ``slices``). A state is read with the rows of one slice, or with none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.errors import ConfigError, DamagedError
from aligner.lexicon.table import FLOOR, Lexicon
from aligner.models.model_file import ROWS
from aligner.models.trained import TrainedModel
from aligner.priors.knowledge import Knowledge
from aligner.priors.source import prior_names
from aligner.recipe.config import Recipe
from aligner.recipe.load import recipe_from_dict
from aligner.shards.stored_file import StoredFile
from aligner.storage.checks import require
from aligner.text.facts import TextFacts
from aligner.training.state import TrainingState
from aligner.training.state_file import describe_state, rebuild_state

WORDS_ROUND, PAIRS_ROUND, FIRST_ITERATION = 0, 1, 2
"""The rounds: words, word pairs, then one for each iteration."""


@dataclass(frozen=True, eq=False)
class RunState:
    """The state of a run before a round.

    Attributes
    ----------
    recipe, shards, slices
        The recipe, and the numbers of shards and of slices.
    knowledge
        A dictionary, and existing models.
    priors
        The names of the priors that the process knew that began the run.
    round
        The number of the round, from 0.
    facts
        Facts about the text, after round 0; all of them after round 1.
    slice_of_word
        int32 [source types], the slice of each source word, from 1, after round 0.
    training
        The state of training, after round 1, with the rows of one slice or of none.
    """

    recipe: Recipe
    shards: int
    slices: int = 1
    knowledge: Knowledge = field(default_factory=Knowledge)
    priors: list[str] = field(default_factory=prior_names)
    round: int = WORDS_ROUND
    facts: TextFacts | None = None
    slice_of_word: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    training: TrainingState | None = None

    @property
    def rounds(self) -> int:
        """The number of rounds of the whole run."""
        return FIRST_ITERATION + len(iterations_of(self.recipe))

    @property
    def done(self) -> bool:
        """True if the model is trained."""
        return self.round == self.rounds

    @property
    def all_shards(self) -> frozenset[int]:
        """The numbers of all shards."""
        return frozenset(range(1, self.shards + 1))

    @property
    def known_facts(self) -> TextFacts:
        """The facts about the text; raise DamagedError if the state has none."""
        if self.facts is None:
            raise DamagedError(f"the state before round {self.round} has no facts about the text")
        return self.facts

    @property
    def known_training(self) -> TrainingState:
        """The state of training; raise DamagedError if there is none."""
        if self.training is None:
            raise DamagedError(f"the state before round {self.round} has no state of training")
        return self.training

    @property
    def types(self) -> tuple[int, int]:
        """The sizes of the source and of the target vocabulary; 0 before they are known."""
        facts = self.facts
        return (0, 0) if facts is None else (len(facts.source_vocabulary), len(facts.target_vocabulary))

    def trained(self, lexicon: Lexicon | None = None) -> TrainedModel:
        """Return the model with its vocabularies; lexicon: the whole one, if the state has not all rows."""
        state = self.known_training
        if lexicon is not None:
            state = replace(state, pair=replace(state.pair, lexicon=lexicon))
        return state.trained(self.known_facts)

    def values(self) -> dict[str, Any]:
        """Return the values of the state's file. It has no rows of the lexicon."""
        values = {
            "config": self.recipe.to_dict(),
            "shards": self.shards,
            "slices": self.slices,
            "round": self.round,
            "priors": self.priors,
            "types": self.types,
            "facts": self.facts,
            "slice_of_word": self.slice_of_word,
        }
        if self.training is not None:
            header, arrays = describe_state(self.training)
            shares = self.training.pair.lexicon.uniform_shares
            values |= {
                "training": header,
                "arrays": {name: array for name, array in arrays.items() if name not in ROWS},
                "uniform_shares": shares,
            }
        return values

    @classmethod
    def outline(cls, file: StoredFile) -> RunState:
        """Return the state of a file, without facts and state of training."""
        shards, slices, round = (file.take(name, int) for name in ("shards", "slices", "round"))
        try:
            recipe, priors = recipe_from_dict(file.take("config", dict)), file.take("priors", list[str])
            state = cls(recipe, shards, slices, round=round, priors=priors)
        except ConfigError as error:
            raise DamagedError(f"its recipe is none: {error}") from None
        require(shards > 0 and slices > 0 and 0 <= round <= state.rounds, f"its round is {round}")
        return state

    @classmethod
    def read(cls, file: StoredFile, rows: Mapping[str, NDArray] | None = None) -> RunState:
        """Return the state of a file; rows: the arrays of ``rows_of`` of one slice, or None."""
        state = cls.outline(file)
        if state.round == WORDS_ROUND:
            return state
        facts = file.take("facts", TextFacts)
        slice_of_word = file.take("slice_of_word", NDArray[np.int32])
        state = replace(state, facts=facts, slice_of_word=slice_of_word)
        types = state.types
        in_range = slice_of_word.min(initial=1) >= 1 and slice_of_word.max(initial=1) <= state.slices
        require(len(slice_of_word) == types[0] and in_range, "it has slices of other words")
        require("trainable" in facts.report and "lowercase" in facts.settings, "it has no report")
        require(file.take("types", tuple[int, int]) == types, "it has other numbers of words")
        if state.round == PAIRS_ROUND:
            return state
        arrays = file.take("arrays", dict[str, np.ndarray]) | (dict(rows) if rows else _no_rows(types[0]))
        training = rebuild_state(file.take("training", dict), arrays, state.recipe, types)
        completed = iterations_of(state.recipe)[: state.round - FIRST_ITERATION]
        require(len(training.history) == len(completed), "its history is of another round")
        lexicon = replace(training.pair.lexicon, uniform_shares=shares_of(file))
        return replace(state, training=replace(training, pair=replace(training.pair, lexicon=lexicon)))


def rows_of(lexicon: Lexicon) -> dict[str, NDArray]:
    """Return the arrays of the rows of a lexicon, for their file."""
    return dict(zip(ROWS, (lexicon.index.row_offsets, lexicon.index.columns, lexicon.table), strict=True))


def _no_rows(source_types: int) -> dict[str, NDArray]:
    """Return the arrays of no rows."""
    offsets, columns = np.ones(source_types + 2, np.int64), np.full(1, -1, np.int32)
    return dict(zip(ROWS, (offsets, columns, np.full((1, 2), FLOOR, np.float32)), strict=True))


def iterations_of(recipe: Recipe) -> list[tuple[int, int]]:
    """Return the numbers of stage and iteration of each iteration of a recipe, from 1."""
    return [
        (number, iteration)
        for number, stage in enumerate(recipe.stages, start=1)
        for iteration in range(1, stage.iterations + 1)
    ]


def shares_of(file: StoredFile) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """Return the ``uniform_shares`` of a lexicon, from the file of a state."""
    shares: tuple[NDArray[np.float32], NDArray[np.float32]] | None = file.take(
        "uniform_shares", tuple[NDArray[np.float32], NDArray[np.float32]] | None
    )
    return shares
