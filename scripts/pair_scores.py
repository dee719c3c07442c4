"""Scores of sentence pairs by a model, and how well a figure separates two groups of them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lab import Lab, run


class Scores(NamedTuple):
    """The scores of a sentence pair, the columns of ``align decode --scores``."""

    score: float
    forward: float
    reverse: float
    gain: float


def scores_of(lab: Lab, model: Path, name: str, source: list[str], target: list[str]) -> list[Scores]:
    """Return the scores of these lines by a model. The files are named after ``name``."""
    files = [lab.out / f"{name}.{end}" for end in ("source", "target", "scores")]
    for file, lines in zip(files, (source, target), strict=False):
        file.write_text("".join(lines), encoding="utf-8", newline="\n")
    outputs = ["-o", str(lab.out / "links"), "--scores", str(files[2])]
    run(["align", "decode", *map(str, [model, *files[:2]]), *outputs])
    return [Scores(*map(float, line.split("\t"))) for line in files[2].read_text().splitlines()]


def probability_above(first: list[float], second: list[float]) -> float:
    """Return how often a random figure of the first list is at least as high as one of the second."""
    ranked = sorted([(figure, True) for figure in first] + [(figure, False) for figure in second])
    below = pairs_above = 0
    for _, is_first in ranked:
        if is_first:
            pairs_above += below
        else:
            below += 1
    return pairs_above / (len(first) * len(second))
