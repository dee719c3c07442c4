"""Kept links: cells that stay as they were, because a person refused the changes of their word pair.

They are known links of the text, apart from the edits: their lines do not count as edited, and an edit counts
more. They are in a file of known links of the folder.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aligner.links.alignments import Alignments, Link
from aligner.links.known_links import KnownLinks, read_known_links
from aligner.serve.edits import edit_of
from aligner.serve.pair_changes import Cell, Pair, pair_of, written_pair
from aligner.serve.served_text import ServedText
from aligner.text.files import open_output


class KeptLinks:
    """The kept links of a text, in a file, which is written with the first of them.

    Attributes
    ----------
    cells
        The cells: True for a link, False for none.
    """

    def __init__(self, path: Path, text: ServedText) -> None:
        self._path, self._text = path, text
        self.cells: dict[Cell, bool] = {}
        if path.exists() and path.stat().st_size:
            known = self._read()
            known.check_positions(*text.bitext.lengths)
            for links, is_link in ((known.known, True), (known.forbidden, False)):
                self.cells |= {(n, i, j): is_link for n, own in enumerate(links) for i, j in own}

    def _read(self) -> KnownLinks:
        return read_known_links(self._path).of_text(len(self._text))

    def add(self, cells: Mapping[Cell, bool]) -> None:
        """Keep further cells."""
        self._write({**self.cells, **cells})

    def release(self, pair: Pair) -> None:
        """Keep the cells of a word pair, in lower case, no longer."""
        words = self._text.words
        self._write({cell: is_link for cell, is_link in self.cells.items() if pair_of(cell, words) != pair})

    def _write(self, cells: dict[Cell, bool]) -> None:
        self.cells = cells
        with open_output(self._path, compress=False) as file:
            file.write("".join(f"{line}\t{text}\n" for line, text in sorted(self.texts().items())).encode())

    def texts(self) -> dict[int, str]:
        """Return the cells of each line, from 1, as the text of an edit."""
        found: dict[int, tuple[list[Link], list[Link]]] = defaultdict(lambda: ([], []))
        for (n, i, j), is_link in self.cells.items():
            found[n + 1][not is_link].append((i, j))
        return {line: edit_of(*parts, complete=False) for line, parts in found.items()}

    def impose(self, links: Alignments) -> Alignments:
        """Impose the kept cells on the links of the text, and return the result."""
        return self._read().impose(links) if self.cells else links

    def records(self) -> list[dict[str, Any]]:
        """Return the word pairs with their numbers of kept cells as plain data, the most frequent first."""
        words = self._text.words
        written = {pair_of(cell, words): written_pair(cell, words) for cell in self.cells}
        counts = Counter(pair_of(cell, words) for cell in self.cells).most_common()
        return [{"source": written[pair][0], "target": written[pair][1], "count": n} for pair, n in counts]
