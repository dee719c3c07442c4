"""Alignments: the links of sentence pairs, as arrays.

A link (i, j) joins source position i and target position j, both from 0.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import chain, pairwise, zip_longest
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aligner.arrays import Bools, Float32s, Float64s, Int32s, Int64s
from aligner.errors import ConfigError, DataError
from aligner.files.lines import words_of
from aligner.messages import counted
from aligner.text.pairs_like import PairsLike, string_pairs

Link = tuple[int, int]

MAX_POSITION = 9_999_999
"""The largest position of a link. A larger number in a file is taken for damage."""

# A notebook shows the first links of the first pairs.
_ROWS_SHOWN = 10
_LINKS_SHOWN = 50


@dataclass(frozen=True, eq=False)
class Alignments:
    """The links of n sentence pairs, as compressed rows.

    The links of pair k are source[offsets[k]:offsets[k + 1]] and target[offsets[k]:offsets[k + 1]]. An
    index gives the links of a pair as a list, a slice gives the alignments of a run of pairs, and iteration
    gives one list for each pair. Construct alignments by ``from_lists``, ``from_links`` or ``read_links``.

    Parameters
    ----------
    offsets
        int64 [n + 1], from 0 to the number of links L.
    source, target
        int32 [L], positions from 0. Within a pair, links increase strictly by (i, j).
    probabilities
        float32 [L] in 0..1, or None.
    scores
        float64 [n, 3] or None: forward score, reverse score and gain of each pair, in nats per word. -inf for
        a pair that was not aligned. See ``aligner.decoding.scores``.

    Raises
    ------
    DataError
        If the arrays do not have these shapes and values.

    Examples
    --------
    >>> alignments = Alignments.from_lists([[(0, 0), (1, 2)], []])
    >>> alignments
    Alignments(2 pairs, 2 links)
    >>> alignments[0]
    [(0, 0), (1, 2)]
    """

    offsets: Int64s
    source: Int32s
    target: Int32s
    probabilities: Float32s | None = None
    scores: Float64s | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", np.ascontiguousarray(self.offsets, np.int64))
        for name in ("source", "target"):
            positions = _checked(getattr(self, name), MAX_POSITION, "a link's position")
            object.__setattr__(self, name, np.ascontiguousarray(positions, np.int32))
        size = self.source.size
        if not self.offsets.ndim == self.source.ndim == self.target.ndim == 1:
            raise DataError("offsets, source and target must have one dimension")
        if self.offsets.size == 0 or self.offsets[0] != 0 or self.offsets[-1] != size:
            raise DataError(f"offsets must run from 0 to the number of links, {size}")
        if (np.diff(self.offsets) < 0).any() or self.target.size != size:
            raise DataError("offsets must not decrease, and source and target must be equally long")
        if not _increasing(self.pair, self.source.astype(np.int64) << 32 | self.target).all():
            raise DataError("the links of a pair must be sorted and distinct (see Alignments.from_links)")
        if self.probabilities is not None:
            probabilities = np.ascontiguousarray(self.probabilities, np.float32)
            object.__setattr__(self, "probabilities", probabilities)
            # Sums of rounded probabilities may exceed 1 slightly.
            if probabilities.shape != (size,) or not ((probabilities >= 0) & (probabilities < 1.001)).all():
                raise DataError("expected one probability in 0..1 for every link")
        if self.scores is not None and (self.scores.shape != (len(self), 3) or np.isnan(self.scores).any()):
            raise DataError("expected 3 scores for every sentence pair, none of them NaN")

    @classmethod
    def unchecked(cls, *arrays: NDArray[Any] | None) -> Alignments:
        """Construct without validation, from the arrays of the fields in order, which are known to be valid.

        Validation of a decoded chunk takes longer than its construction.
        """
        alignments = object.__new__(cls)
        vars(alignments).update(zip_longest((field.name for field in fields(cls)), arrays))
        return alignments

    @classmethod
    def from_links(
        cls,
        pairs: int,
        pair: ArrayLike,
        source: ArrayLike,
        target: ArrayLike,
        probabilities: ArrayLike | None = None,
    ) -> Alignments:
        """Construct from links in any order. Of equal links, the most probable one is kept.

        Parameters
        ----------
        pairs
            Number of sentence pairs.
        pair
            Sentence pair of each link, from 0 [L].
        source, target
            Positions of each link, from 0 [L].
        probabilities
            Probability of each link [L], or None.

        Raises
        ------
        DataError
            If a number is not an integer in its range, or if the arrays do not have one number for each link.
        """
        pair = _checked(pair, pairs - 1, "a link's sentence pair")
        source, target = (_checked(side, MAX_POSITION, "a link's position") for side in (source, target))
        values = None if probabilities is None else np.asarray(probabilities, np.float32)
        shapes = {array.shape for array in (pair, source, target, values) if array is not None}
        if shapes != {(pair.size,)}:
            raise DataError("pair, source, target and probabilities must have one number for each link")
        pair, code = pair.astype(np.int64, copy=False), source.astype(np.int64)
        code <<= 32  # in place, like the next line: files are read in little memory
        code |= target.astype(np.int64, copy=False)
        if not _increasing(pair, code).all():
            order = np.lexsort((code, pair))
            pair, code = pair[order], code[order]
            first = np.flatnonzero(np.concatenate(([True], _increasing(pair, code))))
            values = None if values is None else np.maximum.reduceat(values[order], first)
            pair, code = pair[first], code[first]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(pair, minlength=pairs))))
        columns = (code >> 32).astype(np.int32), (code & 0xFFFFFFFF).astype(np.int32)
        return cls.unchecked(offsets, *columns) if values is None else cls(offsets, *columns, values)

    @classmethod
    def from_lists(cls, lists: Iterable[Iterable[Link]]) -> Alignments:
        """Construct from one list of (i, j) for each sentence pair, in any order. Duplicates are merged.

        Raises
        ------
        DataError
            If a link is not a pair of two integers from 0 to ``MAX_POSITION``.
        """
        try:
            rows = [list(links) for links in lists]
            links = np.array(list(chain.from_iterable(rows)) or np.zeros((0, 2), np.int64))
        except (TypeError, ValueError):  # no links, or links of different lengths
            links = np.empty(0)
        if links.shape[1:] != (2,):
            raise DataError(
                "a link must be a pair of a source and a target position, in a list for each sentence pair,"
                " such as [[(0, 0), (1, 1)], []]"
            )
        pair = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        return cls.from_links(len(rows), pair, links[:, 0], links[:, 1])

    @classmethod
    def concatenate(cls, parts: Sequence[Alignments]) -> Alignments:
        """Concatenate the sentence pairs of all parts.

        The result has probabilities if every link has one, and scores if every part has them.
        """
        parts = [part for part in parts if len(part)] or [*parts[:1]] or [cls.from_lists([])]
        if len(parts) == 1:
            return parts[0]
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
        """Return the sorted links of pair n, or the alignments of a run of pairs."""
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
        try:
            n = range(len(self))[n]  # resolves negative indices
        except IndexError:
            pairs = counted(len(self), "pair")
            raise IndexError(f"found pair {n}; expected one of {pairs}, counted from 0") from None
        part = slice(self.offsets[n], self.offsets[n + 1])
        return list(zip(self.source[part].tolist(), self.target[part].tolist(), strict=True))

    def __iter__(self) -> Iterator[list[Link]]:
        links = list(zip(self.source.tolist(), self.target.tolist(), strict=True))
        return (links[start:stop] for start, stop in pairwise(self.offsets.tolist()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alignments):
            return NotImplemented
        arrays = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(np.array_equal(mine, theirs) for mine, theirs in arrays)  # None equals None alone

    def __repr__(self) -> str:
        extras = [name for name in ("probabilities", "scores") if getattr(self, name) is not None]
        suffix = f", with {' and '.join(extras)}" if extras else ""
        return f"Alignments({counted(len(self), 'pair')}, {counted(self.source.size, 'link')}{suffix})"

    def _repr_html_(self) -> str:
        """Return a table of the links of the first pairs, for notebooks (``aligner.view.html`` has words)."""
        rows = [("pair", "links")]
        rows += [(str(n), _link_text(self[n : n + 1])) for n in range(min(len(self), _ROWS_SHOWN))]
        cells = "".join(f"<tr><td>{number}</td><td>{links}</td></tr>" for number, links in rows)
        return f"<p>{self!r}</p><table>{cells}</table>"

    @property
    def pair(self) -> Int64s:
        """The sentence pair of every link, int64 [L]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def to_dataframe(self, pairs: PairsLike | None = None) -> Any:
        """Return a data frame with a row for each link.

        Parameters
        ----------
        pairs
            The sentence pairs, as for ``Bitext.from_text``, for columns of the linked words; or None.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns ``pair``, ``source`` and ``target``, positions from 0; ``probability``, if the links
            have probabilities; ``source_word`` and ``target_word``, if there are ``pairs``. It is of polars
            if ``pairs`` are, or if there is no pandas.

        Raises
        ------
        ConfigError
            If neither library is installed.
        DataError
            If there are not as many ``pairs`` as alignments, or if a link is outside its pair.
        """
        columns: dict[str, Any] = {"pair": self.pair, "source": self.source, "target": self.target}
        if self.probabilities is not None:
            columns["probability"] = self.probabilities
        if pairs is not None:
            columns |= self._linked_words(list(string_pairs(pairs)))
        of_polars = type(pairs).__module__.startswith("polars")
        for library in sorted(("pandas", "polars"), reverse=of_polars):
            with suppress(ImportError):
                return importlib.import_module(library).DataFrame(columns)
        raise ConfigError("found neither pandas nor polars; install one of them for data frames")

    def _linked_words(self, pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
        """Return the source and the target word of every link."""
        if len(pairs) != len(self):
            raise DataError(
                f"found the sentences of {counted(len(pairs), 'pair')}; expected {len(self):,}, one for each"
                f" alignment"
            )
        columns = {}
        for side, positions in enumerate((self.source, self.target)):
            words = [words_of(pair[side]) for pair in pairs]
            if (positions >= np.repeat([*map(len, words)], np.diff(self.offsets))).any():
                raise DataError("found a link outside its sentence pair; are these its sentences?")
            linked = zip(self.pair.tolist(), positions.tolist(), strict=True)
            columns[f"{('source', 'target')[side]}_word"] = [words[k][position] for k, position in linked]
        return columns

    def reversed(self) -> Alignments:
        """Return the alignments with source and target exchanged, and forward with reverse scores."""
        exchanged = Alignments.from_links(len(self), self.pair, self.target, self.source, self.probabilities)
        return exchanged if self.scores is None else replace(exchanged, scores=self.scores[:, [1, 0, 2]])


def _link_text(pair: Alignments) -> str:
    """Return the first links of a pair, `i-j` or `i-j:p`, and the number of the others."""
    texts = [f"{i}-{j}" for i, j in pair[0]]
    if pair.probabilities is not None:
        texts = [f"{text}:{p:.2f}" for text, p in zip(texts, pair.probabilities.tolist(), strict=True)]
    others = len(texts) - _LINKS_SHOWN
    return " ".join(texts[:_LINKS_SHOWN]) + (f" and {others} more" if others > 0 else "")


def _checked(values: ArrayLike, maximum: int, name: str) -> NDArray:
    """Return the values as an array; DataError, with the name, unless they are integers in 0..maximum."""
    array = np.asarray(values)
    if array.size:
        if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and (array % 1 == 0).all()):
            raise DataError(f"{name} must be a whole number")
        for found in (int(array.min()), int(array.max())):
            if not 0 <= found <= maximum:
                raise DataError(f"{name} must lie in 0..{maximum}; found {found}")
    return array


def _increasing(pair: Int64s, code: Int64s) -> Bools:
    """Return True for each link but the first that comes strictly after its predecessor [L - 1]."""
    return (pair[1:] > pair[:-1]) | ((pair[1:] == pair[:-1]) & (code[1:] > code[:-1]))
