"""A table of links for a spreadsheet.

Rows of the id or number of a pair, both positions from 1, both words, and the probability if known.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import repeat

from aligner.links.linked_pairs import LinkedPair

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20].")


def write(pairs: Iterable[LinkedPair]) -> Iterator[str]:
    """Yield the rows of a table."""
    yield csv_row("id", "source position", "target position", "source", "target", "probability")
    for pair in pairs:
        source, target = pair.words
        probabilities = [f"{p:.4f}" for p in pair.probabilities] or repeat("")
        for (i, j), p in zip(pair.links, probabilities, strict=False):
            yield csv_row(pair.id or pair.number, i + 1, j + 1, source[i], target[j], p)


def csv_row(*values: object) -> str:
    """Return a row of a table, with quotes where they are needed.

    A text that a spreadsheet would read as a formula has an apostrophe before it.
    """
    cells = [f"'{value}" if _FORMULA.match(str(value)) else value for value in values]
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()
