"""Attachment of words without links by its definition, cell by cell."""

from __future__ import annotations

from tests.naive.buckets import Matrix


def attached_links(
    links: set[tuple[int, int]], forward: Matrix, reverse: Matrix, threshold: float
) -> dict[tuple[int, int], float]:
    """Return the links that attachment adds, with their posteriors.

    links: those so far; forward, reverse: posteriors, I x J both.
    """
    rows, columns = len(forward), len(forward[0])
    added = {}
    for i in set(range(rows)) - {i for i, _ in links}:
        j = max(range(columns), key=lambda j: reverse[i][j])
        if reverse[i][j] >= threshold and {(i - 1, j), (i + 1, j)} & links:
            added[i, j] = reverse[i][j]
    for j in set(range(columns)) - {j for _, j in links}:
        i = max(range(rows), key=lambda i: forward[i][j])
        if forward[i][j] >= threshold and {(i, j - 1), (i, j + 1)} & links:
            added[i, j] = forward[i][j]
    return added
