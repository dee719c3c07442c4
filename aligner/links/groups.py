"""Groups of words: links that form blocks, as formats of people who align by hand have them.

In a block, each source word is linked with each target word, and no word is in two blocks.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aligner import kernels
from aligner.links.alignments import Alignments
from aligner.links.link_sets import select
from aligner.messages import counted


def in_groups(links: Alignments) -> Alignments:
    """Return the links of blocks.

    Links are visited by descending probability, then by position. A link unites the blocks of its two words
    if all cells of the united block are links. Links between two blocks are left out.
    """
    values = np.zeros(len(links.source)) if links.probabilities is None else links.probabilities
    grouped = np.empty(len(values), np.bool_)
    kernels.groups.group(
        links.offsets, links.source, links.target, np.lexsort((-values, links.pair)), grouped
    )
    return replace(select(links, grouped), scores=links.scores)


def describe_left_out(links: int) -> str:
    """Return the message about links that are in no group."""
    return f"{counted(links, 'link')} left out, which would join two groups"
