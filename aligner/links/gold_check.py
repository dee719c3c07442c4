"""Checks that gold belongs to the links it is compared with, and was read the right way."""

from __future__ import annotations

from typing import NamedTuple

from aligner.errors import DataError
from aligner.links.alignments import Alignments, check_lengths
from aligner.links.evaluation import score
from aligner.links.gold import Gold

#: A gold that is read another way and then scores better by this much AER was read the wrong way.
SUSPICIOUS_GAIN = 0.20


def check_gold(gold: Gold, name: str, sentences: int | None = None) -> None:
    """Raise DataError if the gold, by this name, has no link, or is not of so many sentences."""
    if not gold.possible.source.size:
        raise DataError(f"{name}: found no gold links; expected some to score by; is it the right file?")
    if sentences is not None and len(gold) != sentences:
        raise DataError(
            f"{name}: found {len(gold)} sentences; expected {sentences}, by --sentences, which says how many"
            f" the gold is of; leave it out, or cut the gold"
        )


def first_sentences(alignments: Alignments, sentences: int | None, name: str) -> Alignments:
    """The links of so many sentences, or of all; DataError if there are fewer."""
    if sentences is not None and len(alignments) < sentences:
        raise DataError(
            f"{name}: found {len(alignments)} lines; expected at least {sentences}, by --sentences"
        )
    return alignments[:sentences]


def check_sentences(alignments: Alignments, gold: Gold, names: str) -> None:
    """Raise DataError, with advice, if links and gold, by these names, are not of equally many sentences."""
    lines, last = len(alignments), len(gold)
    advice = ""
    if lines > last:
        advice = f"; to score the first {last} alone, say --sentences {last}"
        if gold.reading.format == "wa":
            advice += f"; if there are just no gold links after sentence {last}, say --sentences {lines}"
    check_lengths(alignments, gold.sure, names, advice)


class Suspicion(NamedTuple):
    """Another reading of a gold that scores much better: its AER, what it takes, and how to read it so."""

    aer: float
    claim: str
    remedy: str


def suspect(alignments: Alignments, gold: Gold) -> Suspicion | None:
    """Whether the gold seems to have been read with the wrong base or direction.

    That is, if another reading that the positions permit has an AER better by more than SUSPICIOUS_GAIN.
    """
    aer = score(alignments, gold).aer
    if aer <= SUSPICIOUS_GAIN:
        return None
    shifts = {0: ("", "")}
    if not gold.reading.one_based and _lowest(gold.possible) > 0:
        shifts[-1] = "it counts from 1", "read it with one_based (--one-based)"
    if _lowest(alignments) > 0:
        shifts[+1] = "the links count from 1", "make them count from 0"
    elif gold.reading.format == "wa":
        shifts[+1] = "it counts positions from 0", "wa counts from 1, so add 1 to each"
    elif gold.reading.one_based:
        shifts[+1] = "it counts from 0", "read it without one_based (--one-based)"
    flag = "without" if gold.reading.reversed else "with"
    exchanges = {
        False: ("", ""),
        True: ("it has target before source", f"read it {flag} reversed (--reversed)"),
    }
    readings = [(shift, exchange) for shift in shifts for exchange in exchanges]
    others = [score(alignments, _reread(gold, *reading)).aer for reading in readings]
    best = min(others)
    if aer - best <= SUSPICIOUS_GAIN:
        return None
    shift, exchange = readings[others.index(best)]
    texts = zip(shifts[shift], exchanges[exchange], strict=True)
    return Suspicion(best, *(" and ".join(filter(None, parts)) for parts in texts))


def check_reading(alignments: Alignments, gold: Gold, name: str = "the links") -> None:
    """Raise DataError, with advice, if the gold seems to have been read in a wrong way: see ``suspect``."""
    found = suspect(alignments, gold)
    if found:
        raise DataError(
            f"{name}: AER is {score(alignments, gold).aer:.1%} with the gold as it was read, but"
            f" {found.aer:.1%} if {found.claim}: {found.remedy}; if it was read as it should be, use --force"
        )


def _lowest(alignments: Alignments) -> int:
    """The lowest position of any link, 0 if there are no links."""
    if not alignments.source.size:
        return 0
    return int(min(alignments.source.min(), alignments.target.min()))


def _reread(gold: Gold, shift: int, exchange: bool) -> Gold:
    """The gold with its positions shifted and, on demand, source and target exchanged."""

    def reread(links: Alignments) -> Alignments:
        shifted = Alignments(links.offsets, links.source + shift, links.target + shift)
        return shifted.reversed() if exchange else shifted

    return Gold(reread(gold.sure), reread(gold.possible))
