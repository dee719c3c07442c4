"""Out-of-vocabulary words of a text, and their spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aligner.text.rows import Rows


@dataclass(frozen=True, eq=False)
class OovWords(Rows[np.int32]):
    """The spelling of the out-of-vocabulary tokens of one side of a text.

    A row has the indices into ``words`` of the out-of-vocabulary tokens of a sentence, in their order, int32.

    Attributes
    ----------
    words
        The different out-of-vocabulary words.
    """

    words: Sequence[str]
