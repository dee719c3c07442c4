"""Document formats: whole files of links, with a beginning, an end, or something that pairs share."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import repeat

from aligner.errors import ConfigError
from aligner.links.linked_pairs import LinkedPair
from aligner.registry import Registry
from aligner.text.files import PathLike


class DocumentFormat(ABC):
    """A format of whole files. A format has no instances: its methods belong to the class.

    Attributes
    ----------
    holds
        Contents of the written text besides links: "words", which the format needs, and "names", which it has
        if the pairs have them.
    """

    holds: tuple[str, ...] = ()

    @staticmethod
    def read(path: PathLike) -> Iterator[LinkedPair]:
        """Yield the pairs of a file, with their names.

        Raises
        ------
        DataError
            If the file is not of the format, or cannot be read.
        ConfigError
            If the format can only be written.
        """
        raise ConfigError("found a format that can only be written; choose another input format")

    @staticmethod
    @abstractmethod
    def write(pairs: Iterable[LinkedPair]) -> Iterator[str]:
        """Yield the text of a document in parts; DataError for a pair that it cannot hold."""


DOCUMENT_FORMATS: Registry[type[DocumentFormat]] = Registry("document format")
"""Every format of whole files of links, by the name that the command line uses."""


@DOCUMENT_FORMATS.register("csv", "a table for a spreadsheet, with a header and a row for each link")
class Csv(DocumentFormat):
    """Rows of the id or number of a pair, both positions from 1, both words, and the probability if known."""

    holds = ("words", "names")

    @staticmethod
    def write(pairs: Iterable[LinkedPair]) -> Iterator[str]:
        yield csv_row("id", "source position", "target position", "source", "target", "probability")
        for pair in pairs:
            source, target = pair.words
            probabilities = [f"{p:.4f}" for p in pair.probabilities] or repeat("")
            for (i, j), p in zip(pair.links, probabilities, strict=False):
                yield csv_row(pair.name or pair.id, i + 1, j + 1, source[i], target[j], p)


def csv_row(*values: object) -> str:
    """Return a row of a table, with quotes where they are needed."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()
