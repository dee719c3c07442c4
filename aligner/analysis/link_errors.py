"""Errors of links against gold: by word pair, by class of link, and by line.

With links A, sure links S and possible links P, a *wrong* link is in A and not in P, and a *missing* link is
in S and not in A.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aligner.analysis.link_classes import CLASSIFICATIONS
from aligner.analysis.tokens import Tokens
from aligner.arrays import Bools, Int64s
from aligner.links.alignments import Alignments
from aligner.links.gold import Gold
from aligner.links.link_sets import check_lengths, occurs_in, select
from aligner.text.bitext import Bitext


def find_errors(
    links: Alignments, gold: Gold, text: Bitext, *, by_frequency: bool = True
) -> dict[str, list[dict[str, Any]]]:
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
    dict
        Plain data: a list of rows for each name of the table below.

    Raises
    ------
    DataError
        If links, gold and text have different numbers of sentence pairs.

    Notes
    -----
    ===============  ==================================================================================
    wrong, missing   word pairs, the most frequent first: "source" and "target" word, and "count", the number
                     of wrong or missing links between them
    classes          classes that have links: "classification" and "name", such as "shape" and "1-n"; "links"
                     in A and of these "wrong"; links in S, "sure", and of these "missing". Precision is
                     1 - wrong / links, recall 1 - missing / sure
    lines            lines with errors, the highest AER first, then the most errors, then the first line:
                     "line" from 1; "aer", (wrong + missing) / (|A| + |S|), in 0..1; the "wrong" and the
                     "missing" links; the words of each side, "source" and "target", joined by spaces
    ===============  ==================================================================================
    """
    check_lengths(links, gold.sure, "the links and the gold")
    check_lengths(links, text, "the links and the text")
    tokens = Tokens.of(text)
    is_wrong, is_missing = ~occurs_in(links, gold.possible), ~occurs_in(gold.sure, links)
    wrong, missing = select(links, is_wrong), select(gold.sure, is_missing)
    return {
        "wrong": _count_word_pairs(wrong, *tokens),
        "missing": _count_word_pairs(missing, *tokens),
        "classes": _count_classes((links, is_wrong), (gold.sure, is_missing), tokens, by_frequency),
        "lines": _list_lines(wrong, missing, tokens, np.diff(links.offsets) + np.diff(gold.sure.offsets)),
    }


def _count_word_pairs(links: Alignments, source: Tokens, target: Tokens) -> list[dict[str, Any]]:
    """Count the links of each word pair, the most frequent first, then by the ids of the words."""
    source_ids = source.ids[source.of_links(links)].astype(np.int64)
    target_ids = target.ids[target.of_links(links)]
    codes, counts = np.unique(source_ids << 32 | target_ids, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [
        {"source": source.words[code >> 32], "target": target.words[code & 0xFFFFFFFF], "count": count}
        for code, count in zip(codes[order].tolist(), counts[order].tolist(), strict=True)
    ]


def _count_classes(
    links: tuple[Alignments, Bools],
    sure: tuple[Alignments, Bools],
    tokens: tuple[Tokens, Tokens],
    by_frequency: bool,
) -> list[dict[str, Any]]:
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
        for name, *row in zip(names, *counts, strict=True):
            if any(row):
                figures = dict(zip(("links", "wrong", "sure", "missing"), row, strict=True))
                found.append({"classification": classification, "name": name} | figures)
    return found


def _list_lines(
    wrong: Alignments, missing: Alignments, tokens: tuple[Tokens, Tokens], sizes: Int64s
) -> list[dict[str, Any]]:
    """Return the lines with errors, worst first. sizes: |A| + |S| of each line, int64 [n]."""
    errors = np.diff(wrong.offsets) + np.diff(missing.offsets)
    aer = errors / np.maximum(sizes, 1)
    order = np.lexsort((-errors, -aer))[: np.count_nonzero(errors)]
    source, target = tokens
    return [
        {"line": n + 1, "aer": float(aer[n]), "wrong": wrong[n], "missing": missing[n]}
        | {"source": source.sentence(n), "target": target.sentence(n)}
        for n in order.tolist()
    ]
