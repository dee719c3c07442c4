"""Lexical probabilities of words that never occurred together, from the translations of their other forms.

With e in class a and f in class b, by more and more first letters l = 1, 2, ..., counts C as in
``lexicon.class_counts``, frequencies n, and p_0 = 0,

    p_l(f | e) = (C(a, b) n(f) / n(b) + w p_l-1(f | e)) / (C(a) + w).

This is the prior mean of ``kernels.word_forms`` for a word pair without a count of its own. The other
direction is likewise. Classes of more letters are part of those of fewer, so p_l is 0 where p_l-1 is.
"""

import math

import numpy as np

from aligner.kernels.policy import helper, kernel


@kernel
def back_off(is_first, chosen, source, target, pairs, weight, forward, reverse):
    """Replace p_l-1 by p_l in the cells of the chosen sentence pairs.

    is_first: True if l = 1; chosen: bool [pairs]; source, target: ``ClassedTokens`` of level l; pairs:
    ``ClassPairs`` of level l; weight: w; forward, reverse: float64 [cells], source-major.
    """
    cell = 0
    source_token = 0
    target_token = 0
    for n in range(len(chosen)):
        width = source.lengths[n]
        height = target.lengths[n]
        for i in range(source_token, source_token + (width if chosen[n] else 0)):
            a = source.classes[i]
            total = pairs.source_totals[a] if a >= 0 else 0.0
            for j in range(target_token, target_token + height):
                k = cell + (i - source_token) * height + j - target_token
                if not is_first and forward[k] == 0.0:
                    continue
                b = target.classes[j]
                other_total = pairs.target_totals[b] if b >= 0 else 0.0
                joint = _count_of(pairs, a, b) if a >= 0 and b >= 0 else 0.0
                forward[k] = (joint * target.shares[j] + weight * forward[k]) / (total + weight)
                reverse[k] = (joint * source.shares[i] + weight * reverse[k]) / (other_total + weight)
        cell += width * height
        source_token += width
        target_token += height


@helper
def _count_of(pairs, a, b):
    """Return the count of a pair of classes."""
    first = pairs.offsets[a]
    row = pairs.columns[first : pairs.offsets[a + 1]]
    k = np.searchsorted(row, b)
    return pairs.counts[first + k] if k < len(row) and row[k] == b else 0.0


@kernel
def raise_potentials(
    chosen, source_lengths, target_lengths, strength, forward, reverse, links, reverse_links
):
    """Raise the potentials of the chosen pairs to at least strength sqrt(p(f | e) p(e | f)).

    chosen: bool [pairs]; forward, reverse: float64 [cells], source-major, the last p_l; links, reverse_links:
    float32 [cells], potentials, [J, I] and [I, J] for each pair.
    """
    cell = 0
    for n in range(len(source_lengths)):
        width = source_lengths[n]
        height = target_lengths[n]
        for i in range(width if chosen[n] else 0):
            for j in range(height):
                k = cell + i * height + j
                guess = np.float32(strength * math.sqrt(forward[k] * reverse[k]))
                links[cell + j * width + i] = max(links[cell + j * width + i], guess)
                reverse_links[k] = max(reverse_links[k], guess)
        cell += width * height
