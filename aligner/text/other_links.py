"""Links of other aligners, as evidence that goes with the lines of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.text.sentences import Sentences


class OtherLinks(NamedTuple):
    """Links of other aligners of the lines of a text, in the order of cells.

    source, target: positions of words, as the "ids" of sentences; masses: the sum of weight x probability of
    each link; weights: one number a line, the sum of the weights of the aligners that have links there. Both
    are float32, as int32 of the same bits.
    """

    source: Sentences
    target: Sentences
    masses: Sentences
    weights: Sentences

    def __len__(self) -> int:
        return len(self.source)

    def map(self, choose: Callable[[Sentences], Sentences]) -> OtherLinks:
        """Return the links of the lines that a function chooses."""
        return OtherLinks(*map(choose, self))

    @property
    def numbers(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The masses, and the weight of each line, float32."""
        return self.masses.tokens.view(np.float32), self.weights.tokens.view(np.float32)
