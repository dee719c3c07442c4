"""The formats of links and gold.

A link format reads and writes the lines of ``LinkedPair``. To add one, decorate a class like these with
``LINK_FORMATS.register``, here or in an extension (see docs/extending.md). A document format has whole files,
which ``align symmetrize`` converts from and to link formats. Both are in one registry, ``FORMATS``.
"""

from aligner.errors import ConfigError
from aligner.links.formats import plain, with_words
from aligner.links.formats.base import FORMATS, LINK_FORMATS, LinkFormat
from aligner.links.formats.documents import DOCUMENT_FORMATS, DocumentFormat

__all__ = [
    "DOCUMENT_FORMATS",
    "FORMATS",
    "LINK_FORMATS",
    "DocumentFormat",
    "LinkFormat",
    "check_holds_names",
    "plain",
    "with_words",
]


def check_holds_names(name: str) -> None:
    """Raise ConfigError unless a format can hold the ids of lines."""
    if "names" not in FORMATS.find(name).holds:
        having = [other for other, how in FORMATS.items() if "names" in how.holds]
        raise ConfigError(
            f"found ids (--ids) and link format {name!r}, which has none; choose another format"
            f" ({', '.join(having)}), or leave the ids out"
        )
