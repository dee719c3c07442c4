"""Computations on one part of a lexicon that need sums over all parts.

A lexicon may be divided by source words into slices, which different processes hold. A computation on a slice
yields its share of a sum, int64, wherever it needs the sum over all slices, and is sent that sum::

    def column_sizes(index):
        return (yield index.column_sizes)

A computation calls another one by ``yield from``. Sums of int64 are exact, so that the result does not depend
on the number of slices. A computation on a slice may be repeated from its beginning with the sums that are
known so far (``advance``), so it is deterministic and changes none of its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

_Result = TypeVar("_Result")

Summing: TypeAlias = Generator[NDArray[np.int64], NDArray[np.int64], _Result]
"""A computation that yields its shares of sums, and is sent the sums."""


class Share(NamedTuple):
    """The share of one slice in the next sum that its computation needs."""

    array: NDArray[np.int64]


def run(computation: Summing[_Result], all_sum: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> _Result:
    """Return the result of a computation; all_sum: returns the sum over all slices, given a share."""
    try:
        share = next(computation)
        while True:
            share = computation.send(all_sum(share))
    except StopIteration as end:
        result: _Result = end.value
        return result


def alone(computation: Summing[_Result]) -> _Result:
    """Return the result of a computation on a whole lexicon, whose shares are the sums."""
    return run(computation, lambda share: share)


def without_sums(result: _Result) -> Summing[_Result]:
    """Return a computation that needs no sum."""
    return result
    yield


def advance(computation: Summing[_Result], sums: Iterable[NDArray[np.int64]]) -> _Result | Share:
    """Run a computation as far as the known sums allow.

    Returns the result, or the share of the first sum that is not known.
    """
    try:
        share = next(computation)
        for known in sums:
            share = computation.send(known)
    except StopIteration as end:
        result: _Result = end.value
        return result
    return Share(share)
