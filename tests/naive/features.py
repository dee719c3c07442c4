"""Features of candidate cells, one sentence pair at a time, with sets and dictionaries."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import product
from typing import NamedTuple

from aligner.lexicon.transliteration import to_latin
from tests.naive.spelling import common_subsequence

MISSING = -100.0
AROUND = [(a, b) for a, b in product((-1, 0, 1), repeat=2) if a or b]


class Pair(NamedTuple):
    """One sentence pair: its words, posteriors [I][J] and t(f|e), t(e|f), and what training counted.

    counts, links: by word, of both sides; chosen: the links of the recipe.
    """

    source: list[str]
    target: list[str]
    F: list[list[float]]
    R: list[list[float]]
    F0: list[list[float]]
    R0: list[list[float]]
    t: list[list[float]]
    u: list[list[float]]
    counts: tuple[dict[str, int], dict[str, int]]
    links: tuple[dict[str, float], dict[str, float]]
    chosen: set[tuple[int, int]]

    def average(self, i: int, j: int) -> float:
        """Return A, 0 outside the pair."""
        if 0 <= i < len(self.source) and 0 <= j < len(self.target):
            return (self.F[i][j] + self.R[i][j]) / 2
        return 0.0

    def product(self, i: int, j: int) -> float:
        """Return F R, 0 outside the pair."""
        if 0 <= i < len(self.source) and 0 <= j < len(self.target):
            return self.F[i][j] * self.R[i][j]
        return 0.0


def candidates(pair: Pair) -> list[tuple[int, int]]:
    """Return the candidates, in the order of rows."""
    cells = list(product(range(len(pair.source)), range(len(pair.target))))
    reached = {(i, j) for i, j in cells if max(m[i][j] for m in (pair.F, pair.R, pair.F0, pair.R0)) >= 0.03}
    beside = {(i + a, j + b) for i, j in reached if pair.average(i, j) >= 0.4 for a, b in AROUND if not a * b}
    return [cell for cell in cells if cell in reached | beside]


def features(pair: Pair, i: int, j: int) -> list[float]:
    """Return the features of a cell, in the order of ``models.learned_links.FEATURES``."""
    I, J = len(pair.source), len(pair.target)  # noqa: E741
    e, f = pair.source[i], pair.target[j]
    rows = [[pair.average(k, m) for m in range(J)] for k in range(I)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    row, column = (
        [a for m, a in enumerate(rows[i]) if m != j],
        [a for k, a in enumerate(columns[j]) if k != i],
    )
    repeated = Counter(pair.source)[e], Counter(pair.target)[f]
    n_e, n_f = pair.counts[0].get(e, 0), pair.counts[1].get(f, 0)
    of_e, of_f = (min(own.get(w, 0.0), n) for own, w, n in zip(pair.links, (e, f), (n_e, n_f), strict=True))
    links = (pair.t[i][j] * of_e + pair.u[i][j] * of_f) / 2
    place = (i + 0.5) / I - (j + 0.5) / J
    x, y = spell(e), spell(f)
    longest = max(len(x), len(y))
    prefix = next(
        (k for k, both in enumerate(zip(x, y, strict=False)) if len(set(both)) > 1), min(len(x), len(y))
    )
    return [
        *(max(matrix[i][j], 1e-4) for matrix in (pair.F, pair.R, pair.F0, pair.R0)), max(rows[i][j], 1e-4),
        pair.product(i, j), pair.F0[i][j] * pair.R0[i][j], (pair.F0[i][j] + pair.R0[i][j]) / 2,
        1 - sum(pair.F[k][j] for k in range(I)), 1 - sum(pair.R[i]),
        *(pair.average(i + a, j + b) for a, b in [*AROUND, (-2, -2), (2, 2)]),
        *(pair.product(i + a, j + b) for a, b in AROUND),
        max(row, default=0.0), max(column, default=0.0), sum(row), sum(column),
        distance(rows, i - 1, j), distance(rows, i + 1, j),
        distance(columns, j - 1, i), distance(columns, j + 1, i),
        place, abs(place), I, J, I / J, pair.t[i][j], pair.u[i][j],
        links / n_e if n_e else MISSING, links / n_f if n_f else MISSING,
        n_e, n_f, (n_e + 1) / (n_f + 1), of_e / max(n_e, 1), of_f / max(n_f, 1),
        common_subsequence(x, y) / longest, prefix / longest, kind(e), kind(f), len(x), len(y), *repeated,
        (i, j) in pair.chosen,
    ]  # fmt: skip


def distance(rows: list[list[float]], k: int, position: int) -> float:
    """Return how far a position is from the centroid of row k."""
    if not 0 <= k < len(rows) or sum(rows[k]) < 0.3:
        return MISSING
    return position - sum(a * m for m, a in enumerate(rows[k])) / sum(rows[k])


def kind(word: str) -> int:
    """Return 0 for a word, 1 for a number, 2 for other marks."""
    if any(letter.isdigit() for letter in word):
        return 1
    return 0 if any(letter.isalpha() for letter in word) else 2


def spell(word: str) -> str:
    """Return a word in Latin letters, without case and diacritics."""
    return "".join(to_latin(letter) for letter in unicodedata.normalize("NFKD", word.casefold()))
