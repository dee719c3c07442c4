"""The state of a run between two rounds.

The word pairs and their probabilities, the rows of the lexicon, are in files of their own, one for each slice
(see ``slices``). A state is read with the rows of one slice, or with none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.lexicon.cooccurrence import CooccurrenceIndex
from aligner.lexicon.table import FLOOR, AddUp, Lexicon
from aligner.models import ModelPair
from aligner.models.storage import (
    collect_arrays,
    describe_model,
    rebuild_model,
    take_vocabulary,
    vocabulary_arrays,
)
from aligner.models.trained import TrainedModel
from aligner.recipe.config import Recipe, Stage
from aligner.recipe.load import recipe_from_dict
from aligner.shards.given import Given
from aligner.text.vocabulary import Vocabulary
from aligner.training.packing import pack, unpack

WORDS_ROUND, PAIRS_ROUND, FIRST_ITERATION = 0, 1, 2
"""The rounds: words, word pairs, then one for each iteration."""


@dataclass(frozen=True)
class Totals:
    """Figures on the whole text.

    report: the sums of ``Bitext.report``; pairs, source_tokens, target_tokens: of the usable pairs;
    known_tokens: the tokens that existing models know, by model and side.
    """

    report: dict[str, int] = field(default_factory=dict)
    pairs: int = 0
    source_tokens: int = 0
    target_tokens: int = 0
    known_tokens: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class State:
    """The state of a run before a round.

    Attributes
    ----------
    recipe, shards, slices
        The recipe, and the numbers of shards and of slices.
    given
        A dictionary, and existing models.
    round
        The number of the round, from 0.
    totals
        Figures on the text, after round 0.
    vocabularies
        The source and the target vocabulary, after round 0.
    slice_of_word
        int32 [source types], the slice of each source word, from 1, after round 0.
    model
        The model pair under which the next iteration counts, after round 1, with the rows of one slice or of
        none.
    report
        Figures about the text and the evidence, for the model file.
    history
        One record for each completed iteration.
    remembered
        The state of the criterion.
    length_pairs
        int64, the different pairs of sentence lengths, I * 2**32 + J.
    pruned
        True once cells have been dropped.
    """

    recipe: Recipe
    shards: int
    slices: int = 1
    given: Given = field(default_factory=Given)
    round: int = WORDS_ROUND
    totals: Totals = Totals()
    vocabularies: tuple[Vocabulary, Vocabulary] | None = None
    slice_of_word: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    model: ModelPair | None = None
    report: dict[str, int] = field(default_factory=dict)
    history: tuple[dict[str, Any], ...] = ()
    remembered: Any = None
    length_pairs: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    pruned: bool = False

    @property
    def stage_and_iteration(self) -> tuple[int, int]:
        """The numbers of the stage and of the iteration that the round counts for, from 1."""
        return iterations_of(self.recipe)[self.round - FIRST_ITERATION]

    @property
    def stage(self) -> Stage:
        """The settings of this stage."""
        return self.recipe.stages[self.stage_and_iteration[0] - 1]

    @property
    def rounds(self) -> int:
        """The number of rounds of the whole run."""
        return FIRST_ITERATION + len(iterations_of(self.recipe))

    @property
    def done(self) -> bool:
        """True if the model is trained."""
        return self.round == self.rounds

    def trained(self, lexicon: Lexicon | None = None) -> TrainedModel:
        """Return the model with its vocabularies; lexicon: the whole one, if the state has not all rows."""
        assert self.vocabularies is not None, "words come first"
        assert self.model is not None, "word pairs come first"
        pair = self.model if lexicon is None else replace(self.model, lexicon=lexicon)
        return TrainedModel(*self.vocabularies, pair, self.recipe.to_dict(), self.report, self.history)

    def with_add_up(self, add_up: AddUp) -> State:
        """Return the state with another function that adds up over the slices."""
        assert self.model is not None, "word pairs come first"
        lexicon = replace(self.model.lexicon, add_up=add_up)
        return replace(self, model=replace(self.model, lexicon=lexicon))

    def describe(self) -> tuple[dict[str, Any], dict[str, NDArray]]:
        """Return the header and the arrays of the state's file, without the rows of the lexicon."""
        header: dict[str, Any] = {
            "config": self.recipe.to_dict(),
            "shards": self.shards,
            "slices": self.slices,
            "round": self.round,
            "totals": asdict(self.totals),
            "pruned": self.pruned,
        }
        arrays: dict[str, NDArray] = {"length_pairs": self.length_pairs, "slice_of_word": self.slice_of_word}
        if self.model is not None:
            model = self.trained()
            named = collect_arrays(model)
            arrays |= {name: array for name, array in named.items() if name not in _ROWS}
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
            header["slices"],
            round=header["round"],
            totals=Totals(**header["totals"]),
            pruned=header["pruned"],
        )

    @classmethod
    def rebuild(cls, header: dict[str, Any], arrays: Mapping[str, NDArray]) -> State:
        """Return the state of a file's header and arrays, without the rows of the lexicon."""
        length_pairs, slice_of_word = arrays["length_pairs"], arrays["slice_of_word"]
        state = replace(cls.outline(header), length_pairs=length_pairs, slice_of_word=slice_of_word)
        if "history" in header:
            model = rebuild_model(header, {**arrays, **_no_rows(len(state.slice_of_word))})
            lexicon = replace(model.pair.lexicon, uniform_shares=shares_of(arrays))
            return replace(
                state,
                vocabularies=(model.source_vocabulary, model.target_vocabulary),
                model=replace(model.pair, lexicon=lexicon),
                report=model.corpus,
                history=model.history,
                remembered=unpack(header["remembered"], arrays),
            )
        if state.round == WORDS_ROUND:
            return state
        source, target = (take_vocabulary(arrays, side) for side in ("source", "target"))
        return replace(state, vocabularies=(source, target))

    def with_rows(self, rows: Mapping[str, NDArray]) -> State:
        """Return the state with the rows of a slice; rows: the arrays of ``rows_of``."""
        assert self.model is not None, "word pairs come first"
        before = self.model.lexicon
        row_offsets, columns, table = (rows[name] for name in _ROWS)
        index = CooccurrenceIndex(row_offsets, columns, before.index.target_types)
        return replace(self, model=replace(self.model, lexicon=replace(before, index=index, table=table)))


_ROWS = "pairs.row_offsets", "pairs.columns", "lexicon.table"
"""The names of the arrays of the rows."""


def rows_of(lexicon: Lexicon) -> dict[str, NDArray]:
    """Return the arrays of the rows of a lexicon, for their file."""
    arrays = lexicon.index.row_offsets, lexicon.index.columns, lexicon.table
    return dict(zip(_ROWS, arrays, strict=True))


def _no_rows(source_types: int) -> dict[str, NDArray]:
    """Return the arrays of no rows."""
    offsets, columns = np.ones(source_types + 2, np.int64), np.full(1, -1, np.int32)
    return dict(zip(_ROWS, (offsets, columns, np.full((1, 2), FLOOR, np.float32)), strict=True))


def iterations_of(recipe: Recipe) -> list[tuple[int, int]]:
    """Return the numbers of stage and iteration of each iteration of a recipe, from 1."""
    return [
        (number, iteration)
        for number, stage in enumerate(recipe.stages, start=1)
        for iteration in range(1, stage.iterations + 1)
    ]


def shares_of(arrays: Mapping[str, NDArray]) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """Return the ``uniform_shares`` of a lexicon, from the arrays of a state's file."""
    return (arrays["uniform.forward"], arrays["uniform.reverse"]) if "uniform.forward" in arrays else None
