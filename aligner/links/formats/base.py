"""A format of links and gold, and the registry of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aligner.errors import DataError
from aligner.files.lines import lines_of, words_of
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments
from aligner.links.link_tokens import LINKS, LinkTokens
from aligner.links.linked_pairs import LinkedLines, LinkedPair, PairTexts, PairWords
from aligner.messages import display_name
from aligner.registry import Registry


@dataclass(frozen=True)
class Format:
    """A format of links and gold.

    Parameters
    ----------
    read
        A function that yields the pairs of a file, with the parameters of the function that ``by_lines``
        returns. Documents have two more: ``report`` receives messages about records that are left out, and
        ``sides`` are the ``LineTokens`` of the source and of the target, if ids of tokens name them.
    write
        A function of an iterable of ``LinkedLines`` that yields text. Documents have two other parameters:
        ``ids``, the ids of all lines, beside which tables of tokens may be, and ``report``. It raises
        DataError for what the format cannot hold.
    needs
        Contents of the written text without which it cannot be written: "words", "probabilities", and
        "groups" if links have to form blocks (see ``aligner.links.groups``).
    may_hold
        Contents that it has if the pairs have them: "scores", "ids", "texts", "token ids" and "frame".
    base
        The first position, 0 or 1. None: 0, but gold of other programs may count from 1.
    lines_per_pair
        Number of lines of each pair. 0: each line has the number of its pair, so a pair may have no line or
        several. None: the file is a document, which has a beginning, an end, or something that pairs share,
        and names its pairs by ids, in any order.
    """

    read: Callable[..., Iterator[LinkedPair]]
    write: Callable[..., Iterator[str]]
    needs: tuple[str, ...] = ()
    may_hold: tuple[str, ...] = ()
    base: int | None = None
    lines_per_pair: int | None = 1

    @property
    def is_document(self) -> bool:
        """True for a format of whole files."""
        return self.lines_per_pair is None

    def lines(
        self, links: Alignments, first: int, texts: Iterable[PairTexts], ids: Sequence[str]
    ) -> LinkedLines:
        """Return lines to write, with the words and the texts that the format holds."""
        kept = [*texts] if "words" in self.needs else []
        words: list[PairWords] = [(words_of(source), words_of(target)) for source, target in kept]
        return LinkedLines(links, first, words, ids, kept if "texts" in self.may_hold else ())


def by_lines(
    parse: Callable[[Iterator[str], LinkTokens], Iterator[LinkedPair]] = lambda lines, tokens: map(
        tokens.parse, lines
    ),
) -> Callable[..., Iterator[LinkedPair]]:
    """Return a function that yields the pairs of a file, each as soon as its lines are there.

    parse: a function of lines, and of the parser of links that the format has as tokens. It yields the pairs
    of the lines; ValueError at any other line. By default, a line has tokens alone.
    """

    def read(
        path: PathLike,
        tokens: LinkTokens = LINKS,
        *,
        lines: Iterable[str] | None = None,
        sentences: int | None = None,
    ) -> Iterator[LinkedPair]:
        """Yield the pairs of a file.

        Parameters
        ----------
        path
            The file, plain or compressed. "-" is standard input.
        tokens
            Parser of links that the format has as tokens, such as `i-j`.
        lines
            The lines of the file, if they have been read already.
        sentences
            The number of sentence pairs, if lines have the number of their pair.

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
            for pair in parse(numbered(), tokens):
                if sentences is not None and pair.number is not None and pair.number > sentences:
                    raise ValueError(
                        f"found sentence {pair.number}, but there are only {sentences}, by --sentences or by"
                        f" the text; are these its links?"
                    )
                yield pair._replace(file_line=number)
        except ValueError as error:
            raise DataError(f"{display_name(path)}:{number}: {error}") from None

    return read


def by_pairs(format: Callable[[LinkedPair], str]) -> Callable[..., Iterator[str]]:
    """Return a function that yields lines. format: returns the text of a pair, whose links are sorted."""

    def write(parts: Iterable[LinkedLines], **_: Any) -> Iterator[str]:
        return ("".join(map(format, part.pairs())) for part in parts)

    return write


FORMATS: Registry[Format] = Registry("link format")
"""Every format of links and gold, of lines or of documents, by the name that the command line uses."""

LINK_FORMATS = FORMATS.where(lambda format: not format.is_document)
"""The formats of lines among ``FORMATS``."""

DOCUMENT_FORMATS = FORMATS.where(lambda format: format.is_document)
"""The formats of documents among ``FORMATS``."""
