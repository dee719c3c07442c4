"""Kept links: cells that stay as they were, because a person refused the changes of their word pair.

They are known links of the text, apart from the edits: their lines do not count as edited, and an edit counts
more. They are in a file of known links of the folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from aligner.links.alignments import Alignments, Link
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.serve.edits import edit_of
from aligner.serve.pair_changes import Cell, Pair, pair_of, written_pair
from aligner.serve.served_text import ServedText
from aligner.text.files import open_output


class KeptLinks:
    """The kept links of a text, in a file.

    Parameters
    ----------
    path
        The file. It is written with the first kept link.
    text
        The text.

    Attributes
    ----------
    cells
        The cells (line from 0, i, j): True for a link, False for none.
    """

    def __init__(self, path: Path, text: ServedText) -> None:
        self._path, self._text = path, text
        found: dict[Cell, bool] = {}
        if path.exists() and path.stat().st_size:
            known = read_known_links(path).of_text(len(text))
            known.check_positions(*text.bitext.lengths)
            for links, is_link in ((known.known, True), (known.forbidden, False)):
                own = (links.pair.tolist(), links.source.tolist(), links.target.tolist())
                found |= dict.fromkeys(zip(*own, strict=True), is_link)
        self.cells = dict(sorted(found.items()))

    def add(self, cells: Mapping[Cell, bool]) -> None:
        """Keep further cells."""
        self._write({**self.cells, **cells})

    def release(self, pair: Pair) -> None:
        """Keep the cells of a word pair no longer."""
        words = self._text.words
        self._write({cell: is_link for cell, is_link in self.cells.items() if pair_of(cell, words) != pair})

    def _write(self, cells: Mapping[Cell, bool]) -> None:
        """Have these cells from now on, and write them to the disk."""
        self.cells = dict(sorted(cells.items()))
        with open_output(self._path, compress=False) as file:
            file.write("".join(f"{line}\t{text}\n" for line, text in self.texts().items()).encode())

    def texts(self) -> dict[int, str]:
        """Return the cells of each line, from 1, as the text of an edit."""
        found = {}
        for n, group in groupby(self.cells.items(), key=lambda item: item[0][0]):
            parts: tuple[list[Link], list[Link]] = [], []
            for (_, i, j), is_link in group:
                parts[not is_link].append((i, j))
            found[n + 1] = edit_of(*parts, complete=False)
        return found

    def impose(self, links: Alignments) -> Alignments:
        """Return the links of the text with those that are kept."""
        if not self.cells:
            return links
        cells = np.array([*self.cells], np.int64)
        is_link = np.array([*self.cells.values()], np.bool_)
        known, forbidden = (Alignments.from_links(len(links), *cells[own].T) for own in (is_link, ~is_link))
        return KnownLinks(known, forbidden).impose(links)

    def records(self) -> list[dict[str, Any]]:
        """Return the word pairs with their numbers of kept cells as plain data, the most frequent first."""
        words = self._text.words
        written = {pair_of(cell, words): written_pair(cell, words) for cell in self.cells}
        counts = Counter(pair_of(cell, words) for cell in self.cells)
        return [
            dict(zip(("source", "target"), written[pair], strict=True), count=count)
            for pair, count in counts.most_common()
        ]
