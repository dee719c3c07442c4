"""The base class of link formats, and their registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.link_tokens import LINKS, LinkTokens
from aligner.links.linked_pairs import LinkedPair, PairLines, PairWords, pairs_of
from aligner.messages import display_name
from aligner.registry import Registry
from aligner.text.files import PathLike
from aligner.text.lines import lines_of, words_of


class LinkFormat(ABC):
    """A text format of links and gold. A format has no instances: its methods belong to the class.

    Attributes
    ----------
    holds
        Contents of the written text besides links: "words" and "probabilities", which the format needs, and
        "scores", "names" and "lines", which it has if the alignments or the pairs have them.
    base
        The first position, 0 or 1. None: 0, but gold of other programs may count from 1.
    lines_per_pair
        Number of lines of each pair. 0: each line names its pair, so a pair may have no line or several.
    """

    holds: tuple[str, ...] = ()
    base: int | None = None
    lines_per_pair: int = 1

    @staticmethod
    def parse(lines: Iterator[str], tokens: LinkTokens) -> Iterator[LinkedPair]:
        """Yield the pairs of lines, each as soon as its lines are there; ValueError at any other line.

        tokens: the parser of links that the format has as tokens. By default, a line has nothing else.
        """
        return map(tokens.parse, lines)

    @staticmethod
    @abstractmethod
    def format(pair: LinkedPair) -> str:
        """Return the lines of a pair. Its links are sorted by (i, j)."""

    @classmethod
    def read(
        cls,
        path: PathLike,
        tokens: LinkTokens = LINKS,
        *,
        lines: Iterable[str] | None = None,
        sentences: int | None = None,
    ) -> Iterator[LinkedPair]:
        """Yield the pairs of a file, each as soon as its lines are there.

        Parameters
        ----------
        path
            The file, plain or compressed. "-" is standard input.
        tokens
            Parser of links that the format has as tokens, such as `i-j`.
        lines
            The lines of the file, if they have been read already.
        sentences
            The number of sentence pairs, if lines name their pair.

        Raises
        ------
        DataError
            If a line is not of the format, or names a pair above ``sentences``, with the file and the line,
            or if the file cannot be read.
        """
        number = 0

        def numbered() -> Iterator[str]:
            nonlocal number
            for line in lines_of(path) if lines is None else lines:
                number += 1
                yield line

        try:
            for pair in cls.parse(numbered(), tokens):
                if sentences is not None and pair.id is not None and pair.id > sentences:
                    raise ValueError(
                        f"found sentence {pair.id}, but there are only {sentences}, by --sentences or by the"
                        f" text; are these its links?"
                    )
                yield pair._replace(line=number)
        except ValueError as error:
            raise DataError(f"{display_name(path)}:{number}: {error}") from None

    @classmethod
    def texts_of(cls, lines: Iterable[PairLines]) -> tuple[list[PairWords], list[PairLines]]:
        """Return the words and the lines of pairs, for ``write``; nothing that the format does not hold."""
        kept = [*lines] if "words" in cls.holds else []
        words: list[PairWords] = [(words_of(source), words_of(target)) for source, target in kept]
        return words, kept if "lines" in cls.holds else []

    @classmethod
    def write(
        cls,
        alignments: Alignments,
        first_id: int,
        words: Sequence[PairWords],
        names: Sequence[str] = (),
        lines: Sequence[PairLines] = (),
    ) -> str:
        """Return the lines of alignments (see ``pairs_of``).

        Raises
        ------
        DataError
            If the format needs probabilities, and the links have none.
        """
        return "".join(map(cls.format, pairs_of(alignments, first_id, words, names, lines)))


FORMATS: Registry[Any] = Registry("link format")
"""Every format of links and gold, of lines or of whole files, by the name that the command line uses."""

LINK_FORMATS: Registry[type[LinkFormat]] = FORMATS.where(lambda how: isinstance(how, type))
"""The formats of lines among ``FORMATS``."""
