"""Known and forbidden links of a training text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.formats import FORMATS
from aligner.links.link_sets import check_lengths, intersection
from aligner.links.link_tokens import KNOWN_LINKS
from aligner.links.linked_pairs import alignments_of
from aligner.messages import counted, display_name
from aligner.models.variants import CellSet
from aligner.storage.codec import checksum
from aligner.text.bitext import Bitext
from aligner.text.files import PathLike


@dataclass(frozen=True)
class KnownLinks:
    """Cells that are known to be links, and cells that are known to be none, of every line of a text.

    Attributes
    ----------
    known, forbidden
        The cells that are links, and the cells that are not.
    name
        The name of the file, for messages.

    Raises
    ------
    DataError
        If a cell is both known and forbidden, or if the numbers of lines differ.
    """

    known: Alignments
    forbidden: Alignments
    name: str = "known links"

    def __post_init__(self) -> None:
        check_lengths(self.known, self.forbidden, f"{self.name}: known and forbidden links")
        both = intersection(self.known, self.forbidden)
        if len(both.source):
            n, i, j = both.pair[0], both.source[0], both.target[0]
            raise DataError(f"{self.name}:{n + 1}: found {i}-{j} and {i}!{j}; expected at most one of them")

    @property
    def checksum(self) -> int:
        """A CRC-32 of the links."""
        sets = (self.known, self.forbidden)
        return checksum([array for links in sets for array in (links.offsets, links.source, links.target)])

    def cell_set(self, bitext: Bitext, numbers: NDArray[np.integer]) -> CellSet:
        """Return the cells of the pairs with these numbers, in this order.

        Raises
        ------
        DataError
            If the text has another number of lines, or if a position is outside its sentence.
        """
        if len(self.known) != len(bitext):
            raise DataError(
                f"{self.name}: found {counted(len(self.known), 'line')}; expected {len(bitext):,}, one for"
                f" each line of the text"
            )
        new_numbers = np.full(len(bitext), -1)
        new_numbers[numbers] = np.arange(len(numbers))
        cells = _Cells.of(self.known, self.forbidden)
        cells = cells.select(new_numbers[cells.pair] >= 0)
        self._check_positions(cells, bitext)
        order = np.argsort(new_numbers[cells.pair], kind="stable")
        cells = cells.select(order)
        offsets = np.searchsorted(new_numbers[cells.pair], np.arange(len(numbers) + 1))
        return CellSet(
            offsets.astype(np.int64),
            np.ascontiguousarray(cells.source, np.int32),
            np.ascontiguousarray(cells.target, np.int32),
            cells.known,
        )

    def _check_positions(self, cells: _Cells, bitext: Bitext) -> None:
        """Raise DataError for the first cell that its pair does not have."""
        source_lengths, target_lengths = bitext.source.lengths, bitext.target.lengths
        outside = (cells.source >= source_lengths[cells.pair]) | (cells.target >= target_lengths[cells.pair])
        if outside.any():
            k = int(outside.argmax())
            n, mark = cells.pair[k], "-" if cells.known[k] else "!"
            raise DataError(
                f"{self.name}:{n + 1}: found {cells.source[k]}{mark}{cells.target[k]} in a pair of"
                f" {source_lengths[n]} and {target_lengths[n]} words; expected positions in the pair, from 0"
            )


class _Cells(NamedTuple):
    """Known and forbidden cells of all lines: pair, position and position, int [cells], and bool [cells]."""

    pair: NDArray[np.integer]
    source: NDArray[np.integer]
    target: NDArray[np.integer]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, known: Alignments, forbidden: Alignments) -> _Cells:
        pair, source, target = (
            np.concatenate([getattr(known, name), getattr(forbidden, name)])
            for name in ("pair", "source", "target")
        )
        return cls(pair, source, target, np.arange(len(pair)) < len(known.source))

    def select(self, chosen: NDArray) -> _Cells:
        """Return the cells at these indices, or under this mask."""
        return _Cells(*(array[chosen] for array in self))


def read_known_links(path: PathLike) -> KnownLinks:
    """Read ``i-j`` (a link) and ``i!j`` (no link), from 0, with one line for each line of the training text.

    Lines may be blank.

    Raises
    ------
    DataError
        With file and line, if a token has another form, or if a cell is both known and forbidden.
    """
    pairs = list(FORMATS["pharaoh"].read(path, KNOWN_LINKS))
    known, forbidden = (alignments_of(pairs, field) for field in ("links", "forbidden"))
    return KnownLinks(known, forbidden, display_name(path))
