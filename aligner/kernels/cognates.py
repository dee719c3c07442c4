"""Which words that occur together are spelled alike."""

import numpy as np

from aligner.kernels._jit import kernel

LONGEST = 64
"""Words of more letters are alike only if they are equal: letters are bits of a machine word here."""


@kernel
def find_cognates(
    first, last, row_offsets, columns, source, source_ends, target, target_ends, letters, percent, alike
):
    """alike[k] = 1 where the longest common subsequence has ``percent`` of the longer word's letters.

    For the word pairs of the source types first <= s < last. source, target: uint16, the letters of all
    words, each word with a 0 behind it, at *_ends, int64 [types]. Letters that both languages have are
    numbered from 1 to ``letters``; any other is ``letters`` + 1 in a source word, + 2 in a target word.
    alike: uint8 [slots + 1].

    A row of the dynamic program is one number (Hyyro 2004): of its bits, one for each letter of the source
    word, as many become zero as the subsequence has letters.
    """
    places = np.empty(letters + 3, np.uint64)
    for letter in range(letters + 3):
        places[letter] = 0
    for s in range(first, last):
        word = source[source_ends[s - 1] + 1 if s > 0 else 0 : source_ends[s]]
        width = len(word)
        shared = 0
        for x in range(width):
            shared += word[x] <= letters
        if width == 0 or 100 * shared < percent * width:
            continue
        for x in range(min(width, LONGEST)):
            places[word[x]] |= np.uint64(1) << np.uint64(x)
        for k in range(row_offsets[s], row_offsets[s + 1]):
            t = columns[k]
            other = target[target_ends[t - 1] + 1 if t > 0 else 0 : target_ends[t]]
            height = len(other)
            least = percent * max(width, height)
            if 100 * min(width, height) < least:
                continue
            if width > LONGEST:
                equal = width == height
                for x in range(width if equal else 0):
                    equal &= word[x] == other[x]
                alike[k] = equal
                continue
            bits = ~np.uint64(0)
            for y in range(height):
                matched = bits & places[other[y]]
                bits = (bits + matched) | (bits - matched)
            common = _ones(~bits & (~np.uint64(0) >> np.uint64(LONGEST - width)))
            alike[k] = 100 * common >= least
        for x in range(width):
            places[word[x]] = 0


@kernel
def _ones(bits):
    """How many bits of a uint64 are set."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
