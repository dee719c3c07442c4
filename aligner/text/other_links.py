"""Links of other aligners, as evidence that goes with the lines of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from aligner.text.rows import Rows


class OtherLinks(NamedTuple):
    """Links of other aligners of the lines of a text, in the order of cells.

    source, target: positions of words; masses: the sum of weight x probability of each link; weights: one
    number a line, the sum of the weights of the aligners that have links there.
    """

    source: Rows[np.int32]
    target: Rows[np.int32]
    masses: Rows[np.float32]
    weights: Rows[np.float32]

    def __len__(self) -> int:
        return len(self.source)

    def map(self, choose: Callable[[Any], Any]) -> OtherLinks:
        """Return the links of the lines that a function chooses."""
        return OtherLinks(*map(choose, self))
