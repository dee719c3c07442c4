"""Segmentation of words into pieces under a unigram model: the most probable one, and expected counts.

The probability of a segmentation is the product of its pieces' probabilities (Kudo 2018). A probability p is
an integer, the cost -log2 p in units of 2**-10. Counts are in units of 2**-16. So results are exact: the same
in any order, on any processor.
"""

import numpy as np

from aligner.kernels.policy import helper, kernel

BIT = 1024
"""The cost of the probability 1/2."""

ONE = 1 << 16
"""The count 1."""

NO_PIECE = 1 << 40
"""The cost of a node of the trie that is no piece: more than that of any word."""

# Rounding is far from ties, so every platform computes the same integers.
LOGS = np.rint(BIT * np.log2(1 + np.arange(BIT + 1) / BIT)).astype(np.int64)
"""log2(1 + k / 1024) in units of 2**-10."""

POWERS = np.rint(2.0 ** (30 - np.arange(BIT) / BIT)).astype(np.int64)
"""2**(30 - k / 1024)."""


@helper
def _child(trie, node, letter):
    """Return the child of a node by a letter, or 0 if there is none."""
    low = trie.children[node]
    end = trie.children[node + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if trie.letters[middle] < letter:
            low = middle + 1
        else:
            high = middle
    return low if low < end and trie.letters[low] == letter else 0


@helper
def _power(cost):
    """Return 2**30 times the probability of a cost of at least 0."""
    return POWERS[cost & (BIT - 1)] >> min(cost // BIT, 62)


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
def segment(trie, letters, offsets, whole, nodes, costs):
    """Find the most probable segmentation of each word; of equal ones, that with the longest last pieces.

    trie: ``TrieNodes``; letters, offsets: ``SpelledText``; whole: True if a word may be one piece; nodes:
    int32 [letters], set to the piece that ends with each letter, 0 for a letter that is no piece, or -1 if no
    piece ends there; costs: int64 [words], set.
    """
    longest = _longest(offsets)
    best = np.zeros(longest + 1, np.int64)
    origins = np.zeros(longest + 1, np.int64)
    pieces = np.zeros(longest + 1, np.int32)
    for word in range(len(costs)):
        own = letters[offsets[word] : offsets[word + 1]]
        size = len(own)
        best[1 : size + 1] = NO_PIECE
        for i in range(size):
            if best[i] + trie.unknown < best[i + 1]:
                best[i + 1] = best[i] + trie.unknown
                origins[i + 1] = i
                pieces[i + 1] = 0
            node = 0
            for j in range(i, size if whole or i > 0 else size - 1):
                node = _child(trie, node, own[j])
                if node == 0:
                    break
                cost = best[i] + trie.costs[node]
                if cost < best[j + 1]:
                    best[j + 1] = cost
                    origins[j + 1] = i
                    pieces[j + 1] = node
        costs[word] = best[size]
        chosen = nodes[offsets[word] : offsets[word + 1]]
        chosen[:] = -1
        while size > 0:
            chosen[size - 1] = pieces[size]
            size = origins[size]


@kernel
def expect(trie, letters, offsets, frequencies, expected):
    """Add the expected counts of pieces to ``expected``, int64 [nodes].

    frequencies: int64 [words], the count of each word, in units of 1; the others as for ``segment``.
    """
    longest = _longest(offsets)
    before = np.zeros(longest + 1, np.int64)  # the cost of all segmentations of the letters before a place
    after = np.zeros(longest + 1, np.int64)  # of those from a place on
    for word in range(len(frequencies)):
        own = letters[offsets[word] : offsets[word + 1]]
        size = len(own)
        after[size] = 0
        for i in range(size - 1, -1, -1):
            after[i] = trie.unknown + after[i + 1]
            node = 0
            for j in range(i, size):
                node = _child(trie, node, own[j])
                if node == 0:
                    break
                if trie.costs[node] < NO_PIECE:
                    after[i] = _cost_of_sum(after[i], trie.costs[node] + after[j + 1])
        before[1 : size + 1] = NO_PIECE
        for i in range(size):
            before[i + 1] = _cost_of_sum(before[i + 1], before[i] + trie.unknown)
            node = 0
            for j in range(i, size):
                node = _child(trie, node, own[j])
                if node == 0:
                    break
                if trie.costs[node] < NO_PIECE:
                    cost = before[i] + trie.costs[node]
                    before[j + 1] = _cost_of_sum(before[j + 1], cost)
                    share = _power(max(cost + after[j + 1] - after[0], 0))
                    expected[node] += frequencies[word] * share >> 14
