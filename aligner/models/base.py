"""What a directional model must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

NULL_BY_LENGTH = -1.0
"""The value of ``p0`` that stands for 1 / (I + 1) (Liang, Taskar & Klein 2006, section 2)."""


class DirectionalCells(NamedTuple):
    """One direction's view of a block: potentials before inference, posteriors after it.

    links: float32, [J, I] per pair, emitted-major: t(emitted_j | conditioning_i), then P(a_j = i);
    null: float32, [J] per pair: t(emitted_j | NULL), then P(a_j = NULL); conditioning, emitted: int32 [pairs]
    lengths I and J.
    """

    links: NDArray[np.float32]
    null: NDArray[np.float32]
    conditioning: NDArray[np.int32]
    emitted: NDArray[np.int32]

    def to_power(self, power: float) -> DirectionalCells:
        """The cells with other potentials, each of these to a power; the same cells if it is 1."""
        if power == 1.0:
            return self
        return self._replace(links=self.links**power, null=self.null**power)


class Gradient(NamedTuple):
    """The slope of a training criterion along some multinomials, all in one column of an array.

    values: float32 [n, columns], of which ``column`` holds the parameters; rows: int32 [n], the multinomial
    that each is an entry of; gains: float64 [n], values times the criterion's partial derivatives; events:
    float64 [rows], expected events of each multinomial, the scale of its gains.
    """

    values: NDArray[np.float32]
    column: int
    rows: NDArray[np.int32]
    gains: NDArray[np.float64]
    events: NDArray[np.float64]


class Distortion(ABC):
    """How a directional model places links: p_d in p(t, a | s) = prod_j p_d(a_j | ...) t(t_j | s_{a_j}).

    An immutable value. The same one serves either direction, since it only speaks of an emitted side given a
    conditioning side.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    is_uniform: ClassVar[bool] = False
    """True if every position is equally likely, whatever the parameters."""

    p0: float

    @classmethod
    @abstractmethod
    def initial(cls, conditioning: NDArray[np.int32], emitted: NDArray[np.int32], p0: float) -> Self:
        """Uniform parameters for a training text of these sentence lengths (int32 [pairs])."""

    @classmethod
    def memory(cls, conditioning: NDArray[np.int64], emitted: NDArray[np.int64], threads: int) -> int:
        """About how many bytes its parameters and counts take, a pass; by default too few to matter.

        Each thread has counts of its own.
        """
        return 0

    @abstractmethod
    def new_counts(self) -> NDArray[np.int64]:
        """An empty accumulator of expected counts, 64-bit fixed point."""

    @abstractmethod
    def posteriors(
        self, cells: DirectionalCells, statistics: NDArray[np.int64], power: float = 1.0
    ) -> NDArray[np.float64]:
        """Turn potentials into posteriors in place and add expected counts to ``statistics``.

        Returns, float64 [pairs], the log of the sum over all alignments of the product of potentials and
        distortion factors, the latter raised to ``power``; with lexical probabilities as potentials and power
        1 it is the log-likelihood.
        """

    @abstractmethod
    def viterbi(self, cells: DirectionalCells) -> NDArray[np.int32]:
        """The best alignment, int32 [J] per pair: a position from 0, or -1 for NULL."""

    @abstractmethod
    def mstep(self, statistics: NDArray[np.int64]) -> Self:
        """The parameters that maximise the expected log-likelihood of these counts."""

    @abstractmethod
    def gradient(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Gradient:
        """Of E_one[log p_d] - E_other[log p_d], expectations given by their statistics; p0 is a constant."""

    @abstractmethod
    def with_values(self, values: NDArray[np.float32]) -> Self:
        """The same distortion with other parameters, float32 [n], in the order of ``gradient``."""

    @abstractmethod
    def parameters(self) -> dict[str, NDArray]:
        """Everything but ``p0``, as named arrays; ``from_parameters`` is the inverse."""

    @classmethod
    @abstractmethod
    def from_parameters(cls, parameters: dict[str, NDArray], p0: float) -> Self:
        """Rebuild from ``parameters()``."""
