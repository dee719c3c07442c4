"""The formats of links and gold.

A link format reads and writes the lines of ``LinkedPair``. To add one, decorate a class like these with
``LINK_FORMATS.register``, here or in an extension (see docs/extending.md). A document format has whole files,
which ``align symmetrize`` converts from and to link formats.
"""

from aligner.errors import ConfigError
from aligner.links.formats import plain, scripture, with_words
from aligner.links.formats.base import LINK_FORMATS, LinkFormat
from aligner.links.formats.documents import DOCUMENT_FORMATS, DocumentFormat

__all__ = [
    "DOCUMENT_FORMATS",
    "LINK_FORMATS",
    "DocumentFormat",
    "LinkFormat",
    "check_holds_names",
    "format_named",
    "plain",
    "scripture",
    "with_words",
]


def format_named(name: str) -> type[LinkFormat] | type[DocumentFormat]:
    """Return the link format or document format of a name; ConfigError if there is none."""
    return DOCUMENT_FORMATS[name] if name in DOCUMENT_FORMATS else LINK_FORMATS.find(name)


def check_holds_names(name: str) -> None:
    """Raise ConfigError unless a format can hold the ids of lines."""
    if "names" not in format_named(name).holds:
        having = [
            other
            for registry in (LINK_FORMATS, DOCUMENT_FORMATS)
            for other, how in registry.items()
            if "names" in how.holds
        ]
        raise ConfigError(
            f"found ids (--ids) and link format {name!r}, which has none; choose another format"
            f" ({', '.join(having)}), or leave the ids out"
        )
