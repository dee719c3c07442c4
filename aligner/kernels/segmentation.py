"""Segmentation of words into pieces under a unigram model: the most probable one, and expected counts.

The probability of a segmentation is the product of its pieces' probabilities (Kudo 2018). A probability p is
an integer, the cost -log2 p in units of 2**-10. Counts are in units of 2**-16. So results are exact: the same
in any order, on any processor.
"""

import numpy as np

from aligner.kernels.loops import count_below
from aligner.kernels.policy import helper, kernel

BIT = 1024
"""The cost of the probability 1/2."""

ONE = 1 << 16
"""The count 1."""

NO_PIECE = 1 << 60
"""The cost of a node that is no piece: more than that of any word."""

# Rounding is far from ties, so every platform computes the same integers.
LOGS = np.rint(BIT * np.log2(1 + np.arange(BIT + 1) / BIT)).astype(np.int64)
"""log2(1 + k / 1024) in units of 2**-10."""

_POWERS = np.rint(2.0 ** (30 - np.arange(BIT) / BIT)).astype(np.int64)
"""2**(30 - k / 1024)."""


@helper
def _child(trie, node, letter):
    """Return the child of a node by a letter, or 0 if there is none."""
    first = trie.children[node]
    end = trie.children[node + 1]
    child = first + count_below(trie.letters[first:end], letter)
    return child if child < end and trie.letters[child] == letter else 0


@helper
def _walk(trie, word, i, nodes):
    """Set ``nodes`` to those of word[i : i + 1], word[i : i + 2], ... as far as there are any.

    Returns their number, at least 1: the root stands for a letter without a node.
    """
    nodes[0] = _child(trie, 0, word[i])
    steps = 1
    while nodes[steps - 1] > 0 and i + steps < len(word):
        nodes[steps] = _child(trie, nodes[steps - 1], word[i + steps])
        if nodes[steps] == 0:
            break
        steps += 1
    return steps


@helper
def _power(cost):
    """Return 2**30 times the probability of a cost of at least 0."""
    return _POWERS[cost & (BIT - 1)] >> min(cost // BIT, 62)


@helper
def _cost_of_sum(a, b):
    """Return the cost of the sum of two probabilities, given their costs."""
    return min(a, b) - LOGS[_power(abs(a - b)) >> 20]


@helper
def _longest(offsets):
    """Return the largest number of letters of a word."""
    longest = 0
    for word in range(len(offsets) - 1):
        longest = max(longest, offsets[word + 1] - offsets[word])
    return longest


@kernel
def segment(trie, letters, offsets, nodes):
    """Find the most probable segmentation of each word; of equal ones, that with the longest last pieces.

    trie: ``TrieNodes``; letters, offsets: ``SpelledText``; nodes: int32 [letters], set to the node of the
    piece that ends with each letter, or -1 if none ends there.
    """
    longest = _longest(offsets)
    walk = np.zeros(longest, np.int64)
    best = np.zeros(longest + 1, np.int64)
    origins = np.zeros(longest + 1, np.int64)
    pieces = np.zeros(longest + 1, np.int32)
    for n in range(len(offsets) - 1):
        word = letters[offsets[n] : offsets[n + 1]]
        end = len(word)
        best[1 : end + 1] = NO_PIECE
        for i in range(end):
            for k in range(_walk(trie, word, i, walk)):
                cost = best[i] + trie.costs[walk[k]]
                if cost < best[i + k + 1]:
                    best[i + k + 1] = cost
                    origins[i + k + 1] = i
                    pieces[i + k + 1] = walk[k]
        chosen = nodes[offsets[n] : offsets[n + 1]]
        chosen[:] = -1
        while end > 0:
            chosen[end - 1] = pieces[end]
            end = origins[end]


@kernel
def expect(trie, letters, offsets, frequencies, expected):
    """Add the expected counts of pieces to ``expected``, int64 [nodes], by the forward-backward algorithm.

    frequencies: int64 [words], the frequency of each word; the others as for ``segment``.
    """
    longest = _longest(offsets)
    walk = np.zeros(longest, np.int64)
    before = np.zeros(longest + 1, np.int64)  # the cost of all segmentations of the letters before a place
    after = np.zeros(longest + 1, np.int64)  # the same of the letters from a place on
    for n in range(len(frequencies)):
        word = letters[offsets[n] : offsets[n + 1]]
        end = len(word)
        after[:end] = NO_PIECE
        after[end] = 0
        for i in range(end - 1, -1, -1):
            for k in range(_walk(trie, word, i, walk)):
                if trie.costs[walk[k]] < NO_PIECE:
                    after[i] = _cost_of_sum(after[i], trie.costs[walk[k]] + after[i + k + 1])
        before[1 : end + 1] = NO_PIECE
        for i in range(end):
            for k in range(_walk(trie, word, i, walk)):
                if trie.costs[walk[k]] < NO_PIECE:
                    cost = before[i] + trie.costs[walk[k]]
                    before[i + k + 1] = _cost_of_sum(before[i + k + 1], cost)
                    share = _power(max(cost + after[i + k + 1] - after[0], 0))
                    expected[walk[k]] += frequencies[n] * share >> 14
