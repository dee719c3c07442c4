"""Sentence pairs of like size, side by side."""

import numpy as np
from numpy.typing import NDArray


def like_sizes_together(conditioning: NDArray[np.integer], emitted: NDArray[np.integer]) -> NDArray[np.int64]:
    """An order of pairs of these lengths [n] in which neighbours have about the same I and J, int64 [n].

    By I, and where it is the same by J, up and down in turn, so that J does not jump where I rises.
    """
    return np.lexsort((np.where(conditioning & 1, emitted, -emitted), conditioning))
