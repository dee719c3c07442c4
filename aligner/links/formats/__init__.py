"""The formats of links and gold.

A format reads and writes the lines of ``LinkedPair``. To add one, decorate a class like these with
``LINK_FORMATS.register``, here or in an extension (see docs/extending.md).
"""

from aligner.links.formats import plain, with_words
from aligner.links.formats.base import LINK_FORMATS, LinkFormat, check_holds_names

__all__ = ["LINK_FORMATS", "LinkFormat", "check_holds_names", "plain", "with_words"]
