"""Document formats: whole files of links, with a beginning, an end, or something that pairs share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from aligner.errors import ConfigError
from aligner.links.formats.base import FORMATS
from aligner.links.line_tokens import LineTokens, with_tokens
from aligner.links.linked_pairs import LinkedPair
from aligner.text.files import PathLike
from aligner.text.line_ids import LineIds
from aligner.text.lines import lines_of


@dataclass(frozen=True)
class DocumentFormat:
    """A format of whole files. Its functions are in a module that is imported when they are called.

    Parameters
    ----------
    module
        The name of a module with a function ``write(pairs)``, which yields the text of a document in parts,
        and, unless documents are only written, ``read(path, lines, report)``, which yields the pairs of lines
        with their names, and reports what it leaves out. Both raise DataError for what the format cannot
        hold. If the format holds ids, ``read`` has another parameter for the tokens of both sides.
    holds
        Contents of the written text besides links: "words", which the format needs, "names" and "ids" of
        tokens, which it has if the pairs have them, "groups", whose links form blocks (see
        ``aligner.links.groups``), and "books", each of which may have a file: the module then has
        ``books_of(text)``.
    """

    module: str
    holds: tuple[str, ...] = ()

    def read(
        self,
        path: PathLike,
        lines: Iterable[str] | None = None,
        report: Callable[[str], object] = lambda _: None,
        sides: Sequence[LineTokens] | None = None,
    ) -> Iterator[LinkedPair]:
        """Return an iterator over the pairs of a file; ConfigError if the format can only be written.

        lines: the lines of the file, if they have been read already. report: receives what is left out.
        sides: the tokens of the source and of the target, if ids of the file name them.
        """
        module: Any = import_module(self.module)
        if not hasattr(module, "read"):
            raise ConfigError("found a format that can only be written; choose another input format")
        own = [sides] if sides and "ids" in self.holds else []
        return iter(module.read(path, lines_of(path) if lines is None else lines, report, *own))

    def write(
        self,
        pairs: Iterable[LinkedPair],
        ids: LineIds | None = None,
        report: Callable[[str], object] = lambda _: None,
    ) -> Iterator[str]:
        """Yield the text of a document in parts.

        ids: the ids of the lines, beside which tables of tokens may be. report: receives what is left out.
        """
        if ids is not None and any(ids.tables.values()):
            pairs = with_tokens(pairs, ids, report if "ids" in self.holds else None)
        yield from import_module(self.module).write(pairs)

    def books_of(self, text: str) -> dict[str, str]:
        """Return the books of a document by the names of their files; none if it has no books."""
        return import_module(self.module).books_of(text) if "books" in self.holds else {}


DOCUMENT_FORMATS = FORMATS.where(lambda how: isinstance(how, DocumentFormat))
"""The formats of whole files among ``FORMATS``."""

FORMATS.register("csv", "a table for a spreadsheet, with a header and a row for each link")(
    DocumentFormat("aligner.links.formats.spreadsheet", ("words", "names"))
)
FORMATS.register(
    "burrito", "Scripture Burrito alignment 0.4 as JSON, with the words of verses; 0.3 is read, too"
)(DocumentFormat("aligner.links.formats.burrito", ("names", "groups", "ids")))
FORMATS.register("clear", "the same as one list of records, without confidence, as ClearAligner reads it")(
    DocumentFormat("aligner.links.formats.clear", ("names", "groups", "ids"))
)
FORMATS.register("usfm", "USFM 3 with the target text of verses, and zaln milestones with the source words")(
    DocumentFormat("aligner.links.formats.usfm", ("words", "names", "groups", "books"))
)
