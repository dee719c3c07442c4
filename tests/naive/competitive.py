"""Competitive thresholding by its definition, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence

NEAR = 4
"""The greatest distance of a link from the best link of its line, if cells between them are no links."""


def competitive_links(
    posterior: Sequence[Sequence[float]], threshold: float, source: Sequence[int], target: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the cells that can stand beside the best cell of their row and beside that of their column.

    posterior: I x J; source, target: the words of both sides. Both cells must reach the threshold, and one of
    these must hold: all cells between them reach it, or they are near and of different words.
    """

    def beside_best(line: list[float], k: int, words: Sequence[int]) -> bool:
        best = max(range(len(line)), key=lambda other: line[other])
        between = line[min(best, k) : max(best, k) + 1]
        connected = all(value >= threshold for value in between)
        near = abs(best - k) <= NEAR and words[best] != words[k]
        return line[k] >= threshold and line[best] >= threshold and (connected or near)

    return [
        (i, j)
        for i, row in enumerate(posterior)
        for j in range(len(row))
        if beside_best(list(row), j, target) and beside_best([other[j] for other in posterior], i, source)
    ]
