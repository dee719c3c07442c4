"""Orders of sentence pairs in which neighbours have about the same size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aligner import kernels

_UNLIMITED = 1 << 62


def order_by_size(
    conditioning: NDArray[np.integer],
    emitted: NDArray[np.integer],
    least_cells: int = 0,
    most_cells: int = _UNLIMITED,
) -> NDArray[np.int64]:
    """Return the numbers of sentence pairs in an order in which neighbours have about the same lengths.

    conditioning, emitted: integer [pairs], the lengths I and J. Pairs are ordered by I, then by J, which
    ascends for odd I and descends for even I, so that J does not jump where I rises. Pairs with fewer cells
    than ``least_cells``, or more than ``most_cells``, are left out. Returns int64 [pairs that remain].
    """
    widths, heights = (side.astype(np.int32, copy=False) for side in (conditioning, emitted))
    order = np.empty(len(heights), np.int64)
    return order[: kernels.grouping.order_by_size(widths, heights, least_cells, most_cells, order)]
