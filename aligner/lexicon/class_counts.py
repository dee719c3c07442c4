"""How often the words of two prefix classes are linked, by a trained lexicon.

A table holds probabilities, not counts. With n the frequency of a word in the training text, the count of a
word pair is taken to be the geometric mean of t(f|e) n(e) and t(e|f) n(f).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.kernels.structs import ClassPairs
from aligner.lexicon.prefix_classes import PrefixClasses
from aligner.lexicon.table import Lexicon
from aligner.text.vocabulary import Vocabulary

LEAST_COUNT = 0.01
"""Word pairs with a lower count are left out, among them all with the least probability."""


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The counts of all pairs of a source and a target class, for prefixes of one length on each side."""

    source: PrefixClasses
    target: PrefixClasses
    pairs: ClassPairs

    @classmethod
    def levels(cls, lexicon: Lexicon, source: Vocabulary, target: Vocabulary) -> list[ClassCounts]:
        """Return the counts of a lexicon over these vocabularies, from few letters to more."""
        index, probabilities = lexicon.index, lexicon.table[1:].astype(np.float64)
        words = index.rows()[1:], index.columns[1:]
        counts = np.sqrt(
            probabilities.prod(axis=1) * source.counts[words[0]].astype(np.float64) * target.counts[words[1]]
        )
        kept = np.flatnonzero(counts >= LEAST_COUNT)
        sources, targets, counts = words[0][kept], words[1][kept], counts[kept]
        return [
            cls(a, b, _sums(a.classes[sources], b.classes[targets], counts, (len(a), len(b))))
            for a, b in zip(PrefixClasses.levels(source), PrefixClasses.levels(target), strict=True)
        ]


def _sums(
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    counts: NDArray[np.float64],
    classes: tuple[int, int],
) -> ClassPairs:
    """Sum the counts of word pairs by their classes.

    sources, targets: int32 [n], classes; counts: float64 [n]; classes: the numbers of classes.
    """
    codes, numbers = np.unique(sources.astype(np.int64) * classes[1] + targets, return_inverse=True)
    rows, columns = np.divmod(codes, max(classes[1], 1))

    def totals(places: NDArray[np.integer], size: int) -> NDArray[np.float64]:
        return np.bincount(places, counts, size).astype(np.float64)

    return ClassPairs(
        offsets_of(np.bincount(rows, minlength=classes[0])),
        columns.astype(np.int32),
        totals(numbers, len(codes)),
        totals(sources, classes[0]),
        totals(targets, classes[1]),
    )
