"""The content of a page, read from files."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from aligner.decoding.scores import read_scores
from aligner.links.alignments import Alignments
from aligner.links.formats.plain import read_links
from aligner.links.gold import Gold, read_gold
from aligner.links.show import check_first_line
from aligner.messages import display_name
from aligner.models.model_file import load
from aligner.text.files import PathLike
from aligner.text.pairs import read_words
from aligner.view.content import Content, check_lines


def read_content(
    links: PathLike,
    source: PathLike,
    target: PathLike | None = None,
    *,
    gold: PathLike | None = None,
    second: PathLike | None = None,
    scores: PathLike | None = None,
    model: PathLike | None = None,
    threshold: float | None = None,
    first: int = 1,
    last: int | None = None,
    **reading: Any,
) -> Content:
    """Read the content of a page.

    Parameters
    ----------
    links
        A file of links, `i-j` or `i-j:p`.
    source, target
        The text. If ``target`` is None, ``source`` holds both sides of each pair.
    gold
        A file of gold links, in any format of ``read_gold``.
    second
        A file of links of a second system.
    scores
        A file of sentence scores, as `align decode --scores` writes it.
    model
        A model file.
    threshold
        The threshold at which the page opens. By default, the threshold of the model; 0 without a model.
    first, last
        The lines to show, from 1. By default, all lines.
    reading
        Keywords of ``aligner.text.pairs.read_pairs``.

    Returns
    -------
    Content
        The lines from ``first`` to ``last`` of all files.

    Raises
    ------
    DataError
        If a file cannot be read, if files have different numbers of lines, if line ``first`` does not exist,
        or if a link has a position outside its sentence pair.
    ConfigError
        If there are too many lines for a page.
    """
    pairs, lines = _read_pairs(source, target, first, last, **reading)
    check_first_line(first, lines, source)
    shown = slice(first - 1, last)
    paths = {"source": source, "target": target, "links": links, "gold": gold, "second": second}
    return Content(
        [words for words, _ in pairs],
        [words for _, words in pairs],
        _read_links(links, scores, lines)[shown],
        gold=None if gold is None else _read_gold(gold, lines, shown),
        second=None if second is None else _read_links(second, None, lines)[shown],
        model=None if model is None else load(os.fspath(model)),
        names={part: display_name(path) for part, path in paths.items() if path is not None},
        first=first,
        opening=threshold,
    )


def _read_pairs(
    source: PathLike, target: PathLike | None, first: int, last: int | None, **reading: Any
) -> tuple[list[tuple[list[str], list[str]]], int]:
    """Return the words of the lines from ``first`` to ``last``, and the number of all lines."""
    pairs, lines = [], 0
    for lines, words in enumerate(read_words(source, target, **reading), 1):
        if first <= lines and (last is None or lines <= last):
            pairs.append(words)
    return pairs, lines


def _read_links(path: PathLike, scores: PathLike | None, lines: int) -> Alignments:
    """Return the links of a file, with the scores of another file; DataError for other numbers of lines."""
    links = read_links(path)
    check_lines(display_name(path), len(links), lines)
    if scores is None:
        return links
    values = read_scores(scores)
    check_lines(display_name(scores), len(values), lines)
    return replace(links, scores=values)


def _read_gold(path: PathLike, lines: int, shown: slice) -> Gold:
    """Return a run of the lines of a gold file; DataError for another number of lines."""
    gold = read_gold(path, sentences=lines)
    check_lines(display_name(path), len(gold), lines)
    return Gold(gold.sure[shown], gold.possible[shown])
