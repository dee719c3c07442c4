"""Link formats: the ways in which the links of sentence pairs are written as text.

To add a format, register a ``LinkFormat`` in ``LINK_FORMATS``, here or in a program of your own.
``aligner.links.pharaoh.read_links`` reads "pharaoh" and "pharaoh-probabilities" back;
``aligner.links.gold.read_gold`` reads "naacl", as its format "wa".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aligner.links.alignments import Alignments
from aligner.links.pharaoh import format_links
from aligner.registry import Registry


@dataclass(frozen=True)
class LinkFormat:
    """A text format of links.

    Attributes
    ----------
    write
        Function of (alignments, first_line) that returns the text of the alignments. ``first_line`` is the
        number of the first sentence pair, from 1. The texts of consecutive runs of pairs, one after another,
        are the text of all pairs.
    needs_probabilities
        True if ``write`` raises DataError for links without probabilities.
    by_line
        True if each pair has one line, also without links.
    """

    write: Callable[[Alignments, int], str]
    needs_probabilities: bool = False
    by_line: bool = True


LINK_FORMATS: Registry[LinkFormat] = Registry("link format")
"""Every link format, by the name that the command line uses."""


def _write_pharaoh(alignments: Alignments, first_line: int) -> str:
    """Return one line `i-j i-j ...` for each pair."""
    return format_links(alignments)


def _write_pharaoh_probabilities(alignments: Alignments, first_line: int) -> str:
    """Return one line `i-j:p i-j:p ...` for each pair."""
    return format_links(alignments, probabilities=True)


def _write_naacl(alignments: Alignments, first_line: int) -> str:
    """Return one line `sentence i j` for each link, all from 1. A pair without links has no line."""
    columns = alignments.pair + first_line, alignments.source + 1, alignments.target + 1
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return "".join([f"{sentence} {i} {j}\n" for sentence, i, j in rows])


LINK_FORMATS.register("pharaoh", LinkFormat(_write_pharaoh), "`i-j`, from 0, one line for each pair")
LINK_FORMATS.register(
    "pharaoh-probabilities",
    LinkFormat(_write_pharaoh_probabilities, needs_probabilities=True),
    "`i-j:p`, from 0, one line for each pair, p with 4 decimals",
)
LINK_FORMATS.register(
    "naacl", LinkFormat(_write_naacl, by_line=False), "`sentence i j`, from 1, one line for each link"
)
