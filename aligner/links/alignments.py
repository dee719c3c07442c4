"""Links between the words of sentence pairs.

Everywhere a link (i, j) joins source position i and target position j, both counted from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aligner.errors import DataError

Link = tuple[int, int]

#: The largest position that is believed; a larger one is a damaged file, not a word of a sentence.
MAX_POSITION = 9_999_999


@dataclass(frozen=True, eq=False)
class Alignments:
    """The links of n sentence pairs in compressed rows: those of pair k are offsets[k]:offsets[k + 1].

    offsets int64 [n + 1]; source, target int32 [L], within a pair strictly increasing by (i, j);
    probabilities float32 [L] in 0..1, or None. Raises DataError where the arrays are anything else.

    scores: float64 [n, 3] or None, forward, reverse and gain of each pair, see ``aligner.decoding.scores``; -inf where
    it was not aligned.
    """

    offsets: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    probabilities: NDArray[np.float32] | None = None
    scores: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", np.ascontiguousarray(self.offsets, np.int64))
        for name in ("source", "target"):
            positions = _checked(getattr(self, name), MAX_POSITION, "a link's position")
            object.__setattr__(self, name, np.ascontiguousarray(positions, np.int32))
        size = self.source.size
        if self.offsets.size == 0 or self.offsets[0] != 0 or self.offsets[-1] != size:
            raise DataError(f"offsets must run from 0 to the number of links, {size}")
        if (np.diff(self.offsets) < 0).any() or self.target.size != size:
            raise DataError("offsets must not decrease, and source and target must be equally long")
        if not _increasing(self.pair, self._codes()).all():
            raise DataError("the links of a pair must be sorted and distinct (see Alignments.from_links)")
        if self.probabilities is not None:
            probabilities = np.ascontiguousarray(self.probabilities, np.float32)
            object.__setattr__(self, "probabilities", probabilities)
            # Sums of rounded numbers may exceed 1 by a little.
            if probabilities.size != size or not ((probabilities >= 0) & (probabilities < 1.001)).all():
                raise DataError("there must be one probability in 0..1 for every link")
        if self.scores is not None and (self.scores.shape != (len(self), 3) or np.isnan(self.scores).any()):
            raise DataError("there must be three scores for every sentence pair")

    @classmethod
    def unchecked(
        cls,
        offsets: NDArray[np.int64],
        source: NDArray[np.int32],
        target: NDArray[np.int32],
        probabilities: NDArray[np.float32] | None = None,
        scores: NDArray[np.float64] | None = None,
    ) -> Alignments:
        """Of arrays that are as they must be, by whatever made them: to look takes longer than that does."""
        links = object.__new__(cls)
        arrays = {"offsets": offsets, "source": source, "target": target, "probabilities": probabilities}
        vars(links).update(arrays, scores=scores)
        return links

    @classmethod
    def from_links(
        cls,
        pairs: int,
        pair: ArrayLike,
        source: ArrayLike,
        target: ArrayLike,
        probabilities: ArrayLike | None = None,
    ) -> Alignments:
        """Links [L] of `pairs` sentence pairs in any order; of equal links the most probable one stays."""
        pair = _checked(pair, pairs - 1, "a link's sentence pair")
        source, target = (_checked(x, MAX_POSITION, "a link's position") for x in (source, target))
        pair, source, target = (np.asarray(x, np.int64) for x in (pair, source, target))
        values = None if probabilities is None else np.asarray(probabilities, np.float32)
        code = source << 32 | target
        if not _increasing(pair, code).all():
            order = np.lexsort((code, pair))
            pair, code = pair[order], code[order]
            first = np.flatnonzero(np.concatenate(([True], _increasing(pair, code))))
            values = None if values is None else np.maximum.reduceat(values[order], first)
            pair, code = pair[first], code[first]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(pair, minlength=pairs))))
        return cls(offsets, code >> 32, code & 0xFFFFFFFF, values)

    @classmethod
    def from_lists(cls, lists: Iterable[Iterable[Link]]) -> Alignments:
        """One list of (i, j) per sentence pair, in any order, duplicates merged."""
        rows = [list(links) for links in lists]
        links = np.array(list(chain.from_iterable(rows)) or np.zeros((0, 2), np.int64))
        if links.shape[1:] != (2,):
            raise DataError("a link must be a pair of a source and a target position")
        pair = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        return cls.from_links(len(rows), pair, links[:, 0], links[:, 1])

    @classmethod
    def concatenate(cls, parts: Sequence[Alignments]) -> Alignments:
        """The sentence pairs of all parts, in order; probabilities and scores stay where all have them."""
        parts = [part for part in parts if len(part)] or [*parts[:1]] or [cls.from_lists([])]
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        values = [part.probabilities for part in parts if part.probabilities is not None]
        scores = [part.scores for part in parts if part.scores is not None]
        return cls.unchecked(
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.target for part in parts]),
            np.concatenate(values) if sum(map(len, values)) == lengths.sum() and values else None,
            np.concatenate(scores) if len(scores) == len(parts) else None,
        )

    def __len__(self) -> int:
        return self.offsets.size - 1

    @overload
    def __getitem__(self, n: int) -> list[Link]: ...
    @overload
    def __getitem__(self, n: slice) -> Alignments: ...
    def __getitem__(self, n: int | slice) -> list[Link] | Alignments:
        """The sorted links of pair n, or the alignments of a run of pairs."""
        if isinstance(n, slice):
            start, stop, step = n.indices(len(self))
            if step != 1:
                raise IndexError("a slice of alignments has step 1")
            offsets = self.offsets[start : max(start, stop) + 1]
            part = slice(offsets[0], offsets[-1])
            values = None if self.probabilities is None else self.probabilities[part]
            scores = None if self.scores is None else self.scores[start:stop]
            positions = self.source[part], self.target[part]
            return Alignments.unchecked(offsets - offsets[0], *positions, values, scores)
        n = range(len(self))[n]  # an IndexError or a number from 0
        part = slice(self.offsets[n], self.offsets[n + 1])
        return list(zip(self.source[part].tolist(), self.target[part].tolist(), strict=True))

    def __iter__(self) -> Iterator[list[Link]]:
        links = list(zip(self.source.tolist(), self.target.tolist(), strict=True))
        return (links[start:stop] for start, stop in pairwise(self.offsets.tolist()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alignments):
            return NotImplemented
        return (
            np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self._codes(), other._codes())
            and all(
                mine is theirs if mine is None or theirs is None else np.array_equal(mine, theirs)
                for mine, theirs in ((self.probabilities, other.probabilities), (self.scores, other.scores))
            )
        )

    @property
    def pair(self) -> NDArray[np.int64]:
        """The sentence pair of every link [L]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def reversed(self) -> Alignments:
        """The same links, and scores, with source and target exchanged."""
        links = Alignments.from_links(len(self), self.pair, self.target, self.source, self.probabilities)
        return links if self.scores is None else replace(links, scores=self.scores[:, [1, 0, 2]])

    def _codes(self) -> NDArray[np.int64]:
        """One number per link [L], ordered within a pair as the links are."""
        return self.source.astype(np.int64) << 32 | self.target


def occurs_in(links: Alignments, others: Alignments) -> NDArray[np.bool_]:
    """Which of `links` [L] are also among `others`; DataError if they are not of equally many pairs."""
    check_lengths(links, others)
    if not len(links.source) or not len(others.source):
        return np.zeros(len(links.source), np.bool_)
    # Lay the matrices of all pairs out in one: a row is a source position, so equal cells are equal links.
    heights = np.zeros((2, len(links)), np.int64)
    for height, operand in zip(heights, (links, others), strict=True):
        height[operand.pair] = operand.source + 1  # sources increase, and the last assignment stays
    first_row = np.concatenate(([0], np.cumsum(heights.max(axis=0))))
    width = 1 + int(max(links.target.max(), others.target.max()))
    wanted, known = ((first_row[x.pair] + x.source) * width + x.target for x in (links, others))
    place = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return known[place] == wanted


def intersection(first: Alignments, second: Alignments) -> Alignments:
    """The links that are in both, pair by pair, without probabilities; DataError if the pairs differ."""
    both = occurs_in(first, second)
    return Alignments.from_links(len(first), first.pair[both], first.source[both], first.target[both])


def union(first: Alignments, second: Alignments) -> Alignments:
    """The links that are in either, pair by pair, without probabilities; DataError if the pairs differ."""
    check_lengths(first, second)
    pair, source, target = (
        np.concatenate((getattr(first, name), getattr(second, name))) for name in ("pair", "source", "target")
    )
    return Alignments.from_links(len(first), pair, source, target)


def check_lengths(
    first: Alignments, second: Alignments, names: str = "the two sets of links", advice: str = ""
) -> None:
    """Raise DataError, with both numbers, if the two do not cover the same number of sentence pairs."""
    if len(first) != len(second):
        raise DataError(
            f"{names} have {len(first)} and {len(second)} sentence pairs, expected equally many{advice}"
        )


def _checked(values: ArrayLike, greatest: int, what: str) -> NDArray:
    """The values as an array; DataError unless they are whole numbers from 0 to the greatest."""
    array = np.asarray(values)
    if array.size:
        if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and (array % 1 == 0).all()):
            raise DataError(f"{what} must be a whole number")
        for found in (int(array.min()), int(array.max())):
            if not 0 <= found <= greatest:
                raise DataError(f"{what} must lie in 0..{greatest}; found {found}")
    return array


def _increasing(pair: NDArray[np.int64], code: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each link but the first comes strictly after the one before it [L - 1]."""
    return (pair[1:] > pair[:-1]) | ((pair[1:] == pair[:-1]) & (code[1:] > code[:-1]))
