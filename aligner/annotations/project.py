"""Projection of the annotations of a text along links, from file to file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from aligner.annotations.formats import ANNOTATION_FORMATS
from aligner.annotations.word_links import WordLinks
from aligner.files.lines import lines_of, located, side_by_side, words_of
from aligner.files.opening import PathLike, open_output
from aligner.links.formats import LINK_FORMATS
from aligner.messages import counted


def project(
    links: PathLike,
    annotations: PathLike,
    text: PathLike,
    output: PathLike = "-",
    *,
    format: str,
    reverse: bool = False,
    annotated_text: PathLike | None = None,
    skip_bad: bool = False,
    report: Callable[[str], object] | None = None,
) -> tuple[int, int]:
    """Write the annotations of one side of a bitext for its other side (see ``aligner.annotations``).

    Parameters
    ----------
    links
        A file of links, `i-j` or `i-j:p`.
    annotations
        The annotations of the source text, one record for each sentence, which is a line in most formats.
    text
        The target text.
    output
        Where to write, one record for each line of the text. "-" is standard output.
    format
        A name in ``aligner.annotations.formats.ANNOTATION_FORMATS``.
    reverse
        True if ``annotations`` are of the target side of the links, and ``text`` is the source text.
    annotated_text
        The text that the annotations belong to, or None. With it, the positions of all formats are checked.
    skip_bad, report
        As for ``aligner.files.lines.read_lines``, for the texts.

    Returns
    -------
    tuple of int
        The number of lines, and of words, spans or elements that have no link.

    Raises
    ------
    DataError
        If the files have different numbers of lines, if a line is not in the format, or if a link has a
        position outside its sentence pair. The message names the file and the line.
    ConfigError
        If the format is unknown.
    """
    chosen = ANNOTATION_FORMATS.find(format)
    texts = [text, *([] if annotated_text is None else [annotated_text])]
    files: list[tuple[PathLike, Iterator[Any]]] = [(links, LINK_FORMATS["pharaoh"].read(links))]
    files += [(annotations, chosen.split(lines_of(annotations)))]
    files += [(path, lines_of(path, skip_bad=skip_bad, report=report)) for path in texts]
    number = unlinked = 0
    with open_output(output) as file:
        for number, (pair, (line, annotated), plain, *own_text) in enumerate(
            side_by_side(files, "as many lines in each file"), 1
        ):
            words = words_of(plain)
            with located(annotations, line):
                length, annotation = chosen.read(annotated)
                for expected in map(len, map(words_of, own_text)):
                    if length not in (None, expected):
                        found = f"found annotations of {counted(length, 'word')}"
                        raise ValueError(
                            f"{found}; expected {expected}, as in the annotated text; a space ends a word"
                        )
                    length = expected
            lengths = (len(words), length) if reverse else (length, len(words))
            with located(links, number):
                pair.check_positions(*lengths)
            with located(annotations, line):
                annotation, count = chosen.project(
                    annotation, WordLinks(pair.reversed() if reverse else pair, len(words), length)
                )
            unlinked += count
            file.write(f"{chosen.write(annotation, words)}\n".encode())
    return number, unlinked
