"""The seam between inference and counting, where training criteria live."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.blocks import Block
from aligner.celltext import CellText
from aligner.models import ModelPair
from aligner.objectives.updates import MaximumLikelihood, Update

_MAXIMUM_LIKELIHOOD = MaximumLikelihood()


class Statistics(NamedTuple):
    """The two distortions' accumulators, int64 fixed point, added to in place by inference.

    A criterion of several passes has one of each a pass, stacked along a first axis.
    """

    forward: NDArray[np.int64]
    reverse: NDArray[np.int64]


class Expectation(NamedTuple):
    """What one block contributes: the posteriors that become counts, and figures to report.

    links: float32 [slots, columns], of the cells that have slots, source-major, one column if both directions
    share it, else forward and reverse, for each pass; null_forward: float32 [target tokens]; null_reverse:
    float32 [source tokens]; measures: float64 [names, pairs], summed over the text. A criterion of several
    passes has a first axis of that length in its NULL posteriors.
    """

    links: NDArray[np.float32]
    null_forward: NDArray[np.float32]
    null_reverse: NDArray[np.float32]
    measures: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Expected counts of a text, 64-bit fixed point: adding them up is exact in any order.

    links: int64 [slots + 1, columns]; null_forward: int64 [target types + 1]; null_reverse: int64 [source
    types + 1]; statistics: the distortions'; measures: int64, in units of 2**-24; pairs: sentence pairs
    counted. With several passes, a first axis of that length in NULL counts and statistics.
    """

    links: NDArray[np.int64]
    null_forward: NDArray[np.int64]
    null_reverse: NDArray[np.int64]
    statistics: Statistics
    measures: NDArray[np.int64]
    pairs: int

    def __add__(self, other: Counts) -> Counts:
        """The counts of both texts, over the same word index."""
        return Counts(
            self.links + other.links,
            self.null_forward + other.null_forward,
            self.null_reverse + other.null_reverse,
            Statistics(
                self.statistics.forward + other.statistics.forward,
                self.statistics.reverse + other.statistics.reverse,
            ),
            self.measures + other.measures,
            self.pairs + other.pairs,
        )


@dataclass(frozen=True)
class Objective(ABC):
    """A training criterion: how the two directions' E-steps become counts, and counts a new model.

    Subclasses are frozen dataclasses; their fields are the options that a configuration may set.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    columns: ClassVar[int] = 1
    """Link columns of an expectation: 1 if the directions share their link posteriors, else 2 a pass."""
    passes: ClassVar[int] = 1
    """Inferences of an E-step whose counts are kept apart."""
    measures: ClassVar[tuple[str, ...]] = ("forward_log_likelihood", "reverse_log_likelihood")

    objective: ClassVar[str | None] = None
    """The measure that never decreases from one accepted model to the next, if the criterion has one."""

    refuses: ClassVar[Mapping[str, str]] = {}
    """Variants of EM without meaning for the criterion: a stage's option or a kind of evidence -> why."""

    def begin(self, text: CellText) -> Any:
        """What the criterion keeps between iterations, made at the start of its stage; often nothing."""
        return None

    def pruned(self, state: Any) -> Any:
        """What it keeps once cells have been dropped, and word pairs with them."""
        return state

    def memory(self, slots: int, cells: int) -> int:
        """About how many bytes its counts, and what it keeps, take for so many word pairs and cells."""
        return 8 * self.columns * slots

    @abstractmethod
    def expect(self, model: ModelPair, block: Block, statistics: Statistics, state: Any) -> Expectation:
        """The E-step of one block: a pure function, but for adding to ``statistics``.

        A criterion with a state may keep what belongs to this block's pairs there: no other block touches it.
        """

    def update(
        self,
        model: ModelPair,
        counts: Counts,
        state: Any,
        rule: Update = _MAXIMUM_LIKELIHOOD,
        threads: int = 1,
    ) -> tuple[ModelPair, Any]:
        """The M-step: by default the parameters that the rule, by default maximum likelihood, gives.

        Link counts are used up.
        """
        return maximise(model, counts, rule, threads), state


def maximise(
    model: ModelPair, counts: Counts, rule: Update = _MAXIMUM_LIKELIHOOD, threads: int = 1
) -> ModelPair:
    """The parameters of expected counts: the lexicon by the rule, distortions by maximum likelihood.

    Link counts are used up.
    """
    return ModelPair(
        rule.lexicon(model.lexicon, counts.links, counts.null_forward, counts.null_reverse, threads),
        model.forward.maximise(counts.statistics.forward),
        model.reverse.maximise(counts.statistics.reverse),
    )
