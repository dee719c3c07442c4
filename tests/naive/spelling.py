"""Comparison of words by spelling."""

from __future__ import annotations


def common_subsequence(one: str, other: str) -> int:
    """Return the length of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(other) + 1)
    for x in one:
        diagonal = 0
        for y, letter in enumerate(other, start=1):
            diagonal, row[y] = row[y], diagonal + 1 if x == letter else max(row[y], row[y - 1])
    return row[-1]


def likeness(one: str, other: str) -> int:
    """Return 2 if two words are equal, 1 if they are alike and both have at most 64 letters, else 0."""
    if one == other:
        return 2
    if max(len(one), len(other)) > 64:
        return 0
    return int(100 * common_subsequence(one, other) >= 58 * max(len(one), len(other)))
