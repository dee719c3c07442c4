"""The state of a run between two rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.models import ModelPair
from aligner.models.storage import (
    collect_arrays,
    describe_model,
    rebuild_model,
    take_vocabulary,
    vocabulary_arrays,
)
from aligner.models.trained import Model
from aligner.recipe.config import Recipe, Stage
from aligner.recipe.load import recipe_from_dict
from aligner.text.vocabulary import Vocabulary
from aligner.training.packing import pack, unpack

WORDS_ROUND, PAIRS_ROUND, FIRST_ITERATION = 0, 1, 2
"""The rounds: words, word pairs, then one for each iteration."""


@dataclass(frozen=True)
class Totals:
    """Figures on the whole text.

    report: the sums of ``Bitext.report``; pairs, source_tokens, target_tokens: of the usable pairs.
    """

    report: dict[str, int] = field(default_factory=dict)
    pairs: int = 0
    source_tokens: int = 0
    target_tokens: int = 0


@dataclass(frozen=True, eq=False)
class State:
    """The state of a run before a round.

    Attributes
    ----------
    recipe, shards
        The recipe, and the number of shards.
    round
        The number of the round, from 0.
    totals
        Figures on the text, after round 0.
    vocabularies
        The source and the target vocabulary, after round 0.
    model
        The model pair under which the next iteration counts, after round 1.
    report
        Figures about the text and the evidence, for the model file.
    history
        One record for each completed iteration.
    remembered
        The state of the criterion.
    shapes
        int64, the different pairs of sentence lengths, I * 2**32 + J.
    pruned
        True once cells have been dropped.
    """

    recipe: Recipe
    shards: int
    round: int = WORDS_ROUND
    totals: Totals = Totals()
    vocabularies: tuple[Vocabulary, Vocabulary] | None = None
    model: ModelPair | None = None
    report: dict[str, int] = field(default_factory=dict)
    history: tuple[dict[str, Any], ...] = ()
    remembered: Any = None
    shapes: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    pruned: bool = False

    @property
    def step(self) -> tuple[int, int]:
        """The numbers of the stage and of the iteration that the round counts for, from 1."""
        return steps_of(self.recipe)[self.round - FIRST_ITERATION]

    @property
    def stage(self) -> Stage:
        """The settings of this stage."""
        return self.recipe.stages[self.step[0] - 1]

    @property
    def rounds(self) -> int:
        """The number of rounds of the whole run."""
        return FIRST_ITERATION + len(steps_of(self.recipe))

    @property
    def done(self) -> bool:
        """True if the model is trained."""
        return self.round == self.rounds

    def trained(self) -> Model:
        """Return the model with its vocabularies."""
        assert self.vocabularies is not None, "words come first"
        assert self.model is not None, "word pairs come first"
        return Model(*self.vocabularies, self.model, self.recipe.to_dict(), self.report, self.history)

    def describe(self) -> tuple[dict[str, Any], dict[str, NDArray]]:
        """Return the header and the arrays of the state's file."""
        header: dict[str, Any] = {
            "config": self.recipe.to_dict(),
            "shards": self.shards,
            "round": self.round,
            "totals": asdict(self.totals),
            "pruned": self.pruned,
        }
        arrays: dict[str, NDArray] = {"shapes": self.shapes}
        if self.model is not None:
            model = self.trained()
            arrays |= collect_arrays(model)
            header |= describe_model(model) | {"remembered": pack(self.remembered, arrays)}
            shares = self.model.lexicon.uniform_shares
            if shares is not None:
                arrays |= {"uniform.forward": shares[0], "uniform.reverse": shares[1]}
        elif self.vocabularies is not None:
            arrays |= vocabulary_arrays(*self.vocabularies)
        return header, arrays

    @classmethod
    def outline(cls, header: dict[str, Any]) -> State:
        """Return the state of a file's header, without vocabularies and model."""
        return cls(
            recipe_from_dict(header["config"]),
            header["shards"],
            header["round"],
            Totals(**header["totals"]),
            pruned=header["pruned"],
        )

    @classmethod
    def rebuild(cls, header: dict[str, Any], arrays: Mapping[str, NDArray]) -> State:
        """Return the state of a file's header and arrays."""
        state = replace(cls.outline(header), shapes=arrays["shapes"])
        if "history" in header:
            model = rebuild_model(header, arrays)
            lexicon = replace(model.parameters.lexicon, uniform_shares=shares_of(arrays))
            return replace(
                state,
                vocabularies=(model.source_vocabulary, model.target_vocabulary),
                model=replace(model.parameters, lexicon=lexicon),
                report=model.corpus,
                history=model.history,
                remembered=unpack(header["remembered"], arrays),
            )
        if state.round == WORDS_ROUND:
            return state
        source, target = (take_vocabulary(arrays, side) for side in ("source", "target"))
        return replace(state, vocabularies=(source, target))


def steps_of(recipe: Recipe) -> list[tuple[int, int]]:
    """Return the numbers of stage and iteration of each iteration of a recipe, from 1."""
    return [
        (number, iteration)
        for number, stage in enumerate(recipe.stages, start=1)
        for iteration in range(1, stage.iterations + 1)
    ]


def shares_of(arrays: Mapping[str, NDArray]) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """Return the ``uniform_shares`` of a lexicon, from the arrays of a state's file."""
    return (arrays["uniform.forward"], arrays["uniform.reverse"]) if "uniform.forward" in arrays else None
