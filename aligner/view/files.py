"""The content of a page, read from files."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

from aligner.decoding.scores import read_scores
from aligner.errors import DataError
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold, read_gold
from aligner.links.pharaoh import read_links
from aligner.models.storage import load
from aligner.text.files import PathLike, display_name
from aligner.text.lines import words_of
from aligner.text.pairs import read_pairs
from aligner.view.content import Content


def read_content(
    links: PathLike,
    source: PathLike,
    target: PathLike | None = None,
    *,
    gold: PathLike | None = None,
    second: PathLike | None = None,
    scores: PathLike | None = None,
    model: PathLike | None = None,
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
        A file of gold links, in any format of ``GOLD_FORMATS``.
    second
        A file of links of a second system.
    scores
        A file of sentence scores, as `align decode --scores` writes it.
    model
        A model file.
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
    shown, lines = [], 0
    pairs = chain.from_iterable(chunk.pairs() for chunk in read_pairs(source, target, **reading))
    for lines, pair in enumerate(pairs, 1):
        if first <= lines and (last is None or lines <= last):
            shown.append([words_of(side) for side in pair])
    if first > 1 and lines < first:
        raise DataError(f"{display_name(source)}: found {lines} lines; expected a line {first} to show")
    run = slice(first - 1, last)
    paths = {"source": source, "target": target, "links": links, "gold": gold, "second": second}
    names = {part: display_name(path) for part, path in paths.items() if path is not None}

    def check(part: str, size: int, unit: str = "lines") -> None:
        if size != lines:
            raise DataError(
                f"{names[part]}: found {size} {unit}; expected {lines}, one for each line of {names['source']}"
            )

    own = read_links(links)
    check("links", len(own))
    if scores is not None:
        names["scores"] = display_name(scores)
        values = read_scores(scores)
        check("scores", len(values))
        own = replace(own, scores=values)
    other = None if second is None else read_links(second)
    if other is not None:
        check("second", len(other))
    by_hand = None if gold is None else read_gold(gold, sentences=lines)
    if by_hand is not None:
        check("gold", len(by_hand))
        by_hand = Gold(by_hand.sure[run], by_hand.possible[run], by_hand.reading)
    return Content(
        [words for words, _ in shown],
        [words for _, words in shown],
        own[run],
        by_hand,
        None if other is None else other[run],
        None if model is None else load(model),
        names,
        first,
    )
