"""Words of UTF-8 text to numbers, by a hash table of their bytes.

A table holds ``count`` words: word k is arena[offsets[k] : offsets[k + 1] - 1], a newline behind it, and its
hash is hashes[k]. places: int32, a power of two of them, the word at each or -1; one is searched for linearly
from where its hash points. Of words of up to eight bytes, those of one size with the same hash are the same.
"""

from numpy import int64, uint64

from aligner.kernels._jit import inlined, kernel
from aligner.kernels.simd import eight_bytes, lowest_bit, separators

_NEWLINE = 10
_TAB = 9
_SPACE = 32
_WIDTH = 64


@inlined
def _lower(eight, high):
    """Eight bytes with their letters A to Z lowercased; high: the highest bit of each byte, or 0."""
    seven = eight & uint64(0x7F7F7F7F7F7F7F7F)
    from_a = seven + uint64(0x3F3F3F3F3F3F3F3F)
    after_z = seven + uint64(0x2525252525252525)
    return eight | ((from_a ^ after_z) & ~eight & high) >> uint64(2)


@inlined
def _mix(code, eight):
    """The hash after eight more bytes; no two of them lead to the same."""
    code = (code ^ eight) * uint64(0x9E3779B97F4A7C15)
    return code ^ code >> uint64(32)


@kernel
def encode(text, lowercase, places, hashes, offsets, arena, state, tokens, lengths):
    """Number the words of some lines, and put into the table those that are not there.

    text: uint8 [bytes], each line ends in a newline, words are what spaces and TABs separate. The kernel
    returns when more than half of the places are taken, to be called again with more; there must be room for
    so many words. state: int64 [5], how far it is: bytes, words, lines, words of whole lines, ``count``.
    tokens: int32 [bytes // 2 + 1], filled; lengths: int64 [lines], filled.
    """
    size_of_text = len(text)
    high = uint64(0x8080808080808080) if lowercase else uint64(0)
    start, words, line, before, count = state
    mask = len(places) - 1
    base = start
    while base < size_of_text and 2 * count <= len(places):
        ends = uint64(0)
        if base + _WIDTH <= size_of_text:
            ends = separators(text, base)
        else:
            for k in range(size_of_text - base):
                byte = text[base + k]
                if byte in (_SPACE, _NEWLINE, _TAB):
                    ends |= uint64(1) << uint64(k)
        while ends and 2 * count <= len(places):
            end = base + lowest_bit(ends)
            ends &= ends - uint64(1)
            size = end - start
            if size > 0:
                code = uint64(0)
                if size > 8:
                    for k in range(start, end - 8, 8):
                        code = _mix(code, _lower(eight_bytes(text, k), high))
                    code = _mix(code, _lower(eight_bytes(text, end - 8), high))
                elif start + 8 <= size_of_text:
                    only = ~uint64(0) >> uint64(64 - 8 * size)
                    code = _mix(code, _lower(eight_bytes(text, start) & only, high))
                else:
                    eight = uint64(0)
                    for k in range(size):
                        eight |= uint64(text[start + k]) << uint64(8 * k)
                    code = _mix(code, _lower(eight, high))
                place = int64(code & uint64(mask))
                word = places[place]
                while word >= 0:
                    if hashes[word] == code and offsets[word + 1] - offsets[word] == size + 1:
                        if size <= 8:
                            break
                        shift = offsets[word] - start
                        other = _lower(eight_bytes(text, end - 8), high) ^ eight_bytes(arena, end - 8 + shift)
                        for k in range(start, end - 8, 8):
                            other |= _lower(eight_bytes(text, k), high) ^ eight_bytes(arena, k + shift)
                        if other == 0:
                            break
                    place = (place + 1) & mask
                    word = places[place]
                if word < 0:
                    word = count
                    own = arena[offsets[count] : offsets[count] + size + 1]
                    for k in range(size):
                        byte = text[start + k]
                        own[k] = byte | 32 if high and 65 <= byte <= 90 else byte
                    own[size] = _NEWLINE
                    offsets[count + 1] = offsets[count] + size + 1
                    hashes[count] = code
                    places[place] = count
                    count += 1
                tokens[words] = word
                words += 1
            if text[end] == _NEWLINE:
                lengths[line] = words - before
                before = words
                line += 1
            start = end + 1
        base += _WIDTH
    state[0] = start
    state[1] = words
    state[2] = line
    state[3] = before
    state[4] = count


@kernel
def place(hashes, count, places):
    """Put the first ``count`` words at their places in a table that is empty, all -1."""
    mask = len(places) - 1
    for word in range(count):
        k = int64(hashes[word] & uint64(mask))
        while places[k] >= 0:
            k = (k + 1) & mask
        places[k] = word


@kernel
def find(other_hashes, other_offsets, other_arena, places, hashes, offsets, arena, count, grow, found):
    """Number the words of another table; returns how many words the table holds then.

    found: int32 [words of the other], filled. A word that is not in the table is put there if grow (there
    must be room), or else gets the number ``count``.
    """
    mask = len(places) - 1
    for n in range(len(found)):
        code = other_hashes[n]
        own = other_arena[other_offsets[n] : other_offsets[n + 1]]
        size = len(own)
        place = int64(code & uint64(mask))
        word = places[place]
        while word >= 0:
            if hashes[word] == code and offsets[word + 1] - offsets[word] == size:
                there = arena[offsets[word] : offsets[word + 1]]
                k = 0 if size > 9 else size
                while k < size and own[k] == there[k]:
                    k += 1
                if k == size:
                    break
            place = (place + 1) & mask
            word = places[place]
        if word < 0:
            word = count
            if grow:
                offsets[count + 1] = offsets[count] + size
                there = arena[offsets[count] : offsets[count + 1]]
                for k in range(size):
                    there[k] = own[k]
                hashes[count] = code
                places[place] = count
                count += 1
        found[n] = word
    return count


@kernel
def count(tokens, lengths, chosen, counts, appearing):
    """Count words in the chosen sentences, and list them by first appearance; returns how many there are.

    tokens: int32 [N]; lengths: int64 [n]; chosen: bool [n]; counts: int64 [words], zeros, filled; appearing:
    int32 [words], filled as far as there are any.
    """
    different = 0
    start = 0
    for n in range(len(lengths)):
        sentence = tokens[start : start + lengths[n]]
        start += lengths[n]
        if not chosen[n]:
            continue
        for word in sentence:
            if counts[word] == 0:
                appearing[different] = word
                different += 1
            counts[word] += 1
    return different


@kernel
def renumber(tokens, numbers, renumbered):
    """The number of each token, all int32; renumbered may be tokens."""
    for k in range(len(tokens)):
        renumbered[k] = numbers[tokens[k]]
