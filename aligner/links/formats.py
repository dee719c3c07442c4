"""Link formats: the ways in which the links of sentence pairs are written as text, and read back.

To add a format, register a ``LinkFormat`` in ``LINK_FORMATS``, here or in a program of your own. The formats
that hold the words, too, are in ``aligner.links.word_formats``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aligner.links import word_formats
from aligner.links.alignments import Alignments
from aligner.links.gold import GOLD_FORMATS
from aligner.links.link_lines import LinkedPair, LinkLine, Words, located, numbered_lines, read_link_lines
from aligner.links.pharaoh import format_links
from aligner.registry import Registry
from aligner.text.files import PathLike


@dataclass(frozen=True)
class LinkFormat:
    """A text format of links.

    Attributes
    ----------
    write
        Function of (alignments, first_line, words) that returns the text of the alignments. ``first_line`` is
        the number of the first sentence pair, from 1. ``words`` holds the words of each pair; it is empty
        unless the format needs them. The texts of consecutive runs of pairs, one after another, are the text
        of all pairs.
    read
        Function of a path that yields a ``LinkedPair`` for each sentence pair as soon as its lines are there.
        It raises DataError, with the file and the line, for anything else.
    needs_probabilities
        True if ``write`` raises DataError for links without probabilities.
    needs_words
        True if ``write`` needs the words of each pair.
    by_line
        True if each pair has one line, also without links.
    holds_scores
        True if ``write`` includes the scores of alignments that have them.
    names_sentences
        True if each link names its sentence pair, and pairs after the last link are therefore unknown.
    """

    write: Callable[[Alignments, int, Sequence[Words]], str]
    read: Callable[[PathLike], Iterator[LinkedPair]]
    needs_probabilities: bool = False
    needs_words: bool = False
    by_line: bool = True
    holds_scores: bool = False
    names_sentences: bool = False


LINK_FORMATS: Registry[LinkFormat] = Registry("link format")
"""Every link format, by the name that the command line uses."""


def _write_pharaoh(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return one line `i-j i-j ...` for each pair."""
    return format_links(alignments)


def _write_pharaoh_probabilities(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return one line `i-j:p i-j:p ...` for each pair."""
    return format_links(alignments, probabilities=True)


def _read_pharaoh(path: PathLike) -> Iterator[LinkedPair]:
    """Yield the pairs of a file with a line of `i-j` or `i-j:p` for each pair."""
    return map(LinkedPair, read_link_lines(path))


def _write_moses(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return one line `i-j i-j ...` for each pair, in target order."""
    return "".join([" ".join([f"{i}-{j}" for j, i in links]) + "\n" for links in alignments.reversed()])


def _write_naacl(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return one line `sentence i j` for each link, all from 1. A pair without links has no line."""
    columns = alignments.pair + first_line, alignments.source + 1, alignments.target + 1
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return "".join([f"{sentence} {i} {j}\n" for sentence, i, j in rows])


def _read_naacl(path: PathLike) -> Iterator[LinkedPair]:
    """Yield the pairs of a file with a line `sentence i j` for each link, up to the last pair with a link.

    Links to position 0, NULL, are dropped.
    """
    parse = GOLD_FORMATS["wa"].parse
    current, links = 0, LinkLine()
    for number, line in numbered_lines(path):
        with located(path, number):
            parsed = list(parse(line, number, True))
            if parsed and parsed[0][0] < current:
                raise ValueError(
                    f"found sentence {parsed[0][0] + 1} after sentence {current + 1}; expected sentences in"
                    f" order; sort the file by its first column (sort -s -n -k 1,1)"
                )
        for pair, i, j, _ in parsed:
            while current < pair:
                yield LinkedPair(links)
                current, links = current + 1, []
            if i >= 0 and j >= 0:
                links.append((i, j, None))
    if links:
        yield LinkedPair(links)


def _write_talp(alignments: Alignments, first_line: int, words: Sequence[Words]) -> str:
    """Return one line `i-j i-j ...` for each pair, positions from 1."""
    return "".join([" ".join([f"{i + 1}-{j + 1}" for i, j in links]) + "\n" for links in alignments])


def _read_talp(path: PathLike) -> Iterator[LinkedPair]:
    """Yield the pairs of a file with a line of `i-j` and `ipj`, from 1, for each pair."""
    parse = GOLD_FORMATS["pharaoh"].parse
    for number, line in numbered_lines(path):
        with located(path, number):
            links: LinkLine = [(i, j, None) for _, i, j, _ in parse(line, number, True)]
        yield LinkedPair(links)


LINK_FORMATS.register("pharaoh", "`i-j`, from 0, one line for each pair")(
    LinkFormat(_write_pharaoh, _read_pharaoh)
)
LINK_FORMATS.register("pharaoh-probabilities", "`i-j:p`, from 0, one line for each pair, p with 4 decimals")(
    LinkFormat(_write_pharaoh_probabilities, _read_pharaoh, needs_probabilities=True)
)
LINK_FORMATS.register("moses", "`i-j`, from 0, one line for each pair, in target order")(
    LinkFormat(_write_moses, _read_pharaoh)
)
LINK_FORMATS.register("naacl", "`sentence i j`, from 1, one line for each link")(
    LinkFormat(_write_naacl, _read_naacl, by_line=False, names_sentences=True)
)
LINK_FORMATS.register("talp", "`i-j`, from 1, one line for each pair; `ipj` is read, too")(
    LinkFormat(_write_talp, _read_talp)
)
LINK_FORMATS.register("giza", "A3.final of GIZA++, three lines for each pair")(
    LinkFormat(word_formats.write_giza, word_formats.read_giza, needs_words=True, by_line=False)
)
LINK_FORMATS.register(
    "jsonl", "an object for each pair, with source and target words, and links [i, j] or [i, j, p]"
)(LinkFormat(word_formats.write_jsonl, word_formats.read_jsonl, needs_words=True, holds_scores=True))
LINK_FORMATS.register("tsv", "source TAB target TAB `i-j ...`, as OpusTrainer reads it")(
    LinkFormat(word_formats.write_tsv, word_formats.read_tsv, needs_words=True)
)
