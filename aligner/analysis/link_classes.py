"""Classifications of links: by frequency, kind of word, shape, jump and sentence length.

To add a classification, write a function that returns the class of each link, and add it to
``CLASSIFICATIONS``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from aligner.analysis.tokens import FREQUENCY_CLASSES, Tokens
from aligner.arrays import Int64s
from aligner.links.alignments import Alignments
from aligner.text.kinds import WORD_CLASSES


class Classification(NamedTuple):
    """A division of links into classes.

    Attributes
    ----------
    names
        The names of the classes, in order.
    classify
        Function of (links, source tokens, target tokens) that returns the index of each link's class in
        ``names``, int64 [L].
    by_frequency
        True if the classes are of training frequencies, which need the vocabularies of a model.
    """

    names: tuple[str, ...]
    classify: Callable[[Alignments, Tokens, Tokens], Int64s]
    by_frequency: bool = False


def _frequency(side: int, links: Alignments, *tokens: Tokens) -> Int64s:
    """Classify by the training frequency of the source word, side 0, or of the target word, side 1."""
    return tokens[side].frequency_classes[tokens[side].of_links(links)]


def _kind(links: Alignments, source: Tokens, target: Tokens) -> Int64s:
    """Classify by the kind that both words have, such as punctuation; "mixed" if their kinds differ."""
    source_kinds = source.kinds[source.of_links(links)]
    target_kinds = target.kinds[target.of_links(links)]
    return np.where(source_kinds == target_kinds, source_kinds, len(WORD_CLASSES))


def _shape(links: Alignments, source: Tokens, target: Tokens) -> Int64s:
    """Classify by the number of links of both words in the same set of links.

    1-n: the source word has several links, and the target word has no other. n-1: the other way round.
    """
    source_tokens = source.of_links(links)
    target_tokens = target.of_links(links)
    source_has_several = np.bincount(source_tokens)[source_tokens] > 1
    target_has_several = np.bincount(target_tokens)[target_tokens] > 1
    return source_has_several + 2 * target_has_several


_JUMP_BOUNDS = (-3, 0, 1, 2, 5)


def _jump(links: Alignments, source: Tokens, target: Tokens) -> Int64s:
    """Classify by the target position less the target position of the preceding link.

    Links are in the order of (source, target). Before the first link of a pair stands target position -1.
    """
    previous = np.concatenate(([-1], links.target))[:-1]
    previous[links.offsets[:-1][np.diff(links.offsets) > 0]] = -1
    return np.searchsorted(_JUMP_BOUNDS, links.target - previous, side="right")


_LENGTH_BOUNDS = (10, 20, 40)


def _length(links: Alignments, source: Tokens, target: Tokens) -> Int64s:
    """Classify by the length of the longer sentence, in tokens."""
    longer = np.maximum(source.lengths, target.lengths)[links.pair]
    return np.searchsorted(_LENGTH_BOUNDS, longer, side="right")


CLASSIFICATIONS = {
    "source frequency": Classification(FREQUENCY_CLASSES, partial(_frequency, 0), by_frequency=True),
    "target frequency": Classification(FREQUENCY_CLASSES, partial(_frequency, 1), by_frequency=True),
    "kind": Classification((*WORD_CLASSES, "mixed"), _kind),
    "shape": Classification(("1-1", "1-n", "n-1", "n-m"), _shape),
    "jump": Classification(("to -4", "-3 to -1", "0", "1", "2 to 4", "from 5"), _jump),
    "length": Classification(("1-9", "10-19", "20-39", "40+"), _length),
}
"""Every classification by name."""
