"""Tables for people: columns aligned with spaces, ratios in percent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

_COUNTS = {"links": "|A|", "sure": "|S|", "possible": "|P|"}


def score_table(
    scores: Sequence[Mapping[str, Any]], alpha: float, title: str = "links", counts: Collection[str] = _COUNTS
) -> str:
    """Return a table with one line for each score: ratios, counts and, if there are, intervals.

    title: the header of the column of names; counts: the names of the counts.
    """
    f = "F1" if alpha == 0.5 else f"F({alpha:g})"
    header = [title, "AER", "P", "R", f, *(_COUNTS[count] for count in counts)]
    rows: list[list[object]] = [
        [score["name"], *(percent(score[ratio]) for ratio in ("aer", "precision", "recall", "f_alpha"))]
        + [score[count] for count in counts]
        for score in scores
    ]
    if scores and "interval" in scores[0]:
        header += ["AER interval", "p"]
        for row, score in zip(rows, scores, strict=True):
            row += [percent(*score["interval"]), f"{score['p']:.3f}"]
    return table(header, rows)


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return the lines of a table: the first column, names, flush left; the others, figures, flush right."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for name, *figures in cells:
        right = (f"{figure:>{width}}" for figure, width in zip(figures, widths[1:], strict=True))
        lines.append("  ".join([f"{name:<{widths[0]}}", *right]).rstrip())
    return "\n".join(lines)


def percent(*ratios: float) -> str:
    """Return a ratio, or the two ends of an interval, in percent with 2 decimals."""
    return "-".join(f"{100 * ratio:.2f}" for ratio in ratios)
