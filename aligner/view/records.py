"""The data of a page: a header with one number for each line, and one JSON record for each line.

A record is `[source, target, links, gold, second]`. The words of a side are joined by spaces, and links are
in the Pharaoh format. Each record is a line of JSON, so that the page parses a record only to show it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import offsets_of
from aligner.links.alignments import Alignments
from aligner.links.evaluation import score
from aligner.links.formats.plain import format_links
from aligner.links.gold import Gold, format_gold
from aligner.links.link_counts import count_links
from aligner.links.link_sets import occurs_in
from aligner.view.content import Content


def line_records(content: Content) -> Iterator[list[str | None]]:
    """Yield the record of each sentence pair."""
    texts: list[Any] = [(" ".join(words) for words in side) for side in (content.source, content.target)]
    texts.append(_link_lines(content.links))
    texts.append(repeat(None) if content.gold is None else format_gold(content.gold).split("\n"))
    texts.append(repeat(None) if content.second is None else _link_lines(content.second))
    for record in zip(*texts, strict=False):  # repeat(None) does not end
        yield list(record)


def header(content: Content) -> dict[str, Any]:
    """Return the names of the files, figures of all lines together, and one number for each line."""
    links, gold, second = content.links, content.gold, content.second
    return {
        "names": {part: os.path.basename(name) for part, name in content.names.items()},
        "first": content.first,
        "probabilities": links.probabilities is not None,
        "links": int(links.source.size),
        "sides": [_side(content, k) for k in (0, 1)],
        "aer": None if gold is None else score(links, gold).aer,
        "secondAer": None if gold is None or second is None else score(second, gold).aer,
        "columns": _columns(content),
    }


def _columns(content: Content) -> dict[str, list[Any]]:
    """Return the figures of each line by name, the one that the page shows by default first."""
    links, columns = content.links, {}
    if content.gold is not None:
        columns["aer"] = _rounded(_aer(links, content.gold))
    if content.second is not None:
        columns["differences"] = _differences(links, content.second).tolist()
    if links.scores is not None:
        columns["gain"] = _rounded(links.scores[:, 2])
    if links.probabilities is not None:
        columns["confidence"] = _rounded(_mean_probability(links, links.probabilities))
    return columns


def _link_lines(links: Alignments) -> list[str]:
    """Return the links of each pair as Pharaoh text, with probabilities if there are some."""
    return format_links(links, probabilities=links.probabilities is not None).split("\n")


def _side(content: Content, side: int) -> dict[str, int]:
    """Return the number of words of a side, and the number of those without a link."""
    links = content.links
    offsets = offsets_of(content.lengths(side))
    is_linked = np.zeros(offsets[-1], np.bool_)
    is_linked[offsets[links.pair] + (links.source, links.target)[side]] = True
    return {"words": len(is_linked), "unlinked": int(np.count_nonzero(~is_linked))}


def _aer(links: Alignments, gold: Gold) -> NDArray[np.float64]:
    """Return the AER of each pair, float64 [n]; NaN for a pair without links and sure gold links."""
    counts = count_links(links, gold)
    return 1 - _ratios(counts.sure_hits + counts.possible_hits, counts.links + counts.sure)


def _differences(links: Alignments, second: Alignments) -> NDArray[np.int64]:
    """Return the number of links that only one of the systems has, for each pair, int64 [n]."""
    pairs = [one.pair[~occurs_in(one, other)] for one, other in ((links, second), (second, links))]
    return np.bincount(np.concatenate(pairs), minlength=len(links))


def _mean_probability(links: Alignments, probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mean probability of the links of each pair, float64 [n]; NaN for a pair without links."""
    sums = np.bincount(links.pair, probabilities, minlength=len(links))
    return _ratios(sums, np.diff(links.offsets))


def _ratios(parts: NDArray[Any], wholes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return part / whole, NaN for a whole of 0, float64 [n]."""
    return np.divide(parts, wholes, out=np.full(len(wholes), np.nan), where=wholes > 0)


def _rounded(values: NDArray[np.float64]) -> list[float | None]:
    """Return values with 4 decimals; None, which JSON can hold, for NaN and infinities."""
    return [round(value, 4) if np.isfinite(value) else None for value in values.tolist()]
