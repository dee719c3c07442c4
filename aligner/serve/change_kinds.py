"""Kinds of changes: what happens to the words of links that are new or gone.

- ``JOINED``: a word is linked with a word that had links, by the rule of ``decoding.attachment`` or not.
- ``LINKED``: two words without a link are linked.
- ``MOVED``: a new link is in place of one that is gone, which shares a word with it.
- ``GONE``: a link is gone, with no new one in its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aligner.arrays import Int64s
from aligner.decoding.attachment import Attached
from aligner.links.alignments import Alignments

JOINED, LINKED, MOVED, GONE = range(4)


class Kinds(NamedTuple):
    """The kinds of changes: an element of each array for each new link, then for each link that is gone.

    Attributes
    ----------
    kind
        The kind. A link that is gone has the kind of the new one in its place.
    side
        The side of the word that joins another by its rule, or -1.
    lead
        The number of the new link in place of one that is gone; of other changes, their own.
    rule
        The number of the link of attachment, or -1.
    """

    kind: Int64s
    side: Int64s
    lead: Int64s
    rule: Int64s

    @classmethod
    def of(cls, before: Alignments, new: Alignments, gone: Alignments, attached: Attached) -> Kinds:
        """Return the kinds of new links and of links of before that are gone; attached: links after."""
        parts: list[Alignments | Attached] = [before, new, gone, attached]
        width = 1 + max(int(at.max(initial=0)) for own in parts for at in (own.source, own.target))
        old, words, lost, _ = places = [(o.pair * width + o.source, o.pair * width + o.target) for o in parts]
        cells = [rows * width + own.target for (rows, _), own in zip(places, parts, strict=True)]
        rule = _find(cells[3], cells[1])
        side = np.append(attached.side, -1)[rule]
        is_free = [~np.isin(own, linked) for own, linked in zip(words, old, strict=True)]
        has_moved = np.isin(words[0], lost[0]) | np.isin(words[1], lost[1])
        kind = np.select([rule >= 0, has_moved, is_free[0] & is_free[1]], [JOINED, MOVED, LINKED], JOINED)
        count, lead = len(kind), np.full(len(lost[0]), -1)
        for k in (1, 0):
            taking = np.flatnonzero(side != 1 - k)  # a word that joins takes no link from the other word
            lead = np.where((at := _find(words[k][taking], lost[k])) >= 0, np.append(taking, -1)[at], lead)
        lead = np.append(np.arange(count), np.where(lead < 0, count + np.arange(len(lead)), lead))
        kind, side, rule = (
            np.append(own, np.full(len(lead) - count, value))
            for own, value in ((kind, GONE), (side, -1), (rule, -1))
        )
        return cls(kind[lead], side[lead], lead, rule)


def _find(keys: Int64s, wanted: Int64s) -> Int64s:
    """Return the place of each wanted value among keys, or -1."""
    order = np.argsort(keys, kind="stable")
    at = np.append(order, -1)[np.searchsorted(keys[order], wanted)]
    return np.where(np.append(keys, -1)[at] == wanted, at, -1)
