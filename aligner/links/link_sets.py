"""Operations on the sets of links of a text, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.links.alignments import Alignments


def occurs_in(links: Alignments, others: Alignments) -> NDArray[np.bool_]:
    """Return a mask [L] of the links that ``others`` has, too; DataError if the numbers of pairs differ."""
    check_lengths(links, others)
    if not len(links.source) or not len(others.source):
        return np.zeros(len(links.source), np.bool_)
    # One matrix holds the matrices of all pairs, one below the other. A row is a source position of a pair,
    # so equal cells are equal links.
    heights = np.zeros((2, len(links)), np.int64)
    for height, operand in zip(heights, (links, others), strict=True):
        height[operand.pair] = operand.source + 1  # increase within a pair: the last is kept
    first_row = np.concatenate(([0], np.cumsum(heights.max(axis=0))))
    width = 1 + int(max(links.target.max(), others.target.max()))
    wanted, known = ((first_row[x.pair] + x.source) * width + x.target for x in (links, others))
    index = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return known[index] == wanted


def select(links: Alignments, mask: NDArray[np.bool_]) -> Alignments:
    """Return the links where a mask [L] is true, with their probabilities."""
    chosen = (links.pair[mask], links.source[mask], links.target[mask])
    probabilities = None if links.probabilities is None else links.probabilities[mask]
    return Alignments.from_links(len(links), *chosen, probabilities)


def reaching(links: Alignments, threshold: float) -> Alignments:
    """Return the links whose probability is at least a threshold; DataError if they have no probabilities."""
    if links.probabilities is None:
        raise DataError(
            "found links without probabilities; expected i-j:p, a probability for each link; decode with"
            " --probabilities"
        )
    return select(links, links.probabilities >= np.float32(threshold))


def intersection(first: Alignments, second: Alignments) -> Alignments:
    """Return the links that both have, without probabilities; DataError if the numbers of pairs differ."""
    return select(replace(first, probabilities=None), occurs_in(first, second))


def union(first: Alignments, second: Alignments) -> Alignments:
    """Return the links that either has, without probabilities; DataError if the numbers of pairs differ."""
    check_lengths(first, second)
    pair, source, target = (
        np.concatenate((getattr(first, name), getattr(second, name))) for name in ("pair", "source", "target")
    )
    return Alignments.from_links(len(first), pair, source, target)


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
    lengths: Sequence[NDArray[np.int64] | None],
    location: str,
    first: int = 1,
    advice: str = "are these the links of this text?",
    mark: str = "-",
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
    mark
        Character between the positions in the message.
    """
    outside = np.zeros(len(links.source), np.bool_)
    for positions, known in zip((links.source, links.target), lengths, strict=True):
        if known is not None:
            outside |= positions >= known[links.pair]
    if outside.any():
        k = int(outside.argmax())
        n = int(links.pair[k])
        source_length, target_length = (None if known is None else known[n] for known in lengths)
        found = describe_outside(links.source[k], links.target[k], source_length, target_length, mark)
        raise DataError(f"{location}{first + n}: {found}; {advice}")


def describe_outside(
    i: int, j: int, source_length: int | None, target_length: int | None, mark: str = "-"
) -> str:
    """Return the first part of a message about a link with a position outside its sentence pair."""
    lengths = ("?" if length is None else str(length) for length in (source_length, target_length))
    return f"found {i}{mark}{j} in a pair of {' and '.join(lengths)} words; positions count from 0"
