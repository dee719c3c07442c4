"""A text with its links as arrays: the words of both sides as ids, and the tokens that each link joins."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count, repeat
from typing import NamedTuple

import numpy as np

from aligner.arrays import Float64s, Int32s, Int64s, Integers, offsets_of
from aligner.links.linked_pairs import LinkedPair


class LinkedSide(NamedTuple):
    """One side of a text.

    Attributes
    ----------
    words
        The different words, in the order of their first tokens.
    tokens
        int32 [tokens], the index of each token's word.
    offsets
        int64 [lines + 1], the number of tokens before each line.
    """

    words: list[str]
    tokens: Int32s
    offsets: Int64s

    def line(self, number: int) -> list[str]:
        """Return the words of a line, which is counted from 0."""
        tokens = self.tokens[self.offsets[number] : self.offsets[number + 1]]
        return [self.words[k] for k in tokens.tolist()]


class LinkedText(NamedTuple):
    """A text with its links.

    Attributes
    ----------
    sides
        The source and the target.
    links
        int32 or int64 [2, links], the source token and the target token of each, in the order of the pairs.
    probabilities
        float64 [links], 1 for links without probability; or None if no link has one.
    ids
        The id of each line, or its number from 1.
    """

    sides: tuple[LinkedSide, LinkedSide]
    links: Integers
    probabilities: Float64s | None
    ids: Sequence[int | str]

    @classmethod
    def of_pairs(cls, pairs: Iterable[LinkedPair], side: int = 0) -> LinkedText:
        """Return a text of pairs with their words and links. side: 1 to exchange source and target."""
        words = [defaultdict[str, int](count().__next__) for _ in range(2)]
        tokens, lengths = (array("i"), array("i")), (array("q"), array("q"))
        positions, counts, probabilities, ids = array("i"), array("q"), array("d"), list[int | str]()
        for number, pair in enumerate(pairs, 1):
            for k, own in enumerate(pair.words):
                tokens[k].extend(map(words[k].__getitem__, own))
                lengths[k].append(len(own))
            if pair.probabilities:
                probabilities.extend(repeat(1.0, len(positions) // 2 - len(probabilities)))
                probabilities.extend(pair.probabilities)
            positions.extend(chain.from_iterable(pair.links))
            counts.append(len(pair.links))
            ids.append(pair.id or number)
        offsets = [offsets_of(np.array(own)) for own in lengths]
        kind: type[np.integer] = np.int32 if max(map(len, tokens)) < 1 << 31 else np.int64
        links = np.frombuffer(positions, np.int32).reshape(-1, 2).T.astype(kind)
        for row, starts in zip(links, offsets, strict=True):
            row += np.repeat(starts[:-1].astype(kind), counts)
        if probabilities:
            probabilities.extend(repeat(1.0, len(positions) // 2 - len(probabilities)))
        source, target = (
            LinkedSide([*words[k]], np.frombuffer(tokens[k], np.int32), offsets[k]) for k in (side, 1 - side)
        )
        p = np.frombuffer(probabilities) if probabilities else None
        return cls((source, target), links[:: 1 - 2 * side], p, ids)
