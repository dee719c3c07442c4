"""The training criterion: what happens between the posteriors of both directions and the counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.criteria.counts import Counts, DistortionCounts
from aligner.criteria.mstep import MaximumLikelihood, MStep
from aligner.errors import ConfigError
from aligner.lexicon.block_sources import BlockSource
from aligner.lexicon.blocks import Block
from aligner.models import ModelPair

_MAXIMUM_LIKELIHOOD = MaximumLikelihood()


class BlockPosteriors(NamedTuple):
    """The posteriors of one block that become counts, and its measures.

    Attributes
    ----------
    links
        float32 [cells with a pair_id, columns], source-major. One column if both directions share their link
        posteriors, else a forward and a reverse column for each pass.
    null_forward, null_reverse
        float32 [target tokens] and [source tokens]; with several passes, a first axis of that length.
    measures
        float64 [names, pairs], to be summed over the text.
    """

    links: NDArray[np.float32]
    null_forward: NDArray[np.float32]
    null_reverse: NDArray[np.float32]
    measures: NDArray[np.float64]


@dataclass(frozen=True)
class Criterion(ABC):
    """A training criterion: it turns both directions' E-steps into counts, and counts into a new model.

    Subclasses are frozen dataclasses. Their fields are the options that a recipe may set. Register a subclass
    with ``aligner.criteria.register``.

    Attributes
    ----------
    name, summary
        The name in recipes, and one line for help texts.
    columns
        Link columns of a block's posteriors: 1 if the directions share them, else 2 for each pass.
    passes
        Inferences of an E-step whose counts are kept apart.
    measures
        Names of the figures that an E-step reports.
    objective
        The measure that never decreases from one accepted model to the next, or None if there is none.
    uses_own_posteriors
        True if each direction is counted by its own plain posteriors, as in maximum likelihood. Stages of
        Model 1 then count without ``estep``, so 2 columns and the default measures are required.
    incompatible_with
        Options of a stage, or kinds of evidence, that have no meaning with the criterion, and the reasons.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    columns: ClassVar[int] = 1
    passes: ClassVar[int] = 1
    measures: ClassVar[tuple[str, ...]] = ("forward_log_likelihood", "reverse_log_likelihood")
    objective: ClassVar[str | None] = None
    uses_own_posteriors: ClassVar[bool] = False
    incompatible_with: ClassVar[Mapping[str, str]] = {}

    def initial_state(self, source: BlockSource) -> Any:
        """Return the state that the criterion keeps between the iterations of a stage; None by default.

        Checkpoints can save None, numbers, strings and arrays, and lists and tuples of them (see
        ``training.packing`` for other types).
        """
        return None

    def example_states(self, source: BlockSource, model: ModelPair) -> tuple[Any, ...]:
        """Return states such that every state with this text and model is like one of them.

        Checkpoints are checked against them: the types, shapes and indices of states are compared.
        """
        return (self.initial_state(source),)

    def state_after_pruning(self, state: Any) -> Any:
        """Return the state once cells and their word pairs have been dropped."""
        return state

    def empty_counts(self, model: ModelPair) -> Counts:
        """Return the counts of an empty text."""
        lexicon = model.lexicon

        def zeros(shape: tuple[int, ...]) -> NDArray[np.int64]:
            return np.zeros((self.passes, *shape) if self.passes > 1 else shape, np.int64)

        distortion = [own.new_counts() for own in model.directions]
        return Counts(
            np.zeros((len(lexicon.index) + 1, self.columns), np.int64),
            zeros(lexicon.null_forward.shape),
            zeros(lexicon.null_reverse.shape),
            DistortionCounts(*(zeros(counts.shape) for counts in distortion)),
            np.zeros(len(self.measures), np.int64),
            0,
        )

    def memory(self, pair_ids: int, cells: int) -> int:
        """Return about how many bytes the counts and the state take for this many word pairs and cells."""
        return 8 * self.columns * pair_ids

    @abstractmethod
    def estep(
        self, model: ModelPair, block: Block, distortion: DistortionCounts, state: Any
    ) -> BlockPosteriors:
        """Compute the posteriors of one block.

        Parameters
        ----------
        model
            The model pair to infer with.
        block
            Sentence pairs with the pair_ids of their cells.
        distortion
            Expected jumps are added to these counts.
        state
            The state of the criterion. An E-step may write only the part of it that belongs to the pairs of
            the block, since other threads work on other blocks.

        Returns
        -------
        BlockPosteriors
            The posteriors that are added to the counts.
        """

    def mstep(
        self,
        model: ModelPair,
        counts: Counts,
        state: Any,
        rule: MStep = _MAXIMUM_LIKELIHOOD,
        threads: int = 1,
    ) -> tuple[ModelPair, Any]:
        """Compute the next model and the next state from expected counts.

        By default, ``rule`` computes the lexicon, the distortions maximise the likelihood, and the state does
        not change.

        Parameters
        ----------
        model
            The model under which the counts were computed.
        counts
            Expected counts of the text. They are not changed.
        state
            The state of the criterion.
        rule
            The M-step of the lexical tables.
        threads
            Number of threads. The result does not depend on it.
        """
        return maximise(model, counts, rule, threads), state


def maximise(
    model: ModelPair, counts: Counts, rule: MStep = _MAXIMUM_LIKELIHOOD, threads: int = 1
) -> ModelPair:
    """Return the model of expected counts: the lexicon by the rule, distortions by maximum likelihood."""
    return ModelPair(
        rule.lexicon(model.lexicon, counts.links, counts.null_forward, counts.null_reverse, threads),
        *(own.mstep(of_own) for own, of_own in zip(model.directions, counts.distortion, strict=True)),
    )


def check_shapes(criterion: type[Criterion]) -> None:
    """Raise ConfigError if the shapes that a criterion declares do not go together."""
    name, columns, passes = criterion.name, criterion.columns, criterion.passes
    expected = {1, 2} if passes == 1 else {2 * passes}
    if passes < 1 or columns not in expected:
        raise ConfigError(
            f"criterion {name!r} declares columns = {columns} and passes = {passes}; expected 1 or 2 columns"
            " with 1 pass, or 2 columns for each of several passes"
        )
    if criterion.uses_own_posteriors and (columns, criterion.measures) != (2, Criterion.measures):
        raise ConfigError(
            f"criterion {name!r} declares uses_own_posteriors with columns = {columns} and the measures"
            f" {', '.join(criterion.measures)}; expected 2 columns and {', '.join(Criterion.measures)}"
        )
    if criterion.objective is not None and criterion.objective not in criterion.measures:
        raise ConfigError(
            f"criterion {name!r} declares the objective {criterion.objective!r}; expected one of its measures"
            f" ({', '.join(criterion.measures)})"
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
