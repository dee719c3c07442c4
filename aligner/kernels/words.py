"""Words of UTF-8 text to numbers, by a hash table of their bytes.

A table holds ``count`` words: word k is arena[offsets[k] : offsets[k + 1] - 1], a newline behind it, and its
hash is hashes[k]. places: int32, a power of two of them, the word at each or -1; one is searched for linearly
from where its hash points.
"""

import numpy as np

from aligner.kernels._jit import kernel

_NEWLINE = 10
_TAB = 9
_SPACE = 32


@kernel
def encode(text, places, hashes, offsets, arena, count, grow, tokens, lengths):
    """Number the words of some lines; returns how many there are, and how many words the table holds then.

    text: uint8 [bytes], each line ends in a newline, words are what spaces and TABs separate. tokens: int32
    [bytes], filled; lengths: int64 [lines], filled. A word that is not in the table is put there if grow
    (there must be room), or else gets the number ``count``.
    """
    mask = len(places) - 1
    line = 0
    before = 0
    words = 0
    start = 0
    code = np.uint64(14695981039346656037)
    for k in range(len(text)):
        byte = text[k]
        if byte != _SPACE and byte != _NEWLINE and byte != _TAB:
            code = (code ^ byte) * np.uint64(1099511628211)
            continue
        size = k - start
        if size > 0:
            code ^= code >> np.uint64(29)
            place = np.int64(code & np.uint64(mask))
            word = places[place]
            while word >= 0:
                if hashes[word] == code and offsets[word + 1] - offsets[word] == size + 1:
                    own = arena[offsets[word] : offsets[word] + size]
                    same = True
                    for b in range(size):
                        if own[b] != text[start + b]:
                            same = False
                            break
                    if same:
                        break
                place = (place + 1) & mask
                word = places[place]
            if word < 0:
                word = count
                if grow:
                    begin = offsets[count]
                    for b in range(size):
                        arena[begin + b] = text[start + b]
                    arena[begin + size] = _NEWLINE
                    offsets[count + 1] = begin + size + 1
                    hashes[count] = code
                    places[place] = count
                    count += 1
            tokens[words] = word
            words += 1
        code = np.uint64(14695981039346656037)
        start = k + 1
        if byte == _NEWLINE:
            lengths[line] = words - before
            before = words
            line += 1
    return words, count


@kernel
def place(hashes, count, places):
    """Put the first ``count`` words at their places in a table that is empty, all -1."""
    mask = len(places) - 1
    for word in range(count):
        k = np.int64(hashes[word] & np.uint64(mask))
        while places[k] >= 0:
            k = (k + 1) & mask
        places[k] = word
