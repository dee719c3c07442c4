"""Checks that gold fits the links that it is compared with, and that it was read correctly."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from aligner.errors import DataError
from aligner.files.opening import PathLike
from aligner.links import link_sets
from aligner.links.alignments import Alignments
from aligner.links.evaluation import Score, score
from aligner.links.formats import LINK_FORMATS
from aligner.links.gold import Gold
from aligner.links.link_counts import count_links
from aligner.messages import counted, display_name
from aligner.text.bitext import Bitext

SUSPICIOUS_GAIN = 0.20
"""The gold was probably misread if another reading lowers the AER by more than this."""


def check_gold(gold: Gold, name: str, sentences: int | None = None) -> None:
    """Raise DataError, with the gold's name, if it has no link, or another number of sentences."""
    if not gold.possible.source.size:
        raise DataError(f"{name}: found no gold links; expected some to score by; is it the right file?")
    if sentences is not None and len(gold) != sentences:
        raise DataError(
            f"{name}: found {counted(len(gold), 'sentence')}; expected {sentences}, as --sentences says;"
            f" leave out --sentences, or shorten the gold"
        )


def first_sentences(alignments: Alignments, sentences: int | None, name: str) -> Alignments:
    """Return the first sentences, or all if ``sentences`` is None; DataError if there are fewer."""
    if sentences is not None and len(alignments) < sentences:
        raise DataError(
            f"{name}: found {counted(len(alignments), 'line')}; expected at least {sentences}, as --sentences"
            f" says; use a smaller number, or check that the file is complete"
        )
    return alignments[:sentences]


def in_named_lines(alignments: Alignments, gold: Gold) -> Alignments:
    """Return the links of lines with gold links, if the gold names its lines; else all links."""
    is_chosen = (np.diff(gold.possible.offsets) > 0) | (gold.reading.format != "lines")
    return link_sets.select(alignments, is_chosen[alignments.pair])


def check_sentences(alignments: Alignments, gold: Gold, names: str) -> None:
    """Raise DataError, with names and advice, unless links and gold have the same number of sentences."""
    lines, last = len(alignments), len(gold)
    advice = "; are the links complete, and of the text of the gold?"
    if lines > last:
        advice = f"; to score only the first {last}, use --sentences {last}"
        if not LINK_FORMATS[gold.reading.format].lines_per_pair:
            advice += f"; if the sentences after {last} have no gold links, use --sentences {lines}"
    link_sets.check_lengths(alignments, gold.sure, names, advice)


def check_positions(links: Alignments, text: Bitext, name: PathLike, *, by_line: bool = False) -> None:
    """Raise DataError, with the name of the links, for the first link that is outside its sentence pair.

    by_line: True if the name is of a file, and line n of it has the links of sentence n.
    """
    link_sets.check_positions(
        links,
        text.lengths,
        f"{display_name(name)}:" if by_line else f"{name}: sentence ",
        advice="expected links of this text, source before target; a wa file counts from 1",
    )


class Misreading(NamedTuple):
    """Another reading of a gold that scores much better.

    Attributes
    ----------
    aer
        The AER with the other reading.
    claim
        What the other reading assumes.
    remedy
        How to read the gold, or write the links, accordingly.
    """

    aer: float
    claim: str
    remedy: str


def find_misreading(alignments: Alignments, gold: Gold) -> Misreading | None:
    """Return the best other reading of the gold, or None if it was probably read correctly.

    Other readings exchange source and target, or shift positions by 1 where no position becomes negative.
    The best is returned if its AER is lower by more than ``SUSPICIOUS_GAIN``.
    """
    aer = score(alignments, gold).aer
    if aer <= SUSPICIOUS_GAIN:
        return None
    flag = "without" if gold.reading.reversed else "with"
    exchanges = {
        False: ("", ""),
        True: ("it has target before source", f"read it {flag} reversed (--reversed)"),
    }
    misreadings = [
        Misreading(
            Score.from_counts(count_links(alignments, gold, partial(_reread, shift, exchange))).aer,
            *(" and ".join(filter(None, texts)) for texts in zip(of_shift, of_exchange, strict=True)),
        )
        for shift, of_shift in _shifts(alignments, gold).items()
        for exchange, of_exchange in exchanges.items()
    ]
    best = min(misreadings, key=lambda misreading: misreading.aer)
    return best if aer - best.aer > SUSPICIOUS_GAIN else None


def check_reading(
    alignments: Alignments, gold: Gold, name: str = "the links", otherwise: str = "use --force"
) -> None:
    """Raise DataError, with advice, if the gold was probably misread (see ``find_misreading``).

    otherwise: what to do if it was not.
    """
    misreading = find_misreading(alignments, gold)
    if misreading:
        raise DataError(
            f"{name}: AER is {score(alignments, gold).aer:.1%} with the gold as it was read, but"
            f" {misreading.aer:.1%} if {misreading.claim}: {misreading.remedy}; if the gold was read"
            f" correctly, {otherwise}"
        )


def _shifts(alignments: Alignments, gold: Gold) -> dict[int, tuple[str, str]]:
    """Return the claim and the remedy of each possible shift of the gold's positions, 0 first."""
    name, shifts = gold.reading.format, {0: ("", "")}
    if not gold.reading.one_based and _lowest(gold.possible) > 0:
        shifts[-1] = "it counts from 1", "read it with one_based (--one-based)"
    if _lowest(alignments) > 0:
        shifts[+1] = "the links count from 1", "make them count from 0"
    elif LINK_FORMATS[name].base == 1:
        shifts[+1] = "it counts positions from 0", f"{name} counts from 1, so add 1 to each"
    elif gold.reading.one_based:
        shifts[+1] = "it counts from 0", "read it without one_based (--one-based)"
    return shifts


def _lowest(alignments: Alignments) -> int:
    """Return the lowest position of any link, 0 if there are no links."""
    if not alignments.source.size:
        return 0
    return int(min(alignments.source.min(), alignments.target.min()))


def _reread(shift: int, exchange: bool, links: Alignments) -> Alignments:
    """Return links with positions shifted, and with source and target exchanged if ``exchange`` is set."""
    shifted = Alignments(links.offsets, links.source + shift, links.target + shift)
    return shifted.reversed() if exchange else shifted
