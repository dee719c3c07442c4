"""The lexicon of a text: relative frequencies of its links, by the rule of Moses.

c(e, f) is the number of links between two words. A word without a link counts once with NULL. The
translations of e have the probabilities c(e, f) / c(e), where c(e) is the sum of c(e, f) over f.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from aligner.arrays import Int64s
from aligner.files.opening import PathLike
from aligner.links.linked_pairs import LinkedPair
from aligner.links.linked_text import LinkedText
from aligner.models.export import LEXICON_FORMATS, Translations, in_order, write_translations


def write_counted_lexicon(
    pairs: Iterable[LinkedPair],
    output: PathLike,
    *,
    side: int = 0,
    format: str = "tsv",
    least: float = 0.0,
    least_count: int = 1,
    best: int | None = None,
) -> tuple[Translations, int]:
    """Write the translations of the words of a text, one on each line, the most frequent word first.

    Parameters
    ----------
    pairs
        The pairs of the text with their words and links.
    output, format
        See ``aligner.write_lexicon``. Lines with NULL are left out in a format without a word for it.
    side
        The side of the words: 0 for source, 1 for target.
    least, least_count
        The least probability and the least number of links of a translation.
    best
        The largest number of translations of a word; by default there is no limit.

    Returns
    -------
    written : Translations
        The entries in the file.
    left_out : int
        The number of entries that were left out, because readers of the format would split a word.

    Raises
    ------
    ConfigError
        If the format is unknown.
    DataError
        If the file cannot be written.
    """
    null = LEXICON_FORMATS.find(format).null
    words, cells, counts = _count_cells(LinkedText.of_pairs(pairs, side), null)
    totals = [np.bincount(cell, counts, len(own)) for cell, own in zip(cells, words, strict=True)]
    probability = counts / totals[0][cells[0]]
    chosen = (counts >= least_count) & (probability >= least)
    if null is None:
        chosen &= cells.all(axis=0)
    orders = [np.argsort(-total, kind="stable") for total in totals]  # as in a model
    word, translation = (np.argsort(order)[cell[chosen]] for order, cell in zip(orders, cells, strict=True))
    found = in_order(word.astype(np.int32), translation.astype(np.int32), probability[chosen], best)
    own, others = ([own[k] for k in order.tolist()] for own, order in zip(words, orders, strict=True))
    return write_translations(found, own, others, output, format)


def _count_cells(text: LinkedText, null: str | None) -> tuple[list[list[str]], Int64s, Int64s]:
    """Return the words of both sides, NULL first, cells of their numbers [2, n], and counts.

    A word that is equal to NULL has no cells of its own.
    """
    ids = []
    for side in text.sides:
        numbers = np.arange(1, len(side.words) + 1)
        numbers[[k for k, word in enumerate(side.words) if word == null]] = 0
        ids.append(numbers[side.tokens])
    source, target = (own[tokens] for own, tokens in zip(ids, text.links, strict=True))
    alone = [np.delete(own, tokens) for own, tokens in zip(ids, text.links, strict=True)]
    codes = np.concatenate((source << 32 | target, alone[0] << 32, alone[1]))
    codes, counts = np.unique(codes, return_counts=True)
    words = [[null or "", *side.words] for side in text.sides]
    return words, np.array((codes >> 32, codes & 0xFFFFFFFF)), counts
