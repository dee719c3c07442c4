"""Groups of words: links that form blocks, as formats of people who align by hand have them.

In a block, each source word is linked with each target word, and no word is in two blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from aligner.links.alignments import Alignments, Link
from aligner.links.link_sets import select
from aligner.messages import counted


def in_groups(alignments: Alignments) -> Alignments:
    """Return the links of blocks of alignments.

    Links are visited by descending probability, then by position. A link unites the blocks of its two words.
    It is kept, with all cells of the united block, if all of them are links; else it is left out.
    """
    values = alignments.probabilities
    order = np.arange(len(alignments.source)) if values is None else np.argsort(-values, kind="stable")
    ranks = np.argsort(order)  # the inverse of the order
    kept = np.zeros(len(order), np.bool_)
    for n, links in enumerate(alignments):
        span = slice(alignments.offsets[n], alignments.offsets[n + 1])
        blocks = _blocks([links[k] for k in np.argsort(ranks[span])])
        kept[span] = [link in blocks for link in links]
    return replace(select(alignments, kept), scores=alignments.scores)


def _blocks(links: Sequence[Link]) -> set[Link]:
    """Return the links of blocks, where earlier links come first."""
    cells, kept = {*links}, set[Link]()
    sources: dict[int, tuple[set[int], set[int]]] = {}
    targets: dict[int, tuple[set[int], set[int]]] = {}
    for i, j in links:
        if (i, j) in kept:
            continue
        own, other = sources.get(i, ({i}, set())), targets.get(j, (set(), {j}))
        block = own[0] | other[0], own[1] | other[1]
        if all(cell in cells for cell in product(*block)):
            kept.update(product(*block))
            sources |= dict.fromkeys(block[0], block)
            targets |= dict.fromkeys(block[1], block)
    return kept


def describe_left_out(links: int) -> str:
    """Return the message about links that are in no group."""
    return f"{counted(links, 'link')} left out, which would join two groups"
