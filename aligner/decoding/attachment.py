"""Attachment: frequent words without links join the links of the next linked word.

Whether "the" is linked with its noun's translation is a convention of those who make the links: no text tells
it, few corrected lines do (see ``learning.joining``). A word that stands at left edges more often than at
right ones, such as an article, joins the next linked word to the right; one that stands at right edges more
often, the next to the left. Up to two words without links may stand between both, and no edge.

A link depends on its line alone, and the words that join do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aligner.arrays import Bools, Int64s, offsets_of
from aligner.errors import ConfigError
from aligner.links.alignments import MAX_POSITION, Alignments
from aligner.models.learned_links import Joining
from aligner.models.trained import TrainedModel
from aligner.text.bitext import Bitext
from aligner.text.edges import words_and_edges
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import WordTable

MOST_STEPS = 3
"""The farthest that the next linked word may be."""


class Attached(NamedTuple):
    """Links that attachment adds to others, an element of each array for each, int64.

    Attributes
    ----------
    pair, source, target
        The sentence pair, and the positions.
    joined
        The number of the link that is joined.
    side, word
        The side of the word that joins, 0 for the source, and its id.
    """

    pair: Int64s
    source: Int64s
    target: Int64s
    joined: Int64s
    side: Int64s
    word: Int64s

    def of(self, chosen: NDArray[Any]) -> Attached:
        """Return the links where a mask is true, or with these numbers."""
        return Attached(*(values[chosen] for values in self))

    def added_to(self, links: Alignments) -> Alignments:
        """Return the others together with these, which are as probable as the links that they join."""
        width = 1 + int(max(links.source.max(initial=0), self.source.max(initial=0)))
        # Sorting all links again, with validation, would take four times as long.
        earlier, new = ((x.pair * width + x.source) * (MAX_POSITION + 1) + x.target for x in (links, self))
        order = np.argsort(new)
        at, p = np.searchsorted(earlier, new[order]), links.probabilities
        source, target = (
            np.insert(own, at, more[order])
            for own, more in ((links.source, self.source), (links.target, self.target))
        )
        probabilities = None if p is None else np.insert(p, at, p[self.joined[order]])
        offsets = links.offsets + offsets_of(np.bincount(self.pair, minlength=len(links)))
        return Alignments.unchecked(offsets, source, target, probabilities, links.scores)


class Attachment(NamedTuple):
    """The words that join, in the vocabularies of a model.

    Attributes
    ----------
    source, target
        int8 [types + 1]: 1 for a word that joins the next linked word to its right, -1 for one to its left, 0
        for other words.
    """

    source: NDArray[np.int8]
    target: NDArray[np.int8]

    @classmethod
    def of(cls, model: TrainedModel, joining: Joining) -> Attachment:
        """Return the attachment of these words."""
        return cls(*map(_directions, model.vocabularies, joining))

    def find(self, links: Alignments, text: Bitext) -> Attached:
        """Return the links that it adds to the links of the words of a text."""
        source, target = (_find(links, text, side, steps) for side, steps in enumerate(self))
        return Attached(*(np.concatenate(both) for both in zip(source, target, strict=True)))

    def add_to(self, links: Alignments, text: Bitext) -> Alignments:
        """Return the links of the words of a text together with the links that it adds."""
        return self.find(links, text).added_to(links)


def joining_words(model: TrainedModel, chosen: Bools | None = None) -> Joining:
    """Return the words that may join, the most frequent first: 1 for the right, -1 for the left.

    chosen: bool, of the frequent words of both sides, those to return; by default, all. Raises ConfigError if
    the model is of an earlier version, which did not count them.
    """
    if model.edges is None:
        raise ConfigError(
            "found a model of an earlier version, which has not counted the words at edges of sentences;"
            " expected a newer one; train it anew, or leave out --attach"
        )
    signs = np.sign(np.concatenate([edges.tendencies for edges in model.edges]))
    signs = iter((signs if chosen is None else signs * chosen).astype(int).tolist())
    source, target = (
        {own.words[word]: sign for word, sign in zip(edges.words.tolist(), signs, strict=False) if sign}
        for own, edges in zip(model.vocabularies, model.edges, strict=True)
    )
    return source, target


def _directions(vocabulary: Vocabulary, joining: Mapping[str, int]) -> NDArray[np.int8]:
    """Return the direction of each word of a vocabulary, int8 [types + 1]."""
    directions = np.zeros(len(vocabulary) + 1, np.int8)
    directions[vocabulary.find(WordTable.of_words(joining))] = list(joining.values())
    directions[-1] = 0
    return directions


def _find(links: Alignments, text: Bitext, number: int, directions: NDArray[np.int8]) -> Attached:
    """Return the links by which words of a side join; number: of the side."""
    side, pair = text.sides[number], links.pair
    words, edges = words_and_edges(side)
    offsets = (side.word_sizes or side).offsets
    places = offsets[pair] + (links.target if number else links.source)
    tokens = np.arange(len(words))
    if side.word_sizes is not None:
        tokens = np.flatnonzero(side.word_sizes.values)
        places = np.searchsorted(tokens, places)
    counts = np.bincount(places, minlength=len(words))
    word = np.flatnonzero((directions[words] != 0) & (counts == 0))
    step = directions[words[word]].astype(np.int64)
    joined = word.copy()
    for _ in range(MOST_STEPS):
        joined += np.where((counts[joined] == 0) & ~edges[joined + (step > 0)], step, 0)
    word, joined = word[counts[joined] > 0], joined[counts[joined] > 0]
    is_joined = np.zeros(len(words), np.bool_)
    is_joined[joined] = True
    counts *= is_joined
    own = np.flatnonzero(counts[places])
    own = own[np.argsort(places[own], kind="stable")]  # the links of a target word do not follow each other
    many = counts[joined]
    taken = own[np.arange(many.sum()) + np.repeat(np.cumsum(counts)[joined] - np.cumsum(many), many)]
    word, pair = np.repeat(word, many), pair[taken]
    at = tokens[word] - offsets[pair]
    positions = (links.source[taken], at) if number else (at, links.target[taken])
    ids = words[word].astype(np.int64)
    return Attached(pair, *positions, taken, np.full(len(ids), number), ids)
