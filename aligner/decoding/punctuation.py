"""Punctuation, which is linked with punctuation only."""

from __future__ import annotations

import numpy as np

from aligner.arrays import offsets_of
from aligner.links.alignments import Alignments
from aligner.text.bitext import Bitext
from aligner.text.kinds import PUNCTUATION, WORD, kinds_of_tokens


def without_mixed_links(links: Alignments, text: Bitext) -> Alignments:
    """Return the links of a text, without links between punctuation and words. They have no scores yet."""
    source, target = (
        kinds_of_tokens(side)[side.offsets[links.pair] + positions]
        for side, positions in zip(text.sides, (links.source, links.target), strict=True)
    )
    kept = source * target != WORD * PUNCTUATION
    offsets = offsets_of(kept.view(np.int8))[links.offsets]
    probabilities = None if links.probabilities is None else links.probabilities[kept]
    return Alignments.unchecked(offsets, links.source[kept], links.target[kept], probabilities)
