"""The content of a page: sentence pairs as words, with links, gold and a second system's links.

It is made of values in memory, or read from files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aligner.arguments import check_types
from aligner.arrays import Int64s
from aligner.decoding.decoder import Decoder
from aligner.decoding.scores import read_scores
from aligner.errors import ConfigError, DataError
from aligner.files.opening import PathLike
from aligner.links.alignments import Alignments
from aligner.links.formats.plain import read_links
from aligner.links.gold import Gold, read_gold
from aligner.links.line_tokens import lemmas_of
from aligner.links.link_sets import check_positions
from aligner.links.show import check_first_line
from aligner.messages import counted, display_name
from aligner.models.model_file import load
from aligner.models.trained import TrainedModel
from aligner.text.line_ids import LineIds
from aligner.text.pairs import read_words

MOST_LINES = 200_000
"""The largest number of sentence pairs on a page. Browsers become slow with larger pages."""


_Part = TypeVar("_Part", Alignments, Gold, NDArray[Any])


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a page.

    Parameters
    ----------
    source, target
        The words of each sentence pair.
    links
        The links, perhaps with probabilities and scores.
    gold
        Sure and possible links of the same sentence pairs, or None.
    second
        The links of a second system, or None.
    model
        The model whose translations the page shows, or None.
    names
        The name of each part ("links", "source", ...), for headings and messages.
    first
        The line number of the first sentence pair.
    opening
        The threshold at which the page opens, or None for the threshold of the model.
    ids
        The id of each sentence pair, such as a verse, or None: line numbers name them.
    lemmas
        Of each side, the lemma of each form, and other names by which the page finds it (see
        ``aligner.links.line_tokens.lemmas_of``), or None.

    Raises
    ------
    DataError
        If the parts have different numbers of sentence pairs, or if a link has a position outside its
        sentence pair.
    ConfigError
        If there are more than ``MOST_LINES`` sentence pairs.
    """

    source: Sequence[Sequence[str]]
    target: Sequence[Sequence[str]]
    links: Alignments
    gold: Gold | None = None
    second: Alignments | None = None
    model: TrainedModel | None = None
    names: dict[str, str] = field(default_factory=dict)
    first: int = 1
    opening: float | None = None
    ids: Sequence[str] | None = None
    lemmas: Sequence[dict[str, list[str]]] | None = None

    def __post_init__(self) -> None:
        check_types(type(self), vars(self))
        if len(self) > MOST_LINES:
            raise ConfigError(
                f"found {len(self):,} lines; expected at most {MOST_LINES:,} on a page; choose some, such as"
                f" --lines 1-{MOST_LINES}"
            )
        if len(self.source) != len(self.target):
            raise DataError(
                f"found {counted(len(self.source), 'source line')} and"
                f" {counted(len(self.target), 'target line')}; expected equally many"
            )
        for part, links in self.link_sets().items():
            name = self.names.get(part, part)
            _check_lines(name, len(links), len(self))
            lengths = self.lengths(0), self.lengths(1)
            check_positions(links, lengths, f"{name}:", self.first)

    def __len__(self) -> int:
        return len(self.source)

    def link_sets(self) -> dict[str, Alignments]:
        """Return the links of each part that has some, by the name of the part."""
        gold = None if self.gold is None else self.gold.possible
        parts = {"links": self.links, "second": self.second, "gold": gold}
        return {name: links for name, links in parts.items() if links is not None}

    @property
    def threshold(self) -> float:
        """The threshold at which the page opens, in hundredths. Without a model, it keeps all links."""
        if self.links.probabilities is None:
            return 0.0
        if self.opening is not None:
            return round(self.opening, 2)
        return 0.0 if self.model is None else round(Decoder.of(self.model).threshold, 2)

    def lengths(self, side: int) -> Int64s:
        """Return the number of words of each line of a side, 0 for source and 1 for target, int64 [n]."""
        return np.array([len(words) for words in (self.source, self.target)[side]], np.int64)


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
    ids: LineIds | None = None,
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
    ids
        The ids of all lines.
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
    pairs, lines = [], 0
    for lines, words in enumerate(read_words(source, target, **reading), 1):
        if first <= lines <= (last or lines):
            pairs.append(words)
    check_first_line(first, lines, source)
    if ids is not None:
        ids.check(lines)
    shown = slice(first - 1, last)
    own = _of_text(links, read_links(links), lines)
    if scores is not None:
        own = replace(own, scores=_of_text(scores, read_scores(scores), lines))
    checked = None if gold is None else _of_text(gold, read_gold(gold, sentences=lines), lines)
    paths = {"source": source, "target": target, "links": links, "gold": gold, "second": second}
    return Content(
        [words for words, _ in pairs],
        [words for _, words in pairs],
        own[shown],
        gold=None if checked is None else Gold(checked.sure[shown], checked.possible[shown]),
        second=None if second is None else _of_text(second, read_links(second), lines)[shown],
        model=None if model is None else load(os.fspath(model)),
        names={part: display_name(path) for part, path in paths.items() if path is not None},
        first=first,
        opening=threshold,
        ids=None if ids is None else ids.ids[shown],
        lemmas=None if ids is None else lemmas_of(pairs, replace(ids, ids=ids.ids[shown])),
    )


def _of_text(path: PathLike, read: _Part, lines: int) -> _Part:
    """Return what was read from a file; DataError unless it has a line for each line of the text."""
    _check_lines(display_name(path), len(read), lines)
    return read


def _check_lines(name: str, found: int, expected: int) -> None:
    """Raise DataError unless a part has as many lines as the text."""
    if found != expected:
        fewer = f"if it is of the first {found:,} lines, show these alone: head -n {found}"
        raise DataError(
            f"{name}: found {counted(found, 'line')}; expected {expected:,}, one for each line of the text;"
            f" {fewer if found < expected else 'does it belong to this text?'}"
        )
