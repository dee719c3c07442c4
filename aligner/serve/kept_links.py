"""Kept links: cells that stay as they were, because a person refused their changes.

They are known links of the text, apart from the edits: their lines do not count as edited, and an edit counts
more. They are in a file of known links of the folder.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aligner.files.opening import write_texts
from aligner.links.alignments import Alignments, Link
from aligner.serve.acts import text_of
from aligner.serve.cell_words import Cell, Word, by_word, words_of
from aligner.serve.edits import known_links_of
from aligner.serve.served_text import ServedText


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
        if path.exists():
            known = text.known_links(path)
            for links, is_link in ((known.known, True), (known.forbidden, False)):
                self.cells |= {(n, i, j): is_link for n, own in enumerate(links) for i, j in own}

    def add(self, cells: Mapping[Cell, bool]) -> None:
        """Keep further cells."""
        self._write({**self.cells, **cells})

    def release(self, word: Word | None = None) -> None:
        """Keep the cells of a word, in lower case, no longer (see ``by_word``); by default, all cells."""
        gone = {*self.cells} if word is None else {*self._by_word().get(word, ())}
        self._write({cell: is_link for cell, is_link in self.cells.items() if cell not in gone})

    def _write(self, cells: dict[Cell, bool]) -> None:
        self.cells = cells
        write_texts(self._path, [known_links_of(self.texts())], compress=False)

    def texts(self) -> dict[int, str]:
        """Return the cells of each line, from 1, as the text of an edit."""
        lines: dict[int, dict[Link | None, str]] = defaultdict(dict)
        for (n, i, j), is_link in self.cells.items():
            lines[n + 1][i, j] = "!-"[is_link]
        return {line: text_of(verdicts) for line, verdicts in lines.items()}

    def impose(self, links: Alignments) -> Alignments:
        """Impose the kept cells on the links of the text, and return the result."""
        return self._text.known_links(self._path).impose(links) if self.cells else links

    def records(self) -> list[dict[str, Any]]:
        """Return the words with their numbers of kept cells as plain data, the most frequent first."""
        return [
            {"side": side, "word": word, "text": self._written(side, cells), "count": len(cells)}
            for (side, word), cells in self._by_word().items()
        ]

    def _written(self, side: int, cells: list[Cell]) -> str:
        """Return the most frequent spelling of a word, given its cells."""
        return Counter(words_of(cell, self._text.words)[side] for cell in cells).most_common(1)[0][0]

    def _by_word(self) -> dict[Word, list[Cell]]:
        return by_word(self.cells, self._text.words)
