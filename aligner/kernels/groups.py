"""Groups of words: links that form blocks, in which each source word is linked with each target word.

Links are visited in an order. A link unites the blocks of its two words if all cells of the united block are
links. The result has the links within blocks.

Slow twin: ``blocks`` in tests/links/test_groups.py.
"""

import numpy as np
from numpy import int64

from aligner.kernels.policy import kernel, part


@kernel
def group(offsets, source, target, order, grouped):
    """Set grouped[k] to True for each link of the result.

    offsets: int64 [pairs + 1]; source, target: int32 [links], sorted; order: int64 [links], the links of each
    pair in the order in which they are visited; grouped: bool [links], set.
    """
    for n in range(len(offsets) - 1):
        first, end = offsets[n], offsets[n + 1]
        if first == end:
            continue
        rows = int64(source[end - 1]) + 1
        words = rows + int64(target[first:end].max()) + 1
        block = np.arange(words)  # of source words, then of target words: one of the words of the block
        following = np.arange(words)  # the next word of the block, in a circle
        begins = first + np.searchsorted(source[first:end], np.arange(rows + 1))
        for k in order[first:end]:
            own, other = block[source[k]], block[rows + target[k]]
            if own != other and _is_complete(own, other, block, following, begins, target):
                word = other
                while block[word] != own:
                    block[word] = own
                    word = following[word]
                following[own], following[other] = following[other], following[own]
        for k in range(first, end):
            grouped[k] = block[source[k]] == block[rows + target[k]]


@part
def _is_complete(own, other, block, following, begins, target):
    """Return True if all cells of two blocks together are links.

    begins: int64 [source words + 1], where the links of each source word begin. The rest is as in ``group``.
    """
    rows = len(begins) - 1
    links = sources = targets = 0
    for start in (own, other):
        word = start
        while True:
            if word < rows:
                sources += 1
                for k in range(begins[word], begins[word + 1]):
                    links += block[rows + target[k]] in (own, other)
            else:
                targets += 1
            word = following[word]
            if word == start:
                break
    return links == sources * targets
