"""Exponentiated gradient with a rate for every parameter, for criteria that have no closed M-step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aligner import kernels
from aligner.models import Gradient

STEEPEST = 5.0
"""The greatest size of a slope: a parameter near zero may ask for any."""


@dataclass(frozen=True)
class Rates:
    """How step rates start and adapt (Bagos, Liakopoulos & Hamodrakas 2004).

    A rate begins at ``start``; it is multiplied by ``growth`` when its slope has kept its sign from one
    accepted point to the next, by ``shrink`` when it has turned, and stays within [least, greatest].
    """

    start: float = 0.5
    growth: float = 1.2
    shrink: float = 0.5
    least: float = 0.01
    greatest: float = 2.0


@dataclass(frozen=True, eq=False)
class Multinomials:
    """Some multinomials at the best point known, with the slopes there and the rates.

    values, column, rows: see ``Gradient``; slopes, rates: float32 [n].
    """

    values: NDArray[np.float32]
    column: int
    rows: NDArray[np.int32]
    row_count: int
    slopes: NDArray[np.float32]
    rates: NDArray[np.float32]

    @classmethod
    def at(cls, gradient: Gradient, before: Multinomials | None, rates: Rates) -> Multinomials:
        """The point where this gradient was measured; ``before``: the point accepted before it.

        The slopes are g = gains / (events theta) less its mean over the row,

            u_k = g_k - sum_k' theta_k' g_k'.

        A row that adds up to one gains nothing from that mean, yet where each parameter has a rate eta_k of
        its own it would move the row. With u a row at rest stays at rest, and every step ascends to first
        order: sum_k dL/dtheta_k dtheta_k = events sum_k theta_k eta_k u_k^2.
        """
        slopes, own = np.empty((2, len(gradient.values)), np.float32)
        kernels.exponentiated_gradient.slopes(*gradient, STEEPEST, slopes)
        if before is None:
            own[:] = rates.start
        else:
            kernels.exponentiated_gradient.adapt(
                slopes,
                before.slopes,
                before.rates,
                rates.growth,
                rates.shrink,
                rates.least,
                rates.greatest,
                own,
            )
        return cls(gradient.values, gradient.column, gradient.rows, len(gradient.events), slopes, own)

    def step(self, out: NDArray[np.float32], floor: float = 0.0) -> None:
        """theta_k exp(eta_k u_k), renormalised by row (Kivinen & Warmuth 1997), but at least ``floor``.

        out: float32 [n, columns] like ``values``, of which the same column is written.
        """
        assert len(out) == len(self.values), "the climb is over other parameters"
        step = self.rows, self.slopes, self.rates, self.row_count
        kernels.exponentiated_gradient.exponentiate(self.values, self.column, *step, np.float32(floor), out)

    def cautious(self) -> Multinomials:
        """The same point with half the rates."""
        return replace(self, rates=self.rates * np.float32(0.5))


@dataclass(frozen=True, eq=False)
class Climb:
    """One independent objective on its way up: the best point known and what it takes to step on from there.

    A step is a guess until the next E-step has measured it. A point that turns out lower than the best is
    dropped: the next step starts from the best point again, with half the rates. To first order every step
    ascends, so that halving finds a higher point unless the best is a maximum to working precision.
    """

    objective: int
    parts: tuple[Multinomials, ...]

    @classmethod
    def on(cls, before: Climb | None, objective: int, gradients: Iterable[Gradient], rates: Rates) -> Climb:
        """Where the climb goes on, now that the last step has this objective and these gradients."""
        if before is None:
            return cls(objective, tuple(Multinomials.at(gradient, None, rates) for gradient in gradients))
        if objective < before.objective:
            return cls(before.objective, tuple(part.cautious() for part in before.parts))
        parts = zip(gradients, before.parts, strict=True)
        return cls(objective, tuple(Multinomials.at(gradient, part, rates) for gradient, part in parts))
