"""Spans: labelled ranges of words. The rules of projection are in the docstring of the package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from aligner.annotations.word_links import Range, WordLinks
from aligner.files.lines import words_of
from aligner.messages import counted, excerpt

_SPAN = re.compile(r"([0-9]{1,7})-([0-9]{1,7}):(.+)")


class Span(NamedTuple):
    """Words start to end - 1 with a label."""

    start: int
    end: int
    label: str


def read_spans(line: str) -> list[Span]:
    """Parse spans `start-end:label`; ValueError for anything else."""
    spans = []
    for token in words_of(line):
        match = _SPAN.fullmatch(token)
        if match is None or int(match[1]) >= int(match[2]):
            raise ValueError(
                f"found {excerpt(token)}; expected start-end:label with positions from 0 and start < end;"
                f" 0-2:PER stands for the first two words"
            )
        spans.append(Span(int(match[1]), int(match[2]), match[3]))
    return spans


def write_spans(spans: list[Span], words: Sequence[str]) -> str:
    """Return spans as `start-end:label`, in their order."""
    return " ".join(f"{start}-{end}:{label}" for start, end, label in spans)


def project_spans(spans: list[Span], links: WordLinks) -> tuple[list[Span], int]:
    """Return the spans on the target side, in the same order, and how many are left out without links.

    ValueError for a span that ends after the source words.
    """
    for start, end, label in spans:
        if links.source_length is not None and end > links.source_length:
            raise ValueError(
                f"found {start}-{end}:{label} in a sentence of {counted(links.source_length, 'word')};"
                f" expected an end of at most {links.source_length}"
            )
    placed: dict[int, Range] = {}
    outermost_first = sorted(range(len(spans)), key=lambda k: spans[k].start - spans[k].end)
    for k in outermost_first:
        start, end, _ = spans[k]
        limits = 0, links.target_length
        for outer, run_of_outer in placed.items():  # the last one is the innermost
            if spans[outer].start <= start and end <= spans[outer].end:
                limits = run_of_outer
        run = links.best_run((start, end), [limits])
        if run is not None:
            placed[k] = run.start, run.end
    projected = [Span(*placed[k], span.label) for k, span in enumerate(spans) if k in placed]
    return projected, len(spans) - len(projected)


def place_apart(spans: Sequence[Range], links: WordLinks, limits: Range) -> list[Range | None]:
    """Return runs without common words for spans without common words, the heaviest first.

    limits: the target words that the runs may have. A span without a link to them gets None.
    """
    free = [limits]
    runs = {k: run for k, span in enumerate(spans) if (run := links.best_run(span, free))}
    placed: list[Range | None] = [None] * len(spans)
    for k in sorted(runs, key=lambda k: -runs[k].weight):
        run = links.best_run(spans[k], free)
        if run is not None:
            placed[k] = taken = run.start, run.end
            free = [part for stretch in free for part in _without(stretch, taken)]
    return placed


def _without(stretch: Range, taken: Range) -> list[Range]:
    """Return the parts of a stretch before and after a range of it; the stretch if they are disjoint."""
    if taken[1] <= stretch[0] or stretch[1] <= taken[0]:
        return [stretch]
    return [(stretch[0], taken[0]), (taken[1], stretch[1])]
