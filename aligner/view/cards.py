"""Cards of words: frequency and translations of each word, from the model.

A card of a word holds its frequency in the training text and its most probable translations. Words that the
model does not know have none.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

from aligner.arrays import Float32s, Int32s, Int64s, offsets_of
from aligner.lexicon.table import Lexicon
from aligner.models.export import translations
from aligner.models.pair import DIRECTIONS
from aligner.models.trained import TrainedModel
from aligner.view.content import Content

MOST_CARDS = 20_000
"""The largest number of cards of a side. Only the most frequent words of the page get one."""

MOST_PAIRS = 100_000
"""The largest number of linked word pairs with their probabilities. Only the most frequent pairs get one."""

_TRANSLATIONS = 5
_LEAST_PROBABILITY = 0.01


def word_cards(content: Content, model: TrainedModel) -> dict[str, Any]:
    """Return the unknown words of a page, the cards of the others, and the probabilities of linked words.

    Returns
    -------
    dict
        "unknown": of each side, the words that the model does not know.
        "forms": of each side, word -> number of its card.
        "cards": of each side, [frequency, translation, probability, translation, ...] of each card.
        "pairs": "number of the source card, number of the target card" -> [t(f|e), t(e|f)].
    """
    sides = [_Side(content, model, side) for side in (0, 1)]
    return {
        "unknown": [side.unknown for side in sides],
        "forms": [side.forms for side in sides],
        "cards": [_cards(model, direction, side) for direction, side in zip(DIRECTIONS, sides, strict=True)],
        "pairs": _pairs(content, model, sides),
    }


class _Side:
    """The words of one side of a page, 0 for source and 1 for target, looked up in the model's vocabulary.

    Attributes
    ----------
    ids
        Vocabulary ids of the cards [cards].
    forms
        Number of the card of each word, in the spelling of the text.
    unknown
        Words that the vocabulary does not have.
    """

    def __init__(self, content: Content, model: TrainedModel, side: int) -> None:
        words = list(chain.from_iterable((content.source, content.target)[side]))
        known = {word: model.id_of(word, side) for word in dict.fromkeys(words)}
        self.unknown = sorted(word for word, id in known.items() if id is None)
        totals = Counter(id for id in map(known.get, words) if id is not None)
        self.ids = [id for id, _ in totals.most_common(MOST_CARDS)]
        cards = {id: card for card, id in enumerate(self.ids)}
        self.forms = {word: cards[id] for word, id in known.items() if id in cards}
        self._token_cards = np.array([self.forms.get(word, -1) for word in words], np.int64)
        self._offsets = offsets_of(content.lengths(side))

    def cards_at(self, pair: Int64s, positions: Int32s) -> Int64s:
        """Return the card of the word at each position, -1 for a word without one, int64 [positions]."""
        return self._token_cards[self._offsets[pair] + positions]


def _cards(model: TrainedModel, direction: str, side: _Side) -> list[list[Any]]:
    """Return the cards of a side: frequency, then translations, each with its probability."""
    own, other = model.vocabularies if direction == "forward" else model.vocabularies[::-1]
    found = translations(model, direction, least=_LEAST_PROBABILITY, best=_TRANSLATIONS)
    starts, stops = (np.searchsorted(found.word, side.ids, where).tolist() for where in ("left", "right"))
    rows = zip(found.translation.tolist(), found.probability.tolist(), strict=True)
    shown = [(other.spellings.get(word := other.words[id], word), round(p, 4)) for id, p in rows]
    return [
        [int(own.counts[id]), *chain.from_iterable(shown[start:stop])]
        for id, start, stop in zip(side.ids, starts, stops, strict=True)
    ]


def _pairs(content: Content, model: TrainedModel, sides: list[_Side]) -> dict[str, list[float]]:
    """Return both probabilities of the most frequent linked word pairs."""
    source, target = sides
    linked = []
    for links in content.link_sets().values():
        s, t = source.cards_at(links.pair, links.source), target.cards_at(links.pair, links.target)
        linked.append((s << 32 | t)[(s >= 0) & (t >= 0)])  # of links between words with cards
    codes, frequencies = np.unique(np.concatenate(linked), return_counts=True)
    order = np.argsort(-frequencies, kind="stable")[:MOST_PAIRS]
    cards = codes[order] >> 32, codes[order] & 0xFFFFFFFF
    ids = [np.array(side.ids, np.int64)[chosen] for side, chosen in zip(sides, cards, strict=True)]
    values = _probabilities(model.pair.lexicon, *ids)
    return {
        f"{s},{t}": [float(f"{p:.3g}") for p in both]
        for s, t, both in zip(cards[0].tolist(), cards[1].tolist(), values.tolist(), strict=True)
    }


def _probabilities(lexicon: Lexicon, source: Int64s, target: Int64s) -> Float32s:
    """Return t(f|e) and t(e|f) of pairs of word ids, float32 [pairs, 2]."""
    index = lexicon.index
    codes = index.rows().astype(np.int64) << 32 | index.columns
    codes[0] = -1  # the code of no pair
    wanted = source << 32 | target
    found = np.minimum(np.searchsorted(codes, wanted), codes.size - 1)
    return lexicon.table[np.where(codes[found] == wanted, found, 0)]
