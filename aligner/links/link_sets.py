"""Operations on the sets of links of a text, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import replace

import numpy as np

from aligner.arrays import Bools, Float32s, Int32s, Int64s, UInt8s, offsets_of
from aligner.errors import DataError
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments

PAIRS_AT_ONCE = 1 << 11
"""The number of pairs whose links are compared at a time, to bound memory."""


def occurs_in(links: Alignments, others: Alignments) -> Bools:
    """Return a mask [L] of the links that ``others`` has, too; DataError if the numbers of pairs differ."""
    check_lengths(links, others)
    if not len(links.source) or not len(others.source):
        return np.zeros(len(links.source), np.bool_)
    wanted, known = _cells(links, others)
    index = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return known[index] == wanted


def _cells(*operands: Alignments) -> list[Int64s]:
    """Return the number of the cell of each link [L]: equal links of two alignments are in the same cell.

    One matrix holds the matrices of all pairs, one below the other. A row is a source position of a pair.
    """
    heights = np.zeros((2, len(operands[0])), np.int64)
    for height, operand in zip(heights, operands, strict=True):
        height[operand.pair] = operand.source + 1  # increase within a pair: the last is kept
    first_row = offsets_of(heights.max(axis=0))
    width = 1 + max(int(operand.target.max(initial=0)) for operand in operands)
    return [(first_row[own.pair] + own.source) * width + own.target for own in operands]


def select(links: Alignments, mask: Bools) -> Alignments:
    """Return the links where a mask [L] is true, with their probabilities."""
    chosen = (links.pair[mask], links.source[mask], links.target[mask])
    probabilities = None if links.probabilities is None else links.probabilities[mask]
    return Alignments.from_links(len(links), *chosen, probabilities)


def reaching(links: Alignments, threshold: float) -> Alignments:
    """Return the links whose probability is at least a threshold; DataError if they have no probabilities."""
    return select(links, probabilities_of(links) >= np.float32(threshold))


def probabilities_of(links: Alignments, name: PathLike | None = None) -> Float32s:
    """Return the probabilities of links; DataError, with the name of their file, if they have none."""
    if links.probabilities is None:
        raise DataError(
            f"{'' if name is None else f'{name}: '}found links without probabilities; expected i-j:p, a"
            f" probability for each link; decode with --probabilities"
        )
    return links.probabilities


def columns_of(*parts: Alignments) -> tuple[Int64s, Int32s, Int32s]:
    """Return the sentence pair, the source and the target position of all links of all parts."""
    pair, source, target = zip(*((part.pair, part.source, part.target) for part in parts), strict=True)
    return np.concatenate(pair), np.concatenate(source), np.concatenate(target)


def intersection(first: Alignments, second: Alignments) -> Alignments:
    """Return the links that both have, without probabilities; DataError if the numbers of pairs differ."""
    return select(replace(first, probabilities=None), occurs_in(first, second))


def union(first: Alignments, second: Alignments) -> Alignments:
    """Return the links that either has, without probabilities; DataError if the numbers of pairs differ."""
    check_lengths(first, second)
    starts = range(0, max(len(first), 1), PAIRS_AT_ONCE)
    parts = (slice(start, start + PAIRS_AT_ONCE) for start in starts)
    return Alignments.concatenate([merge(first[part], second[part])[0] for part in parts])


def merge(first: Alignments, second: Alignments) -> tuple[Alignments, UInt8s]:
    """Return the links that either has, without probabilities, and which: 1 the first, 2 the second, 3 both.

    Raises DataError if the numbers of pairs differ.
    """
    check_lengths(first, second)
    cells = np.concatenate(_cells(first, second))
    order = np.argsort(cells, kind="stable")  # merges two runs, in linear time
    begins = np.flatnonzero(np.diff(cells[order], prepend=-1))
    chosen = order[begins]
    origins = np.repeat(np.array([1, 2], np.uint8), [len(first.source), len(second.source)])[order]
    pair, source, target = (column[chosen] for column in columns_of(first, second))
    offsets = offsets_of(np.bincount(pair, minlength=len(first)))
    links = Alignments.unchecked(offsets, source, target)
    return links, np.add.reduceat(origins, begins) if len(begins) else origins


def check_lengths(
    first: Sized,
    second: Sized,
    names: str = "the two sets of links",
    advice: str = "; are they of the same text, and complete?",
) -> None:
    """Raise DataError, with both numbers, unless both have the same number of sentence pairs.

    ``names`` names the two in the message, and ``advice`` follows the message.
    """
    if len(first) != len(second):
        raise DataError(
            f"{names} have {len(first)} and {len(second)} sentence pairs, expected equally many{advice}"
        )


def check_positions(
    links: Alignments,
    lengths: Sequence[Int64s | None],
    location: str,
    first: int = 1,
    advice: str = "are these the links of this text?",
    separator: str = "-",
) -> None:
    """Raise DataError if a link has a position outside its sentence pair.

    Parameters
    ----------
    links
        The links of n sentence pairs.
    lengths
        Source and target lengths of each pair, int64 [n]; None if unknown.
    location
        Beginning of the message, which the number of the pair follows, such as "links:".
    first
        Number of the first pair.
    advice
        End of the message.
    separator
        Character between the positions in the message.
    """
    outside = np.zeros(len(links.source), np.bool_)
    for positions, own in zip((links.source, links.target), lengths, strict=True):
        if own is not None:
            outside |= positions >= own[links.pair]
    if outside.any():
        k = int(outside.argmax())
        n = int(links.pair[k])
        source_length, target_length = (None if own is None else own[n] for own in lengths)
        found = describe_outside(links.source[k], links.target[k], source_length, target_length, separator)
        raise DataError(f"{location}{first + n}: {found}; {advice}")


def describe_outside(
    i: int, j: int, source_length: int | None, target_length: int | None, separator: str = "-"
) -> str:
    """Return the first part of a message about a link with a position outside its sentence pair."""
    lengths = ("?" if length is None else str(length) for length in (source_length, target_length))
    return f"found {i}{separator}{j} in a pair of {' and '.join(lengths)} words; positions count from 0"
