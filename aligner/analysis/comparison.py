"""Comparison of two alignments of one text: the lines where each is better, and the links that differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from aligner.links.alignments import Alignments, Link
from aligner.links.gold import Gold
from aligner.links.link_counts import count_links
from aligner.links.link_sets import occurs_in, select
from aligner.links.significance import aer, aer_terms


def compare_lines(first: Alignments, second: Alignments, gold: Gold) -> dict[str, Any]:
    """Compare two alignments of one text line by line.

    Parameters
    ----------
    first, second
        The links.
    gold
        Sure and possible links of the same sentence pairs.

    Returns
    -------
    dict
        Plain data, listed below.

    Raises
    ------
    DataError
        If the numbers of sentence pairs differ.

    Notes
    -----
    ====================  =============================================================================
    first_better          number of lines on which the first has the lower AER
    second_better, equal  number of lines on which the second has the lower AER, and of the others
    first_only            number of links that the second does not have
    first_only_possible   of these, the number of links in the possible links of the gold
    second_only, ...      the same with the first and the second exchanged
    lines                 the lines that differ, by the difference in AER, the greatest first: "line" from
                          1; "first_aer" and "second_aer" in 0..1; "first_only" and "second_only", the
                          links that the other does not have, each with True if the gold has it as possible
    ====================  =============================================================================
    """
    first_aer, second_aer = (aer(aer_terms(count_links(links, gold))) for links in (first, second))
    change = second_aer - first_aer
    only = [select(own, ~occurs_in(own, other)) for own, other in ((first, second), (second, first))]
    is_possible = [occurs_in(links, gold.possible) for links in only]
    differing = np.flatnonzero(sum(np.diff(links.offsets) for links in only))
    order = differing[np.argsort(-np.abs(change[differing]), kind="stable")].tolist()

    def judged(side: int, n: int) -> list[tuple[Link, bool]]:
        """Return the links of a line that one alignment alone has, each with True if the gold has it."""
        links = only[side]
        span = slice(links.offsets[n], links.offsets[n + 1])
        return list(zip(links[n], is_possible[side][span].tolist(), strict=True))

    return {
        "first_better": int(np.count_nonzero(change > 0)),
        "second_better": int(np.count_nonzero(change < 0)),
        "equal": int(np.count_nonzero(change == 0)),
        "first_only": len(only[0].source),
        "first_only_possible": int(is_possible[0].sum()),
        "second_only": len(only[1].source),
        "second_only_possible": int(is_possible[1].sum()),
        "lines": [
            {"line": n + 1, "first_aer": float(first_aer[n]), "second_aer": float(second_aer[n])}
            | {"first_only": judged(0, n), "second_only": judged(1, n)}
            for n in order
        ],
    }
