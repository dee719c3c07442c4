"""The training criterion: what happens between the posteriors of both directions and the counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aligner.arrays import Float32s, Float64s
from aligner.criteria.counts import Counts, DistortionCounts
from aligner.criteria.mstep import LexiconMStep, maximum_likelihood
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import Block
from aligner.models import AlignmentModel, ModelPair
from aligner.registry import Registry, set_name
from aligner.system.threads import run_all


class BlockPosteriors(NamedTuple):
    """The posteriors of one block that become counts, and its measures.

    Attributes
    ----------
    links
        float32 [cells with a pair_id, columns], source-major. One column if both directions share their link
        posteriors, two for forward and reverse posteriors.
    null_forward, null_reverse
        float32 [target tokens] and [source tokens]; [tokens, columns] if the counts have columns.
    measures
        float64 [names, pairs], to be summed over the text.
    """

    links: Float32s
    null_forward: Float32s
    null_reverse: Float32s
    measures: Float64s


@dataclass(frozen=True)
class Criterion(ABC):
    """A training criterion: it turns both directions' E-steps into counts, and counts into a new model.

    Subclasses are frozen dataclasses. Their fields are the options that a recipe may set. To add a criterion,
    decorate its class with ``CRITERIA.register``.

    Attributes
    ----------
    name
        The name in recipes, under which the class is registered.
    columns
        Columns of a block's link posteriors: 1 if the directions share them, else 2. Only an M-step of the
        criterion's own takes more.
    measures
        Names of the figures that an E-step reports.
    objective
        The measure that never decreases from one accepted model to the next, or None if there is none.
    state_type
        The type of a state, as an annotation: made of frozen dataclasses, named tuples, numbers, strings,
        arrays, lists and tuples, or None. A class attribute ``constants`` names the fields that are equal in
        all states of a stage, such as the indices of a kernel. A checkpoint in which they differ is refused.
    has_pair_state
        True if the state belongs to the sentence pairs, and the E-step writes it. Otherwise only ``mstep``
        changes it.
    incompatible_with
        Options of a stage, or kinds of evidence, that have no meaning with the criterion, and the reasons.
    """

    name: ClassVar[str]
    columns: ClassVar[int] = 1
    measures: ClassVar[tuple[str, ...]] = ("forward_log_likelihood", "reverse_log_likelihood")
    objective: ClassVar[str | None] = None
    state_type: ClassVar[Any] = None
    has_pair_state: ClassVar[bool] = False
    incompatible_with: ClassVar[Mapping[str, str]] = {}

    @property
    def has_own_mstep(self) -> bool:
        """True if the class overrides ``mstep``, which then gets the lexical table as well."""
        return type(self).mstep is not Criterion.mstep

    def incompatible_model(self, model: type[AlignmentModel]) -> str:
        """Return why the criterion cannot train models of this class; by default nothing, since it can."""
        return ""

    def initial_state(self, source: BlockSource, pair: ModelPair) -> Any:
        """Return the state before the first iteration of a stage; None by default.

        All states of a stage have the types and shapes of this one, for the same source and the same word
        pairs of the models: checkpoints are checked by this. In a run by shards, a state of sentence pairs
        (``has_pair_state``) is that of a shard's text; any other state must not depend on the source.
        """
        return None

    def state_after_pruning(self, state: Any, pair: ModelPair) -> Any:
        """Return the state once cells and their word pairs have been dropped; by default the same.

        pair: without these word pairs.
        """
        return state

    def empty_counts(self, pair: ModelPair) -> Counts:
        """Return the counts of an empty text, to which the E-step adds."""
        lexicon = pair.lexicon
        return Counts(
            np.zeros((len(lexicon.index) + 1, self.columns), np.int64),
            np.zeros(lexicon.null_forward.shape, np.int64),
            np.zeros(lexicon.null_reverse.shape, np.int64),
            DistortionCounts(*(model.new_counts() for model in pair.directions)),
            np.zeros(len(self.measures), np.int64),
            0,
        )

    @abstractmethod
    def estep(
        self, pair: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        """Compute the posteriors of one block.

        Parameters
        ----------
        pair
            The model pair to infer with.
        block
            Sentence pairs with the pair_ids of their cells.
        distortion
            Expected jumps are added to these counts.
        state
            The state of the criterion. With ``has_pair_state``, the E-step may write the part of it that
            belongs to the pairs of the block, and only this part, since other threads work on other blocks.

        Returns
        -------
        BlockPosteriors
            The posteriors that are added to the counts.
        """

    def mstep(
        self,
        pair: ModelPair,
        counts: Counts,
        state: Any,
        rule: LexiconMStep = maximum_likelihood,
        threads: int = 1,
    ) -> tuple[ModelPair, Any]:
        """Compute the next model and the next state from expected counts.

        By default, ``rule`` computes the lexicon, the distortions maximise the likelihood, and the state does
        not change.

        Parameters
        ----------
        pair
            The model pair under which the counts were computed. This default M-step does not need its lexical
            table, which may be empty.
        counts
            Expected counts of the text. They are not changed.
        state
            The state of the criterion.
        rule
            The M-step of the lexical tables.
        threads
            Number of threads. The result does not depend on it.
        """
        return maximise(pair, counts, rule, threads), state


def maximise(
    pair: ModelPair, counts: Counts, rule: LexiconMStep = maximum_likelihood, threads: int = 1
) -> ModelPair:
    """Return the model of expected counts: the lexicon by the rule, distortions by maximum likelihood."""
    lexicon = rule(pair.lexicon.index, counts, threads)
    directions = list(zip(pair.directions, counts.distortion, strict=True))
    return ModelPair(lexicon, *run_all(directions, lambda own: own[0].mstep(own[1]), threads))


def _prepare(name: str, criterion: type[Criterion]) -> None:
    """Set the name of a criterion; raise ConfigError if what it declares does not go together."""
    columns = criterion.columns
    if columns not in (1, 2) and (columns < 1 or criterion.mstep is Criterion.mstep):
        raise ConfigError(
            f"criterion {name!r} declares columns = {columns}; expected 1 or 2, or more with an M-step of its"
            f" own"
        )
    if criterion.objective is not None and criterion.objective not in criterion.measures:
        raise ConfigError(
            f"criterion {name!r} declares the objective {criterion.objective!r}; expected one of its measures"
            f" ({', '.join(criterion.measures)})"
        )
    set_name(name, criterion)


CRITERIA: Registry[type[Criterion]] = Registry("criterion", _prepare)
"""Every training criterion, by the name that recipes use."""


def check_model(criterion: Criterion, model: type[AlignmentModel]) -> None:
    """Raise ConfigError, with the reason, for a model that the criterion cannot train."""
    why = criterion.incompatible_model(model)
    if why:
        raise ConfigError(
            f"model {model.name!r} does not go with criterion {criterion.name!r}: {why}; choose another"
            f" model, or another criterion"
        )


def check_compatible(criterion: Criterion, options: Iterable[str]) -> None:
    """Raise ConfigError, with the reason, for an option that has no meaning with the criterion."""
    for name in options:
        if name in criterion.incompatible_with:
            why = criterion.incompatible_with[name]
            raise ConfigError(
                f"{name} does not go with criterion {criterion.name!r}: {why};"
                " leave it out, or choose another criterion"
            )
