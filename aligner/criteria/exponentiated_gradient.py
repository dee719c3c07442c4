"""Exponentiated gradient with a rate for every parameter, for criteria without a closed-form M-step.

A parameter theta_k of a multinomial, with the slope u_k of the objective and the rate eta_k, is updated by

    theta_k <- theta_k exp(eta_k u_k) / sum_k' theta_k' exp(eta_k' u_k')

(Kivinen & Warmuth 1997). The rates adapt one by one (Bagos, Liakopoulos & Hamodrakas 2004).

References
----------
J. Kivinen, M. K. Warmuth (1997). Exponentiated gradient versus gradient descent for linear predictors.
Information and Computation 132(1).

P. G. Bagos, T. D. Liakopoulos, S. J. Hamodrakas (2004). Faster gradient descent training of hidden Markov
models, using individual learning rate adaptation. ICGI.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Float64s, Int32s

LARGEST_SLOPE = 5.0
"""The largest absolute value of a slope. Without a limit, the slope of a parameter near 0 is unbounded."""

_UNMEASURED = -(1 << 63)
"""The objective of a climb that has measured no point: below every objective."""


class Gradient(NamedTuple):
    """The gradient of a training criterion with respect to multinomials that share one column of an array.

    Attributes
    ----------
    values
        float32 [n, columns]. The parameters are values[:, column].
    column
        The column of the parameters.
    rows
        int32 [n], the multinomial that each parameter belongs to, from 0.
    gains
        float64 [n], each parameter times the partial derivative of the criterion by it.
    events
        float64 [multinomials], the expected events of each multinomial, which are the scale of its gains.
    """

    values: Float32s
    column: int
    rows: Int32s
    gains: Float64s
    events: Float64s


class RateLimits(NamedTuple):
    """The adaptation of step rates (Bagos, Liakopoulos & Hamodrakas 2004).

    A rate is multiplied by ``growth`` if its slope has the same sign at two accepted points in a row, by
    ``shrink`` if the sign has changed, and stays within [least, greatest].
    """

    growth: float
    shrink: float
    least: float
    greatest: float


@dataclass(frozen=True, eq=False)
class Multinomials:
    """Multinomials at the best point known, with the slopes at this point and the step rates.

    values, column, rows: see ``Gradient``; row_count: number of multinomials; slopes, rates: float32 [n].
    """

    constants: ClassVar[tuple[str, ...]] = ("column", "rows", "row_count")

    values: Float32s
    column: int
    rows: Int32s
    row_count: int
    slopes: Float32s
    rates: Float32s

    @classmethod
    def start(cls, gradient: Gradient, rate: float) -> Multinomials:
        """Return multinomials without slopes at the first rate; gradient: of any counts."""
        values, column, rows, _, events = gradient
        slopes, rates = np.zeros(len(values), np.float32), np.full(len(values), rate, np.float32)
        return cls(values, column, rows, len(events), slopes, rates)

    def moved_to(self, gradient: Gradient, limits: RateLimits) -> Multinomials:
        """Return the accepted point at which a gradient was measured, with its slopes and adapted rates.

        With g_k = gains_k / (events theta_k), the slope is g_k less its mean over the multinomial,

            u_k = g_k - sum_k' theta_k' g_k',

        clipped to [-LARGEST_SLOPE, LARGEST_SLOPE]. The mean changes nothing in a plain gradient on the
        simplex, but with a rate for each parameter it would move a multinomial at a stationary point. With u,
        a stationary point stays, and every step ascends to first order: without clipping,
        sum_k dL/dtheta_k dtheta_k = events sum_k theta_k eta_k u_k^2.
        """
        slopes, new_rates = np.empty((2, len(gradient.values)), np.float32)
        kernels.exponentiated_gradient.set_slopes(*gradient, LARGEST_SLOPE, slopes)
        kernels.exponentiated_gradient.adapt(slopes, self.slopes, self.rates, *limits, new_rates)
        return replace(self, values=gradient.values, slopes=slopes, rates=new_rates)

    def step(self, out: Float32s, floor: float = 0.0) -> None:
        """Write the parameters one step on, none below ``floor``.

        out: float32 [n, columns] like ``values``; only this column is written.
        """
        assert len(out) == len(self.values), "the step is written to an array of other parameters"
        arguments = self.rows, self.slopes, self.rates, self.row_count, np.float32(floor)
        kernels.exponentiated_gradient.exponentiate(self.values, self.column, *arguments, out)


@dataclass(frozen=True, eq=False)
class Climb:
    """The ascent of one objective: the best point known, with its slopes and rates.

    The next E-step measures the objective at the end of a step. If it is lower than the best, the point is
    rejected: the next step starts from the best point again, with half the rates. To first order every step
    ascends, so halving finds a higher point unless the best is a maximum to working precision.

    objective: fixed point, in units of 1 / ``MEASURE_SCALE``; parts: the parameters.
    """

    objective: int
    parts: tuple[Multinomials, ...]

    @classmethod
    def start(cls, gradients: Iterable[Gradient], rate: float) -> Climb:
        """Return a climb that has measured no point; gradients: of any counts; rate: the first rate."""
        return cls(_UNMEASURED, tuple(Multinomials.start(gradient, rate) for gradient in gradients))

    def measured(self, objective: int, gradients: Iterable[Gradient], limits: RateLimits) -> Climb:
        """Accept or reject the point that the last step led to, and return the climb from the best point.

        objective, gradients: measured at the point.
        """
        if objective < self.objective:
            half = np.float32(0.5)
            return replace(self, parts=tuple(replace(part, rates=half * part.rates) for part in self.parts))
        parts = zip(self.parts, gradients, strict=True)
        return Climb(objective, tuple(part.moved_to(gradient, limits) for part, gradient in parts))
