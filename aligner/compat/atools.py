"""``atools`` of fast_align: links combined, inverted or compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from aligner.errors import ConfigError, DataError
from aligner.files.lines import located, numbered_lines, side_by_side
from aligner.files.opening import STANDARD_STREAM, PathLike, open_output
from aligner.links.alignments import Alignments, Link
from aligner.links.link_tokens import LINKS
from aligner.links.symmetrize import grow_diag_atools
from aligner.registry import check_known

Links = set[Link]

_OF_TWO_FILES: dict[str, Callable[[Links, Links], Collection[Link]]] = {
    "intersect": lambda first, second: first & second,
    "union": lambda first, second: first | second,
    "grow-diag": lambda first, second: _grown(first, second, 0),
    "grow-diag-final": lambda first, second: _grown(first, second, 1),
    "grow-diag-final-and": lambda first, second: _grown(first, second, 2),
}
_OF_ONE_FILE: dict[str, Callable[[Links], Collection[Link]]] = {
    "convert": lambda links: links,
    "invert": lambda links: {(j, i) for i, j in links},
}

COMMANDS = (*_OF_ONE_FILE, *_OF_TWO_FILES, "fmeasure")
"""The commands of ``atools`` but ``display``, for which there is ``align show``."""


def atools(command: str, first: PathLike, second: PathLike | None = None) -> None:
    """Run a command of ``atools``: write each line of links to stdout as soon as its input is there.

    Parameters
    ----------
    command
        One of ``COMMANDS``. "fmeasure" writes precision, recall and F of the first file, given the second.
    first, second
        Files of links `i-j`, perhaps after other fields and ` ||| `. "-" is standard input. If both are, its
        lines belong to the first and the second file in turn. "convert" and "invert" have one file only.

    Raises
    ------
    DataError
        If a line holds anything else, or if the files differ in their numbers of lines.
    ConfigError
        If the command is unknown, or has another number of files.
    """
    check_known(command, COMMANDS, "command")
    if (command in _OF_ONE_FILE) != (second is None):
        expected = "one file (-i)" if command in _OF_ONE_FILE else "two files (-i and -j)"
        raise ConfigError(f"command {command!r}: expected {expected}")
    lines = _read(first)
    with open_output(STANDARD_STREAM) as output:
        if second is None:
            results = (_OF_ONE_FILE[command](links) for links in lines)
        else:
            others = lines if first == second == STANDARD_STREAM else _read(second)
            pairs = side_by_side([(first, lines), (second, others)], "two lines of links for each pair")
            if command == "fmeasure":
                output.write(_f_measure(pairs).encode())
                return
            results = (_OF_TWO_FILES[command](a, b) for a, b in pairs)
        for links in results:
            output.write(f"{' '.join([f'{i}-{j}' for i, j in sorted(links)])}\n".encode())
            output.flush()


def _read(path: PathLike) -> Iterator[Links]:
    """Yield the links of each line, which may follow other fields."""
    for number, line in numbered_lines(path):
        with located(path, number):
            links = {*LINKS.parse(line.rpartition(" ||| ")[2]).links}
        yield links


def _grown(first: Links, second: Links, least: int) -> list[Link]:
    """Return the links of a pair by ``grow_diag_atools``."""
    return grow_diag_atools(Alignments.from_lists([first]), Alignments.from_lists([second]), least)[0]


def _f_measure(pairs: Iterator[tuple[Links, Links]]) -> str:
    """Return three lines: precision, recall and F."""
    hits = found = expected = 0
    for links, reference in pairs:
        hits += len(links & reference)
        found += len(links)
        expected += len(reference)
    if not hits:
        raise DataError(f"found no common link of {found} and {expected} links; expected at least one")
    return f"P: {hits / found:g}\nR: {hits / expected:g}\nF: {2 * hits / (found + expected):g}\n"
