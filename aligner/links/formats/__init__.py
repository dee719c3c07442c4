"""The formats of links and gold.

A format of lines reads and writes the lines of each ``LinkedPair``. A document is a whole file, which ``align
symmetrize`` converts from and to formats of lines. Both are a ``Format`` in one registry, ``FORMATS``. To add
one, register it there, here or in an extension (see docs/extending.md).
"""

from aligner.errors import ConfigError
from aligner.links.formats import plain, with_words
from aligner.links.formats.base import DOCUMENT_FORMATS, FORMATS, LINK_FORMATS, Format, by_lines, by_pairs
from aligner.links.formats.documents import document

__all__ = [
    "DOCUMENT_FORMATS",
    "FORMATS",
    "LINK_FORMATS",
    "Format",
    "by_lines",
    "by_pairs",
    "check_holds_ids",
    "document",
    "plain",
    "with_words",
]


def check_holds_ids(name: str) -> None:
    """Raise ConfigError unless a format can hold the ids of lines."""
    if "ids" not in FORMATS.find(name).may_hold:
        having = [other for other, how in FORMATS.items() if "ids" in how.may_hold]
        raise ConfigError(
            f"found ids (--ids) and link format {name!r}, which has none; choose another format"
            f" ({', '.join(having)}), or leave the ids out"
        )
