"""Errors of links against gold: by word pair, by class of link, and by line.

With links A, sure links S and possible links P, a *wrong* link is in A and not in P, and a *missing* link is
in S and not in A.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aligner.analysis.link_classes import CLASSIFICATIONS
from aligner.analysis.tokens import Tokens
from aligner.links.alignments import Alignments, Link
from aligner.links.gold import Gold
from aligner.links.link_sets import check_lengths, occurs_in, select
from aligner.text.bitext import Bitext


@dataclass(frozen=True)
class ClassErrors:
    """The errors of one class of links.

    Attributes
    ----------
    classification, name
        The names of the classification and of the class, such as "shape" and "1-n".
    links, wrong
        Number of links in A of this class, and of these the wrong ones. Precision is 1 - wrong / links.
    sure, missing
        Number of links in S of this class, and of these the missing ones. Recall is 1 - missing / sure.
    """

    classification: str
    name: str
    links: int
    wrong: int
    sure: int
    missing: int


@dataclass(frozen=True)
class WordPairCount:
    """A source word, a target word, and the number of links between them."""

    source: str
    target: str
    count: int


@dataclass(frozen=True)
class LineErrors:
    """The errors of one line.

    Attributes
    ----------
    line
        Number of the line, from 1.
    aer
        Alignment error rate of the line, (wrong + missing) / (|A| + |S|), in 0..1.
    wrong, missing
        The links.
    source, target
        The words of each side, joined by spaces.
    """

    line: int
    aer: float
    wrong: tuple[Link, ...]
    missing: tuple[Link, ...]
    source: str
    target: str


@dataclass(frozen=True)
class Errors:
    """The errors of the links of a text.

    Attributes
    ----------
    wrong, missing
        Word pairs with the number of wrong or missing links between them, most frequent first.
    classes
        The errors of each class of each classification. Classes without links are left out.
    lines
        The lines with errors: the highest AER first, then the most errors, then the first line.
    """

    wrong: tuple[WordPairCount, ...]
    missing: tuple[WordPairCount, ...]
    classes: tuple[ClassErrors, ...]
    lines: tuple[LineErrors, ...]


def find_errors(links: Alignments, gold: Gold, text: Bitext, *, by_frequency: bool = True) -> Errors:
    """Find the errors of links against gold.

    Parameters
    ----------
    links
        The links to examine.
    gold
        Sure and possible links of the same sentence pairs.
    text
        The words of the same sentence pairs. No link may lie outside its pair.
    by_frequency
        True to classify errors also by the frequency of words in the vocabularies of the text, which should
        be the vocabularies of a model.

    Returns
    -------
    Errors
        Word pairs, classes and lines.

    Raises
    ------
    DataError
        If links, gold and text have different numbers of sentence pairs.
    """
    check_lengths(links, gold.sure, "the links and the gold")
    check_lengths(links, text, "the links and the text")
    tokens = Tokens.of(text)
    is_wrong, is_missing = ~occurs_in(links, gold.possible), ~occurs_in(gold.sure, links)
    wrong, missing = select(links, is_wrong), select(gold.sure, is_missing)
    return Errors(
        wrong=_count_word_pairs(wrong, *tokens),
        missing=_count_word_pairs(missing, *tokens),
        classes=_count_classes((links, is_wrong), (gold.sure, is_missing), tokens, by_frequency),
        lines=_list_lines(wrong, missing, tokens, np.diff(links.offsets) + np.diff(gold.sure.offsets)),
    )


def _count_word_pairs(links: Alignments, source: Tokens, target: Tokens) -> tuple[WordPairCount, ...]:
    """Count the links of each word pair, the most frequent first, then by the ids of the words."""
    source_ids = source.ids[source.of_links(links)].astype(np.int64)
    target_ids = target.ids[target.of_links(links)]
    codes, counts = np.unique(source_ids << 32 | target_ids, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return tuple(
        WordPairCount(source.words[code >> 32], target.words[code & 0xFFFFFFFF], count)
        for code, count in zip(codes[order].tolist(), counts[order].tolist(), strict=True)
    )


def _count_classes(
    links: tuple[Alignments, NDArray[np.bool_]],
    sure: tuple[Alignments, NDArray[np.bool_]],
    tokens: tuple[Tokens, Tokens],
    by_frequency: bool,
) -> tuple[ClassErrors, ...]:
    """Count links and errors by class. links, sure: a set of links, and the mask of its errors."""
    found = []
    for classification, (names, classify, needs_frequency) in CLASSIFICATIONS.items():
        if needs_frequency and not by_frequency:
            continue
        counts = []
        for alignments, is_error in (links, sure):
            classes = classify(alignments, *tokens)
            counts += [
                np.bincount(chosen, minlength=len(names)).tolist() for chosen in (classes, classes[is_error])
            ]
        rows = zip(names, *counts, strict=True)
        found += [ClassErrors(classification, name, *row) for name, *row in rows if any(row)]
    return tuple(found)


def _list_lines(
    wrong: Alignments, missing: Alignments, tokens: tuple[Tokens, Tokens], sizes: NDArray[np.int64]
) -> tuple[LineErrors, ...]:
    """Return the lines with errors, worst first. sizes: |A| + |S| of each line, int64 [n]."""
    errors = np.diff(wrong.offsets) + np.diff(missing.offsets)
    aer = errors / np.maximum(sizes, 1)
    order = np.lexsort((-errors, -aer))[: np.count_nonzero(errors)]
    return tuple(
        LineErrors(
            n + 1, float(aer[n]), tuple(wrong[n]), tuple(missing[n]), *(side.sentence(n) for side in tokens)
        )
        for n in order.tolist()
    )
