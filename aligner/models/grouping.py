"""Sentence pairs of like size, side by side."""

import numpy as np
from numpy.typing import NDArray

from aligner import kernels

_ANY = 1 << 62


def order_by_size(
    conditioning: NDArray[np.integer], emitted: NDArray[np.integer], least: int = 0, most: int = _ANY
) -> NDArray[np.int64]:
    """An order of pairs of these lengths [n] in which neighbours have about the same I and J, int64 [<= n].

    By I, and where it is the same by J, up and down in turn, so that J does not jump where I rises. Only
    pairs of at least and at most so many cells are in it.
    """
    widths, heights = (side.astype(np.int32, copy=False) for side in (conditioning, emitted))
    order = np.empty(len(heights), np.int64)
    return order[: kernels.grouping.order_by_size(widths, heights, least, most, order)]
