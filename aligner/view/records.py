"""The data of a page: a header with one number for each line, and one JSON record for each line.

A record is `[source, target, links, gold, second]`. The words of a side are joined by spaces, and links are
in the Pharaoh format. Each record is a line of JSON, so that the page parses a record only to show it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import Float64s, Int64s, offsets_of
from aligner.links.alignments import Alignments
from aligner.links.formats.plain import format_links
from aligner.links.gold import Gold, format_gold
from aligner.links.link_counts import count_links
from aligner.links.link_sets import occurs_in, select
from aligner.scripture.book_names import names_of
from aligner.view.content import Content

Words = Sequence[Sequence[str]]
"""The words of each line of a side."""


def line_records(content: Content) -> Iterator[list[str | None]]:
    """Yield the record of each sentence pair."""
    sides = [(" ".join(words) for words in side) for side in (content.source, content.target)]
    gold = repeat(None) if content.gold is None else format_gold(content.gold).split("\n")
    second = repeat(None) if content.second is None else _link_lines(content.second)
    for record in zip(*sides, _link_lines(content.links), gold, second, strict=False):
        yield list(record)


def header(content: Content) -> dict[str, Any]:
    """Return the names of the files, figures of all lines together, and one number for each line.

    Figures of all lines are lists: one number for each threshold 0.00, 0.01, ..., 1.00, or one for all of
    them if the links have no probabilities. The numbers of lines are those at the threshold of the page.
    A page whose lines have ids has "ids", "books" with the names of the books if ids are verses, and "lemmas"
    if there are tables of tokens.
    """
    gold, second = content.gold, content.second
    named: dict[str, Any] = {} if content.ids is None else {"ids": [*content.ids]}
    named |= {"books": books} if (books := names_of(content.ids or ())) else {}
    named |= {"lemmas": content.lemmas} if content.lemmas and any(content.lemmas) else {}
    return named | {
        "names": {part: os.path.basename(name) for part, name in content.names.items()},
        "key": text_key(content.source, content.target, content.first),
        "first": content.first,
        "threshold": content.threshold,
        "probabilities": content.links.probabilities is not None,
        "words": [int(content.lengths(side).sum()) for side in (0, 1)],
        "sure": 0 if gold is None else int(gold.sure.source.size),
        "own": totals(content.links, gold) | {"linked": [_linked(content, side) for side in (0, 1)]},
        "second": None if second is None else totals(second, gold),
        "columns": _columns(content),
    }


def totals(links: Alignments, gold: Gold | None) -> dict[str, list[int]]:
    """Return the number of links at each threshold, of hits on possible links and of hits on sure links."""
    levels = _levels(links)
    found = {"links": levels}
    if gold is not None:
        found["hits"] = levels[occurs_in(links, gold.possible)]
        found["sureHits"] = levels[occurs_in(links, gold.sure)]
    return {name: _reaching(own, links) for name, own in found.items()}


def _levels(links: Alignments) -> Int64s:
    """Return the highest threshold, in hundredths, that each link reaches with 4 decimals, int64 [L].

    It is 0 if the links have no probabilities.
    """
    if links.probabilities is None:
        return np.zeros(links.source.size, np.int64)
    return np.rint(links.probabilities.astype(np.float64) * 10_000).astype(np.int64) // 100


def _reaching(levels: Int64s, links: Alignments) -> list[int]:
    """Return how many items reach each threshold of links, by hundredths."""
    thresholds = 1 if links.probabilities is None else 101
    counts: list[int] = np.bincount(levels, minlength=thresholds)[::-1].cumsum()[::-1].tolist()
    return counts


def _linked(content: Content, side: int) -> list[int]:
    """Return how many words of a side have a link, at each threshold."""
    links = content.links
    offsets = offsets_of(content.lengths(side))
    best = np.full(offsets[-1], -1)
    np.maximum.at(best, offsets[links.pair] + (links.source, links.target)[side], _levels(links))
    return _reaching(best[best >= 0], links)


def text_key(source: Words, target: Words, first: int = 1) -> str:
    """Return a key of the words of all lines, the first of which has the number ``first``."""
    digest = hashlib.sha256(str(first).encode())
    for own, other in zip(source, target, strict=True):
        digest.update(f"{' '.join(own)}\t{' '.join(other)}\n".encode("utf-8", "replace"))
    return digest.hexdigest()[:16]


def _columns(content: Content) -> dict[str, list[Any]]:
    """Return the figures of each line by name. The page shows the first by default."""
    links, columns = _at_threshold(content.links, content.threshold), {}
    if content.gold is not None:
        counts = count_links(links, content.gold)
        hits = counts.sure_hits + counts.possible_hits
        columns["aer"] = _rounded(1 - _ratios(hits, counts.links + counts.sure))
    if content.second is not None:
        second = _at_threshold(content.second, content.threshold)
        only = [one.pair[~occurs_in(one, other)] for one, other in ((links, second), (second, links))]
        columns["differences"] = np.bincount(np.concatenate(only), minlength=len(links)).tolist()
    if content.links.scores is not None:
        columns["gain"] = _rounded(content.links.scores[:, 2])
    if links.probabilities is not None:
        sums = np.bincount(links.pair, links.probabilities, minlength=len(links))
        columns["confidence"] = _rounded(_ratios(sums, np.diff(links.offsets)))
    return columns


def _at_threshold(links: Alignments, threshold: float) -> Alignments:
    """Return the links that reach a threshold."""
    if links.probabilities is None:
        return links
    return select(links, _levels(links) >= round(100 * threshold))


def _link_lines(links: Alignments) -> list[str]:
    """Return the links of each pair as Pharaoh text, with probabilities if there are some."""
    return format_links(links, probabilities=links.probabilities is not None).split("\n")


def _ratios(parts: NDArray[Any], wholes: Int64s) -> Float64s:
    """Return part / whole, NaN for a whole of 0, float64 [n]."""
    return np.divide(parts, wholes, out=np.full(len(wholes), np.nan), where=wholes > 0)


def _rounded(values: Float64s) -> list[float | None]:
    """Return values with 4 decimals; None, which JSON can hold, for NaN and infinities."""
    return [round(value, 4) if np.isfinite(value) else None for value in values.tolist()]
