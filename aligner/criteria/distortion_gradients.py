"""Gradients by the parameters of distortions, for criteria without a closed-form M-step.

``distortion_gradient`` and ``with_values`` are generic functions (``functools.singledispatch``). A model has
a gradient once a function for its class is registered with each of them.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from aligner import kernels
from aligner.arrays import Float32s, Int64s
from aligner.criteria.exponentiated_gradient import Gradient
from aligner.kernels.constants import BUCKETS, JUMP_SCALE
from aligner.models import HMM, IBM1, IBM2, AlignmentModel, IBM2Full
from aligner.models.jumps import JUMP_COUNTS, JUMP_FLOOR


@singledispatch
def distortion_gradient(model: AlignmentModel, plus: Int64s, minus: Int64s) -> Gradient:
    """Return the gradient of the difference of two expected log-likelihoods, with p0 as a constant.

    Parameters
    ----------
    model
        The model of a direction.
    plus, minus
        Expected distortion counts, of the shape of ``new_counts``. The function is E_plus[log p_d] -
        E_minus[log p_d].

    Returns
    -------
    Gradient
        The gradient by all parameters. Its events are the counts of ``minus``.
    """
    raise NotImplementedError(f"model {model.name!r} has no gradient")


@singledispatch
def with_values(model: AlignmentModel, values: Float32s) -> AlignmentModel:
    """Return the same model with other parameters, float32 [n], in the order of ``distortion_gradient``."""
    raise NotImplementedError(f"model {model.name!r} has no gradient")


def has_gradient(model: type[AlignmentModel]) -> bool:
    """Return True if a gradient is registered for a class of models."""
    return distortion_gradient.dispatch(model) is not distortion_gradient.dispatch(object)


@distortion_gradient.register(IBM1)
def _gradient_of_nothing(model: IBM1, plus: Int64s, minus: Int64s) -> Gradient:
    """Return the gradient by no parameter."""
    empty = np.zeros(0)
    return Gradient(np.zeros((0, 1), np.float32), 0, empty.astype(np.int32), empty, empty)


@with_values.register(IBM1)
def _with_nothing(model: IBM1, values: Float32s) -> IBM1:
    """Return the model, which has no parameter."""
    return model


@distortion_gradient.register(IBM2)
@distortion_gradient.register(HMM)
def _gradient_of_jumps(model: IBM2 | HMM, plus: Int64s, minus: Int64s) -> Gradient:
    """Return the gradient by one set of buckets or several.

    c_d times the derivative of the objective in ``mstep_of_jumps`` is N_d - c_d * sum over reaches r that
    include d of M_r / Z_r(c).

    plus, minus: int64 [..., 53], in units of 1 / ``JUMP_SCALE``.
    """
    sets = model.jumps.reshape(-1, BUCKETS)
    gains = np.zeros(sets.shape)
    for sign, counts in ((1.0, plus), (-1.0, minus)):
        for k, counts_of_set in enumerate(counts.reshape(-1, JUMP_COUNTS)):
            kernels.distortion.add_gains(sign, sets[k], counts_of_set / JUMP_SCALE, gains[k])
    rows = np.repeat(np.arange(len(sets), dtype=np.int32), BUCKETS)
    events = minus.reshape(-1, JUMP_COUNTS)[:, :BUCKETS].sum(axis=1) / JUMP_SCALE
    return Gradient(sets.reshape(-1, 1).astype(np.float32), 0, rows, gains.ravel(), events)


@with_values.register(IBM2)
@with_values.register(HMM)
def _with_jumps(model: IBM2 | HMM, values: Float32s) -> IBM2 | HMM:
    """Return the model of normalised sets of buckets, whose shares are at least ``JUMP_FLOOR``."""
    sets = values.reshape(-1, BUCKETS).astype(np.float64)
    sets = np.maximum(sets, JUMP_FLOOR * sets.sum(axis=1, keepdims=True))
    sets = sets / sets.sum(axis=1, keepdims=True)
    return type(model)(sets.reshape(model.jumps.shape), model.p0)


@distortion_gradient.register(IBM2Full)
def _gradient_of_table(model: IBM2Full, plus: Int64s, minus: Int64s) -> Gradient:
    """Return the gradient by the rows of the table."""
    widths = model.row_lengths()
    rows = np.repeat(np.arange(len(widths), dtype=np.int32), widths)
    gains, events = np.empty(len(rows)), np.zeros(len(widths))
    kernels.exponentiated_gradient.set_gains(1, plus[:, None], 0, minus[:, None], 0, rows, gains, events)
    return Gradient(model.table[:, None], 0, rows, gains, events)


@with_values.register(IBM2Full)
def _with_table(model: IBM2Full, values: Float32s) -> IBM2Full:
    """Return the model of another table."""
    return type(model)(model.shapes, model.starts, values, model.p0)
