"""Segmentation of words into pieces under a unigram model: the most probable one, and expected counts.

The probability of a segmentation is the product of its pieces' (Kudo 2018). Pieces are the nodes of a trie.
Probabilities are integers, costs of -log2 p in units of 2**-10 bits, and counts are in units of 2**-16. So
every result is exact, the same in any order and on any processor.
"""

import numpy as np

from aligner.kernels.policy import helper, kernel

BIT = 1024
"""The cost of a probability of 1/2."""

ONE = 1 << 16
"""A count of 1."""

NO_PIECE = 1 << 30
"""The cost of a node of the trie that is no piece. No word is that improbable."""

UNKNOWN = 0
"""The root of the trie. In a segmentation, it stands for a letter that is no piece."""

# Both tables are rounded to integers far from ties, so every platform computes the same.
LOGS = np.rint(BIT * np.log2(1 + np.arange(BIT + 1) / BIT)).astype(np.int64)
"""log2(1 + k / 1024) in units of 2**-10."""

_POWERS = np.rint(2.0 ** (30 - np.arange(BIT) / BIT)).astype(np.int64)
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
    return _POWERS[cost & (BIT - 1)] >> min(cost // BIT, 62)


@helper
def _sum(a, b):
    """Return the cost of the sum of two probabilities."""
    return min(a, b) - LOGS[_power(abs(a - b)) >> 20]


@kernel
def segment(trie, letters, offsets, unknown, whole, nodes, lengths, costs):
    """Find the most probable segmentation of each word; of equal ones, that with the longest last pieces.

    trie: ``PieceTrie``; letters: int32, those of all words; offsets: int64 [words + 1]; unknown: the cost of
    a letter that is no piece; whole: True if a word may be one piece; nodes: int32 [letters], set from the
    start to the pieces of the words; lengths: int64 [words], set to the number of pieces of each word; costs:
    int64 [words], set.
    """
    longest = 0
    for word in range(len(lengths)):
        longest = max(longest, offsets[word + 1] - offsets[word])
    best = np.empty(longest + 1, np.int64)
    origins = np.empty(longest + 1, np.int64)
    last = np.empty(longest + 1, np.int32)
    end = 0
    for word in range(len(lengths)):
        own = letters[offsets[word] : offsets[word + 1]]
        size = len(own)
        best[0] = 0
        best[1 : size + 1] = np.int64(1) << 62
        for i in range(size):
            if best[i] + unknown < best[i + 1]:
                best[i + 1] = best[i] + unknown
                origins[i + 1] = i
                last[i + 1] = UNKNOWN
            node = 0
            for j in range(i, size if whole or i > 0 else size - 1):
                node = _child(trie, node, own[j])
                if node == 0:
                    break
                cost = best[i] + trie.costs[node]
                if trie.costs[node] < NO_PIECE and cost < best[j + 1]:
                    best[j + 1] = cost
                    origins[j + 1] = i
                    last[j + 1] = node
        costs[word] = best[size]
        first = end
        at = size
        while at > 0:
            nodes[end] = last[at]
            at = origins[at]
            end += 1
        lengths[word] = end - first
        nodes[first:end] = nodes[first:end][::-1].copy()


@kernel
def expect(trie, letters, offsets, unknown, counts, expected):
    """Add the expected counts of pieces in words to ``expected``, int64 [nodes], in units of 2**-16.

    counts: int64 [words], the frequency of each word; the others as for ``segment``.
    """
    longest = 0
    for word in range(len(counts)):
        longest = max(longest, offsets[word + 1] - offsets[word])
    before = np.empty(longest + 1, np.int64)
    after = np.empty(longest + 1, np.int64)
    for word in range(len(counts)):
        own = letters[offsets[word] : offsets[word + 1]]
        size = len(own)
        after[size] = 0
        for i in range(size - 1, -1, -1):
            after[i] = unknown + after[i + 1]
            node = 0
            for j in range(i, size):
                node = _child(trie, node, own[j])
                if node == 0:
                    break
                if trie.costs[node] < NO_PIECE:
                    after[i] = _sum(after[i], trie.costs[node] + after[j + 1])
        before[0] = 0
        before[1 : size + 1] = np.int64(1) << 40
        for i in range(size):
            before[i + 1] = _sum(before[i + 1], before[i] + unknown)
            node = 0
            for j in range(i, size):
                node = _child(trie, node, own[j])
                if node == 0:
                    break
                if trie.costs[node] < NO_PIECE:
                    cost = before[i] + trie.costs[node]
                    before[j + 1] = _sum(before[j + 1], cost)
                    share = _power(max(cost + after[j + 1] - after[0], 0))
                    expected[node] += counts[word] * share >> 14
